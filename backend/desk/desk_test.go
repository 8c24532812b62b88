package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

var ctx = context.Background()

// house is a desk over a real database file.
type house struct {
	*testing.T
	parts
	store *sqlite.Store
	agent permission.Agent
	n     int
}

// parts are those of a desk, to be asked as one.
type parts struct {
	*desk.Catalogue
	*desk.Policy
	*desk.Calls
	*desk.Journal
	*desk.Demonstration
	desk *desk.Desk
}

func partsOf(d *desk.Desk) parts {
	return parts{d.Catalogue, d.Policy, d.Calls, d.Journal, d.Demo, d}
}

func open(t *testing.T) *house { return openAt(t, t.TempDir()) }

func openAt(t *testing.T, dir string) *house {
	t.Helper()
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := desk.Open(ctx, storetest.Stores(store), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, parts: partsOf(d), store: store, agent: permission.Agent{ID: "a", Name: "Agent A"}}
	return h
}

func (h *house) set(change func(*permission.Settings)) {
	h.Helper()
	if _, err := h.ChangeSettings(ctx, func(s *permission.Settings) error { change(s); return nil }); err != nil {
		h.Fatal(err)
	}
}

func (h *house) close() {
	h.desk.Close()
	if err := h.store.Close(); err != nil {
		h.Error(err)
	}
}

func (h *house) party() permission.Party { return permission.Party{Agent: &h.agent} }

// rule adds one.
func (h *house) rule(effect permission.Effect, pattern string) permission.Rule {
	h.Helper()
	form := permission.NewRuleForm()
	form.Effect, form.ToolPattern = &effect, &pattern
	r, _, err := h.CreateRule(ctx, form)
	if err != nil {
		h.Fatal(err)
	}
	return r
}

func (h *house) request(tool string) permission.Request {
	h.n++
	server := "filesystem"
	return permission.Request{Identity: permission.Identity{RunID: "run", ToolCallID: fmt.Sprint(h.n)}, ServerID: &server, ToolName: tool,
		Input: json.RawMessage(`{"n": 9007199254740993}`)}
}

func (h *house) ask(tool string) permission.Call { h.Helper(); return h.askAll(h.request(tool)) }

func (h *house) askAll(r permission.Request) permission.Call {
	h.Helper()
	c, _, err := h.Ask(ctx, h.agent, r)
	if err != nil {
		h.Fatal(err)
	}
	return c
}

func (h *house) decide(c permission.Call, yes bool) (permission.Call, error) {
	c, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: yes, Reason: "because", InputHash: c.InputHash, Rev: c.Rev})
	return c, err
}

func (h *house) claim(c permission.Call) (permission.Call, error) {
	return h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: "k", Claimant: "test"})
}

func (h *house) want(c permission.Call, status permission.Status, gone bool) permission.Call {
	h.Helper()
	got, err := h.Call(ctx, permission.Operator(), c.ID)
	if err != nil || got.Status != status || got.CallerGone != gone {
		h.Errorf("the call is %s, gone %v, %v: want %s, gone %v", got.Status, got.CallerGone, err, status, gone)
	}
	return got
}

func code(err error) permission.Code {
	var e *permission.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func (h *house) wantCode(err error, want permission.Code, status permission.Status) {
	h.Helper()
	var e *permission.Error
	if !errors.As(err, &e) || e.Code != want {
		h.Errorf("got %v (%s), want %s", err, code(err), want)
	} else if status != "" && (e.Call == nil || e.Call.Status != status) {
		h.Errorf("%s carries %+v, want a call that is %s", want, e.Call, status)
	}
}

func TestRulesDecideAndTheRestWaits(t *testing.T) {
	h := open(t)
	defer h.close()
	allow, deny := h.rule(permission.Allow, "read_*"), h.rule(permission.Deny, "drop_*")
	c := h.ask("read_file")
	if c.Status != permission.Approved || c.Decision.By != permission.ByRule || *c.Decision.RuleID != allow.ID || c.Why.Rule.ID != allow.ID ||
		!c.Decision.Approved {
		t.Errorf("allowed: %+v", c)
	}
	if string(c.Input) != `{"n": 9007199254740993}` || c.Risk != permission.RiskMedium || c.SessionID != "run" {
		t.Errorf("kept: %+v", c)
	}
	if c := h.ask("drop_table"); c.Status != permission.Denied || *c.Decision.RuleID != deny.ID || c.Decision.Approved {
		t.Errorf("denied: %+v", c)
	}
	if c := h.ask("write_file"); c.Status != permission.Pending || c.Decision != nil || c.Why.Rule != nil ||
		c.ExpiresAt != c.CreatedAt.Add(300*time.Second) {
		t.Errorf("asked: %+v", c)
	}
	rules, _, err := h.Rules(ctx)
	if err != nil || rules[0].ID != deny.ID || rules[1].Hits != 1 || rules[1].UpdatedAt != allow.UpdatedAt {
		t.Errorf("rules: %+v %v", rules, err)
	}
}

func TestOneYesRunsOnce(t *testing.T) {
	h := open(t)
	defer h.close()
	c := h.ask("write_file")
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Pending)
	c, err = h.decide(c, true)
	if err != nil || c.Status != permission.Approved || c.Decision.By != permission.ByPerson || c.Decision.Reason != "because" {
		t.Fatalf("approve: %+v %v", c, err)
	}
	_, err = h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: "sha256:other", Key: "k"})
	h.wantCode(err, permission.CodeHashMismatch, permission.Approved)
	claimed, err := h.claim(c)
	if err != nil || claimed.Status != permission.Claimed || claimed.ClaimID == nil {
		t.Fatalf("claim: %+v %v", claimed, err)
	}
	if again, err := h.claim(c); err != nil || *again.ClaimID != *claimed.ClaimID {
		t.Errorf("the same key again: %+v %v", again, err)
	}
	_, err = h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: "other"})
	h.wantCode(err, permission.CodeAlreadyClaimed, permission.Claimed)
	_, err = h.Cancel(ctx, h.agent, c.ID, "")
	h.wantCode(err, permission.CodeAlreadyClaimed, permission.Claimed)
	_, err = h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: "x", OK: true})
	h.wantCode(err, permission.CodeResultConflict, permission.Claimed)
	out := permission.Outcome{ClaimID: *claimed.ClaimID, OK: true, Output: json.RawMessage(`{"a": 1}`)}
	for range 2 {
		if done, err := h.Finish(ctx, h.agent, c.ID, out); err != nil || done.Status != permission.Completed ||
			string(done.Result) != `{"a": 1}` {
			t.Errorf("finish: %+v %v", done, err)
		}
	}
	out.OK = false
	_, err = h.Finish(ctx, h.agent, c.ID, out)
	h.wantCode(err, permission.CodeResultConflict, permission.Completed)
	_, err = h.claim(c)
	h.wantCode(err, permission.CodeAlreadyClaimed, permission.Completed)
}

func TestFirstAnswerStands(t *testing.T) {
	h := open(t)
	defer h.close()
	for _, yes := range []bool{true, false} {
		c := h.ask("write_file")
		first, err := h.decide(c, yes)
		if err != nil {
			t.Fatal(err)
		}
		again, _, repeated, err := h.Decide(ctx, c.ID, permission.Answer{Approved: yes, InputHash: c.InputHash, Rev: c.Rev})
		if err != nil || !repeated || again.Rev != first.Rev {
			t.Errorf("again: %+v %v %v", again, repeated, err)
		}
		_, err = h.decide(c, !yes)
		h.wantCode(err, permission.CodeAlreadyDecided, first.Status)
		_, _, _, err = h.Decide(ctx, c.ID, permission.Answer{Approved: yes, InputHash: "sha256:other", Rev: c.Rev})
		h.wantCode(err, permission.CodeHashMismatch, first.Status)
	}
	c := h.ask("move_file")
	_, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: 7})
	h.wantCode(err, permission.CodeStale, permission.Pending)
	if _, err := h.Cancel(ctx, h.agent, c.ID, "changed my mind"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Cancel(ctx, h.agent, c.ID, "again"); err != nil {
		t.Errorf("cancelled twice: %v", err)
	}
	_, err = h.decide(c, true)
	h.wantCode(err, permission.CodeCancelled, permission.Cancelled)
	_, err = h.claim(c)
	h.wantCode(err, permission.CodeCancelled, permission.Cancelled)
	_, _, _, err = h.Decide(ctx, "unknown", permission.Answer{InputHash: "x", Rev: 1})
	h.wantCode(err, permission.CodeNotFound, "")
}

func TestManyAnswersAtOnceHaveOneWinner(t *testing.T) {
	h := open(t)
	defer h.close()
	for range 20 {
		c := h.ask("write_file")
		var won, same sync.Map
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				got, _, repeated, err := h.Decide(ctx, c.ID, permission.Answer{Approved: i%2 == 0, InputHash: c.InputHash, Rev: c.Rev})
				switch {
				case err == nil && !repeated:
					won.Store(i, got.Status)
				case err == nil:
					same.Store(i, got.Status)
				case code(err) != permission.CodeAlreadyDecided:
					t.Error(err)
				}
			})
		}
		all.Wait()
		final, _ := h.Call(ctx, permission.Operator(), c.ID)
		n := 0
		for _, m := range []*sync.Map{&won, &same} {
			m.Range(func(_, status any) bool {
				n++
				if status != final.Status {
					t.Errorf("somebody was told %s, but it is %s", status, final.Status)
				}
				return true
			})
		}
		if n != 4 {
			t.Errorf("%d of 8 agree with %s", n, final.Status)
		}
		h.Cancel(ctx, h.agent, c.ID, "next round")
	}
}

func TestDeadlineBeatsALateYes(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		defer h.close()
		r := h.request("write_file")
		r.Timeout = 1500 * time.Millisecond
		c := h.askAll(r)
		r = h.request("write_file")
		r.Timeout = time.Hour
		if long := h.askAll(r); long.ExpiresAt != long.CreatedAt.Add(300*time.Second) {
			t.Errorf("a caller made the deadline longer: %v", long.ExpiresAt)
		}
		time.Sleep(1499 * time.Millisecond)
		synctest.Wait()
		h.want(c, permission.Pending, false)
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		got := h.want(c, permission.Expired, false)
		if got.Decision.By != permission.ByClock || got.Decision.Approved {
			t.Errorf("decision: %+v", got.Decision)
		}
		_, err := h.decide(c, true)
		h.wantCode(err, permission.CodeExpired, permission.Expired)
	})
}

func TestApprovalNotClaimedInTimeExpires(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		defer h.close()
		h.rule(permission.Allow, "read_*")
		asked, allowed := h.ask("write_file"), h.ask("read_file")
		if _, err := h.decide(asked, true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(599 * time.Second)
		synctest.Wait()
		h.want(asked, permission.Approved, false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h.want(asked, permission.Expired, false)
		h.want(allowed, permission.Expired, false)
		_, err := h.claim(asked)
		h.wantCode(err, permission.CodeExpired, permission.Expired)
	})
}

func TestDeadlinesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		early, late := h.request("write_file"), h.request("write_file")
		early.Timeout = 10 * time.Second
		a, b := h.askAll(early), h.askAll(late)
		h.close()
		time.Sleep(20 * time.Second) // nobody was there to see the first deadline
		h = openAt(t, dir)
		defer h.close()
		synctest.Wait()
		h.want(a, permission.Expired, false)
		h.want(b, permission.Pending, false)
		time.Sleep(281 * time.Second)
		synctest.Wait()
		h.want(b, permission.Expired, false)
	})
}

func TestWait(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		defer h.close()
		c := h.ask("write_file")
		start := time.Now()
		if got, err := h.Wait(ctx, h.party(), c.ID, c.Rev+1); err != nil || got.Rev != c.Rev {
			t.Errorf("another rev: %+v %v", got, err)
		}
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if got, err := h.Wait(short, h.party(), c.ID, c.Rev); err != nil || got.Status != permission.Pending ||
			time.Since(start) != 5*time.Second {
			t.Errorf("nothing happened: %+v %v after %v", got, err, time.Since(start))
		}
		go func() {
			time.Sleep(7 * time.Second)
			h.decide(c, false)
		}()
		start = time.Now()
		if got, err := h.Wait(ctx, h.party(), c.ID, 0); err != nil || got.Status != permission.Declined || time.Since(start) != 7*time.Second {
			t.Errorf("declined: %+v %v after %v", got, err, time.Since(start))
		}
		if got, err := h.Wait(ctx, h.party(), c.ID, 0); err != nil || got.Status != permission.Declined {
			t.Errorf("settled: %+v %v", got, err)
		}
		_, err := h.Wait(ctx, permission.Party{Agent: &permission.Agent{ID: "b"}}, c.ID, 0)
		h.wantCode(err, permission.CodeNotFound, "")
	})
}

func TestTwoWaitersEachHearTheirOwn(t *testing.T) {
	h := open(t)
	defer h.close()
	a, b := h.ask("write_file"), h.ask("write_file")
	if a.ID == b.ID {
		t.Fatal("two live identical calls are one row")
	}
	answers := make(chan permission.Call, 2)
	for _, c := range []permission.Call{a, b} {
		go func() {
			got, err := h.Wait(ctx, h.party(), c.ID, 0)
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
	}
	h.decide(b, false)
	if got := <-answers; got.ID != b.ID || got.Status != permission.Declined {
		t.Errorf("first: %+v", got)
	}
	h.decide(a, true)
	if got := <-answers; got.ID != a.ID || got.Status != permission.Approved {
		t.Errorf("second: %+v", got)
	}
}

func TestGoneAndBack(t *testing.T) {
	h := open(t)
	defer h.close()
	c := h.ask("write_file")
	if _, err := h.Leave(ctx, h.agent, c.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	h.want(c, permission.Approved, true)
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Approved) // nobody waits
	back := h.request("write_file")
	back.Input = json.RawMessage(`{ "n" : 9007199254740993 }`) // the same by its meaning
	joined, created, err := h.Ask(ctx, h.agent, back)
	if err != nil || created || joined.ID != c.ID || joined.CallerGone || joined.Status != permission.Approved {
		t.Fatalf("joined: %+v %v %v", joined, created, err)
	}
	if _, err := h.claim(joined); err != nil {
		t.Errorf("claim: %v", err)
	}
	if third := h.ask("write_file"); third.ID == c.ID || third.Status != permission.Pending {
		t.Errorf("a late yes was honoured twice: %+v", third)
	}
}

func TestCallersOfADeadProcessAreGone(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	held := h.request("write_file")
	held.Held = true
	c, polled := h.askAll(held), h.ask("other")
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.n = 100
	h.want(c, permission.Pending, true)
	h.want(polled, permission.Pending, false)
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Approved)
	if joined := h.ask("write_file"); joined.ID != c.ID {
		t.Errorf("joined %+v", joined)
	}
}

func TestAnAgentSeesItsOwn(t *testing.T) {
	h := open(t)
	defer h.close()
	c := h.ask("write_file")
	other := permission.Agent{ID: "b", Name: "B"}
	_, err := h.Call(ctx, permission.Party{Agent: &other}, c.ID)
	h.wantCode(err, permission.CodeNotFound, "")
	h.decide(c, true)
	for name, try := range map[string]func() (permission.Call, error){
		"claim": func() (permission.Call, error) {
			return h.Claim(ctx, other, c.ID, permission.ClaimRequest{InputHash: c.InputHash})
		},
		"finish": func() (permission.Call, error) { return h.Finish(ctx, other, c.ID, permission.Outcome{ClaimID: "x"}) },
		"cancel": func() (permission.Call, error) { return h.Cancel(ctx, other, c.ID, "") },
		"leave":  func() (permission.Call, error) { return h.Leave(ctx, other, c.ID) },
	} {
		got, err := try()
		if code(err) != permission.CodeNotFound || got.ID != "" {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if calls, _, _, err := h.List(ctx, permission.Party{Agent: &other}, permission.CallFilter{Agent: "a", Limit: 10}); err != nil ||
		len(calls) != 0 {
		t.Errorf("list: %v %v", calls, err)
	}
	h.want(c, permission.Approved, false)
}

func TestBadRequests(t *testing.T) {
	h := open(t)
	defer h.close()
	for name, test := range map[string]struct {
		change func(*permission.Request)
		want   permission.Code
	}{
		"duplicate keys": {func(r *permission.Request) { r.Input = json.RawMessage(`{"a":1,"\u0061":2}`) }, permission.CodeMalformed},
		"half":           {func(r *permission.Request) { r.Input = json.RawMessage(`{"a":`) }, permission.CodeMalformed},
		"surrogate":      {func(r *permission.Request) { r.Input = json.RawMessage(`"\ud800"`) }, permission.CodeMalformed},
		"depth": {func(r *permission.Request) {
			r.Input = json.RawMessage(strings.Repeat("[", 129) + strings.Repeat("]", 129))
		}, permission.CodeMalformed},
		"no run":  {func(r *permission.Request) { r.RunID = "" }, permission.CodeInvalid},
		"no data": {func(r *permission.Request) { r.ResumeRequired = true }, permission.CodeInvalid},
		"timeout": {func(r *permission.Request) { r.Timeout = -1 }, permission.CodeInvalid},
	} {
		r := h.request("write_file")
		test.change(&r)
		if _, _, err := h.Ask(ctx, h.agent, r); code(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := h.request("write_file")
	r.Input = nil
	if c := h.askAll(r); string(c.Input) != "{}" {
		t.Errorf("no input: %s", c.Input)
	}
	h.set(func(s *permission.Settings) { s.Limits.PendingPerAgent = 5 })
	for range 4 {
		h.ask("write_file")
	}
	_, _, err := h.Ask(ctx, h.agent, h.request("write_file"))
	h.wantCode(err, permission.CodeTooMany, "")
}

func TestEvaluateKeepsNothing(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.rule(permission.Allow, "read_*")
	before, _ := h.store.LastSeq(ctx)
	server := "filesystem"
	v, err := h.Evaluate(ctx, permission.Query{ServerID: &server, ToolName: "Read_it"})
	if err != nil || v.Decision != permission.Allow || v.Rule.ID != r.ID || len(v.Trace) != 1 || !v.Trace[0].Applies ||
		!strings.HasPrefix(v.InputHash, "sha256:") {
		t.Errorf("verdict: %+v %v", v, err)
	}
	c := h.ask("Read_it")
	if c.InputHash == v.InputHash {
		t.Error("two inputs, one hash")
	}
	if after, _ := h.store.LastSeq(ctx); after != before+2 {
		t.Errorf("journal went from %d to %d", before, after)
	}
}
