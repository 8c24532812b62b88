package server

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// hidden reports whether a server is a workspace that the agent whose request it is does not see: it
// is as unknown to it as one that never was.
func hidden(ctx context.Context, s *permission.Server) bool {
	agent := restwire.CallerOf(ctx).Agent
	return agent != nil && s.IsWorkspace() && !s.SeenBy(agent.UserID)
}

// Server gives a server, to an agent those that it sees.
func (d agentsDesk) Server(ctx context.Context, id string) (permission.Server, error) {
	s, err := d.Catalogue.Server(ctx, id)
	if err == nil && hidden(ctx, &s) {
		return permission.Server{}, permission.NotFound("server")
	}
	return s, err
}

// Servers lists the servers, to an agent those that it sees.
func (d agentsDesk) Servers(ctx context.Context) ([]permission.Server, error) {
	all, err := d.Catalogue.Servers(ctx)
	for i := range all {
		if hidden(ctx, &all[i]) {
			return slices.DeleteFunc(slices.Clone(all), func(s permission.Server) bool { return hidden(ctx, &s) }), err
		}
	}
	return all, err
}

// Ask takes no call of a workspace that its agent does not see: lists may have been made before.
func (d agentsDesk) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (c permission.Call, created bool, err error) {
	if r.ServerID != nil {
		if s, err := d.Catalogue.Server(ctx, *r.ServerID); err == nil && s.IsWorkspace() && !s.SeenBy(agent.UserID) {
			return c, false, permission.NotFound("server")
		}
	}
	return d.Calls.Ask(ctx, agent, r)
}
