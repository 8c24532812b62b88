package rest

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *judgeRows) addOPA(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/data/sekisho/decision", ID: "opaDecision", Who: restwire.Both, AnyQuery: true,
		Reads:   restwire.Reads{"input": {"tool": nil, "args": nil, "serverId": nil, "sessionId": nil, "cwd": nil}},
		Summary: "Say what would happen to a call, in the dialect of OPA's data API",
		About: "For opaPolicy of @ai-sdk/policy-opa, with the path sekisho/decision. input.tool.name is the tool and input.args its input, {} when left out. " +
			"input.tool.serverId or input.serverId, input.sessionId and input.cwd are taken when they are there; a call without a server is of the agent's own program. All else is passed over, as are OPA's query parameters: it is any JSON, of any depth and with halves of surrogate pairs, such as a history cut in the middle of an emoji has. " +
			"Pure, as evaluate. An answer of 200 always has a result.",
	}, h.opaDecision)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/data/sekisho/tools", ID: "opaTools", Who: restwire.Both, AnyQuery: true,
		Reads: restwire.Reads{"input": {"tools": nil, "providerOptions": {"sekisho": {"tools": nil}},
			"serverId": nil, "sessionId": nil, "cwd": nil}},
		Summary: "List the tools that are not denied whatever their input, in the dialect of OPA's data API",
		About: "For opaCapabilityMiddleware of @ai-sdk/policy-opa, with the path sekisho/tools. The tools are named by input.tools, else by input.providerOptions.sekisho.tools: " +
			"a list of names or of objects with a name, or an object with names as its keys. Where neither is there: those that rules name exactly, and those that the server input.serverId is known to offer. All else is passed over. " +
			"A listed tool is judged again when it is called.",
	}, h.opaTools)
}

type opaDecisionOut struct {
	Body struct {
		Result opaResult `json:"result"`
	}
}

type opaResult struct {
	Decision string `json:"decision" enum:"allow,deny,requires-approval"`
	Reason   string `json:"reason"`
}

func (h *judgeRows) opaDecision(ctx context.Context, in *opaIn) (*opaDecisionOut, error) {
	input, err := opaInput(in.Body)
	if err != nil {
		return nil, err
	}
	q, err := input.call()
	if err != nil {
		return nil, err
	}
	v, err := h.opaVerdict(ctx, q)
	out := &opaDecisionOut{}
	out.Body.Result = opaResult{opaWord(v.Decision), v.Reason}
	return out, err
}

// opaVerdict judges for the caller.
func (h *judgeRows) opaVerdict(ctx context.Context, q permission.Query) (permission.Verdict, error) {
	q, err := h.asked(ctx, q)
	if err != nil {
		return permission.Verdict{}, err
	}
	q.Brief = true
	return h.judge.Evaluate(ctx, q)
}

// opaWord is the dialect's word for an effect. What is none of ours is denied.
func opaWord(e permission.Effect) string {
	switch e {
	case permission.Allow:
		return "allow"
	case permission.Ask:
		return "requires-approval"
	}
	return "deny"
}

type opaToolsOut struct {
	Body struct {
		Result []string `json:"result"`
	}
}

func (h *judgeRows) opaTools(ctx context.Context, in *opaIn) (*opaToolsOut, error) {
	input, err := opaInput(in.Body)
	if err != nil {
		return nil, err
	}
	q, err := input.query()
	if err != nil {
		return nil, err
	}
	tools, err := h.opaNamed(ctx, input, q.ServerID)
	if err != nil {
		return nil, err
	}
	out := &opaToolsOut{}
	out.Body.Result = []string{}
	for _, tool := range tools {
		q.ServerID, q.ToolName = tool.server, tool.name
		if err := opaField(checkQuery(q), tool.places); err != nil {
			return nil, err
		}
		v, err := h.opaVerdict(ctx, q)
		if err != nil {
			return nil, err
		}
		denied := v.Decision == permission.Deny && !v.Conditional // whatever the input
		if !denied && !slices.Contains(out.Body.Result, tool.name) {
			out.Body.Result = append(out.Body.Result, tool.name)
		}
	}
	return out, nil
}

// opaTool is a tool that a question names.
type opaTool struct {
	server *string
	name   string
	places map[string]string // where toolName and serverId stand, when it is not below input
}
