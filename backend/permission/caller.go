package permission

// Caller is who asks: an agent, in a stretch of its work. It is one value from the door to
// the judge and in the call.
type Caller struct {
	SessionID SessionID `json:"sessionId"`
	AgentID   AgentID   `json:"agentId"`
	AgentName string    `json:"agentName"`
	// Subagent is the kind of helper that the agent's program gave the work to, as the program
	// calls it; nil is the agent itself.
	Subagent *string `json:"agentSubagent"`
	// Standing is the role of the agent, or of the session where the desk made that, when it is
	// judged: an agent never names its own.
	Standing Standing `json:"-"`
}
