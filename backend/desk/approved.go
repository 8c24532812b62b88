package desk

import (
	"context"

	"sekisho/backend/permission"
)

// LastApproved gives the call of the same agent, server and tool that a person
// approved last: before c was decided, where it is. ok is false where there is none.
func (d *Desk) LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error) {
	last, ok, err = d.store.LastApproved(ctx, c)
	return last, ok, told("find the last approved call", err)
}
