package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *Handler) addAgents() {
	register(h, row{method: http.MethodPost, path: "/v1/agents", id: "createAgent", who: operators(), status: http.StatusCreated,
		summary: "Make an agent and its token", about: "The token is shown this once and kept as a hash."}, h.createAgent)
	register(h, row{method: http.MethodGet, path: "/v1/agents", id: "listAgents", who: operators(),
		summary: "List the agents, oldest first, and the ids of those that were removed"}, h.listAgents)
	register(h, row{method: http.MethodDelete, path: "/v1/agents/{id}", id: "deleteAgent", who: operators(),
		summary: "End an agent: its token is void at once"}, h.deleteAgent)
}

type createAgentIn struct {
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"64"`
	}
}

type createAgentOut struct {
	Body struct {
		Agent permission.Agent `json:"agent"`
		Token string           `json:"token"`
	}
}

func (h *Handler) createAgent(ctx context.Context, in *createAgentIn) (*createAgentOut, error) {
	agent, token, err := h.desk.CreateAgent(ctx, in.Body.Name)
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

func (h *Handler) listAgents(ctx context.Context, _ *struct{}) (*listAgentsOut, error) {
	agents, err := h.desk.Agents(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := h.desk.RemovedAgents(ctx) // second: one that is removed in between is in both
	out := &listAgentsOut{}
	out.Body.Agents, out.Body.Removed = list(agents), list(removed)
	return out, err
}

type agentPath struct {
	ID string `path:"id"`
}

func (h *Handler) deleteAgent(ctx context.Context, in *agentPath) (*struct{}, error) {
	return nil, h.desk.DeleteAgent(ctx, permission.AgentID(in.ID))
}
