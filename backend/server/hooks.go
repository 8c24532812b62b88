package server

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"sekisho/backend/attend"
	"sekisho/backend/connect"
	"sekisho/backend/desk"
	"sekisho/backend/hook"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// hookDesk is the desk as agents' hooks ask it.
type hookDesk struct {
	userCalls
	*desk.Policy
	*desk.Journal
}

// Now is the time by which leases are.
func (d hookDesk) Now() permission.Time { return d.Calls.Now() }

// newHooks makes the door of agents' hooks, beside the gateway that some of their calls come
// to afterwards.
func (s *Server) newHooks(c Config) *hook.Door {
	return hook.New(hookDesk{userCalls{s.Desk.Calls, s.Desk.Catalogue}, s.Desk.Policy, s.Desk.Journal}, hook.Options{
		AgentFrom: restwire.AgentFrom, Admit: restwire.AdmitFrom, Logger: c.Logger, Entries: s.entriesOf, Connected: s.connects,
	})
}

func (s *Server) connects(agent permission.AgentID, server string) bool {
	return s.gateway.Connects(agent, server)
}

// entriesOf gives the servers of a client's files as they are now: those of the user and of
// the folder. A name that two files have leads nowhere that could be told.
func (s *Server) entriesOf(client, cwd string) (all []hook.Entry) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	if !filepath.IsAbs(cwd) {
		return nil // the folder says which files there are
	}
	cwd = filepath.Clean(cwd)
	places := connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Glob: connect.Glob, Cwd: cwd}
	for _, found := range connect.ConfiguredFor(places, connect.Options{Program: program(), URLs: []string{s.URL}}, client) {
		e := hook.Entry{Name: found.Key, Server: found.Server, Joined: found.Joined, Source: found.Source}
		if i := slices.IndexFunc(all, func(o hook.Entry) bool { return o.Name == e.Name }); i >= 0 {
			all[i] = hook.Entry{Name: e.Name}
		} else {
			all = append(all, e)
		}
	}
	return all
}

// arriving tells the door of hooks of each call that comes to the gateway.
type arriving struct {
	attend.Desk
	heard func(agent permission.AgentID, server, tool string)
}

// Ask is the desk's.
func (d arriving) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (permission.Call, bool, error) {
	if r.ServerID != nil {
		d.heard(agent.ID, *r.ServerID, r.ToolName)
	}
	return d.Desk.Ask(ctx, agent, r)
}
