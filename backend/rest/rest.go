package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"sekisho/backend/apiwords"
	"sekisho/backend/attention"
	"sekisho/backend/coordination"
	"sekisho/backend/executors"
	"sekisho/backend/insights"
	"sekisho/backend/keylogin"
	"sekisho/backend/opa"
	"sekisho/backend/permission"
	"sekisho/backend/projects"
	"sekisho/backend/restwire"
	"sekisho/backend/roles"
	"sekisho/backend/show"
)

// Desk is all that this door asks of the desk, by subject.
type Desk struct {
	Judge    Judge
	Calls    Calls
	Answers  Answers
	Rules    Rules
	Review   Review
	Settings Settings
	Servers  Servers
	Tools    Tools
	Agents   Agents
	Stops    Stops
	Sessions Sessions
	Demo     Demonstrator
	Journal  Journal
}

// Options of a Handler; the zero value works and serves no operator, no gateway
// and no front end.
type Options struct {
	Version     string                                                 // what healthz and the OpenAPI document say
	Operator    *Operator                                              // nil: no credential makes anyone an operator
	Gateway     http.Handler                                           // behind /mcp and /mcp/, for agents alone; see restwire.AgentFrom
	Hooks       http.Handler                                           // behind /v1/hooks/, for agents alone
	Files       fs.FS                                                  // the front end, served at /
	ServerState func(permission.Server) (state string, tools []string) // how a server does; nil is "idle" for all
	Confinement func(permission.Server) *permission.Confinement        // of a workspace; nil knows of none
	TestServer  Tester                                                 // nil starts no server
	Connected   func() []permission.Session                            // sessions with an open connection; nil is none
	Connections Connections                                            // the clients' files on this machine; nil is none
	History     History                                                // nil reads no histories
	Insights    *insights.Insights                                     // nil counts nothing
	Work        *coordination.Coordination                             // nil keeps no tasks and conversations
	WorkSwitch  coordination.Switch                                    // nil likewise
	Roles       *roles.Roles                                           // nil keeps no roles and sessions
	Projects    *projects.Door                                         // nil serves no workspaces
	Executors   *executors.Executors                                   // nil keeps no executors
	SignIns     SignIns                                                // nil signs in to no server
	Look        Sight                                                  // what is to be shown of a call; nil is nothing
	// what is wrong with the desk as a whole, "" when all is well; nil says nothing
	Trouble      func() string
	InputMembers func() int // how many members and elements an input may have; nil is what the settings begin with
	Address      string     // host:port where the desk is reached, where that is not where it listens
	Inherited    []string   // names of the desk's own variables that servers get
	EndsChildren bool       // what a server leaves behind in a session of its own ends with it; false: its process group alone does
	// takes any address as Host, though no name but localhost: only behind a listener that is meant to be reached from outside
	AllowRemote bool
	Now         func() time.Time // the clock of logins and of what is in view; nil is time.Now
	Logger      *slog.Logger     // nil is slog.Default
}

// Handler is the door. It is an http.Handler and safe for use by many goroutines.
type Handler struct {
	api       *restwire.API
	opts      Options
	attention *attention.Attention
	work      *work
	spec      func() []byte
}

// New makes the door of a desk. Close it before the desk.
func New(d Desk, opts Options) *Handler {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.ServerState == nil {
		opts.ServerState = func(permission.Server) (string, []string) { return string(permission.ServerIdle), nil }
	}
	if opts.Confinement == nil {
		opts.Confinement = func(permission.Server) *permission.Confinement { return nil }
	}
	if opts.TestServer == nil {
		opts.TestServer = func(context.Context, permission.Server) ([]permission.OfferedTool, string, error) {
			return nil, "", errors.New("this desk starts no servers")
		}
	}
	if opts.Connected == nil {
		opts.Connected = func() []permission.Session { return nil }
	}
	if opts.Connections == nil {
		opts.Connections = unconnected{}
	}
	if opts.Look == nil {
		opts.Look = func(_ context.Context, c permission.Call) (permission.Look, error) {
			return permission.Look{Summary: show.Calling(&c)}, nil
		}
	}
	if opts.InputMembers == nil {
		opts.InputMembers = func() int { return int(permission.DefaultSettings().Limits.InputMembers) }
	}
	if opts.Trouble == nil {
		opts.Trouble = func() string { return "" }
	}
	h := &Handler{opts: opts, attention: attention.New(opts.Now, maxSessions+1), work: newWork()}
	h.api = restwire.New(restwire.Options{Version: opts.Version, Agents: d.Agents, InputMembers: opts.InputMembers,
		Refused:    newTries(d.Journal, h.work, opts.Logger).tried,
		Operator:   func(token string) (face string, ok bool) { return opts.Operator.knows(token, opts.Now()) },
		Executors:  opts.Executors.Token,
		SchemaName: apiwords.SchemaName, Words: apiwords.Vocabulary(codeNotArmed), AllowRemote: opts.AllowRemote, Logger: opts.Logger})
	h.addRows(d)
	h.spec = h.api.Finish(apiwords.Meanings())
	h.api.Handle("/", pages{opts.Files})
	if opts.Gateway != nil {
		door := h.api.Gateway(opts.Gateway)
		h.api.Handle("/mcp", door)
		h.api.Handle("/mcp/", door)
	}
	if opts.Hooks != nil {
		h.api.Handle(hooksPath, h.api.Gateway(opts.Hooks))
	}
	return h
}

// addRows makes the API.
func (h *Handler) addRows(d Desk) {
	o := &h.opts
	judge := &judgeRows{d.Judge, d.Agents, d.Rules, d.Servers, o.ServerState}
	calls := &callRows{d.Calls, h.api.Lanes, h.work, o.Now, o.Look, o.Projects}
	answers := &answerRows{d.Calls, d.Answers, h.attention}
	sessions := &sessionRows{d.Sessions, o.Connected}
	settings := &settingRows{d.Settings}
	rules := &ruleRows{d.Rules, d.Review, d.Judge, d.Agents, o.Now}
	servers := &serverRows{d.Servers, d.Tools, o.SignIns, o.TestServer, o.ServerState, o.Confinement, o.EndsChildren, o.Inherited}
	agents := &agentRows{d.Agents, d.Stops, o.Operator, o.Address, o.Now}
	clients := &connectionRows{o.Connections}
	past := &historyRows{read: o.History, work: h.work}
	demo := &demoRows{d.Demo, h.work, o.Logger}
	journal := &journalRows{d.Journal, d.Agents, h.api.Lanes, h.work, o.Logger}
	health := &healthRows{o.Version, o.Trouble, o.Operator.credential()}
	for _, add := range []func(*restwire.API){
		judge.addJudge, calls.addCalls, calls.addLook, calls.addExecution,
		answers.addAttention, answers.addDecision, answers.addKeeping, answers.addEnds, sessions.addSessions,
		settings.addGrants, settings.addSettings, settings.addDifferences, rules.addRules, rules.addReview, rules.addDocument,
		servers.addServers, servers.addServerTest, servers.addSignIns, servers.addTools, agents.addAgents, agents.addStops,
		clients.addConnections, past.addHistory, demo.addDemo,
		journal.addJournal, journal.addEvents, agents.addLogin, agents.addProof, health.addHealth,
	} {
		add(h.api)
	}
	opa.Add(h.api, judge)
	insights.Add(h.api, o.Insights)
	roles.Add(h.api, o.Roles)
	executors.Add(h.api, o.Executors)
	projects.Add(h.api, o.Projects, answers.take)
	coordination.Add(h.api, o.Work, o.WorkSwitch)
	keylogin.Door{Keys: o.Operator.keyed(), Now: o.Now, OwnAddress: agents.ownAddress}.Add(h.api)
	describeHooks(h.api)
}

// Server gives an http.Server for the door, with the limits on headers that the
// checks of this package begin after. Bodies and streams have limits of their own.
func (h *Handler) Server() *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(h.opts.Logger.Handler(), slog.LevelDebug),
	}
}

// Close ends streams, long polls and demonstrations. Requests after it are served, but
// do not wait.
func (h *Handler) Close() { h.work.close() }

// ServeHTTP serves rows, pages and the gateway.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.api.ServeHTTP(w, r) }

// Window serves the rows of a person to a page in this very process; see restwire.API.
func (h *Handler) Window() http.Handler { return h.api.Window() }

// Document is the OpenAPI document of a version, indented, its keys sorted.
func Document(version string) ([]byte, error) {
	var tree any
	d := json.NewDecoder(bytes.NewReader(New(Desk{}, Options{Version: version}).spec()))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(tree)
	return out.Bytes(), err
}
