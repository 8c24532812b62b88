package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sekisho/backend/builtin"
	"sekisho/backend/coordination"
	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/roles"
	"sekisho/backend/sqlite"
	"sekisho/backend/workstore"
)

// openWork opens what agents do together, over the store that the desk keeps all in.
func (s *Server) openWork(store *sqlite.Store) {
	kept := workstore.New(store.Reader(), store.Write)
	s.waits = func(ctx context.Context, server, tool string) ([]int64, error) {
		return kept.Waits(ctx, server, tool, s.Desk.Calls.Now())
	}
	s.work = coordination.New(kept, workDesk{s.Desk, s.roles})
}

// worker is what the gateway asks of coordination; nil where nothing can be kept.
func (s *Server) worker() builtin.Coordination {
	if s.work == nil {
		return nil
	}
	return worker{s.work, s.roles}
}

// workSwitch turns the server of coordination on and off; nil where nothing can be kept. An entry of
// an earlier version gets the table of this one.
func (s *Server) workSwitch(ctx context.Context) (coordination.Switch, error) {
	if s.work == nil {
		return nil, nil
	}
	w := workSwitch{s.Desk, tables{s.Desk.Catalogue, s.Desk.Calls, s.gateway.TablesChanged}}
	return w, w.renew(ctx)
}

// Standing is what an agent is to the desk in a session.
func (d agentsDesk) Standing(agent permission.AgentID, session permission.SessionID) permission.Standing {
	if d.roles == nil {
		return permission.Standing{}
	}
	return d.roles.Standing(agent, session, d.Now())
}

// worker runs the tools of coordination.
type worker struct {
	*coordination.Coordination
	roles *roles.Roles
}

// Holds reports whether a token is that of a session of an agent which is in force.
func (w worker) Holds(token string, agent permission.AgentID, session permission.SessionID) bool {
	s, err := w.roles.Token(token)
	return err == nil && s.ID == session && s.AgentID == agent
}

// workDesk is the desk as coordination asks it.
type workDesk struct {
	desk  *desk.Desk
	roles *roles.Roles
}

// Now is the desk's time.
func (d workDesk) Now() permission.Time { return d.desk.Calls.Now() }

// Projects gives all projects with the names of their members.
func (d workDesk) Projects(ctx context.Context) (list []coordination.Project, err error) {
	all, err := d.roles.Projects(ctx)
	for _, p := range all {
		of := coordination.Project{ID: p.ID}
		for id, role := range p.Members {
			agent, err := d.desk.Catalogue.KnownAgent(id)
			if err != nil { // it was removed
				continue
			}
			of.Members = append(of.Members, coordination.Member{AgentID: id, Name: agent.Name, Role: role})
		}
		slices.SortFunc(of.Members, func(a, b coordination.Member) int { return strings.Compare(string(a.AgentID), string(b.AgentID)) })
		list = append(list, of)
	}
	return list, err
}

func sessionOf(s *permission.MadeSession) coordination.Session {
	return coordination.Session{ID: s.ID, AgentID: s.AgentID, ProjectID: s.ProjectID, Role: s.Role, Purpose: s.Purpose, CreatedAt: s.CreatedAt,
		Entered: s.ExpiresAt != 0}
}

// Sessions gives those of an agent in a project that have not ended.
func (d workDesk) Sessions(_ context.Context, project permission.ProjectID, agent permission.AgentID) (list []coordination.Session,
	err error) {
	for _, s := range d.roles.Of(agent, d.Now()) {
		if s.ProjectID == project {
			list = append(list, sessionOf(&s))
		}
	}
	slices.SortFunc(list, func(a, b coordination.Session) int { return strings.Compare(string(a.ID), string(b.ID)) }) // by their time
	return list, nil
}

// Session gives one that has not ended.
func (d workDesk) Session(_ context.Context, id permission.SessionID) (coordination.Session, error) {
	for _, s := range d.roles.Of("", d.Now()) {
		if s.ID == id {
			return sessionOf(&s), nil
		}
	}
	return coordination.Session{}, permission.NotFound("session")
}

// Start makes a session for a member of a project.
func (d workDesk) Start(ctx context.Context, by permission.Agent, project permission.ProjectID, m coordination.Member,
	purpose permission.Purpose) (coordination.Session, string, error) {
	s, passkey, err := d.roles.NewSession(ctx, "agent:"+string(by.ID), roles.Wanted{AgentID: m.AgentID,
		Standing: permission.Standing{Role: m.Role, Purpose: purpose, ProjectID: project}})
	return sessionOf(&s), passkey, err
}

// End ends a session: its token is void, its calls are withdrawn and its grants end.
func (d workDesk) End(ctx context.Context, by permission.Agent, s coordination.Session) error {
	return d.roles.End(ctx, "agent:"+string(by.ID), s.AgentID, s.ID)
}

// Authenticate changes a passkey for the token of its session.
func (d workDesk) Authenticate(ctx context.Context, agent permission.Agent, said coordination.Passkey) (coordination.Entry, error) {
	b, err := d.roles.Authenticate(ctx, agent, said.AgentID, said.Passkey, said.ProjectID)
	return coordination.Entry{Token: b.Token, ExpiresAt: b.ExpiresAt, Role: b.Role, Purpose: b.Purpose, AgentID: b.AgentID,
		ProjectID: b.ProjectID, SessionID: b.ID}, err
}

// maxWaiting bounds the calls that are looked at for sessions of which one waits.
const maxWaiting = 10000

// Waiting gives the sessions of which a call waits for a person.
func (d workDesk) Waiting(ctx context.Context) (map[permission.SessionID]bool, error) {
	calls, _, _, err := d.desk.Calls.List(ctx, permission.Operator(),
		permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Limit: maxWaiting, Brief: true})
	waiting := map[permission.SessionID]bool{}
	for _, c := range calls {
		if _, made := d.roles.Made(c.AgentID, c.SessionID); made {
			waiting[c.SessionID] = true
		}
	}
	return waiting, err
}

// Halted says why an agent is to do nothing now.
func (d workDesk) Halted(id permission.AgentID) string {
	agent, err := d.desk.Catalogue.KnownAgent(id)
	switch {
	case d.desk.Policy.OnHold():
		return "the desk is on hold"
	case err == nil && agent.StoppedUntil > d.Now():
		return "a person has stopped this agent"
	}
	return ""
}

// workSwitch turns the server of coordination on and off.
type workSwitch struct {
	desk    *desk.Desk
	servers tables
}

// workServer is its entry.
func workServer() permission.Server {
	return permission.Server{ID: permission.CoordinationServer, Transport: permission.TransportBuiltin, Args: []string{},
		Env: map[string]string{}, Enabled: true, ToolPermissions: coordination.Permissions()}
}

func isWork(s permission.Server) bool { return s.ID == permission.CoordinationServer }

// On says whether it is on, or a server of a person's stands in the way.
func (w workSwitch) On(ctx context.Context) (on, taken bool, err error) {
	all, err := w.servers.Servers(ctx)
	if i := slices.IndexFunc(all, isWork); i >= 0 {
		ours := all[i].Transport == permission.TransportBuiltin
		return ours && all[i].Enabled, !ours, err
	}
	return false, false, err
}

// Turn turns it on or off. The rule comes before the server, so that nothing asks meanwhile.
func (w workSwitch) Turn(ctx context.Context, on bool) error {
	_, taken, err := w.On(ctx)
	switch {
	case err != nil:
		return err
	case taken && on:
		return &permission.Error{Code: permission.CodeExists,
			Message: "a server of the list has the id " + permission.CoordinationServer + ": give it another id, or remove it, first"}
	case taken:
		return nil
	case on:
		if err := w.addRule(ctx); err != nil {
			return err
		}
	}
	return w.replace(ctx, on)
}

// replace puts the entry into the list, or takes it out.
func (w workSwitch) replace(ctx context.Context, on bool) error {
	all, version, err := w.servers.ServerList(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, isWork)
	if on {
		all = append(all, workServer())
	}
	_, _, err = w.servers.ReplaceServers(ctx, version, all)
	return err
}

// addRule adds the rule that lets its tools be used, unless there is one of its id.
func (w workSwitch) addRule(ctx context.Context) error {
	id, server, effect := permission.RuleID(permission.CoordinationServer), permission.CoordinationServer, permission.Allow
	_, err := w.desk.Policy.Rule(ctx, id)
	if !errors.Is(err, permission.NotFound("")) {
		return err
	}
	form := permission.NewRuleForm()
	form.ID, form.ServerID, form.Effect, form.Priority = &id, &server, &effect, 1
	form.Note = "Agents work together without asking: these tools reach nothing outside the desk."
	_, _, err = w.desk.Policy.CreateRule(ctx, form)
	return err
}

// renew gives the entry the table of this version of the desk, where it is on.
func (w workSwitch) renew(ctx context.Context) error {
	all, err := w.servers.Servers(ctx)
	i := slices.IndexFunc(all, isWork)
	if err != nil || i < 0 || all[i].Transport != permission.TransportBuiltin ||
		reflect.DeepEqual(all[i].ToolPermissions, coordination.Permissions()) {
		return err
	}
	if err := w.replace(ctx, true); err != nil {
		return fmt.Errorf("renew the server of coordination: %w", err)
	}
	return nil
}
