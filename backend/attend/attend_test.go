package attend_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

const (
	beat     = 5 * time.Second
	patience = time.Minute
)

var (
	server = "files"
	agent  = permission.Agent{ID: "a", Name: "a"}
)

// scene is a desk with one call, an executor and a voice, which write down what is done.
type scene struct {
	mu      sync.Mutex
	tracing sync.Mutex
	trace   []string
	row     permission.Call
	changed chan struct{} // closed at each change

	// What happens; the zero value is the usual.
	rules    permission.Status // what becomes of the call as it is asked for
	changeIt func(*permission.Call)
	cannot   map[string]error // by the step
	onClaim  func(*permission.Call) error
	onRun    func(context.Context)
	onLeave  func()
	result   attend.Result
	limit    time.Duration // that a person set for the client
	deaf     bool          // nobody hears the voice
	beats    int
	seen     []permission.Status // at each beat
	ran      string              // the input and envelope that were executed
}

// step writes a step down, and gives the error that it is to fail with.
func (s *scene) step(format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	s.tracing.Lock()
	defer s.tracing.Unlock()
	s.trace = append(s.trace, words)
	name, _, _ := strings.Cut(words, " ")
	return s.cannot[name]
}

// set changes the call; it is called with the lock held.
func (s *scene) set(to permission.Status) {
	s.row.Status = to
	s.row.Rev++
	close(s.changed)
	s.changed = make(chan struct{})
}

// decide is the person.
func (s *scene) decide(to permission.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Decision = &permission.Decision{By: permission.ByPerson, Explanation: permission.Said("so it is")}
	s.set(to)
}

func (s *scene) Ask(ctx context.Context, _ permission.Agent, r permission.Request) (permission.Call, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.step("ask"), ctx.Err()); err != nil {
		return permission.Call{}, false, err
	}
	if s.row.ID != "" {
		s.row.CallerGone = false
		return s.row, false, nil
	}
	hash, _ := rawjson.Hash(r.ServerID, r.ToolName, r.Input)
	claim := permission.ClaimID("claim")
	s.row = permission.Call{ID: "1", ServerID: r.ServerID, Method: r.Method, ToolName: r.ToolName, Input: r.Input, InputHash: hash,
		Envelope: r.Envelope, Status: s.rules, Held: r.Held, PatienceUntil: r.Patience}
	if len(r.Envelope) > 0 {
		of, _ := rawjson.EnvelopeHash(r.Envelope)
		s.row.EnvelopeHash = &of
	}
	if s.rules == permission.Claimed && r.Claim != nil {
		s.row.ClaimID, s.row.ClaimKey = &claim, r.Claim.Key
	}
	if s.changeIt != nil {
		s.changeIt(&s.row)
	}
	s.set(s.rules)
	return s.row, true, nil
}

func (s *scene) Wait(ctx context.Context, who permission.Party, _ permission.CallID, rev int64) (permission.Call, error) {
	for {
		s.mu.Lock()
		row, changed, err := s.row, s.changed, s.cannot["wait"]
		s.mu.Unlock()
		if err != nil || !who.Sees(agent.ID) || row.Status != permission.Pending || row.Rev != rev || ctx.Err() != nil {
			return row, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (s *scene) Leave(ctx context.Context, _ permission.Agent, _ permission.CallID) (permission.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.step("leave"), ctx.Err()); err != nil {
		return s.row, err
	}
	if s.onLeave != nil {
		s.onLeave()
	}
	if !s.row.Status.Settled() && s.row.Status != permission.Claimed {
		s.row.CallerGone = true
	}
	return s.row, nil
}

func (s *scene) Claim(ctx context.Context, _ permission.Agent, _ permission.CallID, r permission.ClaimRequest) (permission.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.step("claim"), ctx.Err()); err != nil {
		return s.row, err
	}
	if s.onClaim != nil {
		if err := s.onClaim(&s.row); err != nil {
			return s.row, err
		}
	}
	known := r.InputHash == s.row.InputHash && r.Key != "" && r.Claimant != ""
	if s.row.Status != permission.Approved || s.row.CallerGone || !known {
		return s.row, &permission.Error{Code: permission.CodeNotApproved, Call: &s.row}
	}
	claim := permission.ClaimID("claim")
	s.row.ClaimID, s.row.ClaimKey = &claim, r.Key
	s.set(permission.Claimed)
	return s.row, nil
}

func (s *scene) Finish(ctx context.Context, _ permission.Agent, _ permission.CallID, out permission.Outcome) (permission.Call, error) {
	return s.row, errors.Join(s.step("finish %t %s %s", out.OK, out.ClaimID, out.Output), ctx.Err())
}

func (s *scene) Doubt(ctx context.Context, _ permission.Agent, _ permission.CallID, id permission.ClaimID) (permission.Call, error) {
	return s.row, errors.Join(s.step("doubt %s", id), ctx.Err())
}

func (s *scene) Answerable(ctx context.Context, _ permission.CallID) error {
	return errors.Join(s.step("kept"), ctx.Err())
}

func (s *scene) ClientPatience(string) (time.Duration, bool) { return s.limit, s.limit > 0 }

func (s *scene) Prepare(call *permission.Call) error {
	s.ran = string(call.Input) + string(call.Envelope)
	return s.cannot["prepare"]
}

func (s *scene) Execute(ctx context.Context, call *permission.Call) (attend.Result, error) {
	if call.Status != permission.Claimed {
		s.step("a call ran that is %s", call.Status)
	}
	if s.onRun != nil {
		s.onRun(ctx)
	}
	return s.result, s.step("run %s", s.ran)
}

func (s *scene) Beat(c *permission.Call) error {
	s.beats++
	s.seen = append(s.seen, c.Status)
	return s.cannot["beat"]
}

func (s *scene) Refused(r attend.Refusal) error {
	words, _, _ := strings.Cut(r.Words, ":")
	s.step("refused %s: %s", r.Code, words)
	if s.deaf {
		return errors.New("nobody hears")
	}
	return nil
}

func (s *scene) Failed(err error) { s.step("failed: %s", err) }

func (s *scene) Done(_ *permission.Call, r attend.Result) { s.step("done %s", r.Output) }

// errStopped is a door's own reason why its caller leaves.
var errStopped = errors.New("the caller stopped")

// attending runs a request of a caller who leaves after a while; 0 is never.
func attending(t *testing.T, r *attend.Runner, s *scene, leaves time.Duration, cause error) {
	t.Helper()
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	if leaves > 0 {
		defer time.AfterFunc(leaves, func() { leave(cause) }).Stop()
	}
	r.Run(ctx, request(), s, s)
}

func request() attend.Request {
	return attend.Request{Agent: agent, Client: "c", Began: time.Now(), Patience: patience, Call: permission.Request{
		Identity: permission.Identity{RunID: "r", ToolCallID: "t"},
		ServerID: &server, Method: permission.CallTool, ToolName: "write", Input: []byte(`{"a": 1}`), Envelope: []byte(`{"task":{}}`),
	}}
}

func newScene(rules permission.Status) *scene {
	usual := attend.Result{OK: true, Output: []byte(`{}`)}
	return &scene{rules: rules, changed: make(chan struct{}), cannot: map[string]error{}, result: usual}
}

func newRunner(s *scene) *attend.Runner {
	return attend.New(s, attend.Options{Claimant: "door", Lease: time.Minute, Beat: beat, Logger: slog.New(slog.DiscardHandler)})
}

const (
	runs   = `run {"a": 1}{"task":{}}`
	edited = `{"a":2}`
)

// edit is a person who writes another input and says yes.
func (s *scene) edit(input string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Original = &permission.Edit{Input: s.row.Input, InputHash: s.row.InputHash}
	s.row.Input = []byte(input)
	s.row.InputHash, _ = rawjson.Hash(s.row.ServerID, s.row.ToolName, s.row.Input)
	s.set(permission.Approved)
}

func TestRun(t *testing.T) {
	broken := errors.New("it broke")
	for _, tt := range []struct {
		what   string
		rules  permission.Status
		play   func(*scene) // before the request, and what is to happen later
		leaves time.Duration
		want   []string
	}{
		{"allowed", permission.Claimed, nil, 0, []string{"ask", runs, "finish true claim {}", "kept", "done {}"}},
		{"denied", permission.Denied, nil, 0, []string{"ask", "refused denied: Denied by a rule"}},
		{"approved", permission.Pending, func(s *scene) { s.later(permission.Approved) }, 0,
			[]string{"ask", "claim", runs, "finish true claim {}", "kept", "done {}"}},
		{"approved with another input", permission.Pending, func(s *scene) { time.AfterFunc(12*time.Second, func() { s.edit(edited) }) }, 0,
			[]string{"ask", "claim", `run {"a":2}{"task":{}}`, "finish true claim {}", "kept", "done {}"}},
		{"declined", permission.Pending,
			func(s *scene) { s.later(permission.Declined) }, 0, []string{"ask", "refused declined: Declined by a person"}},
		{"declined, and nobody hears", permission.Pending, func(s *scene) { s.deaf = true; s.later(permission.Declined) }, 0,
			[]string{"ask", "refused declined: Declined by a person", "leave"}},
		{"expired", permission.Pending, func(s *scene) { s.later(permission.Expired) }, 0,
			[]string{"ask", "refused expired: Approval timeout"}},
		{"claimed by another while it waits", permission.Pending, func(s *scene) { s.later(permission.Claimed) }, 0,
			[]string{"ask", "refused claimed: The call is claimed at the desk (ticket 1) and was not executed for this request."}},
		{"patience is over", permission.Pending, nil, 0, []string{"ask", "leave", "refused pending: PENDING"}},
		{"declined at the last moment", permission.Pending, func(s *scene) {
			time.AfterFunc(patience-2*time.Second-1, func() { s.decide(permission.Declined) })
		}, 0, []string{"ask", "refused declined: Declined by a person"}},
		{"the caller leaves", permission.Pending, nil, 12 * time.Second, []string{"ask", "leave", "failed: the caller stopped"}},
		{"the caller does not hear", permission.Pending,
			func(s *scene) { s.cannot["beat"] = broken }, 0, []string{"ask", "leave", "failed: the caller has gone"}},
		{"the caller leaves as it is asked for", permission.Approved,
			func(s *scene) { s.changeIt = func(*permission.Call) { time.Sleep(2 * time.Second) } }, time.Second,
			[]string{"ask", "leave", "failed: the caller stopped"}},
		{"claimed by another request of the same identity", permission.Claimed,
			func(s *scene) { s.changeIt = func(c *permission.Call) { c.ClaimKey = "another's" } }, 0,
			[]string{"ask", "refused claimed: The call is claimed at the desk (ticket 1) and was not executed for this request."}},
		{"the caller leaves as it runs", permission.Claimed,
			func(s *scene) { s.onRun = func(context.Context) { time.Sleep(time.Minute) } }, time.Second,
			[]string{"ask", runs, "finish true claim {}", "kept", "done {}"}},
		{"the desk takes too many", permission.Pending,
			func(s *scene) { s.cannot["ask"] = &permission.Error{Code: permission.CodeTooMany, Message: "no more"} }, 0,
			[]string{"ask", "refused too_many_pending: The call was not executed"}},
		{"the desk does not take it", permission.Pending,
			func(s *scene) { s.cannot["ask"] = &permission.Error{Code: permission.CodeInvalid, Message: "not so"} }, 0,
			[]string{"ask", "failed: the desk did not take the call: not so"}},
		{"the desk is broken", permission.Pending, func(s *scene) { s.cannot["ask"] = broken }, 0,
			[]string{"ask", "failed: the desk could not take the call: nothing was executed"}},
		{"the desk breaks while it waits", permission.Pending, func(s *scene) { s.cannot["wait"] = broken }, 0,
			[]string{"ask", "leave", "failed: the desk does not answer: the call was not executed"}},
		{"it cannot be executed", permission.Claimed, func(s *scene) { s.cannot["run"] = broken }, 0,
			[]string{"ask", runs, `finish false claim {"code":-32603,"message":"it broke"}`, "kept", "failed: it broke"}},
		{"it may have run", permission.Claimed,
			func(s *scene) { s.result = attend.Result{Doubt: true} }, 0, []string{"ask", runs, "doubt claim", "kept", "done "}},
		{"its agent executes it", permission.Claimed,
			func(s *scene) { s.result = attend.Result{Elsewhere: true} }, 0, []string{"ask", runs, "kept", "done "}},
		{"the result is not taken", permission.Claimed, func(s *scene) { s.cannot["finish"] = broken }, 0,
			[]string{"ask", runs, "finish true claim {}", "kept", "done {}"}},
		{"the claim fails", permission.Approved, func(s *scene) { s.cannot["claim"] = broken }, 0,
			[]string{"ask", "claim", "leave", "failed: the call could not be claimed, and was not executed: repeat it"}},
		{"it is revoked as it is claimed", permission.Approved,
			func(s *scene) { s.onClaim = func(*permission.Call) error { s.set(permission.Revoked); return nil } }, 0,
			[]string{"ask", "claim", "leave", "refused revoked: The call was approved, and forbidden before it ran"}},
		{"another claims it", permission.Approved,
			func(s *scene) { s.onClaim = func(*permission.Call) error { s.set(permission.Claimed); return nil } }, 0,
			[]string{"ask", "claim", "leave", "failed: the call could not be claimed, and was not executed: repeat it"}},
		{"the rules take their yes back", permission.Approved, func(s *scene) {
			s.onClaim = func(*permission.Call) error {
				s.onClaim = nil
				s.set(permission.Pending)
				s.later(permission.Approved)
				return nil
			}
		}, 0, []string{"ask", "claim", "claim", runs, "finish true claim {}", "kept", "done {}"}},
		{"the caller leaves as the rules take their yes back", permission.Approved, func(s *scene) {
			s.onClaim = func(*permission.Call) error {
				time.Sleep(2 * time.Second)
				s.set(permission.Pending)
				return nil
			}
		}, time.Second, []string{"ask", "claim", "leave", "failed: the caller stopped"}},
		{"an approved call cannot be prepared", permission.Approved, func(s *scene) { s.cannot["prepare"] = broken }, 0,
			[]string{"ask", "leave", "failed: the call could not be claimed, and was not executed: repeat it"}},
		{"an allowed call cannot be prepared", permission.Claimed, func(s *scene) { s.cannot["prepare"] = broken }, 0,
			[]string{"ask", `finish false claim {"code":-32603,"message":"it broke"}`, "kept", "failed: it broke"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(tt.rules)
				if tt.play != nil {
					tt.play(s)
				}
				attending(t, newRunner(s), s, tt.leaves, errStopped)
				if got, want := strings.Join(s.trace, "\n"), strings.Join(tt.want, "\n"); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}

// later decides the call after 12 s.
func (s *scene) later(to permission.Status) {
	time.AfterFunc(12*time.Second, func() { s.decide(to) })
}

// others make of a row one that is not what was asked for.
var others = map[string]func(*permission.Call){
	"input":           func(c *permission.Call) { c.Input = []byte(`{"a": 2}`) },
	"input and hash":  func(c *permission.Call) { c.Input, c.InputHash = []byte(`{"a": 2}`), "sha256:x" },
	"method":          func(c *permission.Call) { c.Method = permission.ReadResource },
	"envelope":        func(c *permission.Call) { c.Envelope = []byte(`{"task":{"ttl":1}}`) },
	"no envelope":     func(c *permission.Call) { c.Envelope = nil },
	"hash of nothing": func(c *permission.Call) { c.Envelope, c.EnvelopeHash = nil, nil },
}

// TestAnotherCallDoesNotRun: the row has to be what was asked for, whatever the desk says.
func TestAnotherCallDoesNotRun(t *testing.T) {
	for what, change := range others {
		for rules, want := range map[permission.Status]string{
			permission.Claimed:  `finish false claim {"code":-32603,"message":"the desk answered with another call: nothing was executed"}`,
			permission.Approved: "failed: the call could not be claimed, and was not executed: repeat it",
		} {
			s := newScene(rules)
			s.changeIt = change
			attending(t, newRunner(s), s, 0, nil)
			got := strings.Join(s.trace, "\n")
			if strings.Contains(got, "run ") || strings.Contains(got, "\nclaim") || !strings.Contains(got, want) {
				t.Errorf("%s, %s: got\n%s", what, rules, got)
			}
		}
	}
}

// TestAHashIsNotBelieved: the bytes of a row are held against its hash, and that of the
// caller's own input where a person edited it.
func TestAHashIsNotBelieved(t *testing.T) {
	for _, own := range []bool{true, false} {
		s := newScene(permission.Approved)
		s.changeIt = func(c *permission.Call) {
			hash := c.InputHash
			c.Input = []byte(edited)
			c.InputHash, _ = rawjson.Hash(c.ServerID, c.ToolName, c.Input)
			if c.Original = (&permission.Edit{InputHash: hash}); !own {
				c.Original.InputHash = c.InputHash
			}
		}
		attending(t, newRunner(s), s, 0, nil)
		if ran := strings.Contains(strings.Join(s.trace, "\n"), "run "+edited); ran != own {
			t.Errorf("edited from what was asked for: %t; ran: %t", own, ran)
		}
	}
}

// TestPendingIsTakenUp: the same again after PENDING joins the call, and runs on the yes
// that came meanwhile; while nobody waits, nothing runs.
func TestPendingIsTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		r := newRunner(s)
		began := time.Now()
		attending(t, r, s, 0, nil)
		if took := time.Since(began); took != patience-2*time.Second || s.beats != 12 {
			t.Errorf("PENDING was said after %s and %d beats", took, s.beats)
		}
		s.decide(permission.Approved)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.trace[len(s.trace)-1]; got != "refused pending: PENDING" || !s.row.CallerGone {
			t.Errorf("after the yes: %s", got)
		}
		attending(t, r, s, 0, nil)
		if got := strings.Join(s.trace[3:], "\n"); got != "ask\nclaim\n"+runs+"\nfinish true claim {}\nkept\ndone {}" {
			t.Errorf("asked again:\n%s", got)
		}
	})
}

// TestNobodyWaits: without patience the caller has its answer at once.
func TestNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		q := request()
		q.Patience = 0
		newRunner(s).Run(t.Context(), q, s, s)
		if got := strings.Join(s.trace, "\n"); got != "ask\nleave\nrefused pending: PENDING" || !time.Now().Equal(q.Began) {
			t.Errorf("after %s:\n%s", time.Since(q.Began), got)
		}
	})
}

// TestAClientThatLeavesTwice in like manner is answered sooner, unless a person set how
// long it waits.
func TestAClientThatLeavesTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		r := newRunner(s)
		q := request()
		if got := r.Patience(&q, patience, false); got != patience {
			t.Errorf("at first it waits %s", got)
		}
		for _, leaves := range []time.Duration{20 * time.Second, 30 * time.Second} {
			attending(t, r, s, leaves, fmt.Errorf("%w: so it said", attend.ErrTimedOut))
		}
		if got := r.Patience(&q, patience, false); got != 30*time.Second {
			t.Errorf("it waits %s", got)
		}
		if s.limit = time.Hour; r.Patience(&q, patience, false) != time.Hour {
			t.Error("what a person set does not count")
		}
	})
}

// TestTheEndOfASessionIsNoLeaving: nothing is learnt of a client from the end of its session, of
// its server or of the desk.
func TestTheEndOfASessionIsNoLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		r := newRunner(s)
		q := request()
		for range 3 {
			attending(t, r, s, 20*time.Second, errors.New("the session has ended"))
		}
		if got := r.Patience(&q, patience, false); got != patience {
			t.Errorf("it waits %s", got)
		}
	})
}

// habits are kept in memory.
type habits []permission.ClientHabit

func (h *habits) KeepClientHabit(_ context.Context, one permission.ClientHabit) error {
	*h = append(*h, one)
	return nil
}

// TestAClientThatComesBack at once after PENDING is kept waiting for longer, by the next
// process too, unless a person set how long.
func TestAClientThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		var kept habits
		r := attend.New(s, attend.Options{Claimant: "door", Lease: time.Minute, Beat: beat, Habits: &kept})
		began := time.Now()
		for n, want := range []time.Duration{patience, 2 * patience, 4 * patience} {
			q := request()
			q.Lively = true
			if q.Patience = r.Patience(&q, patience, false); q.Patience != want {
				t.Errorf("number %d waits %s", n, q.Patience)
			}
			r.Run(t.Context(), q, s, s)
		}
		if took := time.Since(began); took != 7*patience-3*2*time.Second {
			t.Errorf("three PENDINGs in %s", took)
		}
		q := request()
		r = newRunner(s)
		if r.Remember(kept); len(kept) != 2 || r.Patience(&q, patience, false) != 4*patience {
			t.Errorf("kept %v, and then it waits %s", kept, r.Patience(&q, patience, false))
		}
		if s.limit = 20 * time.Second; r.Patience(&q, patience, false) != s.limit {
			t.Error("what a person set does not count")
		}
	})
}

// TestAClientThatSaysThatItHasWaited elsewhere is told PENDING at once, and is not trusted for
// longer than it was seen to wait.
func TestAClientThatSaysThatItHasWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(permission.Pending)
		r := newRunner(s)
		for n, waits := range []time.Duration{0, 0, 0, patience / 3, patience / 3} {
			q := request()
			q.Lively = true
			if q.Patience = r.Patience(&q, patience, false); q.Patience != patience {
				t.Errorf("number %d waits %s", n, q.Patience)
			}
			q.Began = q.Began.Add(waits - q.Patience)
			r.Run(t.Context(), q, s, s)
		}
		q := request()
		q.Lively = true
		q.Began = q.Began.Add(-patience / 4)
		r.Run(t.Context(), q, s, s)
		if got := r.Patience(&q, patience, false); got != 2*(patience*3/4) {
			t.Errorf("it was here for three quarters of its time, and then waits %s", got)
		}
	})
}

// TestACallThatIsSentAgain while its first attempt is still there.
func TestACallThatIsSentAgain(t *testing.T) {
	again := request()
	again.Call.Again = true
	t.Run("waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(permission.Pending)
			r := newRunner(s)
			go attending(t, r, s, 0, nil)
			time.Sleep(time.Second)
			time.AfterFunc(time.Second, func() { s.decide(permission.Approved) })
			again.Began = time.Now()
			r.Run(t.Context(), again, s, s)
			synctest.Wait()
			if got := strings.Join(s.trace, "\n"); got != "ask\nleave\nfailed: the caller has gone: it asks for the same in another request\nask\nclaim\n"+runs+
				"\nfinish true claim {}\nkept\ndone {}" {
				t.Errorf("got\n%s", got)
			}
		})
	})
	t.Run("runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(permission.Claimed)
			s.onRun = func(ctx context.Context) { // it ends though its caller has gone
				<-ctx.Done()
				time.Sleep(time.Minute)
				s.mu.Lock()
				defer s.mu.Unlock()
				s.set(permission.Completed)
			}
			r := newRunner(s)
			go attending(t, r, s, 0, nil)
			time.Sleep(time.Second)
			r.Run(t.Context(), again, s, s)
			synctest.Wait()
			if got := strings.Join(s.trace, "\n"); got != "ask\n"+runs+"\nfinish true claim {}\nkept\ndone {}\nask\n"+
				"refused completed: The call is completed at the desk (ticket 1) and was not executed for this request." {
				t.Errorf("got\n%s", got)
			}
		})
	})
	t.Run("and its caller leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(permission.Claimed)
			s.onRun = func(context.Context) {
				s.step("running")
				time.Sleep(time.Hour)
			}
			r := newRunner(s)
			go attending(t, r, s, 0, nil)
			time.Sleep(time.Second)
			ctx, leave := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { leave(errStopped) })
			r.Run(ctx, again, s, s)
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := s.trace[2]; got != "failed: the caller stopped" {
				t.Errorf("got %s", got)
			}
		})
	})
}

// TestTheEndIsReported: a door reports a call that its agent executed.
func TestTheEndIsReported(t *testing.T) {
	s := newScene(permission.Claimed)
	s.result = attend.Result{Elsewhere: true}
	r := newRunner(s)
	attending(t, r, s, 0, nil)
	r.Finish(t.Context(), agent, &s.row, attend.Result{OK: true, Output: []byte(`{"handedOver":true}`)})
	if got := strings.Join(s.trace, "\n"); got != "ask\n"+runs+"\nkept\ndone \nfinish true claim {\"handedOver\":true}\nkept" {
		t.Errorf("got\n%s", got)
	}
}
