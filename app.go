package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"sekisho/backend"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/server"
)

// App is what the window may call. Ask is the desk's own rows; every other method
// answers JSON text, {"ok":true,"value":…} or {"ok":false,"error":…}: an error as a
// value keeps its code.
type App struct {
	data, listen string
	hidden       bool // starts without showing the window
	log          *slog.Logger
	folder       string // of the data
	server       *server.Server
	opened       chan struct{} // closed when the desk is open, or cannot be opened
	failed       error         // why not
	window       *window
	ctx          context.Context // ends with the window; bound methods are given none
	stop         context.CancelFunc
	told         context.Context                            // ends when the system tells the program to
	choose       func(name string) (path string, err error) // asks where to save; "" is nowhere
}

// close ends what the window waits for and what stands beside it, then the desk.
func (a *App) close() {
	a.stop()
	a.window.end()
	if a.isOpen() != nil {
		return // nothing stayed open
	}
	if err := a.server.Close(); err != nil {
		a.log.Error("close the desk", "error", err)
	}
}

// answer wraps what a method has to say.
func (a *App) answer(value any, err error) string {
	out := map[string]any{"ok": err == nil, "value": value}
	if err != nil {
		var told *permission.Error
		if !errors.As(err, &told) {
			a.log.Error("window", "error", err)
			told = &permission.Error{Code: "internal", Message: err.Error()}
		}
		out = map[string]any{"ok": false, "error": told}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return a.answer(nil, err)
	}
	return string(raw)
}

// Info says what runs here.
func (a *App) Info() string {
	if err := a.isOpen(); err != nil {
		return a.answer(nil, err)
	}
	return a.answer(map[string]any{"version": backend.Version, "face": "window", "canOperate": true, "url": a.server.URL}, nil)
}

// CreateAgent makes an agent. Its token is shown once, and kept where
// `sekisho mcp --agent NAME` finds it.
func (a *App) CreateAgent(name string) string {
	if err := a.isOpen(); err != nil {
		return a.answer(nil, err)
	}
	agent, token, err := a.server.Desk.Catalogue.CreateAgent(a.ctx, name)
	if err != nil {
		return a.answer(nil, err)
	}
	path, err := place.WriteToken(name, token)
	if err != nil {
		a.log.Warn("keep the agent's token", "error", err)
	}
	return a.answer(map[string]any{"agent": agent, "token": token, "tokenFile": path}, nil)
}

// DeleteAgent ends an agent and its token, and forgets the kept one.
func (a *App) DeleteAgent(id string) string {
	if err := a.isOpen(); err != nil {
		return a.answer(nil, err)
	}
	agents, err := a.server.Desk.Catalogue.Agents(a.ctx)
	if err == nil {
		err = a.server.Desk.Catalogue.DeleteAgent(a.ctx, permission.AgentID(id))
	}
	if i := slices.IndexFunc(agents, func(g permission.Agent) bool { return string(g.ID) == id }); err == nil && i >= 0 {
		if err := place.RemoveToken(agents[i].Name); err != nil {
			a.log.Warn("forget the agent's token", "error", err)
		}
	}
	return a.answer(nil, err)
}
