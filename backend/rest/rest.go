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
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
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
	Demo     Demonstrator
	Journal  Journal
}

// Options of a Handler; the zero value works and serves no operator, no gateway
// and no front end.
type Options struct {
	Version     string                                                 // what healthz and the OpenAPI document say
	Operator    *Operator                                              // nil: no credential makes anyone an operator
	Gateway     http.Handler                                           // behind /mcp and /mcp/, for agents alone; see AgentFrom
	Files       fs.FS                                                  // the front end, served at /
	ServerState func(permission.Server) (state string, tools []string) // how a server does; nil is "idle" for all
	TestServer  Tester                                                 // nil starts no server
	Connections Connections                                            // the clients' files on this machine; nil is none
	History     History                                                // nil reads no histories
	SignIns     SignIns                                                // nil signs in to no server
	Look        Sight                                                  // what is to be shown of a call; nil is nothing
	// what is wrong with the desk as a whole, "" when all is well; nil says nothing
	Trouble      func() string
	InputMembers func() int // how many members and elements an input may have; nil is what the settings begin with
	Address      string     // host:port where the desk is reached, where that is not where it listens
	EndsChildren bool       // what a server leaves behind in a session of its own ends with it; false: its process group alone does
	// takes any address as Host, though no name but localhost: only behind a listener that is meant to be reached from outside
	AllowRemote bool
	Now         func() time.Time // the clock of logins and of what is in view; nil is time.Now
	Logger      *slog.Logger     // nil is slog.Default
}

// Handler is the door. It is an http.Handler and safe for use by many goroutines.
type Handler struct {
	opts      Options
	table     *table
	lanes     *lanes
	attention *attention
	work      *work
	spec      []byte
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
	if opts.TestServer == nil {
		opts.TestServer = func(context.Context, permission.Server) ([]permission.OfferedTool, string, error) {
			return nil, "", errors.New("this desk starts no servers")
		}
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
	h := &Handler{opts: opts, lanes: newLanes(), attention: newAttention(opts.Now), work: newWork()}
	h.table = &table{
		mux: http.NewServeMux(), window: http.NewServeMux(), paths: map[string]*route{}, bodies: &bodies{lanes: h.lanes, most: opts.InputMembers},
		gate:  &gate{agents: d.Agents, operator: opts.Operator, lanes: h.lanes, now: opts.Now, log: opts.Logger},
		tries: &tries{journal: d.Journal, work: h.work, log: opts.Logger, more: map[try]int{}},
	}
	h.describe(d)
	h.mount()
	return h
}

// describe builds the API and its document.
func (h *Handler) describe(d Desk) {
	o := &h.opts
	h.table.bodies.api = huma.NewAPI(config(o.Version), h.table)
	a := &api{h.table.bodies.api, o.Logger}
	judge := &judgeRows{d.Judge, d.Agents, d.Rules, d.Servers, o.ServerState}
	calls := &callRows{d.Calls, h.lanes, h.work, o.Now, o.Look}
	answers := &answerRows{d.Calls, d.Answers, h.attention}
	settings := &settingRows{d.Settings}
	rules := &ruleRows{d.Rules, d.Review, d.Judge, d.Agents, o.Now}
	servers := &serverRows{d.Servers, d.Tools, o.SignIns, o.TestServer, o.ServerState, o.EndsChildren}
	agents := &agentRows{d.Agents, o.Operator, o.Address, o.Now}
	clients := &connectionRows{o.Connections}
	past := &historyRows{read: o.History, work: h.work}
	demo := &demoRows{d.Demo, h.work, o.Logger}
	journal := &journalRows{d.Journal, d.Agents, h.lanes, h.work, o.Logger}
	health := &healthRows{o.Version, o.Trouble}
	for _, add := range []func(*api){
		judge.addJudge, calls.addCalls, calls.addLook, calls.addExecution,
		answers.addAttention, answers.addDecision, answers.addKeeping, answers.addEnds,
		settings.addGrants, settings.addSettings, settings.addDifferences, rules.addRules, rules.addReview, rules.addDocument, judge.addOPA,
		servers.addServers, servers.addServerTest, servers.addSignIns, servers.addTools, agents.addAgents, clients.addConnections,
		past.addHistory, demo.addDemo,
		journal.addJournal, journal.addEvents, agents.addLogin, agents.addProof, health.addHealth,
	} {
		add(a)
	}
	h.table.widen()
	h.spec = document31(a.huma.OpenAPI())
}

// mount adds what stands beside the API.
func (h *Handler) mount() {
	h.table.mux.HandleFunc("/openapi.json", h.serveSpec)
	h.table.mux.Handle("/", pages{h.opts.Files})
	h.table.window.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound().write(w) })
	if h.opts.Gateway != nil {
		door := &gatewayDoor{h.table.gate, h.opts.Gateway}
		h.table.mux.Handle("/mcp", door)
		h.table.mux.Handle("/mcp/", door)
	}
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

// ServeHTTP checks where a request comes from and passes it on.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer h.recovered(w, r)
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	if r.ContentLength != 0 {
		// Whoever reads the body sets a time of its own. This one is for a body that
		// nobody reads, since an answer waits for it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyGrace))
	}
	if p := checkSource(r, h.opts.AllowRemote); p != nil {
		p.write(w)
		return
	}
	if !canonicalPath(r.URL.EscapedPath()) {
		notFound().write(w)
		return
	}
	serve(h.table.mux, w, r)
}

// canonicalPath keeps the mux from answering with a redirect of its own, which
// would tell of a path before the caller is known.
func canonicalPath(p string) bool {
	return p == "/" || p != "" && path.Clean(p) == strings.TrimSuffix(p, "/")
}

// recovered turns a panic into an answer, where none has begun.
func (h *Handler) recovered(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	h.opts.Logger.Error("request panicked", "method", r.Method, "path", r.URL.Path, "panic", v)
	w.Header().Del("ETag") // of the answer that was begun
	refuse(http.StatusInternalServerError, codeInternal, internalMessage).write(w)
}

// Document is the OpenAPI document of a version, indented, its keys sorted.
func Document(version string) ([]byte, error) {
	var tree any
	d := json.NewDecoder(bytes.NewReader(New(Desk{}, Options{Version: version}).spec))
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

// serveSpec gives the OpenAPI document to anyone on this machine: it holds no
// secret.
func (h *Handler) serveSpec(w http.ResponseWriter, r *http.Request) {
	if p := readOnly(w, r); p != nil {
		p.write(w)
		return
	}
	w.Header().Set("Content-Type", "application/openapi+json")
	_, _ = w.Write(h.spec)
}
