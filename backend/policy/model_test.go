package policy_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// model is CONTRACT section 2 once more, as slow and plain as it can be said, for the
// names of world only.
func model(rules []permission.Rule, c policy.Call, at permission.Time) (permission.Effect, permission.RuleID) {
	bad := world.bad[c.ToolName] || c.ServerID != nil && world.bad[*c.ServerID]
	var best *permission.Rule
	for i := range rules {
		r := &rules[i]
		if modelApplies(r, c, at) && (!bad || r.Effect == "deny") && (best == nil || modelFirst(r, best)) {
			best = r
		}
	}
	if best == nil {
		return "ask", ""
	}
	return best.Effect, best.ID
}

func modelApplies(r *permission.Rule, c policy.Call, at permission.Time) bool {
	if !r.Enabled || r.ExpiresAt != 0 && at >= r.ExpiresAt {
		return false
	}
	if r.ServerID != nil {
		if c.ServerID == nil || *r.ServerID != *c.ServerID {
			return false
		}
	}
	if r.ToolName != nil {
		return *r.ToolName == c.ToolName
	}
	return r.ToolPattern == nil || modelMatches(strings.ToLower(*r.ToolPattern), strings.ToLower(c.ToolName))
}

// modelMatches is for patterns and names of world, where lower case is enough.
func modelMatches(pat, name string) bool {
	if pat == "" {
		return name == ""
	}
	if pat[0] == '*' {
		return modelMatches(pat[1:], name) || name != "" && name[0] != '\n' && modelMatches(pat, name[1:])
	}
	return name != "" && name[0] == pat[0] && modelMatches(pat[1:], name[1:])
}

func modelFirst(a, b *permission.Rule) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	if a.Effect != b.Effect {
		return a.Effect == "deny" || b.Effect == "allow"
	}
	if a.CreatedAt != b.CreatedAt {
		return a.CreatedAt < b.CreatedAt
	}
	return a.ID < b.ID
}

// world is small, so that rules and calls meet often.
var world = struct {
	servers, tools, patterns []string
	effects                  []permission.Effect
	bad                      map[string]bool
}{
	servers:  []string{"fs", "FS", "shell", "", "f\u0455"},
	tools:    []string{"read", "Read", "read_x", "write", "*", "", " read", "read\n", "r\u200bead", "\xff"},
	patterns: []string{"*", "read*", "R*D", "*e*", "write", "read_*", "**x", "*\n", "f*"},
	effects:  []permission.Effect{"allow", "ask", "deny"},
	bad:      map[string]bool{"": true, "f\u0455": true, " read": true, "read\n": true, "r\u200bead": true, "\xff": true},
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// maybe is nil half of the time and never empty.
func maybe(r *rand.Rand, from []string) *string {
	if s := pick(r, from); s != "" && s != "\xff" && r.IntN(2) == 0 {
		return &s
	}
	return nil
}

func randomRule(r *rand.Rand, id string) permission.Rule {
	rule := permission.Rule{ID: permission.RuleID(id), ServerID: maybe(r, world.servers), ToolName: maybe(r, world.tools),
		ToolPattern: maybe(r, world.patterns), Effect: pick(r, world.effects), Priority: int64(r.IntN(3) - 1),
		CreatedAt: permission.Time(r.IntN(3)), Enabled: r.IntN(5) > 0, ExpiresAt: permission.Time(r.IntN(8))}
	if r.IntN(3) > 0 {
		rule.ToolName = nil
	}
	rule.AutoApprove = rule.Effect == permission.Allow
	return rule
}

// checkRandom makes a rule set and a call from a seed, and holds Decide against the
// model and against Trace.
func checkRandom(t *testing.T, seed uint64) permission.Effect {
	r := rand.New(rand.NewPCG(seed, 1))
	rules := make([]permission.Rule, r.IntN(8))
	for i, n := range r.Perm(len(rules)) {
		rules[i] = randomRule(r, string(rune('a'+n)))
	}
	c := policy.Call{ToolName: pick(r, world.tools)}
	if server := pick(r, world.servers); r.IntN(4) > 0 {
		c.ServerID = &server
	}
	at := permission.Time(1 + r.IntN(5))
	s := policy.Compile(rules, int64(seed))
	d := s.Decide(c, at)
	effect, id := model(rules, c, at)
	var got permission.RuleID
	if d.Rule != nil {
		got = d.Rule.ID
	}
	if d.Effect != effect || got != id {
		t.Fatalf("seed %d: %+v of %+v\ndecided %s by %q, the model says %s by %q", seed, c, rules, d.Effect, got, effect, id)
	}
	if d.Reason == "" {
		t.Fatalf("seed %d: no reason", seed)
	}
	checkTrace(t, s, c, at, d)
	return d.Effect
}

func checkTrace(t *testing.T, s *policy.Set, c policy.Call, at permission.Time, d policy.Decision) {
	t.Helper()
	traced, steps := s.Trace(c, at)
	if traced.Effect != d.Effect || traced.Reason != d.Reason || traced.NameIssue != d.NameIssue || (traced.Rule == nil) != (d.Rule == nil) {
		t.Fatalf("Trace decides %+v, Decide %+v", traced, d)
	}
	if len(steps) != s.Len() {
		t.Fatalf("%d steps for %d rules", len(steps), s.Len())
	}
	for i, rule := range s.Rules() {
		if steps[i].RuleID != rule.ID || steps[i].Why == "" {
			t.Fatalf("step %d is %+v, the rule %s", i, steps[i], rule.ID)
		}
	}
	for _, step := range steps {
		if step.Applies {
			if d.Rule == nil || d.Rule.ID != step.RuleID || traced.Rule.ID != step.RuleID {
				t.Fatalf("first applying step %+v, decision by %+v", step, d.Rule)
			}
			return
		}
	}
	if d.Rule != nil || d.Effect != permission.Ask {
		t.Fatalf("no step applies, decision %+v", d)
	}
}

func TestDecideIsTheModel(t *testing.T) {
	count := map[permission.Effect]int{}
	for seed := range uint64(20_000) {
		count[checkRandom(t, seed)]++
	}
	for _, e := range world.effects {
		if count[e] < 500 {
			t.Errorf("%s came out %d times only: the test is blind for it", e, count[e])
		}
	}
}

// FuzzDecide throws any name at the judge: what is not plainly good is never allowed,
// what an exact deny rule names is denied, and nothing panics.
func FuzzDecide(f *testing.F) {
	for name := range badNames {
		f.Add(name, "fs", uint64(0))
	}
	for i, name := range goodNames {
		f.Add("x", name, uint64(i))
	}
	f.Fuzz(func(t *testing.T, tool, server string, seed uint64) {
		checkRandom(t, seed)
		c := policy.Call{ServerID: &server, ToolName: tool}
		s := allowAll()
		d := s.Decide(c, now)
		checkTrace(t, s, c, now, d)
		if (d.NameIssue == "") != (d.Effect == permission.Allow) {
			t.Fatalf("%q %q: %+v", server, tool, d)
		}
		for _, r := range d.Reason {
			if r < ' ' || r > '~' {
				t.Fatalf("%q %q: the reason carries %U: %q", server, tool, r, d.Reason)
			}
		}
		deny := policy.Compile([]permission.Rule{{ID: "no", ToolName: &tool, Effect: permission.Deny, Enabled: true}}, 0)
		if deny.Len() == 1 && deny.Decide(c, now).Effect != permission.Deny {
			t.Fatalf("%q %q is not denied", server, tool)
		}
	})
}
