package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/restwire"
)

// clients are the dialects by the name of the client in the path.
var clients = map[string]*dialect{
	"claude": &claude, "codex": &codex, "gemini": &gemini, "copilot": &copilot, "vscode": &vscode, "cursor": &cursor, "opencode": &opencode,
}

// Desk is what the door needs of the desk beside what the call runner needs.
type Desk interface {
	attend.Desk
	Now() permission.Time
	// Unanswered says what becomes of a question that nobody answers.
	Unanswered() permission.Unanswered
	// InputMembers is how many members and elements an input may have.
	InputMembers() int
	// NeverArrived puts into the journal that a call was left to the gateway, and did not come.
	NeverArrived(ctx context.Context, agent permission.Agent, client, server, tool string) error
}

// Options of a door. Only AgentFrom has no default: without it nobody gets in.
type Options struct {
	AgentFrom func(*http.Request) (permission.Agent, bool)
	Admit     func(r *http.Request, members int) (leave func(), ok bool) // nil lets everyone in
	// Entries gives the servers that a client has by its files, in a folder; nil is none.
	Entries func(client, cwd string) []Entry
	// Connected reports whether an agent has a connection to a server open at the desk.
	Connected func(agent permission.AgentID, server string) bool
	Arrive    time.Duration // for a call that the gateway holds to come there; 0 is 10 s
	Patience  time.Duration // how long a client waits for an answer; 0 is 640 s
	Logger    *slog.Logger  // nil is slog.Default
}

// Door serves POST /v1/hooks/{client} and /v1/hooks/claude/http. It is safe for use by many
// goroutines.
type Door struct {
	desk     Desk
	calls    *attend.Runner
	opts     Options
	passes   passes
	deferred deferred
	repeated repeated
}

// New makes a door before a desk. Close it at the end.
func New(desk Desk, opts Options) *Door {
	opts.Arrive, opts.Patience = cmp.Or(opts.Arrive, 10*time.Second), cmp.Or(opts.Patience, 640*time.Second)
	opts.Logger = cmp.Or(opts.Logger, slog.Default())
	if opts.Admit == nil {
		opts.Admit = func(*http.Request, int) (func(), bool) { return func() {}, true }
	}
	d := &Door{desk: desk, opts: opts,
		calls: attend.New(desk, attend.Options{Claimant: "hook", Lease: permission.HandedOverFor, HandsOver: true, Logger: opts.Logger})}
	d.passes.open()
	return d
}

// Close ends the watch over calls that are on their way to the gateway.
func (d *Door) Close() { d.passes.close() }

// MaxEvent bounds an event, in bytes; besideInput are the members that it may have beside those
// of an input.
const (
	MaxEvent    = 32 << 20
	besideInput = 1000
)

// ServeHTTP answers an event.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, known := d.opts.AgentFrom(r)
	name, direct := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/hooks/"), "/http")
	client := clients[name]
	switch {
	case !known || client == nil || direct && client != &claude:
		restwire.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		restwire.Refuse(http.StatusMethodNotAllowed, restwire.CodeMethod, "events are posted").Tell(w)
		return
	}
	var raw []byte
	wait, bad := deferAfter(r)
	if bad == nil {
		raw, bad = d.read(w, r)
	}
	var answer Answer
	switch {
	case bad == nil:
		answer = d.answer(r.Context(), &attempt{door: d, dialect: client, client: name, agent: agent, defers: wait}, raw)
	case direct: // who reads JSON alone takes any other status for leave to run the tool
		answer = refusal(nil, "Sekisho did not take this event, and does not allow it: "+bad.Detail)
	default:
		bad.Tell(w)
		return
	}
	w.Header().Set("Content-Type", restwire.JSON)
	if direct {
		_, _ = io.WriteString(w, asHTTP(answer))
		return
	}
	encode := json.NewEncoder(w)
	encode.SetEscapeHTML(false)
	_ = encode.Encode(answer) // who does not hear it has no yes
}

// deferAfter is the wish of a client without a person: to be told after so many seconds that
// it is to ask again later; 0 is none.
func deferAfter(r *http.Request) (time.Duration, *restwire.Problem) {
	said := r.URL.Query().Get("defer")
	if said == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(said, 64)
	if err != nil || !(seconds > 0 && seconds <= 600) {
		bad := restwire.Refuse(http.StatusUnprocessableEntity, permission.CodeInvalid, "defer is a number of seconds, above 0 and at most 600")
		bad.Field = "defer"
		return 0, bad
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// read takes the body.
func (d *Door) read(w http.ResponseWriter, r *http.Request) ([]byte, *restwire.Problem) {
	counted := rawjson.Bounded(http.MaxBytesReader(w, r.Body, MaxEvent), d.desk.InputMembers()+besideInput)
	raw, err := io.ReadAll(counted)
	var large *http.MaxBytesError
	var many *rawjson.Error
	switch {
	case errors.As(err, &many):
		return nil, restwire.Refuse(http.StatusUnprocessableEntity, permission.CodeTooManyMembers, many.Error())
	case errors.As(err, &large):
		return nil, restwire.Refuse(http.StatusRequestEntityTooLarge, restwire.CodeTooLarge, "an event has at most 32 MiB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, restwire.Refuse(http.StatusRequestTimeout, restwire.CodeTooSlow, "the event came too slowly")
	case err != nil:
		return nil, restwire.Refuse(http.StatusBadRequest, permission.CodeMalformed, "the event could not be read")
	}
	leave, ok := d.opts.Admit(r, counted.Members())
	if !ok {
		return nil, restwire.Refuse(http.StatusTooManyRequests, permission.CodeTooMany, "too much is under way for this agent: try again in a moment")
	}
	leave()
	return raw, nil
}

// asHTTP is an answer to Claude Code's hooks over HTTP, which read JSON alone. What has words
// on stderr is a no before a tool is used, or to an event that cannot be read.
func asHTTP(a Answer) string {
	if a.Exit == 0 {
		return a.Stdout
	}
	return specific(&question{event: preToolUse}, "permissionDecision", `"deny"`,
		"permissionDecisionReason", quoted(strings.TrimSpace(a.Stderr)))
}

// answer takes an event to its answer.
func (d *Door) answer(ctx context.Context, a *attempt, raw []byte) Answer {
	f, err := readFields(raw)
	if err == nil {
		err = a.read(f)
	}
	if err != nil {
		a.q = question{}
		a.no("Sekisho could not read this event of " + a.dialect.name + ", and allows nothing that it does not understand: " + err.Error())
		return a.said
	}
	if a.q.ours {
		return Answer{Stdout: "{}"}
	}
	a.recognize(f, raw)
	if d.passed(a) {
		return a.yes(nil)
	}
	if a.defers > 0 && a.dialect.later != nil && a.dialect.later(&a.q) != "" {
		return d.deferring(ctx, a)
	}
	a.run(ctx, d.opts.Patience)
	return a.said
}
