package desk

import (
	"context"
	"errors"

	"sekisho/backend/permission"
)

// freeTries is how often something is judged beside edits before it is judged between them.
const freeTries = 3

// spentTries is how often something is judged again beside that, because others took the
// last places of limits meanwhile: what they took is seen the next time, so that this is
// once for each limit.
const spentTries = 100

// current lets try judge and write. When an edit of the rules, or a change of the
// call, came between the two it is tried again: a few times at once, and then while
// no edit can come.
func (d *Calls) current(ctx context.Context, try func(policyVersion int64) error) error {
	for tries, spent := 0, 0; tries < freeTries; tries++ {
		version := d.policy.rules.Load().Version()
		switch err := try(version); {
		case errors.Is(err, permission.ErrGuard):
		case errors.Is(err, permission.ErrSpent):
			if spent++; spent < spentTries {
				tries--
			}
		case !errors.Is(err, permission.ErrOutdated):
			return err
		default:
			if err := d.policy.refresh(ctx, version); err != nil {
				return err
			}
		}
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	err := d.turn.edit(ctx, func() error { return try(d.policy.rules.Load().Version()) })
	if errors.Is(err, permission.ErrGuard) || errors.Is(err, permission.ErrSpent) {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "the call changes faster than it can be judged"}
	}
	return err
}
