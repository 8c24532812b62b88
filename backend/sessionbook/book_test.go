package sessionbook_test

import (
	"errors"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
	"sekisho/backend/sessionbook"
)

var (
	worker  = permission.Standing{Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"}
	token   = proof.HashOf("sks_token")
	hash    = hex(token)
	passkey = hex(proof.HashOf("skp_passkey"))
)

func hex(h proof.Hash) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, b := range h {
		out = append(out, digits[b>>4], digits[b&15])
	}
	return string(out)
}

// TestASessionStandsFromItsTokenToItsEnd: what an agent is in it, it is while the token is good.
func TestASessionStandsFromItsTokenToItsEnd(t *testing.T) {
	made := permission.MadeSession{ID: "s", AgentID: "a", Standing: worker, CreatedAt: 10, PasskeyUntil: 20}
	waiting := sessionbook.New(map[string]permission.MadeSession{passkey: made}, []permission.AgentID{"c"})
	if _, live := waiting.Token(passkey, 15); live || waiting.Standing("a", "s", 15) != (permission.Standing{}) {
		t.Error("a passkey is a token")
	}
	if len(waiting.Of("", 19)) != 1 || len(waiting.Of("", 20)) != 0 || len(waiting.Of("b", 19)) != 0 {
		t.Error("a session is over with its passkey, and not before")
	}
	begun := made
	begun.PasskeyUntil, begun.ExpiresAt = 0, 100
	live := waiting.With(begun, hash)
	if s, is := live.Token(hash, 99); !is || s != begun || live.Standing("a", "s", 99) != worker {
		t.Errorf("%+v %v", s, is)
	}
	for what, got := range map[string]permission.Standing{
		"of another agent":   live.Standing("b", "s", 50),
		"of another":         live.Standing("a", "t", 50),
		"of none":            live.Standing("a", "", 50),
		"that has expired":   live.Standing("a", "s", 100),
		"in the book before": waiting.Standing("a", "s", 50),
	} {
		if got != (permission.Standing{}) {
			t.Errorf("a session %s: %+v", what, got)
		}
	}
	if _, is := live.Token(hash, 100); is {
		t.Error("an expired token is live")
	}
	ended := begun
	ended.EndedAt = 60
	over := live.With(ended, "")
	if _, is := over.Token(hash, 61); is || over.Standing("a", "s", 61) != (permission.Standing{}) || len(over.Of("", 61)) != 0 {
		t.Error("an ended session stands")
	}
	if _, known := over.Made("a", "s"); !known {
		t.Error("an ended session is forgotten")
	}
	if _, known := over.Made("b", "s"); known {
		t.Error("a session is another agent's")
	}
	if gone := live.Without("a"); gone.Standing("a", "s", 50) != (permission.Standing{}) {
		t.Error("the session of a removed agent stands")
	}
}

// TestACoordinatorIsOneWithoutASession, and in a session what that is.
func TestACoordinatorIsOneWithoutASession(t *testing.T) {
	coordinator := permission.Standing{Role: permission.RoleCoordinator}
	b := sessionbook.New(map[string]permission.MadeSession{hash: {ID: "s", AgentID: "c", Standing: worker, ExpiresAt: 100}},
		[]permission.AgentID{"c"})
	if b.Standing("c", "", 1) != coordinator || b.Standing("c", "s", 1) != worker || b.Standing("a", "", 1) != (permission.Standing{}) {
		t.Error("a coordinator stands otherwise")
	}
	if b.WithRole("c", false).Standing("c", "", 1) != (permission.Standing{}) || b.WithRole("a", true).Standing("a", "x", 1) != coordinator {
		t.Error("a role is not given or taken")
	}
}

// TestATokenIsProvedFor while it is good.
func TestATokenIsProvedFor(t *testing.T) {
	begun := permission.MadeSession{ID: "s", AgentID: "a", Standing: worker, ExpiresAt: 100}
	for _, b := range []*sessionbook.Book{sessionbook.New(map[string]permission.MadeSession{hash: begun}, nil),
		sessionbook.New(nil, nil).With(begun, hash)} {
		if said, err := b.Prove(token.Key(), "nonce", "address", 99); err != nil || said != token.Of("nonce", "address") {
			t.Errorf("%s %v", said, err)
		}
		for _, c := range []struct {
			key string
			at  permission.Time
		}{{token.Key(), 100}, {"", 1}, {proof.HashOf("another").Key(), 1}} {
			if _, err := b.Prove(c.key, "nonce", "address", c.at); !errors.Is(err, permission.NotFound("")) {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
}

// TestTheListSaysWhatTheDeskMade of sessions that have calls, and lists those that have none.
func TestTheListSaysWhatTheDeskMade(t *testing.T) {
	b := sessionbook.New(map[string]permission.MadeSession{
		"1": {ID: "called", AgentID: "a", Standing: worker, CreatedAt: 5, ExpiresAt: 100},
		"2": {ID: "fresh", AgentID: "a", Standing: worker, CreatedAt: 50, PasskeyUntil: 60},
		"3": {ID: "ended", AgentID: "a", Standing: worker, CreatedAt: 5, ExpiresAt: 100, EndedAt: 10},
		"4": {ID: "over", AgentID: "a", Standing: worker, CreatedAt: 5, PasskeyUntil: 6},
	}, nil)
	called := []permission.Session{{ID: "called", AgentID: "a", LastSeenAt: 20}, {ID: "ended", AgentID: "a", LastSeenAt: 9},
		{ID: "called", AgentID: "b", LastSeenAt: 8, Pending: 1}, {ID: "own", AgentID: "a", LastSeenAt: 7}}
	quiet := func(s *permission.Session) bool { return s.Pending == 0 }
	open := "client"
	all := sessionbook.List(called, []permission.Session{{ID: "own", AgentID: "a", Client: &open, CreatedAt: 3, LastSeenAt: 40}}, b, quiet,
		func(permission.AgentID) string { return "Agent A" }, 55)
	var got []string
	for _, s := range all {
		if (s.Role != nil) != (s.ID != "own" && s.AgentID == "a") || s.Role != nil && (*s.Role != worker.Role || *s.ProjectID != "p") {
			t.Errorf("%+v", s)
		}
		if until := map[permission.SessionID]permission.Time{"called": 100, "ended": 100}[s.ID]; s.AgentID == "a" && s.ExpiresAt != until {
			t.Errorf("%s expires at %d", s.ID, s.ExpiresAt)
		}
		got = append(got, string(s.AgentID)+" "+string(s.ID)+" "+string(s.State))
	}
	if want := []string{"b called review", "a fresh working", "a own working", "a called working", "a ended ended"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestABookLetsGo of sessions that ended before a time, and of those of an agent that is removed, with their
// tokens.
func TestABookLetsGo(t *testing.T) {
	b := sessionbook.New(nil, nil)
	for i, agent := range []permission.AgentID{"a", "b", "c"} {
		id := permission.SessionID(agent)
		s := permission.MadeSession{ID: id, AgentID: agent, Standing: worker, CreatedAt: 1, ExpiresAt: 100}
		if i < 2 {
			s.EndedAt = permission.Time(10 * (i + 1))
		}
		b = b.With(s, hex(proof.HashOf("sks_"+string(agent))))
	}
	if sessions, tokens := b.Since(20).Size(); sessions != 2 || tokens != 4 {
		t.Errorf("%d sessions, %d tokens", sessions, tokens)
	}
	if sessions, tokens := b.Without("c").Size(); sessions != 2 || tokens != 4 {
		t.Errorf("without an agent: %d sessions, %d tokens", sessions, tokens)
	}
	if sessions, tokens := b.Size(); sessions != 3 || tokens != 6 {
		t.Errorf("the book itself is another: %d sessions, %d tokens", sessions, tokens)
	}
	if over, next := b.Expired(99); len(over) != 0 || next != 100 {
		t.Errorf("%v %v", over, next)
	}
	if over, next := b.Expired(100); len(over) != 1 || over[0].ID != "c" || next != 0 {
		t.Errorf("%v %v", over, next)
	}
}
