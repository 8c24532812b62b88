package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"sekisho/backend/permission"
)

type evaluateIn struct {
	Body struct {
		ServerID  *string         `json:"serverId,omitempty" nullable:"true"`
		ToolName  string          `json:"toolName"`
		Input     json.RawMessage `json:"input,omitempty" doc:"any JSON; left out, it is {}"`
		SessionID string          `json:"sessionId,omitempty"`
		AgentID   string          `json:"agentId,omitempty"`
		Cwd       *string         `json:"cwd,omitempty" nullable:"true"`
	}
}

type evaluateOut struct{ Body permission.Verdict }

func (h *Handler) addJudge() {
	register(h, row{
		method: http.MethodPost, path: "/v1/evaluate", id: "evaluate", who: both(),
		summary: "Say what would happen to a call, and why",
		about:   "Pure: nothing is kept, and nobody is asked. The same code judges real calls.",
	}, h.evaluate)
}

func (h *Handler) evaluate(ctx context.Context, in *evaluateIn) (*evaluateOut, error) {
	q := permission.Query{ServerID: in.Body.ServerID, ToolName: in.Body.ToolName, Input: in.Body.Input}
	if err := checkTool(q.ServerID, q.ToolName); err != nil {
		return nil, err
	}
	v, err := h.desk.Evaluate(ctx, q)
	v.RiskReasons, v.Trace = list(v.RiskReasons), list(v.Trace)
	return &evaluateOut{v}, err
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
