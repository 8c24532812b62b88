package roles_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/roles"
	"sekisho/backend/sqlite"
)

// house is the use case over a real database file, with two agents.
type house struct {
	*testing.T
	*roles.Roles
	dir     string
	store   *sqlite.Store
	now     permission.Time
	changed []permission.SessionID // that ended, of what Changed was told

	withdrawn []permission.SessionID // of what Withdraw was told
	fault     error                  // that Withdraw gives
}

var (
	ctx     = context.Background()
	a       = permission.Agent{ID: "agent-a", Name: "a"}
	b       = permission.Agent{ID: "agent-b", Name: "b"}
	manager = permission.Standing{Role: permission.RoleManager, Purpose: permission.PurposeChat, ProjectID: "p"}
)

func open(t *testing.T) *house {
	h := &house{T: t, dir: t.TempDir(), now: permission.TimeOf(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))}
	h.start()
	for _, agent := range []permission.Agent{a, b} {
		if _, err := h.store.AddAgent(ctx, permission.Versions{}, agent, "hash-"+agent.Name, permission.Entry{At: h.now,
			Kind: permission.AgentsChanged, Actor: permission.ActorPerson}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *house) start() {
	h.Helper()
	var err error
	if h.store, err = sqlite.Open(ctx, h.dir); err != nil {
		h.Fatal(err)
	}
	store := h.store
	h.Cleanup(func() { store.Close() })
	h.Roles = roles.New(ctx, h.store, roles.Options{Now: func() permission.Time { return h.now },
		Changed: func(_ permission.AgentID, ended permission.SessionID) { h.changed = append(h.changed, ended) },
		Withdraw: func(_ context.Context, _ permission.AgentID, id permission.SessionID) error {
			h.withdrawn = append(h.withdrawn, id)
			return h.fault
		}})
}

// restart opens the folder anew.
func (h *house) restart() {
	h.Helper()
	if err := h.store.Close(); err != nil {
		h.Fatal(err)
	}
	h.start()
	if words := h.store.Disputed(); words != "" {
		h.Error(words)
	}
}

// made makes a session of agent a.
func (h *house) made(s permission.Standing, ttl time.Duration) (permission.MadeSession, string) {
	h.Helper()
	session, passkey, err := h.NewSession(ctx, permission.ActorPerson, roles.Wanted{AgentID: a.ID, Standing: s, TTL: ttl})
	if err != nil {
		h.Fatal(err)
	}
	return session, passkey
}

func (h *house) begin(passkey string) roles.Begun {
	h.Helper()
	begun, err := h.Authenticate(ctx, a, a.ID, passkey, "p")
	if err != nil {
		h.Fatal(err)
	}
	return begun
}

// TestAPasskeyIsChangedOnceForAToken that lives as long as was said, and over restarts.
func TestAPasskeyIsChangedOnceForAToken(t *testing.T) {
	h := open(t)
	session, passkey := h.made(manager, time.Hour)
	if h.Standing(a.ID, session.ID, h.now) != (permission.Standing{}) {
		t.Error("a session stands before its token is there")
	}
	begun := h.begin(passkey)
	if begun.ID != session.ID || begun.Standing != manager || begun.ExpiresAt != h.now.Add(time.Hour) ||
		!strings.HasPrefix(begun.Token, "sks_") {
		t.Errorf("%+v", begun)
	}
	if _, err := h.Authenticate(ctx, a, a.ID, passkey, "p"); !errors.Is(err, roles.ErrPasskey) {
		t.Errorf("again: %v", err)
	}
	for range 2 {
		s, err := h.Token(begun.Token)
		if err != nil || s.ID != session.ID || h.Standing(a.ID, s.ID, h.now) != manager {
			t.Errorf("%+v %v", s, err)
		}
		h.restart()
	}
	h.now = begun.ExpiresAt
	if _, err := h.Token(begun.Token); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("expired: %v", err)
	}
}

// TestAPasskeyIsForOneAgentAndProject, for ten minutes; what is wrong, nobody is told.
func TestAPasskeyIsForOneAgentAndProject(t *testing.T) {
	h := open(t)
	session, passkey := h.made(manager, 0)
	within := a
	within.Session = session.ID
	for what, try := range map[string]func() (roles.Begun, error){
		"another agent":       func() (roles.Begun, error) { return h.Authenticate(ctx, b, b.ID, passkey, "p") },
		"in another's name":   func() (roles.Begun, error) { return h.Authenticate(ctx, b, a.ID, passkey, "p") },
		"for another":         func() (roles.Begun, error) { return h.Authenticate(ctx, a, b.ID, passkey, "p") },
		"another project":     func() (roles.Begun, error) { return h.Authenticate(ctx, a, a.ID, passkey, "q") },
		"by a session":        func() (roles.Begun, error) { return h.Authenticate(ctx, within, a.ID, passkey, "p") },
		"made up":             func() (roles.Begun, error) { return h.Authenticate(ctx, a, a.ID, "skp_made-up", "p") },
		"none":                func() (roles.Begun, error) { return h.Authenticate(ctx, a, a.ID, "", "p") },
		"the hash of the key": func() (roles.Begun, error) { return h.Authenticate(ctx, a, a.ID, "hash-a", "p") },
	} {
		if got, err := try(); !errors.Is(err, roles.ErrPasskey) || err != error(roles.ErrPasskey) || got.Token != "" {
			t.Errorf("%s: %+v %v", what, got, err)
		}
	}
	h.now = h.now.Add(permission.PasskeyLife)
	if _, err := h.Authenticate(ctx, a, a.ID, passkey, "p"); !errors.Is(err, roles.ErrPasskey) {
		t.Errorf("too old: %v", err)
	}
	if begun := len(h.changed); begun != 0 {
		t.Errorf("%d sessions began", begun)
	}
}

// TestAConnectionOutlivesItsSession: who was bound to one that is over begins another, and nobody else does
// who comes with the name of a session.
func TestAConnectionOutlivesItsSession(t *testing.T) {
	h := open(t)
	_, first := h.made(manager, time.Minute)
	begun, err := h.Authenticate(ctx, a, a.ID, first, "p")
	if err != nil {
		t.Fatal(err)
	}
	bound := a
	bound.Session = begun.ID
	h.now = begun.ExpiresAt
	_, second := h.made(manager, 0)
	stranger := a
	stranger.Session = "of-nobody"
	if _, err := h.Authenticate(ctx, stranger, a.ID, second, "p"); !errors.Is(err, roles.ErrPasskey) {
		t.Errorf("in a session that never was: %v", err)
	}
	if next, err := h.Authenticate(ctx, bound, a.ID, second, "p"); err != nil || next.ID == begun.ID {
		t.Errorf("after the session is over: %+v %v", next, err)
	}
}

// TestOneOfManyHasTheToken: a passkey is tried at once by many.
func TestOneOfManyHasTheToken(t *testing.T) {
	h := open(t)
	_, passkey := h.made(manager, 0)
	var won []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			begun, err := h.Authenticate(ctx, a, a.ID, passkey, "p")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, begun.Token)
			} else if !errors.Is(err, roles.ErrPasskey) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Fatalf("%d have a token", len(won))
	}
	if _, err := h.Token(won[0]); err != nil {
		t.Error(err)
	}
}

// TestAnEndedSessionIsOver: its token and its passkey are void, also after a restart.
func TestAnEndedSessionIsOver(t *testing.T) {
	h := open(t)
	session, passkey := h.made(manager, 0)
	begun := h.begin(passkey)
	if err := h.End(ctx, permission.ActorPerson, b.ID, session.ID); err != nil {
		t.Error(err)
	}
	if _, err := h.Token(begun.Token); err != nil {
		t.Errorf("another agent ended it: %v", err)
	}
	unused, unusedKey := h.made(manager, 0)
	for _, id := range []permission.SessionID{session.ID, session.ID, unused.ID, "unknown"} {
		if err := h.End(ctx, permission.ActorPerson, "", id); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if _, err := h.Token(begun.Token); !errors.Is(err, permission.NotFound("")) {
			t.Errorf("its token: %v", err)
		}
		if _, err := h.Authenticate(ctx, a, a.ID, unusedKey, "p"); !errors.Is(err, roles.ErrPasskey) {
			t.Errorf("its passkey: %v", err)
		}
		if h.Standing(a.ID, session.ID, h.now) != (permission.Standing{}) {
			t.Error("it stands")
		}
		h.restart()
	}
	if len(h.changed) != 3 || h.changed[0] != "" || h.changed[1] != session.ID || h.changed[2] != unused.ID {
		t.Errorf("told of %q", h.changed)
	}
}

// TestARoleIsAPersonsToGive, and it lasts.
func TestARoleIsAPersonsToGive(t *testing.T) {
	h := open(t)
	coordinator, worker := permission.RoleCoordinator, permission.RoleWorker
	if agent, err := h.SetRole(ctx, a.ID, &coordinator); err != nil || agent.Role == nil || *agent.Role != coordinator || agent.Name != "a" {
		t.Errorf("%+v %v", agent, err)
	}
	h.restart()
	if got := h.Standing(a.ID, "", h.now); got.Role != coordinator {
		t.Errorf("%+v", got)
	}
	if _, err := h.SetRole(ctx, b.ID, &worker); !errors.Is(err, &permission.Error{Code: permission.CodeInvalid}) {
		t.Errorf("a role of sessions: %v", err)
	}
	if _, err := h.SetRole(ctx, "nobody", &coordinator); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("of nobody: %v", err)
	}
	if agent, err := h.SetRole(ctx, a.ID, nil); err != nil || agent.Role != nil || h.Standing(a.ID, "", h.now).Role != "" {
		t.Errorf("%+v %v", agent, err)
	}
	agents, err := h.store.Agents(ctx)
	if err != nil || agents[0].Role != nil {
		t.Errorf("%+v %v", agents, err)
	}
}

// TestAProjectHasMembers, which go with their agents.
func TestAProjectHasMembers(t *testing.T) {
	h := open(t)
	members := map[permission.AgentID]permission.Role{a.ID: permission.RoleWorker, b.ID: permission.RoleManager}
	first, err := h.PutProject(ctx, "p", members, 0)
	if err != nil || len(first.Members) != 2 {
		t.Fatalf("%+v %v", first, err)
	}
	again, err := h.PutProject(ctx, "p", members, 0)
	if err != nil || again.CreatedAt != first.CreatedAt || again.UpdatedAt <= first.UpdatedAt {
		t.Errorf("%+v %v", again, err)
	}
	if _, err := h.PutProject(ctx, "empty", nil, 0); err != nil {
		t.Error(err)
	}
	var e *permission.Error
	if _, err := h.PutProject(ctx, "p", map[permission.AgentID]permission.Role{"nobody": permission.RoleWorker}, 0); !errors.As(err, &e) ||
		e.Code != permission.CodeInvalid || e.Field != "members.nobody" {
		t.Errorf("nobody: %v", err)
	}
	_, passkey := h.made(manager, 0)
	begun := h.begin(passkey)
	if _, err := h.store.DeleteAgent(ctx, permission.Versions{}, a.ID, permission.Decision{By: permission.ByPerson, DecidedAt: h.now},
		permission.Entry{At: h.now, Kind: permission.AgentsChanged, Actor: permission.ActorPerson}); err != nil {
		t.Fatal(err)
	}
	h.Forget(a.ID)
	for range 2 {
		p, err := h.Project(ctx, "p")
		if err != nil || len(p.Members) != 1 || p.Members[b.ID] != permission.RoleManager {
			t.Errorf("%+v %v", p, err)
		}
		if _, err := h.Token(begun.Token); !errors.Is(err, permission.NotFound("")) {
			t.Errorf("the token of a removed agent: %v", err)
		}
		h.restart()
	}
	if _, err := h.Project(ctx, "none"); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("none: %v", err)
	}
}

// TestAMemberThatIsNoneAnyMoreHasNoSession: neither one that goes on nor a passkey, of that project.
func TestAMemberThatIsNoneAnyMoreHasNoSession(t *testing.T) {
	for name, members := range map[string]map[permission.AgentID]permission.Role{"out": {}, "another role": {a.ID: permission.RoleWorker}} {
		h := open(t)
		if _, err := h.PutProject(ctx, "p", map[permission.AgentID]permission.Role{a.ID: permission.RoleManager}, 0); err != nil {
			t.Fatal(err)
		}
		_, passkey := h.made(manager, 0)
		begun := h.begin(passkey)
		_, waiting := h.made(manager, 0)
		stays := map[permission.AgentID]permission.Role{a.ID: permission.RoleManager, b.ID: permission.RoleWorker}
		if _, err := h.PutProject(ctx, "p", stays, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Token(begun.Token); err != nil {
			t.Errorf("%s: a member that stays has no session: %v", name, err)
		}
		if _, err := h.PutProject(ctx, "p", members, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Token(begun.Token); err == nil {
			t.Errorf("%s: the session goes on", name)
		}
		if len(h.withdrawn) != 2 || !slices.Contains(h.withdrawn, begun.ID) {
			t.Errorf("%s: withdrawn %v", name, h.withdrawn)
		}
		if _, err := h.Authenticate(ctx, a, a.ID, waiting, "p"); err == nil {
			t.Errorf("%s: the passkey is good", name)
		}
	}
}

// TestNothingOfASecretIsKept: neither passkeys nor tokens are in the folder.
func TestNothingOfASecretIsKept(t *testing.T) {
	h := open(t)
	var secrets []string
	for range 20 {
		_, passkey := h.made(manager, 0)
		secrets = append(secrets, passkey, h.begin(passkey).Token)
	}
	entries, _, err := h.store.Journal(ctx, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	kept := string(journal)
	files, _ := filepath.Glob(filepath.Join(h.dir, "*"))
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kept += string(raw)
	}
	for _, secret := range secrets {
		if strings.Contains(kept, strings.TrimPrefix(secret, "sks_")) || strings.Contains(kept, secret) {
			t.Errorf("%.8s… is kept", secret)
		}
	}
	if !strings.Contains(kept, "session_began") {
		t.Error("the journal does not say that sessions began")
	}
}

// TestAChangedRowIsInDispute: who writes past the desk makes no manager of a worker.
func TestAChangedRowIsInDispute(t *testing.T) {
	h := open(t)
	session, passkey := h.made(permission.Standing{Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"}, 0)
	h.begin(passkey)
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, h.dir, "UPDATE sessions SET role = 'manager' WHERE id = ?", string(session.ID))
	h.start()
	if words := h.store.Disputed(); !strings.Contains(words, string(session.ID)) {
		t.Errorf("not in dispute: %q", words)
	}
}

// rewrite changes the database as another program would.
func rewrite(t *testing.T, dir, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// TestAProjectIsNotOverwrittenUnseen: of two that saw the same project, the second is told.
func TestAProjectIsNotOverwrittenUnseen(t *testing.T) {
	h := open(t)
	seen, err := h.PutProject(ctx, "p", map[permission.AgentID]permission.Role{a.ID: permission.RoleWorker}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.PutProject(ctx, "p", map[permission.AgentID]permission.Role{a.ID: permission.RoleManager}, seen.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	lost := &permission.Error{Code: permission.CodeLostUpdate}
	for _, id := range []permission.ProjectID{"p", "never-was"} {
		theirs := map[permission.AgentID]permission.Role{b.ID: permission.RoleWorker}
		if _, err := h.PutProject(ctx, id, theirs, seen.UpdatedAt); !errors.Is(err, lost) {
			t.Errorf("%s: %v", id, err)
		}
	}
	all, err := h.Projects(ctx)
	if err != nil || len(all) != 1 || len(all[0].Members) != 1 || all[0].Members[a.ID] != permission.RoleManager {
		t.Errorf("%+v %v", all, err)
	}
}

// TestANewProjectIsMadeOnce: of many who make one of the same name, one does, and its members stay.
func TestANewProjectIsMadeOnce(t *testing.T) {
	h := open(t)
	var made, lost atomic.Int32
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			members := map[permission.AgentID]permission.Role{a.ID: permission.RoleWorker}
			if n%2 == 0 {
				members = map[permission.AgentID]permission.Role{b.ID: permission.RoleManager}
			}
			p, err := h.PutProject(ctx, "p", members, permission.NoProject)
			switch {
			case err == nil && maps.Equal(p.Members, members):
				made.Add(1)
			case errors.Is(err, &permission.Error{Code: permission.CodeLostUpdate}):
				lost.Add(1)
			default:
				t.Errorf("%+v %v", p, err)
			}
		})
	}
	all.Wait()
	p, err := h.Project(ctx, "p")
	if err != nil || made.Load() != 1 || lost.Load() != 19 || len(p.Members) != 1 || p.CreatedAt != p.UpdatedAt {
		t.Errorf("made %d times, %d were told: %+v %v", made.Load(), lost.Load(), p, err)
	}
}

// meanwhile is a store in which something else is done, once, right before a project is put.
type meanwhile struct {
	*sqlite.Store
	do func()
}

func (m *meanwhile) PutProject(ctx context.Context, p permission.Project, saw permission.Time,
	e permission.Entry) (kept, before permission.Project, err error) {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Store.PutProject(ctx, p, saw, e)
}

// TestAMemberOfTheLastMomentHasNoSession: who was made one by another window, right before they were none.
func TestAMemberOfTheLastMomentHasNoSession(t *testing.T) {
	h := open(t)
	var begun roles.Begun
	h.Roles = roles.New(ctx, &meanwhile{h.store, func() {
		if _, err := h.PutProject(ctx, "p", map[permission.AgentID]permission.Role{a.ID: permission.RoleManager}, 0); err != nil {
			t.Fatal(err)
		}
		_, passkey := h.made(manager, 0)
		begun = h.begin(passkey)
	}}, roles.Options{Now: func() permission.Time { return h.now }})
	if _, err := h.PutProject(ctx, "p", nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Token(begun.Token); err == nil {
		t.Error("the session goes on")
	}
}
