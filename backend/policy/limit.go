package policy

import (
	"fmt"
	"slices"

	"sekisho/backend/permission"
)

// Full reports whether the limit of a rule is reached at a time. Any number of goroutines
// ask it.
type Full func(rule permission.RuleID, limit permission.Limit, at permission.Time) bool

// reached reports whether the limit of a rule, which has one, has no place for a call.
func (full Full) reached(r *compiled, c *Call, now permission.Time) bool {
	held := c.Count != nil && slices.Contains(c.Count.Places, r.ID)
	return full != nil && !held && full(r.ID, *r.Limit, now)
}

// asking is a decision that asks for a reason, which no grant answers.
func (d Decision) asking(why permission.Explanation) Decision {
	if d.Effect == permission.Allow {
		d.Rule, d.Places = nil, nil
	}
	d.Effect, d.Alone, d.Explanation = permission.Ask, true, why
	return d
}

// after is a decision behind a rule that was passed over for its limit. One that asks says
// so, and no grant answers it.
func (d Decision) after(passed *compiled) Decision {
	if passed == nil || d.Effect != permission.Ask || d.NameIssue != "" {
		return d
	}
	return d.asking(passed.limited)
}

// braked says that the same call was allowed as often as the brake says.
func braked(l *permission.Limit) permission.Explanation {
	return permission.Explanation{Code: permission.ReasonBrake, Params: limitParams(l),
		Reason: "the same call was allowed " + limitText(l) + ", as in a loop"}
}

// limited says that the limit of a rule is reached, which would allow a call.
func limited(r *permission.Rule) permission.Explanation {
	return permission.Explanation{Code: permission.ReasonLimit,
		Params: permission.Param("ruleId", r.ID).With(permission.Param("priority", r.Priority)).With(limitParams(r.Limit)),
		Reason: fmt.Sprintf("rule %s (priority %d) would allow it, and has allowed its %s", r.ID, r.Priority, limitText(r.Limit))}
}

func limitParams(l *permission.Limit) permission.Params {
	return permission.Param("calls", l.Calls).With(permission.Param("seconds", l.Seconds))
}

func limitText(l *permission.Limit) string {
	return fmt.Sprintf("%d calls in %d seconds", l.Calls, l.Seconds)
}
