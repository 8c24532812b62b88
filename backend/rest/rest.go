package rest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Judge says what would happen to a call, and to how many that wait a rule
// happens; it keeps nothing.
type Judge interface {
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
	PendingMatches(ctx context.Context, id permission.RuleID) (int, error)
}

// Asker takes calls in, and back.
type Asker interface {
	Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error)
	Cancel(ctx context.Context, agent permission.Agent, id permission.CallID, reason string) (permission.Call, error)
}

// Executor hands out the one right to execute and takes what came of it.
type Executor interface {
	Claim(ctx context.Context, agent permission.Agent, id permission.CallID, req permission.ClaimRequest) (permission.Call, error)
	Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error)
}

// Looker shows calls to those who may see them.
type Looker interface {
	Call(ctx context.Context, who permission.Party, id permission.CallID) (permission.Call, error)
	Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error)
	Calls(ctx context.Context, who permission.Party, f permission.CallFilter) (calls []permission.Call, next int64, rev int64, err error)
	// Declined names the tools that a person declined again and again, lately.
	Declined(ctx context.Context) ([]permission.DeclinedTool, error)
}

// Decider takes a person's answers: to one call, to one whose outcome is in doubt,
// and to all that wait and that a rule allows.
type Decider interface {
	Decide(ctx context.Context, id permission.CallID, a permission.Answer) (call permission.Call, settled []permission.CallID, repeated bool, err error)
	Resolve(ctx context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error)
	Release(ctx context.Context, rule permission.RuleID) (released int, err error)
}

// Keeper does for a person what decides nothing: more time, an input that is
// removed, a decline that is not remembered.
type Keeper interface {
	Extend(ctx context.Context, id permission.CallID, by time.Duration) (permission.Call, error)
	WipeInput(ctx context.Context, id permission.CallID) (permission.Call, error)
	ForgetDenial(ctx context.Context, id permission.CallID) (permission.Call, error)
}

// Ender ends a run or a session: what waits is cancelled, and grants end.
type Ender interface {
	CancelRun(ctx context.Context, who permission.Party, run permission.RunID) (cancelled, grantsEnded int, err error)
	EndSession(ctx context.Context, who permission.Party, session permission.SessionID) (cancelled, grantsEnded int, err error)
}

// GrantBook shows the answers of wider scope, and ends them.
type GrantBook interface {
	Grants(ctx context.Context) ([]permission.Grant, error)
	EndGrant(ctx context.Context, id permission.GrantID) error
}

// Referee shows what is not as the journal says that it was left, and takes one version.
type Referee interface {
	Differences(ctx context.Context) ([]permission.Difference, error)
	Settle(ctx context.Context, ids []string, take permission.Version) (left []permission.Difference, err error)
}

// Settler keeps the settings of the desk.
type Settler interface {
	Settings(ctx context.Context) (permission.Settings, error)
	ChangeSettings(ctx context.Context, change func(*permission.Settings) error) (permission.Settings, error)
	Hold(ctx context.Context, on bool) error
}

// Reviewer says what is to be known of rules before they are saved.
type Reviewer interface {
	Lint(ctx context.Context, d permission.Draft) ([]permission.Finding, error)
	Preview(ctx context.Context, d permission.Draft) (permission.Preview, error)
}

// Proposer proposes rules: out of many answers, and for one call.
type Proposer interface {
	Suggestions(ctx context.Context) ([]permission.Suggestion, error)
	Widen(ctx context.Context, id permission.CallID) ([]permission.RuleForm, error)
}

// Importer takes rules out of the desk and into it as one document.
type Importer interface {
	ExportRules(ctx context.Context) (permission.RuleDocument, error)
	DiffRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode) (permission.RuleDiff, error)
	ImportRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode, ifVersion int64, accept []permission.RuleID) (permission.RuleDiff, error)
}

// RuleBook shows the rules, and replaces them all.
type RuleBook interface {
	Rules(ctx context.Context) (rules []permission.Rule, policyVersion int64, err error)
	Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error)
	ReplaceRules(ctx context.Context, ifVersion int64, rules []permission.Rule) (stored []permission.Rule, policyVersion int64, err error)
}

// RuleMover gives a rule another place in the order of judgement.
type RuleMover interface {
	MoveRule(ctx context.Context, id permission.RuleID, before *permission.RuleID, ifVersion int64) (stored []permission.Rule, policyVersion int64, err error)
}

// RuleEditor changes one rule.
type RuleEditor interface {
	CreateRule(ctx context.Context, form permission.RuleForm) (rule permission.Rule, pendingMatches int, err error)
	UpdateRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time, change func(*permission.RuleForm) error) (rule permission.Rule, pendingMatches int, err error)
	DeleteRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (rule permission.Rule, pendingMatches int, err error)
}

// ServerBook shows the servers, with their secrets, and replaces them all. The version of
// the list is another one when anything of it is. ifVersion, when not empty, is the one
// that was seen: permission.CodeLostUpdate when it is another by now. Unmasked gives a
// server as it would be kept.
type ServerBook interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	ServerList(ctx context.Context) (servers []permission.Server, version string, err error)
	ReplaceServers(ctx context.Context, ifVersion string, servers []permission.Server) (stored []permission.Server, version string, err error)
	Unmasked(ctx context.Context, s permission.Server) (permission.Server, error)
	Secrets() permission.SecretsNotice
}

// ToolBook shows what changed of tools since they were allowed, and takes a person's
// word that it was seen: of one, or of several of a server, all or none
// (permission.CodeStale names those that are others by now). accepted are those that had
// changed.
type ToolBook interface {
	ChangedTools(serverID string) []string
	FlaggedTools(serverID string) []permission.FlaggedTool
	ToolFlags(offered []permission.OfferedTool) []permission.FlaggedTool
	Tool(ctx context.Context, serverID, name string) (permission.KeptTool, error)
	AcceptTool(ctx context.Context, serverID, name string, shown permission.SeenTool) (permission.KeptTool, error)
	AcceptTools(ctx context.Context, serverID string, shown map[string]permission.ShownTool) (accepted []string, err error)
}

// Demonstrator asks for a harmless call and, once it is approved, executes it. Demo
// is fresh when the call is new and nobody plays it yet; PlayDemo ends with the call,
// or with ctx.
type Demonstrator interface {
	Demo(ctx context.Context) (call permission.Call, fresh bool, err error)
	PlayDemo(ctx context.Context, id permission.CallID) error
}

// AgentBook makes, shows and ends agents.
type AgentBook interface {
	CreateAgent(ctx context.Context, name string) (agent permission.Agent, token string, err error)
	Agents(ctx context.Context) ([]permission.Agent, error)
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	DeleteAgent(ctx context.Context, id permission.AgentID) error
}

// Authenticator finds the agent of a token; NotFound when there is none.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (permission.Agent, error)
}

// Recorder shows the journal: its entries, and the events that tell of them. NoteRefused
// adds that an agent tried a row for persons alone.
type Recorder interface {
	NoteRefused(ctx context.Context, agent permission.Agent, method, path string, count int) error
	Journal(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error)
	// SignedEnd is the last line of an export that ends with the newest entry.
	SignedEnd(ctx context.Context) (permission.Entry, error)
	Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error)
	Subscribe() (events <-chan permission.Event, stop func())
}

// Desk is all that this door asks of the desk.
type Desk interface {
	Judge
	Asker
	Executor
	Looker
	Decider
	Keeper
	Ender
	GrantBook
	Settler
	Referee
	Reviewer
	Proposer
	Importer
	RuleBook
	RuleMover
	RuleEditor
	ServerBook
	ToolBook
	AgentBook
	Demonstrator
	Authenticator
	Prover
	Recorder
}

// Tester tries a server: which tools it offers, the last words of its standard error,
// and why it is of no use, in words for a person.
type Tester func(ctx context.Context, s permission.Server) (tools []permission.OfferedTool, words string, err error)

// Options of a Handler; the zero value works and serves no operator, no gateway
// and no front end.
type Options struct {
	Version      string                                                 // what healthz and the OpenAPI document say
	Operator     *Operator                                              // nil: no credential makes anyone an operator
	Gateway      http.Handler                                           // behind /mcp and /mcp/, for agents alone; see AgentFrom
	Files        fs.FS                                                  // the front end, served at /
	ServerState  func(permission.Server) (state string, tools []string) // how a server does; nil is "idle" for all
	TestServer   Tester                                                 // nil starts no server
	Connections  Connections                                            // the clients' files on this machine; nil is none
	SignIns      SignIns                                                // nil signs in to no server
	Look         Sight                                                  // what is to be shown of a call; nil is nothing
	Trouble      func() string                                          // what is wrong with the desk as a whole, "" when all is well; nil says nothing
	InputMembers func() int                                             // how many members and elements an input may have; nil is what the settings begin with
	Address      string                                                 // host:port where the desk is reached, where that is not where it listens
	EndsChildren bool                                                   // what a server leaves behind in a session of its own ends with it; false: its process group alone does
	AllowRemote  bool                                                   // takes any address as Host, though no name but localhost: only behind a listener that is meant to be reached from outside
	Now          func() time.Time                                       // the clock of logins and of what is in view; nil is time.Now
	Logger       *slog.Logger                                           // nil is slog.Default
}

// Handler is the door. It is an http.Handler and safe for use by many goroutines.
type Handler struct {
	desk  Desk
	opts  Options
	table *table
	lanes *lanes
	spec  []byte
	run   string // an id of this start of the desk: readers begin anew with another

	attention *attention

	done    chan struct{}
	once    sync.Once
	closing sync.Mutex     // guards what begins to play against Close
	playing sync.WaitGroup // demonstrations, and tries that are counted
	tries   tries
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
		opts.Look = func(context.Context, permission.Call) (permission.Look, error) { return permission.Look{}, nil }
	}
	if opts.InputMembers == nil {
		opts.InputMembers = func() int { return int(permission.DefaultSettings().Limits.InputMembers) }
	}
	if opts.Trouble == nil {
		opts.Trouble = func() string { return "" }
	}
	h := &Handler{desk: d, opts: opts, lanes: newLanes(), attention: newAttention(opts.Now), run: uuid.NewString(), done: make(chan struct{}), tries: tries{more: map[try]int{}}}
	h.table = &table{mux: http.NewServeMux(), window: http.NewServeMux(), door: h, paths: map[string]*route{}}
	h.describe()
	h.mount()
	return h
}

// mount adds what stands beside the API.
func (h *Handler) mount() {
	h.table.mux.HandleFunc("/openapi.json", h.serveSpec)
	h.table.mux.HandleFunc("/", h.serveFile)
	h.table.window.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound().write(w) })
	if h.opts.Gateway != nil {
		h.table.mux.HandleFunc("/mcp", h.serveGateway)
		h.table.mux.HandleFunc("/mcp/", h.serveGateway)
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
func (h *Handler) Close() {
	h.once.Do(func() {
		h.closing.Lock()
		defer h.closing.Unlock()
		close(h.done)
	})
	h.playing.Wait()
}

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

// waiting gives a context that also ends with the door.
func (h *Handler) waiting(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	go func() {
		select {
		case <-h.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
