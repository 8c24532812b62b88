package server

import (
	"context"
	"slices"
	"strings"

	"sekisho/backend/coordination"
	"sekisho/backend/desk"
	"sekisho/backend/executors"
	"sekisho/backend/permission"
	"sekisho/backend/roles"
	"sekisho/backend/sessionbook"
)

// bearers are the agents by their tokens, and by those of their sessions.
type bearers struct {
	*desk.Catalogue
	roles     *roles.Roles         // nil: there are no sessions
	executors *executors.Executors // nil: there are none
}

// Authenticate finds the agent of a token; NotFound when there is none. What is wrong with the token
// of a session, its answer does not tell.
func (b bearers) Authenticate(ctx context.Context, token string) (permission.Agent, error) {
	if b.roles == nil || !strings.HasPrefix(token, roles.TokenPrefix) {
		return b.Catalogue.Authenticate(ctx, token)
	}
	s, err := b.roles.Token(token)
	if err != nil {
		return permission.Agent{}, err
	}
	agent, err := b.KnownAgent(s.AgentID)
	agent.Session = s.ID
	return agent, err
}

// Prove proves for a token of a key that this is its desk.
func (b bearers) Prove(ctx context.Context, key, nonce, address string) (string, error) {
	said, err := b.Catalogue.Prove(ctx, key, nonce, address)
	if err == nil || b.roles == nil {
		return said, err
	}
	if own, err := b.executors.Prove(key, nonce, address); err == nil {
		return own, nil
	}
	if own, err := b.roles.Prove(key, nonce, address); err == nil {
		return own, nil
	}
	return said, err
}

// ends lets the end of a session be that of its token, too.
type ends struct {
	*desk.Calls
	roles *roles.Roles // nil: there are no sessions
}

// EndSession ends a session: its calls are withdrawn and its grants end, which are counted, and its token
// is void; so is what was asked for in between.
func (e ends) EndSession(ctx context.Context, who permission.Party, session permission.SessionID) (cancelled, grantsEnded int, err error) {
	cancelled, grantsEnded, err = e.Calls.EndSession(ctx, who, session)
	if err == nil && e.roles != nil {
		actor, own := permission.ActorPerson, permission.AgentID("")
		if !who.IsOperator() {
			own = who.Agent.ID
			actor = "agent:" + string(own)
		}
		err = e.roles.End(ctx, actor, own, session)
	}
	return cancelled, grantsEnded, err
}

// openRoles opens roles, projects and sessions, before the desk that asks for them.
func (s *Server) openRoles(ctx context.Context, c Config, store roles.Store, now func() permission.Time) {
	s.roles = roles.New(ctx, store, roles.Options{Now: now, Logger: c.Logger, Name: s.nameOf, Changed: s.standingChanged,
		Withdraw: s.withdraw})
}

// withdraw cancels the calls of a session of an agent that wait, and ends its grants.
func (s *Server) withdraw(ctx context.Context, agent permission.AgentID, id permission.SessionID) error {
	_, _, err := s.Desk.Calls.EndSession(ctx, permission.Party{Agent: &permission.Agent{ID: agent}}, id)
	return err
}

func (s *Server) nameOf(id permission.AgentID) string {
	agent, _ := s.Desk.Catalogue.KnownAgent(id) // one that is gone has no name
	return agent.Name
}

// standings are nothing where nothing can be kept.
func (s *Server) standings() sessionbook.Standings {
	if s.roles == nil {
		return nil
	}
	return s.roles
}

// standingChanged holds what waits against what an agent may use by now, and tells its clients that
// their lists of tools may be others.
func (s *Server) standingChanged(agent permission.AgentID, ended permission.SessionID) {
	if err := s.Desk.Calls.JudgeWaiting(context.Background()); err != nil {
		s.log.Error("judge waiting calls", "error", err)
	}
	s.gateway.StandingChanged(agent, ended)
}

// tables replaces servers, and holds what waits against their tables.
type tables struct {
	*desk.Catalogue
	calls   *desk.Calls
	changed func(servers map[string]bool) // told of those that have another table
}

// ReplaceServers puts servers in the place of all.
func (t tables) ReplaceServers(ctx context.Context, ifVersion string,
	servers []permission.Server) (stored []permission.Server, version string, err error) {
	before, err := t.Catalogue.Servers(ctx)
	servers = slices.Clone(servers)
	for i := range servers { // who may use the desk's own tools is not for an edit to forget
		if servers[i].Transport == permission.TransportBuiltin {
			servers[i].ToolPermissions = coordination.Permissions()
		}
	}
	if err == nil {
		stored, version, err = t.Catalogue.ReplaceServers(ctx, ifVersion, servers)
	}
	if err != nil {
		return nil, "", err
	}
	moved := map[string]bool{}
	for _, id := range permission.ChangedTables(before, stored) {
		moved[id] = true
	}
	if len(moved) > 0 {
		err = t.calls.JudgeWaiting(context.WithoutCancel(ctx))
		t.changed(moved)
	}
	return stored, version, err
}
