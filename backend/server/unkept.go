package server

import (
	"context"
	"errors"
	"strings"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
	"sekisho/backend/projects"
)

// unkept are the calls of a desk as REST asks for them, without the arguments that no row may have: an
// agent may ask there for a tool of coordination.
type unkept struct{ userCalls }

// Ask asks for a call without its secrets.
func (d unkept) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (permission.Call, bool, error) {
	if r.ServerID != nil && *r.ServerID == permission.CoordinationServer && len(r.Input) > 0 {
		rest, _, err := coordination.Strip(r.Input)
		var e *permission.Error
		switch {
		case err == nil:
			r.Input = rest
		case errors.As(err, &e):
			return permission.Call{}, false, e.At("input." + e.Field)
		} // else it is no object, which the desk says
	}
	return d.userCalls.Ask(ctx, agent, r)
}

// Finish takes what an agent reports of a call that it claimed, and not of one that an executor runs: the
// agent reads the claim of its call, and did not make it.
func (d unkept) Finish(ctx context.Context, agent permission.Agent, id permission.CallID,
	out permission.Outcome) (permission.Call, error) {
	c, err := d.Call(ctx, permission.Party{Agent: &agent}, id)
	if err != nil {
		return c, err
	}
	if projects.ByExecutor(&c) {
		return c, &permission.Error{Code: permission.CodeResultConflict, Call: &c,
			Message: "an executor has claimed the call, and reports its result: the call is " + string(c.Status)}
	}
	return d.userCalls.Finish(ctx, agent, id, out)
}

// Claim gives an agent the right to execute its call, under a key that is not an executor's.
func (d unkept) Claim(ctx context.Context, agent permission.Agent, id permission.CallID,
	r permission.ClaimRequest) (permission.Call, error) {
	if strings.HasPrefix(r.Key, permission.ExecutorClaims) {
		return permission.Call{}, permission.Invalid("claimKey", permission.FieldIDReserved, "keys that begin so are of executors")
	}
	return d.userCalls.Claim(ctx, agent, id, r)
}
