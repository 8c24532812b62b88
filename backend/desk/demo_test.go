package desk_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/agentbook"
	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// demo asks for a fresh demonstration and plays it until the test's end.
func (h *house) demo() (c permission.Call, played <-chan error) {
	h.Helper()
	c, fresh, err := h.Demo(ctx)
	if err != nil || !fresh {
		h.Fatalf("a demonstration: fresh %v, %v", fresh, err)
	}
	done := make(chan error, 1)
	go func() { done <- h.PlayDemo(ctx, c.ID) }()
	return c, done
}

// ends waits for a demonstration's end.
func (h *house) ends(played <-chan error) {
	h.Helper()
	select {
	case err := <-played:
		if err != nil {
			h.Errorf("played: %v", err)
		}
	case <-time.After(time.Minute):
		h.Fatal("a demonstration does not end")
	}
}

func TestADemonstrationRunsOnAYes(t *testing.T) {
	h := open(t)
	defer h.close()
	h.rule(permission.Allow, "*")
	c, played := h.demo()
	if c.Status != permission.Pending || c.AgentName != "sekisho-demo" || c.ServerID != nil || c.ToolName != "greet" || c.Why.Rule != nil ||
		!strings.Contains(c.Why.Reason, "demonstration") || c.ExpiresAt != c.CreatedAt.Add(300*time.Second) {
		t.Fatalf("asked: %+v", c)
	}
	for _, word := range []string{"Hello", "こんにちは", "你好", "Привет"} {
		if !strings.Contains(string(c.Input), word) {
			t.Errorf("no %s in %s", word, c.Input)
		}
	}
	if again, fresh, err := h.Demo(ctx); err != nil || fresh || again.ID != c.ID {
		t.Errorf("while one waits: %s, fresh %v, %v", again.ID, fresh, err)
	}
	if _, err := h.Extend(ctx, c.ID, time.Minute); err != nil { // it changes and waits on
		t.Fatal(err)
	}
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	h.ends(played)
	if got := h.want(c, permission.Completed, false); string(got.Result) != string(c.Input) || got.Decision.By != permission.ByPerson {
		t.Errorf("it said %s after %+v", got.Result, got.Decision)
	}
	next, played := h.demo()
	if next.ID == c.ID || next.AgentID != c.AgentID || next.SessionID == c.SessionID {
		t.Errorf("the next one: %+v", next)
	}
	if _, err := h.decide(next, false); err != nil {
		t.Fatal(err)
	}
	h.ends(played)
	if got := h.want(next, permission.Declined, false); got.ClaimID != nil || got.Result != nil {
		t.Errorf("declined, and claimed: %+v", got)
	}
	if agents, err := h.Agents(ctx); err != nil || len(agents) != 1 || agents[0].Name != "sekisho-demo" {
		t.Errorf("agents %+v, %v", agents, err)
	}
}

// TestADemonstrationDoesWhatWasApproved: an edited greeting is the one that is said,
// and a wider answer ends with it.
func TestADemonstrationDoesWhatWasApproved(t *testing.T) {
	h := open(t)
	defer h.close()
	c, played := h.demo()
	h.answer(c, permission.Answer{Approved: true, Input: []byte(`{"greeting": "Hi"}`)})
	h.ends(played)
	if got := h.want(c, permission.Completed, false); string(got.Result) != `{"greeting": "Hi"}` {
		t.Errorf("it said %s", got.Result)
	}
	c, played = h.demo()
	h.answer(c, permission.Answer{Approved: true, Scope: permission.ScopeSession})
	h.ends(played)
	h.want(c, permission.Completed, false)
	if grants, err := h.Grants(ctx); err != nil || len(grants) > 0 {
		t.Errorf("left behind: %+v %v", grants, err)
	}
}

func TestADemonstrationObeysTheRules(t *testing.T) {
	h := open(t)
	defer h.close()
	c, played := h.demo()
	deny := h.rule(permission.Deny, "gr*")
	h.ends(played)
	h.want(c, permission.Denied, false)
	c, played = h.demo()
	h.ends(played)
	h.want(c, permission.Denied, false)
	if _, _, err := h.DeleteRule(ctx, deny.ID, 0); err != nil {
		t.Fatal(err)
	}
	c, played = h.demo() // a person's word counts for it as for any call
	allow := h.rule(permission.Allow, "greet")
	if n, err := h.Release(ctx, allow.ID); err != nil || n != 1 {
		t.Fatalf("released %d, %v", n, err)
	}
	h.ends(played)
	h.want(c, permission.Completed, false)
}

// TestADemonstrationGoesBackToWait when the rules no longer allow what they released.
func TestADemonstrationGoesBackToWait(t *testing.T) {
	h := open(t)
	defer h.close()
	c, _, err := h.Demo(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.Release(ctx, h.rule(permission.Allow, "greet").ID); err != nil || n != 1 {
		t.Fatalf("released %d, %v", n, err)
	}
	if err := h.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	played := make(chan error, 1)
	go func() { played <- h.PlayDemo(ctx, c.ID) }()
	now := c
	for now.Status != permission.Pending || now.Rev == c.Rev {
		if now, err = h.Call(ctx, permission.Operator(), c.ID); err != nil || now.Status == permission.Completed {
			t.Fatalf("%s, %v", now.Status, err)
		}
	}
	h.answer(now, permission.Answer{Approved: true})
	h.ends(played)
	h.want(c, permission.Completed, false)
}

// TestNobodyIsTheDemonstrator: its name is the desk's, and no token is its own.
func TestNobodyIsTheDemonstrator(t *testing.T) {
	h := open(t)
	defer h.close()
	for _, name := range []string{"sekisho-demo", "Sekisho-Demo"} {
		if _, _, err := h.CreateAgent(ctx, name); code(err) != permission.CodeInvalid {
			t.Errorf("%s was taken: %v", name, err)
		}
	}
	c, played := h.demo()
	for _, token := range []string{"", "the desk's own", "sekisho-demo", string(c.AgentID), agentbook.TokenHash("the desk's own")} {
		if a, err := h.Authenticate(ctx, token); err == nil {
			t.Errorf("token %q is %+v", token, a)
		}
	}
	if _, err := h.claim(c); code(err) != permission.CodeNotFound {
		t.Errorf("another agent's claim: %v", err)
	}
	if err := h.DeleteAgent(ctx, c.AgentID); err != nil {
		t.Fatal(err)
	}
	h.ends(played)
	h.want(c, permission.Declined, false)
	again, played := h.demo() // a person who removed it can have it back
	if again.AgentID == c.AgentID {
		t.Error("the removed agent is back")
	}
	if _, err := h.decide(again, false); err != nil {
		t.Fatal(err)
	}
	h.ends(played)
}

// TestAnotherAgentOfTheNameIsNotTheDesks: such a one can be in data of an older desk.
func TestAnotherAgentOfTheNameIsNotTheDesks(t *testing.T) {
	h := open(t)
	defer h.close()
	old := permission.Agent{ID: "old", Name: "sekisho-demo", CreatedAt: 1}
	if _, err := h.store.AddAgent(ctx, permission.Versions{}, old, agentbook.TokenHash("its token"),
		permission.Entry{At: 1, Kind: permission.AgentsChanged, Actor: permission.ActorPerson}); err != nil {
		t.Fatal(err)
	}
	if _, fresh, err := h.Demo(ctx); code(err) != permission.CodeExists || fresh || !strings.Contains(err.Error(), "remove it first") {
		t.Errorf("fresh %v, %v", fresh, err)
	}
	if err := h.DeleteAgent(ctx, "old"); err != nil {
		t.Fatal(err)
	}
	c, played := h.demo()
	h.answer(c, permission.Answer{Approved: true})
	h.ends(played)
	h.want(c, permission.Completed, false)
}

// TestADemonstrationEnds with its deadline, and with its player; the next process
// tells of one that waited, and of one that was running.
func TestADemonstrationEnds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		c, played := h.demo()
		time.Sleep(299 * time.Second)
		h.want(c, permission.Pending, false)
		time.Sleep(2 * time.Second)
		h.ends(played)
		h.want(c, permission.Expired, false)

		left, fresh, err := h.Demo(ctx)
		if err != nil || !fresh {
			t.Fatal(err)
		}
		playing, leave := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- h.PlayDemo(playing, left.ID) }()
		synctest.Wait()
		leave()
		if err := <-done; err != nil {
			t.Errorf("left: %v", err)
		}
		h.want(left, permission.Pending, false)
		h.close()

		h = openAt(t, dir)
		defer h.close()
		h.want(left, permission.Pending, true)
		if _, err := h.decide(left, true); err != nil {
			t.Fatal(err)
		}
		agent := permission.Agent{ID: left.AgentID}
		if _, err := h.Claim(ctx, agent, left.ID, permission.ClaimRequest{InputHash: left.InputHash, Key: "k", Claimant: "test"}); code(
			err) != permission.CodeNotApproved {
			t.Errorf("nobody waits, and it is claimed: %v", err)
		}
		time.Sleep(time.Second) // the greeting is of another moment, and so another call
		another, fresh, err := h.Demo(ctx)
		if err != nil || !fresh || another.ID == left.ID {
			t.Errorf("another: %+v, fresh %v, %v", another.ID, fresh, err)
		}
		time.Sleep(601 * time.Second)
		h.want(left, permission.Expired, true)
	})
}

// unread is a store that cannot read a call when it is told so.
type unread struct {
	*sqlite.Store
	now bool
}

func (s *unread) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	if s.now {
		return permission.Call{}, errFault
	}
	return s.Store.Call(ctx, id)
}

// TestADemonstrationThatNobodyPlaysIsNotTheOneToAnswer: a yes to it would run nothing.
func TestADemonstrationThatNobodyPlaysIsNotTheOneToAnswer(t *testing.T) {
	kept, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store := &unread{Store: kept}
	d, err := desk.Open(ctx, storetest.Stores(store), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, parts: partsOf(d), store: kept}
	defer h.close()
	lost, fresh, err := h.Demo(ctx)
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	if err := h.PlayDemo(ctx, "another"); code(err) != permission.CodeNotFound {
		t.Errorf("one that is not there: %v", err)
	}
	if again, fresh, err := h.Demo(ctx); err != nil || fresh || again.ID != lost.ID {
		t.Errorf("while one waits: %s, fresh %v, %v", again.ID, fresh, err)
	}
	store.now = true
	if err := h.PlayDemo(ctx, lost.ID); !errors.Is(err, errFault) {
		t.Errorf("played: %v", err)
	}
	store.now = false
	c, played := h.demo()
	if c.ID == lost.ID {
		t.Error("the same one is to be answered")
	}
	h.answer(c, permission.Answer{Approved: true})
	h.ends(played)
	h.want(c, permission.Completed, false)
}

// TestADemonstrationThatWasRunningIsInDoubt, as any call is.
func TestADemonstrationThatWasRunningIsInDoubt(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	c, _, err := h.Demo(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h.answer(c, permission.Answer{Approved: true})
	agent := permission.Agent{ID: c.AgentID}
	if _, err := h.Claim(ctx, agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: "k", Claimant: "test"}); err != nil {
		t.Fatal(err)
	}
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.want(c, permission.InDoubt, true)
}

func TestAServerIsUnmasked(t *testing.T) {
	h := open(t)
	defer h.close()
	kept := permission.Server{ID: "a", Transport: permission.TransportStdio, Command: "b", Env: map[string]string{"KEY": "secret"}}
	if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{kept}); err != nil {
		t.Fatal(err)
	}
	given := permission.Server{ID: "a", Transport: permission.TransportStdio, Command: "c",
		Env: map[string]string{"KEY": permission.Mask, "NEW": "plain"}}
	got, err := h.Unmasked(ctx, given)
	if err != nil || got.Command != "c" || got.Env["KEY"] != "secret" || got.Env["NEW"] != "plain" {
		t.Errorf("got %+v, %v", got, err)
	}
	if given.Env["KEY"] != permission.Mask {
		t.Error("the secret went into what was given")
	}
	for name, bad := range map[string]permission.Server{
		"env.KEY": {ID: "b", Transport: permission.TransportStdio, Command: "c", Env: map[string]string{"KEY": permission.Mask}},
		"env.OLD": {ID: "a", Transport: permission.TransportStdio, Command: "c", Env: map[string]string{"OLD": permission.Mask}},
		"command": {ID: "a", Transport: permission.TransportStdio},
	} {
		var e *permission.Error
		if _, err := h.Unmasked(ctx, bad); !errors.As(err, &e) || e.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, err := h.Server(ctx, "a"); err != nil || now.Command != "b" {
		t.Errorf("it was saved: %+v %v", now, err)
	}
}
