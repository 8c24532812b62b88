package advice

import (
	"bytes"
	"cmp"
	"slices"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// Diff says what an import of rules would change: imported over old in the mode
// merge, imported instead of old in the mode replace. Rules are the same rule by their
// id, which is there once in each list, and the same in content whatever their times
// of change and hits are. PolicyVersion is the caller's business.
//
// Allows names what a person must accept one by one, because after the import a call
// may run unasked that could not before, or because it takes no more than a switch:
//
//   - an allow rule that is new, or was none before, be it disabled or over;
//   - a changed allow rule that may reach further than it did: that is switched on, is
//     stronger or lasts longer, has a wider limit or none any more, has another condition or none any more, or goes for a
//     server or tool that it did not go for;
//   - a guard, a deny or ask rule that was enabled, if it goes, is switched off or does
//     not hold everything any more that it held, and the outcome has an allow rule at
//     its priority or below with calls in common: what the guard held back, that rule
//     may allow. A deny rule that names no method, and a guard of readings, needs no such
//     rule: the settings may allow what they held back. A guard that only became wider, stronger or longer is not named.
//
// Expired rules are taken as if they acted, so that the answer does not depend on when
// it is asked.
func Diff(old, imported []permission.Rule, mode permission.ImportMode) permission.RuleDiff {
	d := permission.RuleDiff{Added: []permission.Rule{}, Changed: []permission.RulePair{}, Removed: []permission.Rule{},
		Allows: []permission.RuleID{}}
	before := map[permission.RuleID]*permission.Rule{}
	for i := range old {
		before[old[i].ID] = &old[i]
	}
	named := map[permission.RuleID]bool{}
	outcome := slices.Clone(imported)
	for _, r := range imported {
		named[r.ID] = true
		switch was := before[r.ID]; {
		case was == nil:
			d.Added = append(d.Added, r)
		case sameContent(was, &r):
			d.Same++
		default:
			d.Changed = append(d.Changed, permission.RulePair{Before: *was, After: r})
		}
	}
	for _, r := range old {
		switch {
		case named[r.ID]:
		case mode == permission.ImportReplace:
			d.Removed = append(d.Removed, r)
		default:
			outcome = append(outcome, r)
		}
	}
	d.Allows = append(d.Allows, newAllows(&d, outcome)...)
	return d
}

// newAllows is Diff's Allows: added, changed and removed rules in this order.
func newAllows(d *permission.RuleDiff, outcome []permission.Rule) (ids []permission.RuleID) {
	var allows []*permission.Rule
	var extents []extent
	for i := range outcome {
		if allowing(&outcome[i]) {
			allows, extents = append(allows, &outcome[i]), append(extents, extentOf(&outcome[i]))
		}
	}
	freed := func(guard *permission.Rule) bool {
		held := extentOf(guard)
		if !policy.ToolCalls.Cover(held.methods) {
			return true // what else it held, the settings may allow
		}
		for i, r := range allows {
			if r.Priority <= guard.Priority && held.meets(extents[i]) {
				return true
			}
		}
		return false
	}
	for i := range d.Added {
		if d.Added[i].Effect == permission.Allow {
			ids = append(ids, d.Added[i].ID)
		}
	}
	for i := range d.Changed {
		was, is := &d.Changed[i].Before, &d.Changed[i].After
		switch {
		case is.Effect == permission.Allow && !within(is, was):
			ids = append(ids, is.ID)
		case guarding(was) && !holds(is, was) && freed(was):
			ids = append(ids, is.ID)
		}
	}
	for i := range d.Removed {
		if guarding(&d.Removed[i]) && freed(&d.Removed[i]) {
			ids = append(ids, d.Removed[i].ID)
		}
	}
	return ids
}

func allowing(r *permission.Rule) bool { return r.Enabled && r.Effect == permission.Allow }
func guarding(r *permission.Rule) bool { return r.Enabled && r.Effect != permission.Allow }

// within reports whether a rule is an allow rule that certainly allows no more than it
// did, at no time and before no other rule.
func within(is, was *permission.Rule) bool {
	return was.Effect == permission.Allow && (was.Enabled || !is.Enabled) && reaches(was, is)
}

// holds reports whether a changed guard still holds every call that it held.
func holds(is, was *permission.Rule) bool { return guarding(is) && reaches(is, was) }

// reaches reports whether a rule applies to every call that another applies to, is as
// strong and acts for as long. Of two different conditions that cannot be told.
func reaches(r, other *permission.Rule) bool {
	lasts := r.ExpiresAt.IsZero() || !other.ExpiresAt.IsZero() && r.ExpiresAt >= other.ExpiresAt
	return lasts && r.Priority >= other.Priority && other.Limit.Within(r.Limit) &&
		(r.Condition == nil || equal(r.Condition, other.Condition)) && extentOf(r).covers(extentOf(other))
}

// sameReach reports whether two rules apply to the same calls, at the same place and
// for the same time, as they are written.
func sameReach(a, b *permission.Rule) bool {
	return equal(a.ServerID, b.ServerID) && equal(a.Method, b.Method) && equal(a.ToolName, b.ToolName) &&
		equal(a.ToolPattern, b.ToolPattern) &&
		equal(a.Condition, b.Condition) && a.Priority == b.Priority && a.ExpiresAt == b.ExpiresAt &&
		a.Limit.Same(b.Limit)
}

// sameContent compares what a person wrote.
func sameContent(a, b *permission.Rule) bool {
	return sameReach(a, b) && a.Effect == b.Effect && a.Enabled == b.Enabled && a.Note == b.Note &&
		slices.EqualFunc(a.Examples, b.Examples, sameExample)
}

func sameExample(a, b permission.Example) bool {
	return equal(a.ServerID, b.ServerID) && cmp.Or(a.Method, permission.CallTool) == cmp.Or(b.Method, permission.CallTool) &&
		a.ToolName == b.ToolName && a.SessionID == b.SessionID && a.AgentID == b.AgentID &&
		a.AgentName == b.AgentName && equal(a.Subagent, b.Subagent) && equal(a.Cwd, b.Cwd) &&
		a.Decision == b.Decision && sameInput(a.Input, b.Input)
}

// sameInput compares inputs whatever their white space and the order of their keys,
// which change when a file is written again.
func sameInput(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errA := canonicalInput(a)
	y, errB := canonicalInput(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func canonicalInput(raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("{}"), nil
	}
	return rawjson.Canonical(nil, raw)
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// extent is what a rule goes for: a server, methods, and names of tools or what else the
// methods are about.
type extent struct {
	server  *string
	methods policy.Methods
	name    *string
	glob    *pattern.Pattern // where name is nil; nil is any name
}

func extentOf(r *permission.Rule) extent {
	s := extent{server: r.ServerID, methods: policy.MethodsOf(r), name: r.ToolName}
	if s.name == nil && r.ToolPattern != nil {
		glob := pattern.Compile(*r.ToolPattern)
		s.glob = &glob
	}
	return s
}

func (s extent) any() bool { return s.name == nil && s.glob == nil }

// covers reports whether s has every server and tool that other has.
func (s extent) covers(other extent) bool {
	if s.server != nil && !equal(s.server, other.server) || !s.methods.Cover(other.methods) {
		return false
	}
	switch {
	case s.any():
		return true
	case other.any():
		return false
	case s.name != nil:
		return equal(s.name, other.name)
	case other.name != nil:
		return s.glob.Match(*other.name)
	}
	return pattern.Covers(*s.glob, *other.glob)
}

// meets reports whether s and other have a server and tool in common.
func (s extent) meets(other extent) bool {
	if s.server != nil && other.server != nil && !equal(s.server, other.server) || s.methods&other.methods == 0 {
		return false
	}
	switch {
	case s.any() || other.any():
		return true
	case s.name != nil && other.name != nil:
		return equal(s.name, other.name)
	case s.name != nil:
		return other.glob.Match(*s.name)
	case other.name != nil:
		return s.glob.Match(*other.name)
	}
	return pattern.Meets(*s.glob, *other.glob)
}
