package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Agents makes, shows and ends agents, finds the agent of a token (NotFound when there is
// none), and proves for a token that this is its desk.
type Agents interface {
	CreateAgentOf(ctx context.Context, name, user string) (agent permission.Agent, token string, err error)
	Agents(ctx context.Context) ([]permission.Agent, error)
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	DeleteAgent(ctx context.Context, id permission.AgentID) error
	Authenticate(ctx context.Context, token string) (permission.Agent, error)
	Prove(ctx context.Context, key, nonce, address string) (proof string, err error)
}

// nameOf gives the name of an agent; none has an unknown one.
func nameOf(ctx context.Context, all Agents, id permission.AgentID) (string, error) {
	agents, err := all.Agents(ctx)
	i := slices.IndexFunc(agents, func(a permission.Agent) bool { return a.ID == id })
	if err != nil || i < 0 {
		return "", err
	}
	return agents[i].Name, nil
}

// agentRows are those of agents, logins and proofs.
type agentRows struct {
	agents   Agents
	stops    Stops
	operator *Operator
	address  string
	now      func() time.Time
}

func (h *agentRows) addAgents(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/agents", ID: "createAgent", Who: restwire.Operators, Status: http.StatusCreated,
		Summary: "Make an agent and its token", About: "The token is shown this once and kept as a hash."}, h.createAgent)
	restwire.Register(a, restwire.Row{Route: "GET /v1/agents", ID: "listAgents", Who: restwire.Operators,
		Summary: "List the agents, oldest first, and the ids of those that were removed"}, h.listAgents)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/agents/{id}", ID: "deleteAgent", Who: restwire.Operators,
		Summary: "End an agent: its token is void at once"}, h.deleteAgent)
}

type createAgentIn struct {
	Body struct {
		Name   string `json:"name" minLength:"1" maxLength:"64"`
		UserID string `json:"userId,omitempty" maxLength:"256" doc:"whom it works for: which workspaces it sees follows from that; left out, it is its own user"`
	}
}

type createAgentOut struct {
	Body struct {
		Agent permission.Agent `json:"agent"`
		Token string           `json:"token"`
	}
}

func (h *agentRows) createAgent(ctx context.Context, in *createAgentIn) (*createAgentOut, error) {
	agent, token, err := h.agents.CreateAgentOf(ctx, in.Body.Name, in.Body.UserID)
	out := &createAgentOut{}
	out.Body.Agent, out.Body.Token = agent, token
	return out, err
}

type listAgentsOut struct {
	Body struct {
		Agents  []permission.Agent   `json:"agents"`
		Removed []permission.AgentID `json:"removed" doc:"the ids of all agents that the desk had and has no more: with those of agents they tell this desk from others, also when all its agents are new"`
	}
}

func (h *agentRows) listAgents(ctx context.Context, _ *struct{}) (*listAgentsOut, error) {
	agents, err := h.agents.Agents(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := h.agents.RemovedAgents(ctx) // second: one that is removed in between is in both
	out := &listAgentsOut{}
	out.Body.Agents, out.Body.Removed = list(agents), list(removed)
	return out, err
}

func (h *agentRows) deleteAgent(ctx context.Context, in *byID) (*struct{}, error) {
	return nil, h.agents.DeleteAgent(ctx, permission.AgentID(in.ID))
}
