package reach

import (
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// rule is a rule as this room looks at it.
type rule struct {
	permission.Rule
	pattern   *pattern.Pattern // where the rule goes by it
	condition *policy.Expression
	parts     map[string]*policy.Expression // of the condition, by their text
}

// prepare gives those rules that act, in the order of judgement.
func prepare(set *policy.Set, now permission.Time) (rules []*rule) {
	for _, r := range set.Rules() {
		if !r.Enabled || over(&r, now) {
			continue
		}
		out := &rule{Rule: r, parts: map[string]*policy.Expression{}}
		if r.ToolName == nil && r.ToolPattern != nil {
			p := pattern.Compile(*r.ToolPattern)
			out.pattern = &p
		}
		rules = append(rules, out)
	}
	return rules
}

func over(r *permission.Rule, now permission.Time) bool {
	return !r.ExpiresAt.IsZero() && r.ExpiresAt <= now
}

// expression reads the condition when it is first asked for; false is for one that cannot be
// read, and fails for every call.
func (r *rule) expression() (*policy.Expression, bool) {
	if r.Condition == nil || r.condition != nil {
		return r.condition, true
	}
	e, err := policy.Express(*r.Condition)
	r.condition = e
	return e, err == nil
}

// readsLine reports whether the condition looks at the line of a call.
func (r *rule) readsLine() bool {
	e, ok := r.expression()
	return ok && e.ReadsLine()
}

// outlasts reports whether r acts for as long as other does.
func (r *rule) outlasts(other *rule) bool {
	return r.ExpiresAt.IsZero() || !other.ExpiresAt.IsZero() && r.ExpiresAt >= other.ExpiresAt
}

// about says whether a rule is about the calls of a state, by server, method and tool, and
// offers to tell. Of a name that is not known it is said for one that no pattern matches but
// those that match all that the state's does: whatever holds such a call holds them all.
func (r *rule) about(e *evaluator) outcome {
	if !r.For(e.method) {
		return isFalse
	}
	o := isTrue
	if r.ServerID != nil {
		o = e.oneOf(serverOf, []string{quote(*r.ServerID)})
	}
	return and(o, r.tooled(e.state))
}

func (r *rule) tooled(s *state) outcome {
	known, is := s.known(toolOf)
	name, _ := text(known)
	switch {
	case r.ToolName != nil:
		return truth(is && name == *r.ToolName)
	case r.pattern == nil:
		return isTrue
	case is:
		return truth(r.pattern.Match(name))
	}
	return truth(pattern.Covers(*r.pattern, s.tool))
}

// applies says whether a rule applies to the calls of a state, and what tells those apart of
// which it is not certain. An error counts as the rule's effect wants it.
func (r *rule) applies(s *state, wanted bool) (o outcome, choice []step) {
	e := &evaluator{state: s, id: r.ID, ask: r.ask, guard: !wanted}
	if o = r.about(e); o == isFalse {
		return o, nil
	}
	expression, ok := r.expression()
	switch {
	case !ok:
		o = and(o, fails)
	case expression != nil:
		e.source = expression.Tree.SourceInfo()
		o = and(o, e.eval(expression.Tree.Expr()))
	}
	if r.Effect == permission.Allow && o.may(fails) {
		o = o&^fails | isFalse
	} else if o.may(fails) {
		o = o&^fails | isTrue
	}
	if o.only() {
		return o, nil
	}
	return o, e.choice
}

// ask evaluates a part of a condition for a call of a state.
func (r *rule) ask(s *state, source string) outcome {
	part := r.parts[source]
	if part == nil {
		expression, err := policy.Express(source)
		if err != nil {
			return unknown // it is no condition by itself
		}
		part = expression
		r.parts[source] = part
	}
	switch holds, err := part.Holds(s.call()); {
	case err != nil:
		return fails
	default:
		return truth(holds)
	}
}
