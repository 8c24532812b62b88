package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *callRows) addLook(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/calls/{id}/look", ID: "lookAtCall", Who: restwire.Operators,
		Summary: "Say what a call would do, as a person reads it best",
		About: "A file that it writes as the difference to the one on the disk of the desk, as that is now; a command in its parts, whose texts are together the command; " +
			"and how the input differs from that of the last like call that a person approved. Each is null where it does not apply, and where something cannot be told the answer says so. " +
			"A file's version changes when the file does.",
	}, h.lookAtCall)
}

type lookOut struct{ Body permission.Look }

func (h *callRows) lookAtCall(ctx context.Context, in *byID) (*lookOut, error) {
	c, err := h.calls.Call(ctx, restwire.CallerOf(ctx).Party, permission.CallID(in.ID))
	if err != nil {
		return nil, err
	}
	look, err := h.look(ctx, c)
	look.Flags = list(look.Flags)
	return &lookOut{look}, err
}
