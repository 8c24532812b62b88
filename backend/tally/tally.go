// Package tally is the words of counts: what is counted of calls by the minute, when a change
// of a call counts, how counts are put together, and how a range of time is cut into buckets.
// It keeps nothing and asks no clock.
package tally

import (
	"slices"
	"strconv"

	"sekisho/backend/permission"
)

// Kind is what a count is of. Those up to Repeated are of calls as they come in, one for each
// call; the others are of what becomes of a question.
type Kind string

// The kinds of counts.
const (
	Asked    Kind = "asked"    // it waits for a person
	Allowed  Kind = "allowed"  // a rule allowed it; Of is the rule's id
	Granted  Kind = "granted"  // an earlier answer of a person allowed it
	Denied   Kind = "denied"   // a rule or a check denied it; Of is the rule's id, or ""
	Repeated Kind = "repeated" // an earlier answer to the very same, or an earlier no, was given again

	Approved  Kind = "approved"  // a person approved it; Of is the wait in milliseconds, see Wait
	Declined  Kind = "declined"  // a person declined it; Of likewise
	Unread    Kind = "unread"    // a person approved it faster than its input could be read; Of likewise
	Dismissed Kind = "dismissed" // a person declined it so fast; Of likewise
	Expired   Kind = "expired"   // the clock ended the wait
	Cancelled Kind = "cancelled" // the caller, or a person for it, withdrew it
	Settled   Kind = "settled"   // while it waited, a rule, an answer to another call, or the end or a stop of its agent settled it
	Reasked   Kind = "reasked"   // it was allowed, and waits for a person after all
)

// Count is how many calls of a kind there were in the stretch of time that begins at At.
type Count struct {
	At    permission.Time
	Kind  Kind
	Of    string
	Calls int64
}

// The stretches that counts are kept by: minutes, and for older ones quarters of an hour, on
// which the days of all zones of today begin.
const (
	Minute  permission.Time = 60_000
	Quarter permission.Time = 15 * Minute
)

// Arrival is the count of a new call as it is kept.
func Arrival(c *permission.Call) Count {
	kind, of := Asked, ""
	switch d := c.Decision; {
	case c.Status == permission.Pending:
	case c.Status == permission.Denied:
		kind, of = Denied, ruleOf(c)
	case d != nil && d.Approved && d.By == permission.ByRule:
		kind, of = Allowed, ruleOf(c)
	case d != nil && d.Approved && d.By == permission.ByGrant:
		kind = Granted
	default:
		kind = Repeated
	}
	return Count{c.CreatedAt - c.CreatedAt%Minute, kind, of, 1}
}

// ruleOf is the id of the rule that decided a call, or "".
func ruleOf(c *permission.Call) string {
	switch d := c.Decision; {
	case d != nil && d.RuleID != nil:
		return string(*d.RuleID)
	case c.Why.Rule != nil:
		return string(c.Why.Rule.ID)
	}
	return ""
}

// Before is the status that a call has before a transition, as far as the transition says so;
// ok reports whether it does, or whether it does not matter to a count.
func Before(tr *permission.Transition) (was permission.Status, ok bool) {
	if len(tr.From) == 1 {
		return tr.From[0], true
	}
	return "", tr.To == "" || !slices.Contains(tr.From, permission.Pending)
}

// Change is the count of a change of a call which was in a status before; ok reports whether it
// counts. What a person decides about an agent, as a stop, has a code and is no answer to its calls.
func Change(tr *permission.Transition, c *permission.Call, was permission.Status) (n Count, ok bool) {
	n = Count{At: tr.At - tr.At%Minute, Calls: 1}
	switch {
	case tr.Undecided && tr.To == permission.Pending && was != permission.Pending:
		n.Kind = Reasked
	case was != permission.Pending || tr.To == "" || tr.To == permission.Pending:
		return n, false
	case tr.To == permission.Expired:
		n.Kind = Expired
	case tr.To == permission.Cancelled:
		n.Kind = Cancelled
	case tr.Decision != nil && tr.Decision.By == permission.ByPerson && tr.Decision.Code == "":
		n.Kind, n.Of = answer(tr), strconv.FormatInt(Wait(int64(tr.At-c.CreatedAt)), 10)
	default:
		n.Kind = Settled
	}
	return n, true
}

func answer(tr *permission.Transition) Kind {
	switch {
	case tr.Decision.Approved && tr.Unread:
		return Unread
	case tr.Decision.Approved:
		return Approved
	case tr.Unread:
		return Dismissed
	}
	return Declined
}

// Wait is a wait in milliseconds rounded down to two digits, at least to tenths of a second: a
// few hundred values at most, so that equal ones are counted together.
func Wait(ms int64) int64 {
	step := int64(100)
	for ms = max(ms, 0); ms >= step*100; {
		step *= 10
	}
	return ms - ms%step
}
