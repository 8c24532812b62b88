// Package opa is the dialect of OPA's data API in which programs ask what would happen to a
// call: that of opaPolicy and opaCapabilityMiddleware of @ai-sdk/policy-opa.
package opa

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Judge says what would happen to calls.
type Judge interface {
	// Check refuses what of a question is too long.
	Check(q permission.Query) error
	// Judge judges for the caller of a request.
	Judge(ctx context.Context, q permission.Query) (permission.Verdict, error)
	// Known are the tools that rules name exactly for a server or none, and those that the
	// server was last seen to offer.
	Known(ctx context.Context, server *string) ([]string, error)
}

// rows are those of the dialect.
type rows struct{ judge Judge }

// Add adds the rows of the dialect.
func Add(a *restwire.API, j Judge) {
	h := rows{j}
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/data/sekisho/decision", ID: "opaDecision", Who: restwire.Both, AnyQuery: true,
		Reads:   restwire.Reads{"input": {"tool": nil, "args": nil, "serverId": nil, "sessionId": nil, "cwd": nil}},
		Summary: "Say what would happen to a call, in the dialect of OPA's data API",
		About: "For opaPolicy of @ai-sdk/policy-opa, with the path sekisho/decision. input.tool.name is the tool and input.args its input, {} when left out. " +
			"input.tool.serverId or input.serverId, input.sessionId and input.cwd are taken when they are there; a call without a server is of the agent's own program. All else is passed over, as are OPA's query parameters: it is any JSON, of any depth and with halves of surrogate pairs, such as a history cut in the middle of an emoji has. " +
			"Pure, as evaluate. An answer of 200 always has a result.",
	}, h.decide)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/data/sekisho/tools", ID: "opaTools", Who: restwire.Both, AnyQuery: true,
		Reads: restwire.Reads{"input": {"tools": nil, "providerOptions": {"sekisho": {"tools": nil}},
			"serverId": nil, "sessionId": nil, "cwd": nil}},
		Summary: "List the tools that are not denied whatever their input, in the dialect of OPA's data API",
		About: "For opaCapabilityMiddleware of @ai-sdk/policy-opa, with the path sekisho/tools. The tools are named by input.tools, else by input.providerOptions.sekisho.tools: " +
			"a list of names or of objects with a name, or an object with names as its keys. Where neither is there: those that rules name exactly, and those that the server input.serverId is known to offer. All else is passed over. " +
			"A listed tool is judged again when it is called.",
	}, h.list)
}

// question is a request of either row: an object whose input is an object. What else
// they hold is passed over, as OPA does.
type question struct{ Body restwire.Part[openInput] }

type opaDecisionOut struct {
	Body struct {
		Result opaResult `json:"result"`
	}
}

type opaResult struct {
	Decision string `json:"decision" enum:"allow,deny,requires-approval"`
	Reason   string `json:"reason"`
}

func (h rows) decide(ctx context.Context, in *question) (*opaDecisionOut, error) {
	input, q, err := read(in)
	if err != nil {
		return nil, err
	}
	named, err := input.object("tool")
	if err != nil {
		return nil, err
	}
	t, err := named.tool(q.ServerID)
	if err != nil {
		return nil, err
	}
	q.Input = input.members["args"]
	v, err := h.verdict(ctx, q, t)
	out := &opaDecisionOut{}
	out.Body.Result = opaResult{word(v.Decision), v.Reason}
	return out, err
}

// verdict judges a call of a tool.
func (h rows) verdict(ctx context.Context, q permission.Query, t tool) (permission.Verdict, error) {
	q.ServerID, q.ToolName = t.server, t.name
	if err := t.place(h.judge.Check(q)); err != nil {
		return permission.Verdict{}, err
	}
	return h.judge.Judge(ctx, q)
}

// word is the dialect's word for an effect. What is none of ours is denied.
func word(e permission.Effect) string {
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

func (h rows) list(ctx context.Context, in *question) (*opaToolsOut, error) {
	input, q, err := read(in)
	if err != nil {
		return nil, err
	}
	tools, err := h.named(ctx, input, q.ServerID)
	if err != nil {
		return nil, err
	}
	out := &opaToolsOut{}
	out.Body.Result = []string{}
	for _, t := range tools {
		v, err := h.verdict(ctx, q, t)
		if err != nil {
			return nil, err
		}
		denied := v.Decision == permission.Deny && !v.Conditional // whatever the input
		if !denied && !slices.Contains(out.Body.Result, t.name) {
			out.Body.Result = append(out.Body.Result, t.name)
		}
	}
	return out, nil
}
