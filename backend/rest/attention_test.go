package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// watch is an attention whose clock a test moves.
type watch struct {
	*attention
	at time.Time
}

func newWatch() *watch {
	w := &watch{at: time.Unix(1_700_000_000, 0)}
	w.attention = newAttention(func() time.Time { return w.at })
	return w
}

func (w *watch) pass(d time.Duration) { w.at = w.at.Add(d) }

func inView(id string, rev int64, risk permission.Risk) *permission.Call {
	return &permission.Call{ID: permission.CallID(id), Rev: rev, ShownRev: rev, Caller: permission.Caller{AgentID: "agent"},
		InputHash: "sha256:" + id, Risk: risk,
		Status: permission.Pending}
}

const ms = time.Millisecond

func TestACallIsArmedOnceItWasInViewForLongEnough(t *testing.T) {
	for risk, need := range map[permission.Risk]time.Duration{permission.RiskLow: 700 * ms, permission.RiskMedium: 700 * ms,
		permission.RiskHigh: 1500 * ms, "unknown": 1500 * ms} {
		w, c := newWatch(), inView("a", 1, risk)
		if w.arms("f", c) {
			t.Error("armed before it was shown")
		}
		w.report("f", c)
		w.pass(need - ms)
		if w.arms("f", c) {
			t.Errorf("%s: armed a millisecond early", risk)
		}
		w.pass(ms)
		if !w.arms("f", c) {
			t.Errorf("%s: not armed in time", risk)
		}
		w.pass(time.Hour)
		if !w.arms("f", c) {
			t.Errorf("%s: forgotten while in view", risk)
		}
	}
}

func TestWhatBreaksTheArming(t *testing.T) {
	a := inView("a", 1, permission.RiskMedium)
	for name, interrupt := range map[string]func(w *watch){
		"leaving":                func(w *watch) { w.report("f", nil); w.report("f", a) },
		"the next of the queue":  func(w *watch) { w.report("f", inView("b", 1, permission.RiskMedium)); w.report("f", a) },
		"the same again":         func(w *watch) { w.report("f", a) },
		"the same, changed back": func(w *watch) { w.report("f", inView("a", 2, permission.RiskMedium)); w.report("f", a) },
	} {
		for _, after := range []time.Duration{699 * ms, 700 * ms, time.Minute} {
			w := newWatch()
			w.report("f", a)
			w.pass(after)
			interrupt(w)
			w.pass(699 * ms)
			if w.arms("f", a) {
				t.Errorf("%s after %s: armed too early", name, after)
			}
			w.pass(ms)
			if !w.arms("f", a) {
				t.Errorf("%s after %s: does not arm again", name, after)
			}
		}
	}
}

func TestAnotherContentIsNotArmed(t *testing.T) {
	w := newWatch()
	w.report("f", inView("a", 1, permission.RiskMedium))
	w.pass(time.Minute)
	if w.arms("f", inView("a", 2, permission.RiskMedium)) {
		t.Error("another rev of the call")
	}
	w.report("f", nil)
	if w.arms("f", inView("a", 2, permission.RiskMedium)) {
		t.Error("another rev of the call, once it was left")
	}
}

func TestAnArmedCallStaysSoForAnUndo(t *testing.T) {
	w, a, b := newWatch(), inView("a", 1, permission.RiskHigh), inView("b", 1, permission.RiskMedium)
	w.report("f", a)
	w.pass(1500 * ms)
	w.report("f", b) // pressed: the next one comes while the undo runs
	w.pass(600 * ms)
	w.report("f", nil)
	if !w.arms("f", a) || w.arms("f", b) {
		t.Errorf("a is armed: %v, b: %v", w.arms("f", a), w.arms("f", b))
	}
	w.pass(time.Minute)
	if !w.arms("f", a) {
		t.Error("forgotten within the longest undo")
	}
	w.pass(afterglow - time.Minute - 600*ms)
	if w.arms("f", a) {
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
		w.report("f", inView("a", 1, permission.RiskMedium))
		w.pass(699 * ms)
		if w.arms("f", twin) {
			t.Errorf("%s: armed too early", name)
		}
		w.pass(ms)
		if got := w.arms("f", twin); got != c.want {
			t.Errorf("%s, in view: %v", name, got)
		}
		w.report("f", nil)
		if got := w.arms("f", twin); got != c.want {
			t.Errorf("%s, afterwards: %v", name, got)
		}
	}
}

func TestAnotherFaceDoesNotHelp(t *testing.T) {
	w, a := newWatch(), inView("a", 1, permission.RiskMedium)
	w.report("f", a)
	w.report("other", inView("b", 1, permission.RiskMedium))
	w.pass(time.Minute)
	if w.arms("other", a) || w.arms("nobody", a) || !w.arms("f", a) {
		t.Error("faces are mixed up")
	}
}

func TestAttentionForgets(t *testing.T) {
	w := newWatch()
	for i := range 3 * maxFaces {
		f := fmt.Sprint(i)
		for j := range 3 * maxArmed {
			w.report(f, inView(fmt.Sprint(j), 1, permission.RiskMedium))
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
		w.report(f, nil)
	}
	w.pass(afterglow)
	for f := range w.faces {
		w.report(f, nil)
	}
	if len(w.faces) > 0 {
		t.Errorf("%d faces with nothing are remembered", len(w.faces))
	}
}

// session is a browser's token.
func (s *site) session() string {
	s.t.Helper()
	o, now := s.door.opts.Operator, s.door.opts.Now()
	token, ok, _ := o.login(code(s.t, o.LoginURL("", now)), now)
	if !ok {
		s.t.Fatal("a fresh code does not work")
	}
	return token
}

// TestABrowserMustHaveTheCallInView goes through the door, by the desk's clock.
func TestABrowserMustHaveTheCallInView(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	mine, other := s.session(), s.session()
	yes := func(token, more string, status int) {
		t.Helper()
		before := s.desk.counts["Decide"]
		got := s.send("POST", "/v1/calls/call-a/decision", token, `{"approved":true,"rev":3,"inputHash":"sha256:00"`+more+`}`)
		if got.status != status || (s.desk.counts["Decide"] > before) != (status == 200) {
			t.Errorf("%d %s, want %d", got.status, got.body, status)
		}
		if status == 409 {
			if p := got.problem(t); p.Code != "not_armed" || p.Call == nil || p.Call.ID != "call-a" || !strings.Contains(p.Detail, "in view") {
				t.Errorf("%s", got.body)
			}
		}
	}
	attend := func(token, body string, status int, code permission.Code) {
		t.Helper()
		got := s.send("POST", "/v1/attention", token, body)
		if got.status != status || status != 204 && got.problem(t).Code != code {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	yes(tokenOp, "", 200) // a token of the person's own programs
	yes(mine, "", 409)
	if got := s.send("POST", "/v1/calls/call-a/decision", mine, `{"approved":false,"rev":3,"inputHash":"sha256:00"}`); got.status != 200 {
		t.Errorf("a decline needs nothing: %d %s", got.status, got.body)
	}
	attend(tokenOp, `{"callId":"call-a","rev":3}`, 204, "")
	attend(other, `{"callId":"call-a","rev":3}`, 204, "")
	attend(mine, `{"callId":"call-a","rev":3}`, 204, "")
	now = now.Add(699 * ms)
	yes(mine, "", 409)
	now = now.Add(ms)
	yes(mine, "", 200)
	call := s.desk.calls["call-a"]
	call.Rev = 5 // of what is shown, nothing changed
	s.desk.calls["call-a"] = call
	yes(mine, "", 200)
	call.Rev = 3
	s.desk.calls["call-a"] = call
	attend(mine, `{"callId":null,"rev":0}`, 204, "")
	yes(mine, "", 200)

	attend(other, `{"callId":"call-a","rev":2}`, 409, permission.CodeStale) // takes the earlier one back, unless it was full
	attend(other, `{"callId":"call-b","rev":1}`, 204, "")
	attend(other, `{"callId":"nope","rev":1}`, 404, permission.CodeNotFound)
	attend(other, `{"callId":"call-a","rev":3}`, 204, "")
	now = now.Add(699 * ms)
	attend(other, `{"callId":"call-a","rev":4}`, 409, permission.CodeStale)
	now = now.Add(ms)
	yes(other, "", 409)

	for _, body := range []string{`{}`, `{"callId":"call-a"}`, `{"rev":1}`, `{"callId":5,"rev":1}`, `{"callId":"call-a","rev":-1}`,
		`{"callId":"call-a","rev":1.5}`, `{"callId":"call-a","rev":null}`} {
		attend(mine, body, 422, permission.CodeInvalid)
	}
	attend(tokenA, `{"callId":"call-a","rev":3}`, 403, permission.CodeForbidden)
}

// TestWhatAFaceSaysOfAnOutdatedCall: the desk itself refuses it, in its own words; a
// rev that does not exist yet gets nowhere.
func TestWhatAFaceSaysOfAnOutdatedCall(t *testing.T) {
	s := newSite(t, nil)
	mine := s.session()
	for rev, want := range map[int]int{2: 200, 3: 409, 4: 409} { // the fake desk takes all that reaches it
		if got := s.send("POST", "/v1/calls/call-a/decision", mine,
			fmt.Sprintf(`{"approved":true,"inputHash":"h","rev":%d}`, rev)); got.status != want {
			t.Errorf("pending, rev %d: %d %s", rev, got.status, got.body)
		}
	}
	c := s.desk.calls["call-a"]
	c.Status = permission.Approved
	s.desk.calls["call-a"] = c
	for rev, want := range map[int]int{2: 200, 3: 200, 4: 409} {
		if got := s.send("POST", "/v1/calls/call-a/decision", mine,
			fmt.Sprintf(`{"approved":true,"inputHash":"h","rev":%d}`, rev)); got.status != want {
			t.Errorf("approved, rev %d: %d %s", rev, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/attention", mine, `{"callId":"call-a","rev":1}`); got.status != 204 || len(s.door.attention.faces) > 0 {
		t.Errorf("what waits no more: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/calls/nope/decision", mine, goodDecision); got.status != 404 {
		t.Errorf("unknown: %d", got.status)
	}
}
