package permission

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// OfferedTool is one entry of a server's tools/list, as the server wrote it. An entry
// that clients could read under several names is offered once for each of them.
type OfferedTool struct {
	Name string
	Raw  json.RawMessage // the whole entry
}

// ToolPin is what the desk knows of a tool of a server: which definition it had when it
// was first allowed, or when it changed while a person was asked about it, and which it
// has now. Definitions and launches are
// named by their hashes; "" is none.
type ToolPin struct {
	ServerID string
	ToolName string
	Seen     string // the definition that was seen last
	Pinned   string // the definition that is allowed
	Launch   string // how the server was started when the tool was allowed; "": it was not yet
	Back     bool   // Pinned was seen again after Seen, which nobody has looked at
	Withheld bool   // it changed: no rule and no grant allows it

	// Destructive: the server has said that it may destroy. What it says later does not
	// take that back.
	Destructive bool
	// Whole: Seen and Pinned are hashes of all that the server's list said of it. Those of
	// older pins are of its name, title, description, schemas and annotations.
	Whole bool

	// SeenText and PinnedText are the hashes of what is kept of Seen and Pinned, to be shown.
	// They testify that what a person is shown is what the server said; "" is not known.
	SeenText   string
	PinnedText string
	Flags      string // deceiving characters of Seen as JSON, of what was cut off its text too

	// Level is the risk that a person gave the tool, in place of its name and its server's
	// hint, "" being none, and LevelAt when. LevelVoid: the definition changed since, and the
	// level is kept to be shown alone.
	Level     Risk
	LevelAt   Time
	LevelVoid bool
}

// LevelSet is the risk that a person gave the tool, or nil.
func (p ToolPin) LevelSet() *ToolLevel {
	if p.Level == "" {
		return nil
	}
	return &ToolLevel{ToolName: p.ToolName, Risk: p.Level, At: p.LevelAt, Void: p.LevelVoid}
}

// ToolLevel is the risk that a person gave a tool.
type ToolLevel struct {
	ToolName string `json:"toolName"`
	Risk     Risk   `json:"risk"`
	At       Time   `json:"at" doc:"when a person gave it"`
	Void     bool   `json:"void" doc:"the tool's definition changed since: the level counts no more"`
}

// Texts names the kept texts of Seen and Pinned: those of older pins stand under the hash
// of the definition.
func (p ToolPin) Texts() (seen, pinned string) {
	return cmp.Or(p.SeenText, p.Seen), cmp.Or(p.PinnedText, p.Pinned)
}

// FlaggedTool is a tool whose definition holds deceiving characters.
type FlaggedTool struct {
	ToolName string     `json:"toolName"`
	Flags    []TextFlag `json:"flags"`
}

// Change holds a pin against how the server is started now; launch is "" where the
// server is not known.
func (p ToolPin) Change(launch string) ToolChange {
	definition := p.Pinned != "" && p.Seen != p.Pinned
	moved := p.Launch != "" && launch != "" && p.Launch != launch
	switch {
	case definition && moved:
		return ChangedBoth
	case definition:
		return ChangedDefinition
	case moved:
		return ChangedLaunch
	}
	return ""
}

// ToolText is a definition or a launch, to be shown. Its hash is that of the text where it
// is kept, and that of the whole definition where it is given to be shown.
type ToolText struct {
	Hash string
	Text string
	Cut  bool // Text is only its beginning
}

// ToolEdit is one change of what is known of tools, and of the rules that come and go with servers, in
// one transaction. Texts that no
// pin names any more are forgotten.
type ToolEdit struct {
	Put     []ToolPin
	Drop    []ToolPin // by server and name
	Texts   []ToolText
	Rules   RuleChange // without an entry of its own
	Judge   bool       // what rules allow changed: the policy gets a new version
	Entries []Entry
}

// KeptTool is a tool with what it was when it was allowed, and what it is now. A text
// without a hash is none.
type KeptTool struct {
	ServerID, ToolName string
	Change             ToolChange
	Back               bool // as in ToolPin
	Before, After      ToolText
	LaunchBefore       ToolText
	LaunchAfter        ToolText
	Level              *ToolLevel // that a person gave it; nil is none
}

// SeenTool names what of a tool a person has seen, texts by their hashes, "" being none.
// What is nil is not said: it may be anything.
type SeenTool struct {
	Definition *string
	Launch     *string
	Back       *bool // as in ToolPin
}

// ShownTool names what of a tool is shown, as SeenTool does.
type ShownTool struct {
	Definition string `json:"definition"`
	Launch     string `json:"launch"`
	Back       bool   `json:"back"`
}

// ToolLook is what a person is shown of a tool. Definition and Launch are nil where
// they did not change.
type ToolLook struct {
	ServerID   string     `json:"serverId"`
	ToolName   string     `json:"toolName"`
	Changed    ToolChange `json:"changed"` // "" is no change
	Back       bool       `json:"back"`    // the definition is again the allowed one, after another that nobody has looked at
	Shown      ShownTool  `json:"shown"`   // names what is shown, for whoever accepts it
	Definition *TextLook  `json:"definition"`
	Launch     *TextLook  `json:"launch"`
	Risk       *Risk      `json:"risk" doc:"the risk that a person gave the tool, in place of its name and its server's hint; null is none"`
	Level      *ToolLevel `json:"level" doc:"when it was given; also of one that is void since the definition changed"`
}

// TextLook is the difference between two texts, which their hashes name.
type TextLook struct {
	Before  string     `json:"before"`
	After   string     `json:"after"`
	Cut     bool       `json:"cut"` // one of the texts is longer than what was compared
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	Lines   []DiffLine `json:"lines"`
	More    int        `json:"more"` // lines of the difference that the answer leaves out at its end
}

// Launch is how a server is started or reached, as indented JSON: of its environment and
// headers the names alone, since values may be secrets and change with time.
func (s *Server) Launch() string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Command string   `json:"command,omitempty"`
		Args    []string `json:"args,omitempty"`
		Cwd     string   `json:"cwd,omitempty"`
		Env     []string `json:"env,omitempty"`
		URL     string   `json:"url,omitempty"`
		Headers []string `json:"headers,omitempty"`

		Execution      Execution `json:"execution,omitempty"`
		ProgramFolders []string  `json:"programFolders,omitempty"`
	}{s.Command, s.Args, s.Cwd, slices.Sorted(maps.Keys(s.Env)), s.URL, slices.Sorted(maps.Keys(s.Headers)), s.Execution, s.ProgramFolders})
	if err != nil {
		panic("strings always marshal: " + err.Error())
	}
	return out.String()
}
