package permission

import (
	"errors"
	"fmt"
)

// Limit is how many calls may be allowed in a sliding window of time.
type Limit struct {
	Calls   int64 `json:"calls"`
	Seconds int64 `json:"seconds"`
}

// Bounds of limits: those of a rule, and those of the brake.
const (
	MaxLimitCalls   = 1_000_000
	MaxLimitSeconds = 30 * 24 * 3600
	MaxBrakeCalls   = 10_000
	MaxBrakeSeconds = 3600
)

// valid says what is wrong with a limit, in the field of a request. A nil one is none.
func (l *Limit) valid(field string, calls, seconds int64) error {
	switch {
	case l == nil:
		return nil
	case l.Calls < 1 || l.Calls > calls:
		return Invalid(field+".calls", FieldOutOfRange, fmt.Sprintf("from 1 to %d", calls)).With(Param("least", 1).With(Param("most", calls)))
	case l.Seconds < 1 || l.Seconds > seconds:
		return Invalid(field+".seconds", FieldOutOfRange, fmt.Sprintf("from 1 to %d", seconds)).With(Param("least", 1).With(Param("most", seconds)))
	}
	return nil
}

// Within reports whether whatever keeps to l keeps to other too; nil limits nothing.
func (l *Limit) Within(other *Limit) bool {
	return other == nil || l != nil && l.Calls <= other.Calls && l.Seconds >= other.Seconds
}

// Same reports whether two limits are one; nil is none.
func (l *Limit) Same(other *Limit) bool { return l.Within(other) && other.Within(l) }

// Copy is the same limit for another owner.
func (l *Limit) Copy() *Limit {
	if l == nil {
		return nil
	}
	own := *l
	return &own
}

// Place is what a call takes of the limit of a rule that allows it.
type Place struct {
	Rule  RuleID
	Limit Limit
}

// ErrSpent is what a store answers when the places of a limit that a call was judged to
// have, or what the brake lets pass, were taken meanwhile: judge again.
var ErrSpent = errors.New("the limit was reached meanwhile")
