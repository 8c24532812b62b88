package doctor

import (
	"context"
	"slices"

	"sekisho/backend/connect"
)

// Unasked is something that a client may do today without a question to the desk.
type Unasked string

// What a client may do without a question, as its files say it.
const (
	RunsCommands Unasked = "runs_commands"     // with a tool of its own
	EditsFiles   Unasked = "edits_files"       // with a tool of its own
	ServersPast  Unasked = "servers_past_desk" // calls MCP servers directly
	HooksMissing Unasked = "hooks_missing"     // it could be made to ask about its own tools, and is not
	HooksFaulty  Unasked = "hooks_faulty"      // its hooks are there, and something lets tools pass them
	HooksNone    Unasked = "hooks_none"        // it knows no hooks that could ask
	HooksOff     Unasked = "hooks_off"         // a setting switches them off
	BypassSet    Unasked = "bypass_mode"       // a setting lets tools run without a question of its own
	SideDoor     Unasked = "side_door"         // a file or a variable leads around the hooks
	TrustUnread  Unasked = "trust_unread"      // it runs only hooks that it trusts, and whether it does is not read here
	Unread       Unasked = "file_unreadable"   // a file of it cannot be read: what it says is not known
)

// hooksBy is the client whose hooks another one reads.
var hooksBy = map[string]string{"vscode": "copilot"}

// without are the clients that have no tools of their own.
var without = []string{"claude-desktop"}

// unaskedFor are the codes that say what follows from the reasons to call a client open.
var unaskedFor = map[Code]Unasked{NoHook: HooksMissing, Matcher: HooksFaulty, ProgramMissing: HooksFaulty, OtherClient: HooksFaulty,
	OtherWords: HooksFaulty, HookLimited: HooksFaulty, NoOnFailure: HooksFaulty, Timeout: HooksFaulty, Untrusted: HooksFaulty,
	FieldUnknown: HooksFaulty, FailsUnknown: HooksFaulty, OtherProgram: HooksFaulty, WrittenOtherwise: HooksFaulty, TrustUnknown: TrustUnread,
	HooksDisabled: HooksOff, ManagedOnly: HooksOff, BypassMode: BypassSet, PolicyAlone: SideDoor, EnvironmentSet: SideDoor,
	FileUnreadable: Unread}

// Unasked reads what a client may do today without a question to the desk, out of its files alone:
// no program is started. past says that it calls MCP servers directly. What the desk is asked about
// by hooks that are whole is none of it.
func (d *Doctor) Unasked(ctx context.Context, client string, past bool) []Unasked {
	all := []Unasked{}
	add := func(u Unasked) {
		if !slices.Contains(all, u) {
			all = append(all, u)
		}
	}
	if !slices.Contains(without, client) {
		for _, u := range d.ownTools(ctx, client) {
			add(u)
		}
	}
	if past {
		add(ServersPast)
	}
	return all
}

// ownTools are what a client may do with its own tools, and why.
func (d *Doctor) ownTools(ctx context.Context, client string) (all []Unasked) {
	by := client
	if other, known := hooksBy[client]; known {
		by = other
	}
	c, _ := connect.ClientByID(by)
	if !c.Hooks() {
		return []Unasked{RunsCommands, EditsFiles, HooksNone}
	}
	r := Report{Client: by}
	state := connect.Hooks(d.Places, by)
	if state.Found {
		d.read(ctx, &r, &state)
	}
	if len(state.Hooks) == 0 {
		r.add(NoHook, state.File, "")
	}
	if r.open() {
		all = []Unasked{RunsCommands, EditsFiles}
	}
	for _, reason := range r.Reasons {
		if u, known := unaskedFor[reason.Code]; known {
			all = append(all, u)
		}
	}
	if state.Err != nil { // connecting would not bring them: its file cannot be read
		all = slices.DeleteFunc(all, func(u Unasked) bool { return u == HooksMissing })
	}
	return all
}
