package permission

// Caller is who asks: an agent, in a stretch of its work. It goes to the judge as one value.
type Caller struct {
	SessionID SessionID `json:"sessionId"`
	AgentID   AgentID   `json:"agentId"`
	AgentName string    `json:"agentName"`
}

// Caller is who asked for the call.
func (c *Call) Caller() Caller { return Caller{c.SessionID, c.AgentID, c.AgentName} }

// Caller is who would ask.
func (q *Query) Caller() Caller { return Caller{q.SessionID, q.AgentID, q.AgentName} }
