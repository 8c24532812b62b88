package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Stops stops an agent for a while, and lets it go on.
type Stops interface {
	StopAgent(ctx context.Context, id permission.AgentID) (permission.Stopped, error)
	ResumeAgent(ctx context.Context, id permission.AgentID) (permission.Agent, error)
}

func (h *agentRows) addStops(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/agents/{id}/stop", ID: "stopAgent", Who: restwire.Operators,
		Summary: "Stop an agent for 15 minutes",
		About: "In one transaction its waiting calls are declined, calls that were approved and that nobody has claimed are revoked, and the grants and remembered declines of its sessions end. " +
			"Until stoppedUntil its later calls are declined before any rule is looked at, with agent_stopped as the reason and by person. Its programs that follow /v1/events hear agent.stopped, " +
			"and end what they do, where they can. A call that was claimed runs to its end. Once more the 15 minutes begin anew. The body may be left out.",
	}, h.stopAgent)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/agents/{id}/resume", ID: "resumeAgent", Who: restwire.Operators,
		Summary: "Let a stopped agent go on",
		About:   "What was declined, revoked or ended stays so. Of an agent that is not stopped nothing changes. The body may be left out.",
	}, h.resumeAgent)
}

// agentIn names an agent, of which there is no more to say.
type agentIn struct {
	ID   string   `path:"id" maxLength:"256"`
	Body *nothing `nameHint:"Nothing"`
}

type stopAgentOut struct{ Body permission.Stopped }

func (h *agentRows) stopAgent(ctx context.Context, in *agentIn) (*stopAgentOut, error) {
	done, err := h.stops.StopAgent(ctx, permission.AgentID(in.ID))
	return &stopAgentOut{done}, err
}

type resumeAgentOut struct {
	Body struct {
		Agent permission.Agent `json:"agent"`
	}
}

func (h *agentRows) resumeAgent(ctx context.Context, in *agentIn) (*resumeAgentOut, error) {
	agent, err := h.stops.ResumeAgent(ctx, permission.AgentID(in.ID))
	out := &resumeAgentOut{}
	out.Body.Agent = agent
	return out, err
}
