package permission

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxNameBytes bounds a pattern and each name in a rule, in bytes.
const MaxNameBytes = 256

var ruleID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Rule is a row of tool_permission_rules (brief 0, section 2; CONTRACT section
// 2). A nil ServerID, ToolName or ToolPattern means "any"; what a nil Method means depends
// on the effect (see For).
type Rule struct {
	ID          RuleID    `json:"id"`
	ServerID    *string   `json:"serverId"`
	Method      *string   `json:"method" enum:"tools/call,resources/read,resources/subscribe,prompts/get"`
	ToolName    *string   `json:"toolName"`
	ToolPattern *string   `json:"toolPattern"`
	AutoApprove bool      `json:"autoApprove"`
	Priority    int64     `json:"priority"`
	CreatedAt   Time      `json:"createdAt"`
	UpdatedAt   Time      `json:"updatedAt"`
	Effect      Effect    `json:"effect"`
	Condition   *string   `json:"condition"`
	Enabled     bool      `json:"enabled"`
	Note        string    `json:"note"`
	ExpiresAt   Time      `json:"expiresAt"`
	Limit       *Limit    `json:"limit"` // of an allow rule; nil is none
	Examples    []Example `json:"examples"`
	Hits        int64     `json:"hits"`
	LastHitAt   Time      `json:"lastHitAt"`
}

// Example is a call and what the rules must decide of it. A rule set that breaks
// an example of one of its rules is not saved.
type Example struct {
	ServerID  *string         `json:"serverId"`
	Method    string          `json:"method,omitempty" enum:"tools/call,resources/read,resources/subscribe,prompts/get"` // left out, it is CallTool
	ToolName  string          `json:"toolName"`
	Input     json.RawMessage `json:"input,omitempty"` // left out, it is {}
	SessionID SessionID       `json:"sessionId,omitempty"`
	AgentID   AgentID         `json:"agentId,omitempty"`
	AgentName string          `json:"agentName,omitempty"`
	Subagent  *string         `json:"agentSubagent,omitempty"`
	Cwd       *string         `json:"cwd,omitempty"`
	Decision  Effect          `json:"decision"`
}

// Bounds of a rule's parts.
const (
	MaxConditionBytes = 4096
	MaxExamples       = 100
	MaxExampleBytes   = 16 << 10 // of one example's input
)

// Valid says what is wrong with a rule as an *Error with Code invalid and the
// field's name, or nil. Everything that writes or loads a rule asks it.
func (r *Rule) Valid() error {
	if !ruleID.MatchString(string(r.ID)) {
		return Invalid("id", FieldIDForm, "an id is 1 to 64 letters, digits, dots, dashes or underscores")
	}
	for _, f := range []struct {
		field string
		value *string
	}{{"serverId", r.ServerID}, {"toolName", r.ToolName}, {"toolPattern", r.ToolPattern}} {
		if err := validName(f.field, f.value); err != nil {
			return err
		}
	}
	if r.Method != nil && !Judged(*r.Method) {
		return Invalid("method", FieldNotOneOf, "a method is "+strings.Join(JudgedMethods[:], ", ")+", or null")
	}
	if r.Priority > math.MaxInt32 || r.Priority < math.MinInt32 {
		return Invalid("priority", FieldOutOfRange, "a priority lies within ±2^31").
			With(Param("least", -1<<31).With(Param("most", 1<<31-1)))
	}
	switch r.Effect {
	case Allow, Ask, Deny:
	default:
		return Invalid("effect", FieldNotOneOf, "an effect is allow, ask or deny")
	}
	if r.AutoApprove != (r.Effect == Allow) {
		return Invalid("autoApprove", FieldEffectDisagrees, "autoApprove and effect disagree")
	}
	if c := r.Condition; c != nil {
		switch {
		case *c == "":
			return Invalid("condition", FieldEmpty, "empty: use null for none")
		case len(*c) > MaxConditionBytes:
			return Invalid("condition", FieldTooLong, fmt.Sprintf("longer than %d bytes", MaxConditionBytes)).With(Param("most", MaxConditionBytes))
		case !utf8.ValidString(*c):
			return Invalid("condition", FieldNotUTF8, "not valid UTF-8")
		}
	}
	if r.Limit != nil && r.Effect != Allow {
		return Invalid("limit", FieldLimitEffect, "only an allow rule has a limit")
	}
	if err := r.Limit.valid("limit", MaxLimitCalls, MaxLimitSeconds); err != nil {
		return err
	}
	return validExamples(r.Examples)
}

func validExamples(examples []Example) error {
	if len(examples) > MaxExamples {
		return Invalid("examples", FieldTooMany, fmt.Sprintf("more than %d examples", MaxExamples)).With(Param("most", MaxExamples))
	}
	for i, e := range examples {
		field := fmt.Sprintf("examples[%d].", i)
		switch e.Decision {
		case Allow, Ask, Deny:
		default:
			return Invalid(field+"decision", FieldNotOneOf, "a decision is allow, ask or deny")
		}
		if e.Method != "" && !Judged(e.Method) {
			return Invalid(field+"method", FieldNotOneOf, "a method is "+strings.Join(JudgedMethods[:], ", "))
		}
		if len(e.Input) > MaxExampleBytes {
			return Invalid(field+"input", FieldTooLong, fmt.Sprintf("longer than %d bytes", MaxExampleBytes)).With(Param("most", MaxExampleBytes))
		}
	}
	return nil
}

func validName(field string, s *string) error {
	switch {
	case s == nil:
		return nil
	case *s == "":
		return Invalid(field, FieldEmpty, "empty: use null for any")
	case len(*s) > MaxNameBytes:
		return Invalid(field, FieldTooLong, fmt.Sprintf("longer than %d bytes", MaxNameBytes)).With(Param("most", MaxNameBytes))
	case !utf8.ValidString(*s):
		return Invalid(field, FieldNotUTF8, "not valid UTF-8")
	}
	return nil
}

// RuleForm is what a person may say of a rule, new or changed. Fill it from a
// rule (Form), lay the changes over it, and Apply it.
type RuleForm struct {
	ID          *RuleID   `json:"id,omitempty"`
	ServerID    *string   `json:"serverId"`
	Method      *string   `json:"method" enum:"tools/call,resources/read,resources/subscribe,prompts/get"`
	ToolName    *string   `json:"toolName"`
	ToolPattern *string   `json:"toolPattern"`
	AutoApprove *bool     `json:"autoApprove,omitempty"`
	Effect      *Effect   `json:"effect,omitempty"`
	Priority    int64     `json:"priority"`
	Condition   *string   `json:"condition"`
	Enabled     bool      `json:"enabled"`
	Note        string    `json:"note"`
	ExpiresAt   Time      `json:"expiresAt"`
	Limit       *Limit    `json:"limit"`
	Examples    []Example `json:"examples,omitempty"`
	CreatedAt   Time      `json:"createdAt,omitempty"` // of a new rule; none is now
}

// NewRuleForm is the form of an empty new rule: enabled, priority 0, asking.
func NewRuleForm() RuleForm { return RuleForm{Enabled: true} }

// Form is the form that Apply would turn into r. AutoApprove, Effect and CreatedAt
// are left out, so that only a change of them speaks.
func (r *Rule) Form() RuleForm {
	return RuleForm{ServerID: r.ServerID, Method: r.Method, ToolName: r.ToolName, ToolPattern: r.ToolPattern,
		Priority: r.Priority, Condition: r.Condition, Enabled: r.Enabled, Note: r.Note,
		ExpiresAt: r.ExpiresAt, Limit: r.Limit, Examples: r.Examples}
}

// Apply lays the form over r, settles autoApprove against effect (CONTRACT
// section 2: autoApprove alone means allow or ask, and autoApprove false leaves
// deny as it is) and validates the outcome. A createdAt that the form has is taken;
// the id, the other times and the hits are the caller's business.
func (f *RuleForm) Apply(r Rule) (Rule, error) {
	r.ServerID, r.Method, r.ToolName, r.ToolPattern = f.ServerID, f.Method, f.ToolName, f.ToolPattern
	r.Priority, r.Condition, r.Enabled = f.Priority, f.Condition, f.Enabled
	r.Note, r.ExpiresAt, r.Limit, r.Examples = f.Note, f.ExpiresAt, f.Limit, f.Examples
	if r.Examples == nil {
		r.Examples = []Example{}
	}
	if !f.CreatedAt.IsZero() {
		r.CreatedAt = f.CreatedAt
	}
	switch {
	case f.Effect != nil:
		r.Effect = *f.Effect
		if f.AutoApprove != nil && *f.AutoApprove != (r.Effect == Allow) {
			return r, Invalid("autoApprove", FieldEffectDisagrees, "autoApprove and effect disagree")
		}
	case f.AutoApprove != nil && *f.AutoApprove:
		r.Effect = Allow
	case f.AutoApprove != nil && r.Effect != Deny:
		r.Effect = Ask
	case r.Effect == "":
		r.Effect = Ask
	}
	r.AutoApprove = r.Effect == Allow
	if len(r.Note) > 4096 {
		return r, Invalid("note", FieldTooLong, "longer than 4096 bytes")
	}
	return r, r.Valid()
}

// UnmarshalJSON reads a rule as CONTRACT section 2 writes it: autoApprove and
// effect may each stand for the other, and enabled is true when left out. It
// refuses what Valid refuses.
func (r *Rule) UnmarshalJSON(b []byte) error {
	f := NewRuleForm()
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	var kept struct {
		UpdatedAt Time  `json:"updatedAt"`
		Hits      int64 `json:"hits"`
		LastHitAt Time  `json:"lastHitAt"`
	}
	if err := json.Unmarshal(b, &kept); err != nil {
		return err
	}
	base := Rule{UpdatedAt: kept.UpdatedAt, Hits: kept.Hits, LastHitAt: kept.LastHitAt}
	if f.ID != nil {
		base.ID = *f.ID
	}
	out, err := f.Apply(base)
	if err != nil {
		return err
	}
	*r = out
	return nil
}

// DamagedRule is a stored row that is no valid rule. It never allows. Guard says
// that it may have been meant to ask or deny: then nothing is allowed without it.
type DamagedRule struct {
	ID    RuleID // "" where that is damaged too
	Row   string // its id and what is wrong, in a person's words
	Guard bool
}

// RuleChange is one edit of the rule set, in one transaction: Delete, then Put.
// Replace deletes every rule first. Put keeps the hits of a rule that stays.
type RuleChange struct {
	Replace bool
	Delete  []RuleID
	Put     []Rule
	Entry   Entry
}

// For reports whether a rule is about a method: the one that it names, or, where it names
// none, every one in a deny rule and that of a tool call in an ask or allow rule.
func (r *Rule) For(method string) bool {
	switch {
	case r.Method != nil:
		return *r.Method == method || *r.Method == CallTool && method == ""
	case r.Effect == Deny:
		return true
	}
	return AboutTool(method)
}
