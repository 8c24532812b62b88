package permission

// Finding is what lint says of one rule.
type Finding struct {
	RuleID  RuleID      `json:"ruleId"`
	Kind    FindingKind `json:"kind"`
	By      *RuleID     `json:"by"` // the other rule that it is about, where there is one
	Code    FindingCode `json:"code"`
	Params  Params      `json:"params"`
	Message string      `json:"message"` // the same in English
}

// FindingKind is what is odd about a rule.
type FindingKind string

// Kinds of findings.
const (
	// FindingUnreachable: stronger rules decide every call that the rule applies to, and
	// By is the one that does when it is one alone; or none can be decided by it, since
	// its tool or server has a bad name and it does not deny.
	FindingUnreachable FindingKind = "unreachable"
	// FindingDuplicate: By says the same, and comes first.
	FindingDuplicate FindingKind = "duplicate"
	// FindingConflict: By has the same priority, another effect, and calls in common.
	FindingConflict FindingKind = "conflict"
	// FindingNoStar: a pattern without * matches one name, whatever its letter case.
	FindingNoStar FindingKind = "no_star"
	// FindingNameAndPattern: the name is set, so the pattern is not looked at.
	FindingNameAndPattern FindingKind = "name_and_pattern"
	// FindingAllowsAll: an allow rule for everything.
	FindingAllowsAll FindingKind = "allows_all"
	// FindingExpired: it is over, and passed over.
	FindingExpired FindingKind = "expired"
	// FindingSlipsBy: the condition looks at a piece of a text, and a call slips by it.
	FindingSlipsBy FindingKind = "slips_by"
)

// FindingCode is a finding to the last detail: several codes may be of one kind.
type FindingCode string

// Codes of findings.
const (
	FindsBadName        FindingCode = "unreachable_bad_name"      // issue: a ReasonCode, and its params
	FindsCovered        FindingCode = "unreachable_covered"       // by one rule; toolCalls: every tool call, not every call
	FindsCoveredNearly  FindingCode = "unreachable_but_bad_names" // the same, but for bad names
	FindsSpelledOut     FindingCode = "unreachable_spelled_out"
	FindsDuplicate      FindingCode = "duplicate"
	FindsConflict       FindingCode = "conflict" // effect: of the other rule; toolName: both apply to it
	FindsNoStar         FindingCode = "no_star"  // toolPattern
	FindsNameAndPattern FindingCode = "name_and_pattern"
	FindsAllowsAll      FindingCode = "allows_all"
	FindsExpired        FindingCode = "expired" // since

	// These have part (of the condition), slip (a text that slips by), effect (of the rule), outcome (what the rules
	// decide of that) and safe (a condition that holds it).
	FindsLineText FindingCode = "slips_by_line"
	FindsPathText FindingCode = "slips_by_path"
	FindsURLText  FindingCode = "slips_by_url"
)

// Changed is a past call that another rule set would decide otherwise.
type Changed struct {
	CallID    CallID  `json:"callId"`
	CreatedAt Time    `json:"createdAt"`
	ServerID  *string `json:"serverId"`
	ToolName  string  `json:"toolName"`
	Before    Effect  `json:"before"`
	After     Effect  `json:"after"`
	Declined  bool    `json:"declined"` // a person declined this call
}

// Preview says what an edit of the rules would have changed.
type Preview struct {
	Changed      []Changed      `json:"changed"`      // newest first, at most 1,000
	ChangedTotal int            `json:"changedTotal"` // all of them
	Counts       map[string]int `json:"counts"`       // of these, how many go from one effect to another: "allow>ask"
	Declined     int            `json:"declined"`     // of these, how many a person had declined
	Total        int            `json:"total"`        // past calls that were decided both ways
	// Unjudged are the past calls that none of the other counts has: a condition would
	// have to see their input, which was wiped.
	Unjudged int `json:"unjudged"`

	// Matched are the past calls that the first rule of an edit applies to by itself.
	Matched         int `json:"matched"`
	MatchedDeclined int `json:"matchedDeclined"` // of these, how many a person had declined

	Narrower Narrower `json:"narrower"`
}

// Draft is an edit of the rules that is looked at and not made. The zero Draft leaves
// them as they are.
type Draft struct {
	Rules  []Rule // stand in the place of all; nil: the rules that are there, with what follows
	Put    []DraftRule
	Delete []RuleID
}

// DraftRule is a rule of a Draft: the one that has this id already, or else a new one.
// Lay writes over its form what is said of it.
type DraftRule struct {
	ID  RuleID
	Lay func(*RuleForm) error
}

// Suggestion is a rule that would have given a person's repeated answers.
type Suggestion struct {
	Rule    RuleForm `json:"rule"`
	Answers int      `json:"answers"` // how many answers it would have saved, of calls whose inputs are known
	Tools   []string `json:"tools"`   // the names that were answered
	Reason  string   `json:"reason"`
	Covers  Coverage `json:"covers"`
	Past    Matches  `json:"past"`
}

// RuleDocument is a rule set as a file (import and export).
type RuleDocument struct {
	Format  string `json:"format"`  // RuleFormat
	Version int    `json:"version"` // RuleFormatVersion
	Rules   []Rule `json:"rules"`
}

// What a RuleDocument says of itself.
const (
	RuleFormat        = "sekisho.rules"
	RuleFormatVersion = 1
)

// RuleDiff is what an import would change. Allows are the rules that would newly
// allow something: each must be accepted by its id.
type RuleDiff struct {
	Added         []Rule     `json:"added"`
	Changed       []RulePair `json:"changed"`
	Removed       []Rule     `json:"removed"`
	Same          int        `json:"same"`
	Allows        []RuleID   `json:"allows"`
	Narrower      Narrower   `json:"narrower"`
	PolicyVersion int64      `json:"policyVersion"`
}

// RulePair is a rule before and after.
type RulePair struct {
	Before Rule `json:"before"`
	After  Rule `json:"after"`
}

// ImportMode says what an import does to rules that the document does not name.
type ImportMode string

// The modes of an import.
const (
	ImportMerge   ImportMode = "merge"   // they stay
	ImportReplace ImportMode = "replace" // they go
)
