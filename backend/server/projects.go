package server

import (
	"context"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/projects"
	calling "sekisho/backend/trial"
	"sekisho/backend/upstream"
)

// projectsDesk is the desk as the door of projects asks it, beside its calls.
type projectsDesk struct {
	*desk.Catalogue
	*desk.Policy
	*desk.Journal
	calls *desk.Calls
}

// Now is the time by which deadlines are.
func (d projectsDesk) Now() permission.Time { return d.calls.Now() }

// projectCalls are the calls as the door of projects asks for them.
type projectCalls struct {
	*desk.Calls
	*desk.Policy
	unclaimed func(context.Context, permission.CallID) (permission.Call, error)
}

// Unclaimed lets a call expire that no client executes.
func (c projectCalls) Unclaimed(ctx context.Context, id permission.CallID) (permission.Call, error) {
	return c.unclaimed(ctx, id)
}

// Now is that of the calls.
func (c projectCalls) Now() permission.Time { return c.Calls.Now() }

// toolWithin bounds one call of a workspace's tool at the desk, from the start of its process to its end.
const toolWithin = (guard.MaxTimeout + 30) * time.Second

// newProjects makes the door of projects.
func (s *Server) newProjects(c Config, usable func(agent permission.Agent, serverID, tool string) bool) *projects.Door {
	dialer := upstream.NewDialer()
	run := func(ctx context.Context, w permission.Server, c *permission.Call, shown string) ([]byte, error) {
		launch, err := s.folders.Launch(w)
		if err != nil {
			return nil, err
		}
		return calling.Call(ctx, toolWithin, func(limit int, to upstream.Listener) (upstream.Server, error) {
			return dialer.Connect(launch, limit, to)
		}, c.ToolName, c.Input, shown)
	}
	return projects.New(projectCalls{s.Desk.Calls, s.Desk.Policy, s.Desk.Unclaimed},
		projectsDesk{s.Desk.Catalogue, s.Desk.Policy, s.Desk.Journal, s.Desk.Calls},
		projects.Options{Run: run, Executors: s.executors.Token, Usable: usable, Unclaimed: c.Unclaimed, Logger: c.Logger})
}
