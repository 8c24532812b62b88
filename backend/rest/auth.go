package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// maxToken bounds what is looked up as a token, in bytes.
const maxToken = 512

// caller is who sent a request, the token that said so, the URL by which it knows
// the desk, and the page that a person has before them, where it is one of ours.
type caller struct {
	permission.Party
	token string
	base  string
	face  face
}

func (c caller) role() string {
	if c.IsOperator() {
		return roleOperator
	}
	return roleAgent
}

type callerKey struct{}

// callerOf gives the caller of an authenticated request.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// agentOf gives the agent that a row for agents alone was called by.
func agentOf(ctx context.Context) permission.Agent {
	if a := callerOf(ctx).Agent; a != nil {
		return *a
	}
	return permission.Agent{}
}

// AgentFrom gives the agent that sent a request, to the handler behind /mcp.
func AgentFrom(r *http.Request) (permission.Agent, bool) {
	c, ok := r.Context().Value(callerKey{}).(caller)
	if !ok || c.Agent == nil {
		return permission.Agent{}, false
	}
	return *c.Agent, true
}

// bearer gives the token of the Authorization header, the only place where one
// is taken from: a URL ends up in logs and histories.
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != "" && len(token) <= maxToken
}

// gate lets requests in: their turn, and who sends them.
type gate struct {
	agents   Agents
	operator *Operator
	lanes    *lanes
	now      func() time.Time
	log      *slog.Logger
}

// authenticate finds out who is asking.
func (g *gate) authenticate(r *http.Request) (caller, *problem) {
	token, ok := bearer(r)
	if !ok {
		return caller{}, unauthorized()
	}
	if g.isOperator(token) {
		return caller{token: token, base: baseURL(r), face: g.operator.face(token)}, nil
	}
	agent, err := g.agents.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, permission.NotFound("")):
		return caller{}, unauthorized()
	case err != nil:
		return caller{}, problemOf(r.Context(), g.log, "authenticate", err)
	}
	return caller{Party: permission.Party{Agent: &agent}, token: token, base: baseURL(r)}, nil
}

func (g *gate) isOperator(token string) bool {
	return g.operator != nil && g.operator.knows(token, g.now())
}

func unauthorized() *problem {
	return refuse(http.StatusUnauthorized, codeUnauthorized, "a valid bearer token is needed")
}

// admits reports whether a row is open to a role. What a row says to its readers
// in the OpenAPI document is what it enforces.
func admits(op *huma.Operation, role string) bool {
	for _, requirement := range op.Security {
		if _, ok := requirement[role]; ok {
			return true
		}
	}
	return false
}

// forbidden tells a caller that a row is not for its role.
func forbidden(c caller, op *huma.Operation) *problem {
	if c.IsOperator() {
		return refuse(http.StatusForbidden, permission.CodeForbidden, "only an agent can do this")
	}
	code, _ := op.Metadata[metaForbidden].(permission.Code)
	if code == permission.CodeSelfApproval {
		return refuse(http.StatusForbidden, code, "an agent cannot decide: a person does")
	}
	return refuse(http.StatusForbidden, permission.CodeForbidden, "only a person at the desk can do this")
}

// laneOf gives the lane of an authenticated request.
func (c caller) laneOf() laneKey {
	if c.IsOperator() {
		return laneKey{}
	}
	return laneOf(c.token)
}
