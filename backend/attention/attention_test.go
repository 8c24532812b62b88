package attention

import (
	"fmt"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// watch is an attention whose clock a test moves.
type watch struct {
	*Attention
	at time.Time
}

func newWatch() *watch {
	w := &watch{at: time.Unix(1_700_000_000, 0)}
	w.Attention = New(func() time.Time { return w.at }, maxFaces)
	return w
}

func (w *watch) pass(d time.Duration) { w.at = w.at.Add(d) }

func inView(id string, rev int64, risk permission.Risk) *permission.Call {
	return &permission.Call{ID: permission.CallID(id), Rev: rev, ShownRev: rev, Caller: permission.Caller{AgentID: "agent"},
		InputHash: "sha256:" + id, Risk: risk,
		Status: permission.Pending}
}

const (
	ms       = time.Millisecond
	maxFaces = 65
)

func TestACallIsArmedOnceItWasInViewForLongEnough(t *testing.T) {
	for risk, need := range map[permission.Risk]time.Duration{permission.RiskLow: 700 * ms, permission.RiskMedium: 700 * ms,
		permission.RiskHigh: 1500 * ms, "unknown": 1500 * ms} {
		w, c := newWatch(), inView("a", 1, risk)
		if w.Arms("f", c) {
			t.Error("armed before it was shown")
		}
		w.Report("f", c)
		w.pass(need - ms)
		if w.Arms("f", c) {
			t.Errorf("%s: armed a millisecond early", risk)
		}
		w.pass(ms)
		if !w.Arms("f", c) {
			t.Errorf("%s: not armed in time", risk)
		}
		w.pass(time.Hour)
		if !w.Arms("f", c) {
			t.Errorf("%s: forgotten while in view", risk)
		}
	}
}

func TestWhatBreaksTheArming(t *testing.T) {
	a := inView("a", 1, permission.RiskMedium)
	for name, interrupt := range map[string]func(w *watch){
		"leaving":                func(w *watch) { w.Report("f", nil); w.Report("f", a) },
		"the next of the queue":  func(w *watch) { w.Report("f", inView("b", 1, permission.RiskMedium)); w.Report("f", a) },
		"the same again":         func(w *watch) { w.Report("f", a) },
		"the same, changed back": func(w *watch) { w.Report("f", inView("a", 2, permission.RiskMedium)); w.Report("f", a) },
	} {
		for _, after := range []time.Duration{699 * ms, 700 * ms, time.Minute} {
			w := newWatch()
			w.Report("f", a)
			w.pass(after)
			interrupt(w)
			w.pass(699 * ms)
			if w.Arms("f", a) {
				t.Errorf("%s after %s: armed too early", name, after)
			}
			w.pass(ms)
			if !w.Arms("f", a) {
				t.Errorf("%s after %s: does not arm again", name, after)
			}
		}
	}
}

func TestAnotherContentIsNotArmed(t *testing.T) {
	w := newWatch()
	w.Report("f", inView("a", 1, permission.RiskMedium))
	w.pass(time.Minute)
	if w.Arms("f", inView("a", 2, permission.RiskMedium)) {
		t.Error("another rev of the call")
	}
	w.Report("f", nil)
	if w.Arms("f", inView("a", 2, permission.RiskMedium)) {
		t.Error("another rev of the call, once it was left")
	}
}

func TestAnArmedCallStaysSoForAnUndo(t *testing.T) {
	w, a, b := newWatch(), inView("a", 1, permission.RiskHigh), inView("b", 1, permission.RiskMedium)
	w.Report("f", a)
	w.pass(1500 * ms)
	w.Report("f", b) // pressed: the next one comes while the undo runs
	w.pass(600 * ms)
	w.Report("f", nil)
	if !w.Arms("f", a) || w.Arms("f", b) {
		t.Errorf("a is armed: %v, b: %v", w.Arms("f", a), w.Arms("f", b))
	}
	w.pass(time.Minute)
	if !w.Arms("f", a) {
		t.Error("forgotten within the longest undo")
	}
	w.pass(afterglow - time.Minute - 600*ms)
	if w.Arms("f", a) {
		t.Error("it stays for ever")
	}
}

func TestATwinIsCovered(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*permission.Call)
		want   bool
	}{
		"to the byte":    {func(*permission.Call) {}, true},
		"of lower risk":  {func(c *permission.Call) { c.Risk = permission.RiskLow }, true},
		"of higher risk": {func(c *permission.Call) { c.Risk = permission.RiskHigh }, false},
		"another's":      {func(c *permission.Call) { c.AgentID = "other" }, false},
		"another input":  {func(c *permission.Call) { c.InputHash = "sha256:b" }, false},
	} {
		w, twin := newWatch(), inView("a", 1, permission.RiskMedium)
		twin.ID, twin.Rev = "twin", 9
		c.change(twin)
		w.Report("f", inView("a", 1, permission.RiskMedium))
		w.pass(699 * ms)
		if w.Arms("f", twin) {
			t.Errorf("%s: armed too early", name)
		}
		w.pass(ms)
		if got := w.Arms("f", twin); got != c.want {
			t.Errorf("%s, in view: %v", name, got)
		}
		w.Report("f", nil)
		if got := w.Arms("f", twin); got != c.want {
			t.Errorf("%s, afterwards: %v", name, got)
		}
	}
}

func TestAnotherFaceDoesNotHelp(t *testing.T) {
	w, a := newWatch(), inView("a", 1, permission.RiskMedium)
	w.Report("f", a)
	w.Report("other", inView("b", 1, permission.RiskMedium))
	w.pass(time.Minute)
	if w.Arms("other", a) || w.Arms("nobody", a) || !w.Arms("f", a) {
		t.Error("faces are mixed up")
	}
}

func TestAttentionForgets(t *testing.T) {
	w := newWatch()
	for i := range 3 * maxFaces {
		f := fmt.Sprint(i)
		for j := range 3 * maxArmed {
			w.Report(f, inView(fmt.Sprint(j), 1, permission.RiskMedium))
			w.pass(701 * ms)
		}
		if n := len(w.faces[f].armed); n > maxArmed {
			t.Fatalf("%d calls of one face are remembered", n)
		}
	}
	if len(w.faces) != maxFaces || w.faces["0"] != nil || w.faces[fmt.Sprint(3*maxFaces-1)] == nil {
		t.Errorf("%d faces are remembered", len(w.faces))
	}
	for f := range w.faces {
		w.Report(f, nil)
	}
	w.pass(afterglow)
	for f := range w.faces {
		w.Report(f, nil)
	}
	if len(w.faces) > 0 {
		t.Errorf("%d faces with nothing are remembered", len(w.faces))
	}
}
