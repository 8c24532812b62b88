package permission

import "time"

// StopFor is how long the calls of an agent are refused that a person stopped.
const StopFor = 15 * time.Minute

// Stop is a person's stop of an agent. What the agent has asked for and nobody executes yet is
// settled by the decision, and the grants and remembered declines of its sessions are forgotten.
type Stop struct {
	Agent    AgentID
	Until    Time
	Decision Decision
	Entry    Entry
}

// NewStop stops an agent at a time.
func NewStop(agent AgentID, at Time) Stop {
	until := at.Add(StopFor)
	return Stop{Agent: agent, Until: until, Decision: *StopDecision(at, until),
		Entry: Entry{At: at, Kind: AgentsChanged, Actor: ActorPerson,
			Data: Data(map[string]any{"what": "stopped", "agentId": agent, "until": until})}}
}

// StopDecision is the decision about a call of an agent that is stopped until a time.
func StopDecision(at, until Time) *Decision {
	return &Decision{By: ByPerson, Scope: ScopeOnce, DecidedAt: at,
		Explanation: Explanation{Code: ReasonAgentStopped, Params: Param("until", until), Reason: "a person stopped this agent"}}
}

// Stopped is what a stop has done.
type Stopped struct {
	Agent       Agent `json:"agent"`
	Declined    int   `json:"declined" doc:"calls that waited"`
	Revoked     int   `json:"revoked" doc:"calls that were approved, and that nobody had claimed"`
	GrantsEnded int   `json:"grantsEnded"`
}

// ByStop reports whether a call was refused because a person stopped its agent.
func (c *Call) ByStop() bool { return c.Decision != nil && c.Decision.Code == ReasonAgentStopped }
