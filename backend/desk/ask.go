package desk

import (
	"context"

	"sekisho/backend/permission"
)

// Ask judges and keeps a call. created is false when the row existed (same
// identity) or a returning caller joined one that waits.
func (d *Calls) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error) {
	if r.RunID == "" {
		return call, false, permission.Invalid("runId", permission.FieldRequired, "a call needs a run")
	}
	if r.Timeout < 0 {
		return call, false, permission.Invalid("timeoutSeconds", permission.FieldOutOfRange, "a timeout is above zero")
	}
	err = d.current(ctx, func(int64) error {
		sus, before, err := d.judge(ctx, agent, r)
		if err == nil {
			err = d.carryOn(ctx, &sus, before)
		}
		if err == nil {
			err = d.pinAllowed(ctx, &sus.Call)
		}
		if err != nil {
			return err
		}
		var kept permission.Kept
		call, kept, err = d.broker.Suspend(ctx, sus)
		if created = kept == permission.KeptNew; created && err == nil {
			err = d.pinAllowed(ctx, &call) // by a grant: only the store knows of those
		}
		return err
	})
	return call, created, told("ask for call", err)
}
