package permission

import "time"

// Grant is a remembered answer of scope class or session: what a person said of
// one call, said again of the calls it covers; see Covering. It ends with its session, or
// at ExpiresAt.
type Grant struct {
	ID        GrantID   `json:"id"`
	AgentID   AgentID   `json:"agentId"`
	AgentName string    `json:"agentName"`
	SessionID SessionID `json:"sessionId"`
	Scope     Scope     `json:"scope"`
	ServerID  *string   `json:"serverId"`  // of the answered call; null: a tool of the agent's own
	Class     *Class    `json:"class"`     // null for scope session
	Questions []string  `json:"questions"` // those that the answered call asked
	Approved  bool      `json:"approved"`
	Reason    string    `json:"reason"`
	MaxRisk   Risk      `json:"maxRisk"` // a yes covers no call of higher risk
	CallID    CallID    `json:"callId"`  // the call that was answered
	CreatedAt Time      `json:"createdAt"`
	ExpiresAt Time      `json:"expiresAt"` // null: with the session
	Hits      int64     `json:"hits"`      // calls that it settled
	Covers    Coverage  `json:"covers"`    // what it reaches, to be shown
}

// Until is when a grant ends that holds for some seconds from its answer; 0 is as long as
// its session.
func (g *Grant) Until(seconds float64) Time {
	if seconds <= 0 {
		return 0
	}
	return g.CreatedAt.Add(time.Duration(seconds * float64(time.Second)))
}

// DeclinedTool is a tool that a person declined again and again in an agent's session.
type DeclinedTool struct {
	AgentID   AgentID   `json:"agentId"`
	SessionID SessionID `json:"sessionId"`
	ServerID  *string   `json:"serverId"`
	Method    string    `json:"method" enum:"tools/call,resources/read,resources/subscribe,prompts/get"`
	ToolName  string    `json:"toolName"`
	Count     int64     `json:"count"`
	At        Time      `json:"at"` // of the last decline
}
