package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Judge says what would happen to a call, and to how many that wait a rule
// happens; it keeps nothing.
type Judge interface {
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
	PendingMatches(ctx context.Context, id permission.RuleID) (int, error)
	NewCanary(ctx context.Context, agent permission.Agent) (permission.Canary, error)
}

// judgeRows ask what would happen.
type judgeRows struct {
	judge   Judge
	agents  Agents
	rules   Rules
	servers Servers
	state   func(permission.Server) (state string, tools []string)
}

type evaluateIn struct {
	Body struct {
		ServerID  *string         `json:"serverId,omitempty" nullable:"true"`
		Method    *string         `json:"method,omitempty" nullable:"true" enum:"tools/call,resources/read,resources/subscribe,prompts/get" doc:"of MCP; left out, it is tools/call"`
		ToolName  string          `json:"toolName"`
		Input     json.RawMessage `json:"input,omitempty" doc:"any JSON; left out, it is {}"`
		Envelope  json.RawMessage `json:"envelope,omitempty" doc:"an object: what the server would be sent beside the name and the input; left out, there is none"`
		SessionID *string         `json:"sessionId,omitempty" nullable:"true"`
		AgentID   *string         `json:"agentId,omitempty" nullable:"true" doc:"an agent is itself and can name no other; a person may name any"`
		AgentName *string         `json:"agentName,omitempty" nullable:"true" doc:"left out, the name of the agent that agentId names"`
		Subagent  *string         `json:"agentSubagent,omitempty" nullable:"true" doc:"of which kind the agent's helper is that asks; null is the agent itself"`
		Cwd       *string         `json:"cwd,omitempty" nullable:"true" doc:"at most 4 KiB"`
	}
}

type evaluateOut struct{ Body permission.Verdict }

func (h *judgeRows) addJudge(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/evaluate", ID: "evaluate", Who: restwire.Both,
		Summary: "Say what would happen to a call, and why",
		About:   "Pure: nothing is kept, and nobody is asked. The same code judges real calls.",
	}, h.evaluate)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/canaries", ID: "newCanary", Who: restwire.Agents, Status: http.StatusCreated,
		Summary: "Make a nonce that each call is denied for",
		About: "For a program that proves that this desk is asked before a tool runs: a call whose input holds the nonce is denied (by guard, code canary) " +
			"before rules, hold and grants, and nobody is asked. It ends after 10 minutes, with the desk's process, and when its agent has made 100 later ones.",
	}, h.newCanary)
}

type canaryOut struct{ Body permission.Canary }

func (h *judgeRows) newCanary(ctx context.Context, _ *struct{}) (*canaryOut, error) {
	made, err := h.judge.NewCanary(ctx, *restwire.CallerOf(ctx).Agent)
	return &canaryOut{made}, err
}

func (h *judgeRows) evaluate(ctx context.Context, in *evaluateIn) (*evaluateOut, error) {
	b := &in.Body
	q := permission.Query{
		ServerID: b.ServerID, Method: orEmpty(b.Method), ToolName: b.ToolName, Input: b.Input, Envelope: given(b.Envelope), Cwd: b.Cwd,
		Caller: permission.Caller{SessionID: permission.SessionID(orEmpty(b.SessionID)), AgentID: permission.AgentID(orEmpty(b.AgentID)),
			AgentName: orEmpty(b.AgentName), Subagent: b.Subagent},
	}
	if err := h.Check(q); err != nil {
		return nil, err
	}
	q, err := h.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	v, err := h.judge.Evaluate(ctx, q)
	v.RiskReasons, v.Trace = list(v.RiskReasons), list(v.Trace)
	return &evaluateOut{v}, err
}

// Check refuses names and folders that are too long.
func (h *judgeRows) Check(q permission.Query) error {
	return errors.Join(atMost("toolName", q.ToolName, maxName), atMost("serverId", orEmpty(q.ServerID), maxName),
		atMost("method", q.Method, maxID), atMost("sessionId", string(q.SessionID), maxID), atMost("agentId", string(q.AgentID), maxID),
		atMost("agentName", q.AgentName, maxID), atMost("agentSubagent", orEmpty(q.Subagent), maxID),
		atMost("cwd", orEmpty(q.Cwd), maxCwd))
}

// Judge judges in brief for the caller of a request.
func (h *judgeRows) Judge(ctx context.Context, q permission.Query) (permission.Verdict, error) {
	q, err := h.asked(ctx, q)
	if err != nil {
		return permission.Verdict{}, err
	}
	q.Brief = true
	return h.judge.Evaluate(ctx, q)
}

// Known gives the tools that rules name exactly for a server or none, and those
// that the server was last seen to offer.
func (h *judgeRows) Known(ctx context.Context, server *string) (tools []string, err error) {
	rules, _, err := h.rules.Rules(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		ours := r.ServerID == nil || server != nil && *server == *r.ServerID
		if ours && r.ToolName != nil && r.Enabled {
			tools = append(tools, *r.ToolName)
		}
	}
	if server == nil {
		return tools, nil
	}
	servers, err := h.servers.Servers(ctx)
	for _, s := range servers {
		if s.ID == *server {
			_, offered := h.state(s)
			tools = append(tools, offered...)
		}
	}
	return tools, err
}

// asked fills in who asks. An agent is told of its own lot only: what the rules say
// of another is a person's to know, whether that one exists or not.
func (h *judgeRows) asked(ctx context.Context, q permission.Query) (permission.Query, error) {
	if own := restwire.CallerOf(ctx).Agent; own != nil {
		if q.AgentID != "" && q.AgentID != own.ID || q.AgentName != "" && q.AgentName != own.Name {
			return q, restwire.Refuse(http.StatusForbidden, permission.CodeForbidden, "an agent asks for itself only")
		}
		q.AgentID, q.AgentName, q.Asker = own.ID, own.Name, own
		return q, nil
	}
	if q.AgentID == "" || q.AgentName != "" {
		return q, nil
	}
	var err error
	q.AgentName, err = nameOf(ctx, h.agents, q.AgentID)
	return q, err
}

// given is what a member holds; nil where it holds null.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}
