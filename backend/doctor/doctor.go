// Package doctor checks that agents' clients ask the desk before they run a tool of their
// own: it reads their files, runs the command of their hooks as it is configured, and lets the
// client itself work for a scripted model. What it did not see it does not call closed.
package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/connect"
	"sekisho/backend/hookcommand"
	"sekisho/backend/permission"
)

// State says how a client stands.
type State string

// The states of a client.
const (
	Closed    State = "closed"     // it asked the desk, and did not run what the desk refused
	Open      State = "open"       // a tool may run without the desk
	NotProved State = "not_proved" // nothing is known against it, and not all was seen
)

// Code says why a client is not closed.
type Code string

// Reasons to call a client open.
const (
	NoHook         Code = "no_hook"
	FileUnreadable Code = "file_unreadable"
	Matcher        Code = "matcher_narrow"
	ProgramMissing Code = "program_missing"
	OtherClient    Code = "other_client"
	OtherWords     Code = "other_words"
	HookLimited    Code = "hook_limited"
	NoOnFailure    Code = "no_on_failure"
	Timeout        Code = "wrong_timeout"
	HooksDisabled  Code = "hooks_disabled"
	ManagedOnly    Code = "managed_hooks_only"
	BypassMode     Code = "bypass_mode"
	Untrusted      Code = "untrusted_hook"
	PolicyAlone    Code = "policy_without_hook"
	LetPass        Code = "command_let_pass"
	DeskNotAsked   Code = "desk_not_asked"
	ToolRan        Code = "tool_ran"
	EnvironmentSet Code = "environment_set"
)

// Reasons why a client could not be proved closed.
const (
	TrustUnknown     Code = "trust_unknown"
	NoDesk           Code = "no_desk"
	NotRun           Code = "client_not_run"
	FieldUnknown     Code = "field_unknown"
	FailsUnknown     Code = "failure_not_seen"
	OtherProgram     Code = "other_program"
	WrittenOtherwise Code = "written_otherwise"
)

// repairs are what a person can do, in English.
var repairs = map[Code]string{
	NoHook: "run sekisho connect", FileUnreadable: "mend the file, then run sekisho connect", Matcher: "run sekisho connect",
	ProgramMissing: "install sekisho again, then run sekisho connect", OtherClient: "run sekisho connect", NoOnFailure: "run sekisho connect",
	Timeout: "run sekisho connect", HooksDisabled: "take that setting out of the file",
	ManagedOnly: "ask whoever manages this computer to write the hook into the managed settings",
	BypassMode:  "take that mode out of the file", Untrusted: "run /hooks in Codex, and trust the hooks of sekisho",
	PolicyAlone: "run sekisho connect, or remove the file", LetPass: "run sekisho connect",
	DeskNotAsked: "start the desk that the client was connected to, then run sekisho connect",
	ToolRan:      "run sekisho connect, and look for another file of the client's that says otherwise",
	TrustUnknown: "run /hooks in Codex, and look whether the hooks of sekisho are trusted",
	NoDesk:       "start the desk, and say sekisho doctor again", NotRun: "let the client run a tool, and look for it at the desk",
	EnvironmentSet: "take that variable out of the file",
	HookLimited:    "run sekisho connect", FieldUnknown: "take that field out of the hook, or run sekisho connect",
	FailsUnknown: "move sekisho away for a moment, and look whether the client still runs tools",
	OtherWords:   "look who wrote that line, then run sekisho connect",
	OtherProgram: "run sekisho connect of the sekisho that you trust, and sekisho doctor of the same", WrittenOtherwise: "run sekisho connect",
}

// Reason is why a client is not closed.
type Reason struct {
	Code   Code   `json:"code"`
	Path   string `json:"path,omitempty"` // of the file that says so
	Detail string `json:"detail,omitempty"`
	Repair string `json:"repair"`
}

// Report is what was found of a client.
type Report struct {
	Client  string   `json:"client"`
	Name    string   `json:"name"`
	State   State    `json:"state"`
	Reasons []Reason `json:"reasons"`

	Command bool `json:"commandProved"` // each command asked the desk, and ended with its no
	Whole   bool `json:"clientProved"`  // the client itself did

	unproved bool
}

func (r *Report) add(code Code, path, detail string) {
	reason := Reason{code, path, detail, repairs[code]}
	if slices.Contains(r.Reasons, reason) {
		return
	}
	r.Reasons = append(r.Reasons, reason)
	if unproved(code) {
		r.unproved = true
	}
}

func unproved(code Code) bool {
	return slices.Contains([]Code{TrustUnknown, NoDesk, NotRun, FieldUnknown, FailsUnknown, OtherProgram, WrittenOtherwise}, code)
}

// open reports whether something is known against the client.
func (r *Report) open() bool {
	return slices.ContainsFunc(r.Reasons, func(why Reason) bool { return !unproved(why.Code) })
}

// settle sums up.
func (r *Report) settle() {
	switch {
	case r.open():
		r.State = Open
	case r.unproved || !r.Command || !r.Whole:
		r.State = NotProved
	default:
		r.State = Closed
	}
}

// Desk is one that an agent of a client asks.
type Desk interface {
	// NewCanary gives a nonce that each call is denied for.
	NewCanary(ctx context.Context) (string, error)
	// Refused reports whether a call of the agent that holds the nonce was denied for it.
	Refused(ctx context.Context, nonce string) (bool, error)
}

// Refusal reports whether one of an agent's calls holds a nonce and was denied for it.
func Refusal(calls []permission.Call, nonce string) bool {
	return slices.ContainsFunc(calls, func(c permission.Call) bool {
		return c.Decision != nil && c.Decision.Code == permission.ReasonCanary && bytes.Contains(c.Input, []byte(nonce))
	})
}

// Doctor checks the clients of a machine. Places is needed.
type Doctor struct {
	Places  connect.Places
	Program string                                        // sekisho; a hook is started only of it and of sekisho-hook beside it; "" of none
	Desk    func(agent hookcommand.Command) (Desk, error) // nil: no desk can be asked
	Runs    func(name string) (path string, err error)    // finds a client's program; nil starts none
	Trust   Trust                                         // nil: whether Codex trusts its hooks is not known
	// Starts, when set, is told before a client is started with its own settings, and so with all
	// else that these start.
	Starts func(client, program string)
}

// ErrOtherDesk says that the line of a hook names another desk than the one that checks.
var ErrOtherDesk = errors.New("the hook asks another desk")

// AsksAt reports as an error that the line of a hook names another desk than the one with a URL.
func AsksAt(c hookcommand.Command, desk string) error {
	plain := func(url string) string {
		return strings.Replace(strings.TrimRight(strings.ToLower(url), "/"), "//localhost", "//127.0.0.1", 1)
	}
	if c.Desk == "" || plain(c.Desk) == plain(desk) {
		return nil
	}
	return fmt.Errorf("%w: %s, and not %s", ErrOtherDesk, c.Desk, desk)
}

// Check checks the clients that are there, or the one that is named.
func (d *Doctor) Check(ctx context.Context, only string) (all []Report) {
	for _, c := range connect.Clients() {
		if only != "" && c.ID != only || !c.Hooks() {
			continue
		}
		if r, found := d.check(ctx, c); found {
			all = append(all, r)
		}
	}
	return all
}

func (d *Doctor) check(ctx context.Context, c connect.Client) (Report, bool) {
	r := Report{Client: c.ID, Name: c.Name, Reasons: []Reason{}}
	s := connect.Hooks(d.Places, c.ID)
	if !s.Found {
		program := d.programOf(c.ID)
		if program == "" {
			return r, false
		}
		r.add(NoHook, "", program)
	}
	d.read(ctx, &r, &s)
	if !slices.ContainsFunc(s.Hooks, func(h connect.HookAt) bool { return !d.written(h) || !d.ours(h.Command.Program) }) {
		d.proveCommands(ctx, &r, &s)
		d.proveClient(ctx, &r, &s) // which starts these commands too
	}
	r.settle()
	return r, true
}

// programOf finds the program of a client that has no folder yet; "" is nowhere.
func (d *Doctor) programOf(client string) string {
	start, known := starts[client]
	if !known || d.Runs == nil {
		return ""
	}
	path, err := d.Runs(start.program)
	if err != nil {
		return ""
	}
	return path
}
