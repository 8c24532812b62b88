package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// The roles, as the OpenAPI document names its security schemes.
const (
	roleAgent    = "agent"
	roleOperator = "operator"
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

// authenticate finds out who is asking.
func (h *Handler) authenticate(r *http.Request) (caller, *problem) {
	token, ok := bearer(r)
	if !ok {
		return caller{}, unauthorized()
	}
	if h.isOperator(token) {
		return caller{token: token, base: baseURL(r), face: h.opts.Operator.face(token)}, nil
	}
	agent, err := h.desk.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, permission.NotFound("")):
		return caller{}, unauthorized()
	case err != nil:
		return caller{}, h.problemOf(r.Context(), "authenticate", err)
	}
	return caller{Party: permission.Party{Agent: &agent}, token: token, base: baseURL(r)}, nil
}

func (h *Handler) isOperator(token string) bool {
	return h.opts.Operator != nil && h.opts.Operator.knows(token, h.opts.Now())
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

// admission is the place of a request for the gateway in its agent's lane.
type admission struct {
	door  *Handler
	who   laneKey
	leave func() // gives back what its bytes take
}

type admissionKey struct{}

// AdmitFrom waits until an agent's message over MCP, whose body was read, may be parsed;
// leave gives all back that it takes of the agent's lane. False is too much at once.
func AdmitFrom(r *http.Request, members int) (leave func(), ok bool) {
	a, within := r.Context().Value(admissionKey{}).(admission)
	if !within {
		return func() {}, true
	}
	parsed, p := a.door.takeParsing(r.Context(), a.who, members)
	if p != nil {
		return nil, false
	}
	return func() {
		parsed()
		a.leave()
	}, true
}

// serveGateway lets agents through to the MCP gateway. A message has its turns until it
// is parsed: a call may wait for long.
func (h *Handler) serveGateway(w http.ResponseWriter, r *http.Request) {
	c, p := h.authenticate(r)
	if p == nil && c.IsOperator() {
		p = forbidden(c, &huma.Operation{})
	}
	if p != nil {
		p.write(w)
		return
	}
	leave := func() {}
	if r.ContentLength != 0 {
		if leave, p = h.takeReading(r, c.laneOf(), weightOf(r)); p != nil {
			p.write(w)
			return
		}
		defer leave()
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a stream lasts as long as its caller
	ctx := context.WithValue(r.Context(), callerKey{}, c)
	r = r.WithContext(context.WithValue(ctx, admissionKey{}, admission{h, c.laneOf(), leave}))
	if r.ContentLength != 0 {
		r.Body = pace(w, r.Body)
	}
	h.opts.Gateway.ServeHTTP(w, r)
}
