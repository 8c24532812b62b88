package permission

// ReachQuery describes tool calls: those of which all that it names is true. What is left
// out may be anything.
type ReachQuery struct {
	AgentID   AgentID
	AgentName string // of the agent
	ServerID  *string
	ToolName  *string
	Names     []string // the programs and verbs that the call's line runs, as "git push"
	Risk      Risk
}

// Reach says whether any rule may ever allow such calls.
type Reach struct {
	Answer        ReachAnswer `json:"answer"`
	Rules         []ReachRule `json:"rules"` // allow rules: first those that may, in the order of judgement; at most MaxReachRules
	Total         int         `json:"total"` // all allow rules
	PolicyVersion int64       `json:"policyVersion"`
}

// MaxReachRules is how many rules a Reach lists.
const MaxReachRules = 200

// ReachRule says whether one allow rule may ever allow such calls.
type ReachRule struct {
	RuleID  RuleID      `json:"ruleId"`
	Answer  ReachAnswer `json:"answer"`
	Code    ReachCode   `json:"code"`
	Params  Params      `json:"params"`
	By      *RuleID     `json:"by"`      // the rule that the code is about, where it is another
	Message string      `json:"message"` // the code in English
	Example *Example    `json:"example"` // a call that the rules allow by this rule, made up; it is there where the answer is yes
}

// ReachAnswer is what is known.
type ReachAnswer string

// Answers.
const (
	ReachYes       ReachAnswer = "yes"       // there is such a call: Example
	ReachNo        ReachAnswer = "no"        // there is none, whatever its input
	ReachUndecided ReachAnswer = "undecided" // that could not be told
)

// ReachCode is why.
type ReachCode string

// Codes of a Reach.
const (
	ReachAllows        ReachCode = "allows"
	ReachDisabled      ReachCode = "disabled"
	ReachExpired       ReachCode = "expired"
	ReachOtherMethod   ReachCode = "other_method"
	ReachOtherServer   ReachCode = "other_server"
	ReachOtherTool     ReachCode = "other_tool"
	ReachBadName       ReachCode = "bad_name"
	ReachEarlierRule   ReachCode = "earlier_rule"    // by decides all such calls that its condition is true of
	ReachNeverTrue     ReachCode = "condition_false" // for all such calls
	ReachNothingLeft   ReachCode = "nothing_left"    // earlier rules decide all such calls that its condition is true of
	ReachOtherPart     ReachCode = "other_part"      // name: no rule allows this part of the line
	ReachDoubtfulPart  ReachCode = "condition"       // part: of the condition of by, or of its own, which could not be told
	ReachAllowedBefore ReachCode = "allowed_before"  // by allows such calls, unless its condition fails
	ReachNoExample     ReachCode = "no_example"      // nothing is against it, and no example was found
	ReachTooManyChoice ReachCode = "too_many"        // cases
)

// Narrower says whether an edit of the rules allows nothing that was not allowed before.
type Narrower struct {
	Answer  ReachAnswer `json:"answer"`
	RuleID  *RuleID     `json:"ruleId"`  // the allow rule for which it is not so, or is not known
	Part    string      `json:"part"`    // of a condition that could not be told, or empty
	Example *Example    `json:"example"` // a call that is newly allowed, made up; it is there where the answer is no
}
