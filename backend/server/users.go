package server

import (
	"context"
	"slices"

	"sekisho/backend/desk"
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
	if err := seen(ctx, d.Catalogue, &agent, r.ServerID); err != nil {
		return c, false, err
	}
	return d.Calls.Ask(ctx, agent, r)
}

// seen says that there is no such server where it is a workspace that an agent does not see.
func seen(ctx context.Context, of *desk.Catalogue, agent *permission.Agent, server *string) error {
	if agent == nil || server == nil {
		return nil
	}
	if s, err := of.Server(ctx, *server); err == nil && s.IsWorkspace() && !s.SeenBy(agent.UserID) {
		return permission.NotFound("server")
	}
	return nil
}

// judged judges for an agent no call of a workspace that it does not see: what is refused there tells of its files.
type judged struct {
	*desk.Calls
	catalogue *desk.Catalogue
}

// Evaluate says what would happen to a call.
func (d judged) Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error) {
	if err := seen(ctx, d.catalogue, restwire.CallerOf(ctx).Agent, q.ServerID); err != nil {
		return permission.Verdict{}, err
	}
	return d.Calls.Evaluate(ctx, q)
}
