package learn

import (
	"encoding/json"

	"sekisho/backend/history"
	"sekisho/backend/permission"
)

// Result is what a history says. Its lists are never nil.
type Result struct {
	Calls     int              `json:"calls"`
	Sessions  int              `json:"sessions"`
	Allowed   int              `json:"allowed" doc:"calls that the rules would have allowed"`
	Asked     int              `json:"asked" doc:"calls that would have asked"`
	Denied    int              `json:"denied" doc:"calls that the rules would have denied"`
	High      int              `json:"high" doc:"calls of high risk among those that would have asked"`
	Declined  int              `json:"declined" doc:"calls that were declined where they were asked for"`
	First     permission.Time  `json:"first"`
	Last      permission.Time  `json:"last"`
	Clients   []ClientCount    `json:"clients"`
	Asking    []AskedCall      `json:"asking" doc:"calls that would have asked, equal ones once, those of high risk first; at most 200"`
	Different int              `json:"different" doc:"how many different calls would have asked"`
	Rules     []ProposedRule   `json:"rules" doc:"rules that would have answered calls of the past, those first that answer most"`
	Left      int              `json:"left" doc:"calls that would have asked and that none of these rules would have answered alone"`
	Lists     []ListEntry      `json:"lists" doc:"what the programs' own permission lists say"`
	Unread    []history.Unread `json:"unread" doc:"what could not be read, with the first place of each kind"`
	Bytes     int64            `json:"bytes"`
	Full      bool             `json:"full" doc:"there was more than is held at once: rules were proposed from the calls that were read first"`
}

// ClientCount is what one program has written.
type ClientCount struct {
	Client history.Client `json:"client" enum:"claude,codex,gemini,opencode"`
	Files  int            `json:"files"`
	Calls  int            `json:"calls"`
}

// AskedCall is a call that would have asked, with all that are equal to it.
type AskedCall struct {
	Client      history.Client          `json:"client" enum:"claude,codex,gemini,opencode"`
	ServerID    *string                 `json:"serverId"`
	ToolName    string                  `json:"toolName"`
	Cwd         *string                 `json:"cwd"`
	Line        string                  `json:"line" doc:"what it would run, or its tool, in short"`
	Input       json.RawMessage         `json:"input" doc:"null: it is too long to be listed"`
	Risk        permission.Risk         `json:"risk"`
	RiskReasons []permission.RiskReason `json:"riskReasons"`
	Count       int                     `json:"count"`
	Declined    int                     `json:"declined"`
	Last        permission.Time         `json:"last"`
}

// ProposedRule is an allow rule that would have answered calls of the past.
type ProposedRule struct {
	Rule     permission.RuleForm `json:"rule"`
	Covers   permission.Coverage `json:"covers"`
	Calls    int                 `json:"calls" doc:"calls that would have asked, and that it would have allowed"`
	Examples []string            `json:"examples" doc:"a few of these, as their lines or their tools"`
}

// ListEntry is an entry of a program's own permission list, and the rule that says the
// same as far as that is safe.
type ListEntry struct {
	Client history.Client       `json:"client" enum:"claude,codex,gemini,opencode"`
	Files  []string             `json:"files"`
	Effect permission.Effect    `json:"effect"`
	Text   string               `json:"text"`
	Calls  int                  `json:"calls" doc:"calls of the past that the rule would have decided"`
	Rule   *permission.RuleForm `json:"rule" doc:"null: no rule says the same"`
	Unsafe []Unsafe             `json:"unsafe"`
}

// Unsafe is why an entry is not what it seems to be.
type Unsafe struct {
	Code   UnsafeCode        `json:"code" enum:"passes_high,any_line,any_input,any_tool,slips,never_asks,only_offered,untranslated"`
	Params permission.Params `json:"params"`
	Text   string            `json:"text"`
}

// UnsafeCode is a reason to be careful with an entry.
type UnsafeCode string

// The reasons to be careful with an entry.
const (
	// PassesHigh: the program lets a dangerous line pass by it.
	PassesHigh UnsafeCode = "passes_high"
	// AnyLine: it lets every shell line pass.
	AnyLine UnsafeCode = "any_line"
	// AnyInput: it lets a tool do anything with any input.
	AnyInput UnsafeCode = "any_input"
	// AnyTool: it lets all tools of a server pass.
	AnyTool UnsafeCode = "any_tool"
	// Slips: another spelling of what it denies or asks about passes by it.
	Slips UnsafeCode = "slips"
	// NeverAsks: it is a way of working in which the program asks nothing.
	NeverAsks UnsafeCode = "never_asks"
	// OnlyOffered: it says which tools there are, and the program asks about them.
	OnlyOffered UnsafeCode = "only_offered"
	// Untranslated: no rule can say the same for sure.
	Untranslated UnsafeCode = "untranslated"
)
