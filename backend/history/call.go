package history

import (
	"encoding/json"

	"sekisho/backend/permission"
)

// Client is an agent program.
type Client string

// The agent programs whose histories are read.
const (
	Claude   Client = "claude"
	Codex    Client = "codex"
	Gemini   Client = "gemini"
	Opencode Client = "opencode"
)

// Outcome is what became of a call.
type Outcome string

// The outcomes of calls.
const (
	Ran      Outcome = "ran"      // it was executed, with or without success
	Declined Outcome = "declined" // the person, or a rule of theirs, said no
	Unknown  Outcome = "unknown"  // broken off, or nothing says what became of it
)

// Call is a tool call that an agent program has written down.
type Call struct {
	Client  Client
	Session string
	At      permission.Time
	Cwd     string  // "" is not known
	Server  *string // nil is a tool of the program's own
	Tool    string
	Input   json.RawMessage // a JSON object
	Outcome Outcome
}

// Entry is one line of a program's own permission list.
type Entry struct {
	Client Client
	File   string
	Effect permission.Effect
	Text   string // as the program has it: Bash(git push:*)
	About
}

// About is what an entry says that it is about. Without a Tool it is no list of tools but
// a way of working of the program, which Text names.
type About struct {
	Server *string // nil is a tool of the program's own
	Tool   string  // its name, or a pattern with *
	Key    string  // the member of the input that Line is held against; "" is none
	Line   string
	Match  Match
	Path   string // a file or a pattern of files, as the program writes it
	Host   string
}

// Match is how an entry holds its Line against that of a call.
type Match string

// The ways to match a line.
const (
	Exact  Match = "exact"
	Prefix Match = "prefix" // its words are the first words of the line
	Glob   Match = "glob"   // each * in it is any text
)

// Kind is why something was not read.
type Kind string

// The kinds of what was not read.
const (
	BadLine    Kind = "line"   // no JSON, or cut off, or not of the form that the program writes
	LongLine   Kind = "long"   // over the bound of a line or a file
	BadFile    Kind = "file"   // it cannot be opened or read to its end
	BadFolder  Kind = "folder" // it cannot be listed
	LinkedFile Kind = "link"   // a link, or what is neither file nor folder
	TooDeep    Kind = "deep"   // more folders in each other than any program makes
)

// Unread counts what was not read for one reason, with the first place of it.
type Unread struct {
	Kind  Kind   `json:"kind" enum:"line,long,file,folder,link,deep"`
	Count int    `json:"count"`
	First string `json:"first"`
}

// Visitor is told of what is found. Each function may be nil.
type Visitor struct {
	Call  func(Call)
	Entry func(Entry)
	// Bytes is told of what was read since it was told last, and File of each file.
	Bytes func(n int)
	File  func(Client)
}
