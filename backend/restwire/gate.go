package restwire

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// Authenticator finds the agent of a token: NotFound when there is none.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (permission.Agent, error)
}

// gate lets requests in: their turn, and who sends them.
type gate struct {
	agents    Authenticator
	operator  func(token string) (face string, ok bool)
	executors func(token string) (permission.Executor, bool)
	lanes     *Lanes
	log       *slog.Logger
}

// authenticate finds out who is asking.
func (g *gate) authenticate(r *http.Request) (Caller, *Problem) {
	token, ok := bearer(r)
	if !ok {
		return Caller{}, Unauthorized()
	}
	c := Caller{Token: token, Base: baseURL(r)}
	if c.Face, ok = g.operator(token); ok {
		return c, nil
	}
	if e, ok := g.executors(token); ok {
		c.Executor, c.Agent = &e, &permission.Agent{} // which sees nothing
		return c, nil
	}
	agent, err := g.agents.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, permission.NotFound("")):
		return Caller{}, Unauthorized()
	case err != nil:
		return Caller{}, problemOf(r.Context(), g.log, "authenticate", err)
	}
	c.Agent = &agent
	return c, nil
}

// takeTurn holds a request with an agent's token back until there is room for it,
// before anything is looked up for it and its body is read. What leave gives back,
// it gives back once.
func (g *gate) takeTurn(r *http.Request, op *huma.Operation) (leave func(), p *Problem) {
	token, ok := bearer(r)
	if !ok || op != nil && len(op.Security) == 0 {
		return func() {}, nil
	}
	if _, person := g.operator(token); person {
		return func() {}, nil
	}
	weight := 1
	if op != nil && op.RequestBody != nil {
		weight = weightOf(r)
	}
	return g.lanes.takeReading(r, laneOf(token), weight)
}

// admits reports whether a row is open to a role. What a row says to its readers
// in the OpenAPI document is what it enforces.
func admits(op *huma.Operation, role Who) bool {
	for _, requirement := range op.Security {
		if _, ok := requirement[string(role)]; ok {
			return true
		}
	}
	return false
}

// forbidden tells a caller that a row is not for its role; code is the row's own.
func forbidden(c Caller, code permission.Code) *Problem {
	switch {
	case c.Executor != nil:
		return Refuse(http.StatusForbidden, permission.CodeForbidden, "an executor runs what was approved, and does nothing else")
	case c.IsOperator():
		return Refuse(http.StatusForbidden, permission.CodeForbidden, "only an agent can do this")
	case code == permission.CodeSelfApproval:
		return Refuse(http.StatusForbidden, code, "an agent cannot decide: a person does")
	}
	return Refuse(http.StatusForbidden, permission.CodeForbidden, "only a person at the desk can do this")
}
