package server

import (
	"context"
	"errors"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
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
