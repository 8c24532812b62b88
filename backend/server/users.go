package server

import (
	"context"
	"slices"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/projects"
	"sekisho/backend/restwire"
)

// hidden reports whether a server is a workspace that an agent does not see: it is as unknown to it as
// one that never was. Nothing is hidden from a person.
func hidden(agent *permission.Agent, s *permission.Server) bool {
	return agent != nil && s.IsWorkspace() && !s.SeenBy(agent.UserID)
}

// Server gives a server, to an agent those that it sees.
func (d agentsDesk) Server(ctx context.Context, id string) (permission.Server, error) {
	s, err := d.Catalogue.Server(ctx, id)
	if err == nil && hidden(restwire.CallerOf(ctx).Agent, &s) {
		return permission.Server{}, permission.NotFound("server")
	}
	return s, err
}

// Servers lists the servers, to an agent those that it sees.
func (d agentsDesk) Servers(ctx context.Context) ([]permission.Server, error) {
	agent := restwire.CallerOf(ctx).Agent
	isHidden := func(s permission.Server) bool { return hidden(agent, &s) }
	all, err := d.Catalogue.Servers(ctx)
	if slices.ContainsFunc(all, isHidden) {
		all = slices.DeleteFunc(slices.Clone(all), isHidden)
	}
	return all, err
}

// userCalls are the calls of a desk, to agents those of servers that their users see. A list of tools
// may have been made before that changed, and what is said of a call tells of files.
type userCalls struct {
	*desk.Calls
	servers *desk.Catalogue
}

// Ask asks for a call.
func (d userCalls) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (c permission.Call, created bool, err error) {
	if err := d.seen(ctx, &agent, r.ServerID); err != nil {
		return c, false, err
	}
	if err := d.sameUser(ctx, &agent, &r); err != nil {
		return c, false, err
	}
	return d.Calls.Ask(ctx, agent, r)
}

// Evaluate says what would happen to a call.
func (d userCalls) Evaluate(ctx context.Context, q permission.Query) (v permission.Verdict, err error) {
	if err := d.seen(ctx, q.Asker, q.ServerID); err != nil {
		return v, err
	}
	return d.Calls.Evaluate(ctx, q)
}

// seen says that there is no such server where an agent does not see it.
func (d userCalls) seen(ctx context.Context, agent *permission.Agent, server *string) error {
	if server == nil {
		return nil
	}
	if s, err := d.servers.Server(ctx, *server); err == nil && hidden(agent, &s) {
		return permission.NotFound("server")
	}
	return nil
}

// sameUser refuses a call of a workspace's tools that names another user than the agent's.
func (d userCalls) sameUser(ctx context.Context, agent *permission.Agent, r *permission.Request) error {
	if r.ServerID == nil || !permission.AboutTool(r.Method) {
		return nil
	}
	if s, err := d.servers.Server(ctx, *r.ServerID); err != nil || !s.IsWorkspace() {
		return nil
	}
	return projects.SameUser(agent, r.Input)
}
