package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"sekisho/backend"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/server"
)

// App is what the window may call: a person's verbs and nothing else. Every
// method answers JSON text, {"ok":true,"value":…} or {"ok":false,"error":…}: an
// error as a value keeps its code, and text keeps an agent's input as it was sent.
type App struct {
	data, listen string
	log          *slog.Logger
	server       *server.Server
	ctx          context.Context // ends with the window; bound methods are given none
	stop         context.CancelFunc
}

// page is how many rows a list gives at once.
const page = 200

// close ends what the window waits for, then the desk.
func (a *App) close() {
	a.stop()
	if a.server != nil {
		if err := a.server.Close(); err != nil {
			a.log.Error("close the desk", "error", err)
		}
	}
}

// startup is told when the window is made; window is Wails' handle of it.
func (a *App) startup(window context.Context) {
	go a.relay(window)
	go func() {
		select {
		case err := <-a.server.Failed():
			a.log.Error("the agents' door broke", "error", err)
		case <-a.ctx.Done():
		}
	}()
}

func (a *App) shutdown(context.Context) { a.stop() }

// relay hints the page at what changed, and brings the window up for a call that
// waits. The page also asks by itself, so a hint that gets lost costs it nothing.
func (a *App) relay(window context.Context) {
	for a.ctx.Err() == nil {
		events, stop := a.server.Desk.Subscribe()
		a.catchUp(window)
		a.follow(window, events)
		stop()
		select { // dropped for being slow, or closing
		case <-time.After(100 * time.Millisecond):
		case <-a.ctx.Done():
		}
	}
}

// catchUp does for what came before the subscription what follow does for the rest.
func (a *App) catchUp(window context.Context) {
	runtime.EventsEmit(window, "desk", permission.CallChanged)
	waiting, _, _, err := a.list(permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Limit: page})
	if err != nil {
		return
	}
	for _, call := range waiting {
		if !call.CallerGone {
			a.comeUp(window, call.ID)
			return
		}
	}
}

func (a *App) follow(window context.Context, events <-chan permission.Event) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			runtime.EventsEmit(window, "desk", e.Kind)
			if e.Kind == permission.CallCreated || e.Kind == permission.CallChanged {
				a.comeUp(window, e.CallID)
			}
		case <-a.ctx.Done():
			return
		}
	}
}

// comeUp shows the window, over what covers it, for a call whose caller waits: a
// new one, or one whose caller has come back.
func (a *App) comeUp(window context.Context, id permission.CallID) {
	call, err := a.server.Desk.Call(a.ctx, permission.Operator(), id)
	if err != nil || call.Status != permission.Pending || call.CallerGone {
		return
	}
	runtime.WindowShow(window)
	runtime.WindowUnminimise(window)
	runtime.WindowSetAlwaysOnTop(window, true)
	time.AfterFunc(time.Second, func() {
		if a.ctx.Err() == nil {
			runtime.WindowSetAlwaysOnTop(window, false)
		}
	})
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

// read decodes an argument that the page sent.
func read[T any](text string) (v T, err error) {
	if err = json.Unmarshal([]byte(text), &v); err != nil {
		err = permission.Invalid("", err.Error())
	}
	return v, err
}

// Info says what runs here.
func (a *App) Info() string {
	return a.answer(map[string]any{"version": backend.Version, "face": "window", "canOperate": true, "url": a.server.URL}, nil)
}

// list is a list of calls without their inputs, which Input gives one by one.
func (a *App) list(f permission.CallFilter) (calls []permission.Call, next, rev int64, err error) {
	f.Brief = true
	return a.server.Desk.Calls(a.ctx, permission.Operator(), f)
}

// Pending is the snapshot of what waits, oldest first.
func (a *App) Pending() string {
	calls, _, rev, err := a.list(permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Oldest: true, Limit: page})
	return a.answer(map[string]any{"rev": rev, "items": calls}, err)
}

// Input is a call's own bytes, as text.
func (a *App) Input(id string) string {
	call, err := a.server.Desk.Call(a.ctx, permission.Operator(), permission.CallID(id))
	if err == nil && call.InputWiped {
		err = &permission.Error{Code: permission.CodeNotFound, Message: "the input of this call was removed; its hash stays"}
	}
	return a.answer(string(call.Input), err)
}

// Decide takes the person's answer {approved, reason, inputHash, rev}.
func (a *App) Decide(id, answer string) string {
	given, err := read[permission.Answer](answer)
	if err != nil {
		return a.answer(nil, err)
	}
	call, settled, repeated, err := a.server.Desk.Decide(a.ctx, permission.CallID(id), given)
	return a.answer(map[string]any{"call": call, "settled": settled, "repeated": repeated}, err)
}

// Resolve settles a call that is in doubt: action is retry or close.
func (a *App) Resolve(id, action string) string {
	call, err := a.server.Desk.Resolve(a.ctx, permission.CallID(id), permission.Resolution(action))
	return a.answer(map[string]any{"call": call}, err)
}

// Release approves the waiting calls that an allow rule decides now.
func (a *App) Release(ruleID string) string {
	released, err := a.server.Desk.Release(a.ctx, permission.RuleID(ruleID))
	return a.answer(map[string]any{"released": released}, err)
}

// Settings gives what a person set.
func (a *App) Settings() string {
	settings, err := a.server.Desk.Settings(a.ctx)
	return a.answer(settings, err)
}

// Hold says whether nothing is allowed without asking.
func (a *App) Hold(on bool) string {
	return a.answer(map[string]any{"on": on}, a.server.Desk.Hold(a.ctx, on))
}

// Calls lists all calls, newest first, from a cursor ("" is the newest).
func (a *App) Calls(cursor string) string {
	before, err := strconv.ParseInt("0"+cursor, 10, 64)
	if err != nil {
		return a.answer(nil, permission.Invalid("cursor", "not a cursor"))
	}
	calls, next, _, err := a.list(permission.CallFilter{Before: before, Limit: page})
	value := map[string]any{"calls": calls, "next": nil}
	if next != 0 {
		value["next"] = strconv.FormatInt(next, 10)
	}
	return a.answer(value, err)
}

// Rules lists the rules in the order of judgement.
func (a *App) Rules() string {
	rules, version, err := a.server.Desk.Rules(a.ctx)
	return a.answer(map[string]any{"rules": rules, "policyVersion": version}, err)
}

// CreateRule keeps a new rule.
func (a *App) CreateRule(form string) string {
	f := permission.NewRuleForm()
	if err := json.Unmarshal([]byte(form), &f); err != nil {
		return a.answer(nil, permission.Invalid("", err.Error()))
	}
	rule, matches, err := a.server.Desk.CreateRule(a.ctx, f)
	return a.ruleAnswer(rule, matches, err)
}

// UpdateRule lays form over the rule, if it is still as of ifMatch.
func (a *App) UpdateRule(id, ifMatch, form string) string {
	seen, err := seenAt(ifMatch)
	if err != nil {
		return a.answer(nil, err)
	}
	rule, matches, err := a.server.Desk.UpdateRule(a.ctx, permission.RuleID(id), seen, func(f *permission.RuleForm) error {
		if err := json.Unmarshal([]byte(form), f); err != nil {
			return permission.Invalid("", err.Error())
		}
		return nil
	})
	return a.ruleAnswer(rule, matches, err)
}

// DeleteRule removes a rule, if it is still as of ifMatch.
func (a *App) DeleteRule(id, ifMatch string) string {
	seen, err := seenAt(ifMatch)
	if err != nil {
		return a.answer(nil, err)
	}
	rule, matches, err := a.server.Desk.DeleteRule(a.ctx, permission.RuleID(id), seen)
	return a.ruleAnswer(rule, matches, err)
}

// seenAt reads the updatedAt that the page saw; "" is whatever there is.
func seenAt(ifMatch string) (permission.Time, error) {
	if ifMatch == "" {
		return 0, nil
	}
	return read[permission.Time](strconv.Quote(ifMatch))
}

func (a *App) ruleAnswer(rule permission.Rule, matches int, err error) string {
	if err != nil {
		return a.answer(nil, err)
	}
	return a.answer(map[string]any{"rule": rule, "pendingMatches": matches}, nil)
}

// serverRow is a server as a screen sees it: secrets masked, with its state.
type serverRow struct {
	permission.Server
	State string   `json:"state"`
	Tools []string `json:"tools"`
}

func (a *App) rows(servers []permission.Server) []serverRow {
	out := make([]serverRow, 0, len(servers))
	for _, s := range servers {
		state, tools := a.server.ServerState(s)
		out = append(out, serverRow{Server: s.Masked(), State: state, Tools: tools})
	}
	return out
}

// Servers lists the servers behind the desk.
func (a *App) Servers() string {
	servers, err := a.server.Desk.Servers(a.ctx)
	return a.answer(map[string]any{"servers": a.rows(servers)}, err)
}

// SaveServers puts a list {servers} in the place of all.
func (a *App) SaveServers(list string) string {
	given, err := read[struct{ Servers []permission.Server }](list)
	if err != nil {
		return a.answer(nil, err)
	}
	servers, err := a.server.Desk.ReplaceServers(a.ctx, given.Servers)
	return a.answer(map[string]any{"servers": a.rows(servers)}, err)
}

// Agents lists the programs that may ask.
func (a *App) Agents() string {
	agents, err := a.server.Desk.Agents(a.ctx)
	return a.answer(map[string]any{"agents": agents}, err)
}

// CreateAgent makes an agent. Its token is shown once, and kept where
// `sekisho mcp --agent NAME` finds it.
func (a *App) CreateAgent(name string) string {
	agent, token, err := a.server.Desk.CreateAgent(a.ctx, name)
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
	agents, err := a.server.Desk.Agents(a.ctx)
	if err == nil {
		err = a.server.Desk.DeleteAgent(a.ctx, permission.AgentID(id))
	}
	if i := slices.IndexFunc(agents, func(g permission.Agent) bool { return string(g.ID) == id }); err == nil && i >= 0 {
		if err := place.RemoveToken(agents[i].Name); err != nil {
			a.log.Warn("forget the agent's token", "error", err)
		}
	}
	return a.answer(nil, err)
}
