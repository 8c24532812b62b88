package server

import (
	"context"
	"slices"

	"sekisho/backend/connect"
	"sekisho/backend/doctor"
	"sekisho/backend/permission"
	"sekisho/backend/present"
	"sekisho/backend/rest"
)

// apps tells how each known client stands: by its files as they are, and by what came to the desk.
func (c *clients) apps(ctx context.Context, s *connect.Screen, standings []connect.Standing) (all []rest.ClientApp, err error) {
	names, err := s.AgentNames(ctx)
	if err != nil {
		return nil, err
	}
	agents, err := c.desk.Catalogue.Agents(ctx)
	if err != nil {
		return nil, err
	}
	d := &doctor.Doctor{Places: s.Places, Program: s.Program}
	for _, client := range connect.Clients() {
		app := rest.ClientApp{Client: client.ID, Name: client.Name}
		var past, broken bool
		for i := range standings {
			if st := &standings[i]; st.Client.ID == client.ID {
				app.Found = app.Found || st.Back == nil || !st.Back.Gone
				app.Wired = app.Wired || slices.ContainsFunc(st.Entries, func(e connect.Entry) bool { return e.State == connect.Behind })
				unread := st.State == connect.FileBroken
				past, broken = past || callsPast(st.Entries) || unread && s.Servers(st), broken || unread
			}
		}
		if app.Found = app.Found || present.On(s.Places, client.ID); app.Found {
			for _, u := range d.Unasked(ctx, client.ID, past) {
				app.Unasked = append(app.Unasked, string(u))
			}
			if unread := string(doctor.Unread); broken && !slices.Contains(app.Unasked, unread) {
				app.Unasked = append(app.Unasked, unread)
			}
		}
		at := slices.IndexFunc(agents, func(a permission.Agent) bool { return a.Name == names[client.ID] })
		if at >= 0 {
			if app.FirstAt, err = c.firstCall(ctx, agents[at].ID); err != nil {
				return nil, err
			}
			app.Spoken = app.FirstAt != nil || c.came.has(agents[at].ID)
		}
		all = append(all, app)
	}
	return all, nil
}

// callsPast reports whether a client calls an MCP server of these entries directly.
func callsPast(entries []connect.Entry) bool {
	return slices.ContainsFunc(entries, func(e connect.Entry) bool {
		return !e.Hook && (e.State == connect.Direct && e.Server.Enabled || e.State == connect.Left && !e.NoServer())
	})
}

// firstCall is when the first call of an agent came in; nil when none did. Those that the desk's own
// check of a client makes are none.
func (c *clients) firstCall(ctx context.Context, id permission.AgentID) (*permission.Time, error) {
	for f := (permission.CallFilter{Agent: id, Limit: 100, Oldest: true, Brief: true}); ; {
		calls, next, _, err := c.desk.Calls.List(ctx, permission.Operator(), f)
		if err != nil {
			return nil, err
		}
		for i := range calls {
			if d := calls[i].Decision; d == nil || d.Code != permission.ReasonCanary {
				return &calls[i].CreatedAt, nil
			}
		}
		if next == 0 {
			return nil, nil
		}
		f.Before = next
	}
}
