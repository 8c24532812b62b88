package coordination_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
	"sekisho/backend/worktest"
)

// fakeDesk has one project, p, with the manager m and the workers w1 and w2.
type fakeDesk struct {
	mu       sync.Mutex
	sessions []coordination.Session
	waiting  map[permission.SessionID]bool
	halted   map[permission.AgentID]string
	passkeys map[string]permission.SessionID
	made     int
}

func (d *fakeDesk) Now() permission.Time { return permission.TimeOf(time.Now()) }

func (d *fakeDesk) Projects(context.Context) ([]coordination.Project, error) {
	return []coordination.Project{{ID: "p", Members: []coordination.Member{{AgentID: "m", Name: "M", Role: permission.RoleManager},
		{AgentID: "w1", Name: "W1", Role: permission.RoleWorker}, {AgentID: "w2", Name: "W2", Role: permission.RoleWorker}}}, {ID: "q"}}, nil
}

func (d *fakeDesk) Sessions(_ context.Context, project permission.ProjectID, agent permission.AgentID) (list []coordination.Session,
	err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.sessions {
		if s.ProjectID == project && s.AgentID == agent {
			list = append(list, s)
		}
	}
	return list, nil
}

func (d *fakeDesk) Session(_ context.Context, id permission.SessionID) (coordination.Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.sessions {
		if s.ID == id {
			return s, nil
		}
	}
	return coordination.Session{}, permission.NotFound("session")
}

func (d *fakeDesk) Start(_ context.Context, _ permission.Agent, project permission.ProjectID, m coordination.Member,
	purpose permission.Purpose) (coordination.Session, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	s := coordination.Session{ID: permission.SessionID(fmt.Sprint("s", d.made)), AgentID: m.AgentID, ProjectID: project, Role: m.Role,
		Purpose: purpose, CreatedAt: d.Now()}
	d.sessions = append(d.sessions, s)
	key := fmt.Sprint("passkey-", d.made)
	d.passkeys[key] = s.ID
	return s, key, nil
}

func (d *fakeDesk) End(_ context.Context, _ permission.Agent, of coordination.Session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions = slices.DeleteFunc(d.sessions, func(s coordination.Session) bool { return s.ID == of.ID })
	return nil
}

func (d *fakeDesk) Authenticate(_ context.Context, agent permission.Agent, said coordination.Passkey) (coordination.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, good := d.passkeys[said.Passkey]
	delete(d.passkeys, said.Passkey)
	i := slices.IndexFunc(d.sessions, func(s coordination.Session) bool { return s.ID == id })
	if !good || i < 0 || d.sessions[i].AgentID != agent.ID || said.AgentID != agent.ID || said.ProjectID != d.sessions[i].ProjectID {
		return coordination.Entry{}, permission.NotFound("passkey")
	}
	s := &d.sessions[i]
	s.Entered = true
	return coordination.Entry{Token: "sks_" + string(s.ID), Role: s.Role, Purpose: s.Purpose, AgentID: s.AgentID, ProjectID: s.ProjectID,
		SessionID: s.ID}, nil
}

func (d *fakeDesk) Waiting(context.Context) (map[permission.SessionID]bool, error) {
	return d.waiting, nil
}

func (d *fakeDesk) Halted(agent permission.AgentID) string { return d.halted[agent] }

// site is a coordination with what stands around it.
type site struct {
	*coordination.Coordination
	desk  *fakeDesk
	store *worktest.Model
}

func newSite() *site {
	d := &fakeDesk{waiting: map[permission.SessionID]bool{}, halted: map[permission.AgentID]string{},
		passkeys: map[string]permission.SessionID{}}
	store := worktest.NewModel()
	return &site{coordination.New(store, d), d, store}
}

// enter makes a session of an agent, which is entered.
func (s *site) enter(t *testing.T, agent permission.AgentID, purpose permission.Purpose) coordination.Session {
	t.Helper()
	role := permission.RoleWorker
	if agent == "m" {
		role = permission.RoleManager
	}
	_, key, _ := s.desk.Start(t.Context(), permission.Agent{}, "p", coordination.Member{AgentID: agent, Role: role}, purpose)
	e, err := s.desk.Authenticate(t.Context(), permission.Agent{ID: agent}, coordination.Passkey{AgentID: agent, Passkey: key, ProjectID: "p"})
	must(t, err)
	got, err := s.desk.Session(t.Context(), e.SessionID)
	must(t, err)
	return got
}

func (s *site) task(t *testing.T, title string, agent permission.AgentID) coordination.Task {
	t.Helper()
	task, err := s.MakeTask(t.Context(), "p", coordination.TaskForm{Title: title, AssigneeID: &agent}, nil)
	must(t, err)
	return task
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func codeIs(err error, want permission.Code) bool {
	return errors.Is(err, &permission.Error{Code: want})
}
