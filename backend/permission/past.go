package permission

import "encoding/json"

// PastCall is a call that was made before, with what became of it: what rules are proposed
// from.
type PastCall struct {
	ID       CallID
	ServerID *string
	Method   string // "" is a tool call
	ToolName string
	Input    json.RawMessage // nil: it is not known, as after a wipe
	Cwd      *string
	AgentID  AgentID
	At       Time
	Risk     Risk
	Answer   PastAnswer
}

// PastAnswer says how a past call was answered.
type PastAnswer string

// The answers.
const (
	AnswerApproved PastAnswer = "approved" // by a person
	AnswerDeclined PastAnswer = "declined" // by a person
	AnswerAllowed  PastAnswer = "allowed"  // unasked, or by an earlier answer
	AnswerOther    PastAnswer = "other"    // denied, expired, cancelled, or still open
)

// Matches are the past calls that a rule would have matched by itself.
type Matches struct {
	Calls    int  `json:"calls"`
	Approved int  `json:"approved" doc:"by a person"`
	Declined int  `json:"declined" doc:"by a person"`
	Allowed  int  `json:"allowed" doc:"unasked, or by an earlier answer"`
	Other    int  `json:"other" doc:"denied, expired, cancelled, or still open"`
	MaxRisk  Risk `json:"maxRisk" enum:"low,medium,high" doc:"the highest risk among them; low where there are none"`
	First    Time `json:"first" doc:"when the first of them was made; null where there are none"`
	Last     Time `json:"last"`
}

// Add counts one more call.
func (m *Matches) Add(c *PastCall) {
	if m.Calls++; m.Calls == 1 {
		m.First, m.Last = c.At, c.At
	}
	m.First, m.Last = min(m.First, c.At), max(m.Last, c.At)
	switch c.Answer {
	case AnswerApproved:
		m.Approved++
	case AnswerDeclined:
		m.Declined++
	case AnswerAllowed:
		m.Allowed++
	default:
		m.Other++
	}
	if m.MaxRisk == "" || c.Risk.Rank() > m.MaxRisk.Rank() {
		m.MaxRisk = c.Risk
	}
}

// Choices are allow rules that may be made for a call, from the narrowest to the widest.
type Choices struct {
	Rules   []RuleForm `json:"rules"`
	Choices []Choice   `json:"choices" doc:"of each rule, in their order"`
}

// Choice says what a rule that may be made reaches, and what it would have matched.
type Choice struct {
	Covers Coverage `json:"covers"`
	Past   Matches  `json:"past"`
	First  bool     `json:"first" doc:"of one of them: it is the one to offer first"`
}
