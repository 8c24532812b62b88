package attention

import (
	"slices"
	"time"

	"sekisho/backend/permission"
)

// Haste: after so many answers, each of which was given after less than a second of looking,
// within some time, calls must be in view for longer before they are armed, for a while.
const (
	hasty       = time.Second
	hastyMost   = 10
	hastyWithin = 10 * time.Minute
	slowFor     = 15 * time.Minute
	slowFactor  = 3
)

// haste is what is remembered of answers.
type haste struct {
	answers []time.Time // the hasty ones of late, oldest first
	until   time.Time   // calls arm more slowly until then
}

// Arming is how long a call must be in view before it may be approved.
type Arming struct {
	Usual, High time.Duration
	Until       time.Time // it is longer than usual until then; zero: it is not
}

// Arming is as of now.
func (a *Attention) Arming() Arming {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.now()
	arming := Arming{Usual: a.need(permission.RiskMedium, at), High: a.need(permission.RiskHigh, at)}
	if at.Before(a.haste.until) {
		arming.Until = a.haste.until
	}
	return arming
}

// need is for how long a call of a risk must be in view.
func (a *Attention) need(risk permission.Risk, at time.Time) time.Duration {
	need := armed
	if risk.Rank() >= permission.RiskHigh.Rank() {
		need = armedHigh
	}
	if at.Before(a.haste.until) {
		need *= slowFactor
	}
	return need
}

// Looked is for how long a face looked at a call, as it is now, before it answers; ok is false
// where that is not known.
func (a *Attention) Looked(f string, c *permission.Call) (d time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.faces[f]
	if g == nil {
		return 0, false
	}
	if g.view != nil && g.view.covers(c) {
		return a.now().Sub(g.view.since), true
	}
	for _, old := range slices.Backward(g.armed) {
		if old.covers(c) {
			return old.until.Add(-afterglow).Sub(old.since), true
		}
	}
	return 0, false
}

// Answered notes an answer that was given after some time of looking.
func (a *Attention) Answered(after time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.now()
	if after >= hasty {
		return
	}
	h := &a.haste
	h.answers = slices.DeleteFunc(append(h.answers, at), func(t time.Time) bool { return at.Sub(t) > hastyWithin })
	if len(h.answers) >= hastyMost {
		h.answers, h.until = nil, at.Add(slowFor)
	}
}
