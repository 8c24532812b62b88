package desk

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"sekisho/backend/permission"
)

// cached is a copy in memory of one kind of what the store keeps, and its version there, so
// that no request waits for the store to know it. Reading it takes no lock. An edit of this
// desk puts what the store has then; what others edited comes with turn.reload.
type cached[T any] struct {
	atomic.Pointer[T]
	read func(ctx context.Context, version int64) (*T, error)

	edits   sync.Mutex // a leaf: one edit at a time, for a kind that is edited without the turn, too
	version int64      // of an edit; 0 is none that the store has
}

// put makes next the copy. The edit is the caller's.
func (c *cached[T]) put(next *T, version int64) {
	c.Store(next)
	c.version = version
}

// at is the version. The edit is the caller's.
func (c *cached[T]) at() int64 { return c.version }

// renew reads the copy anew where the store has a later version, or in any case.
func (c *cached[T]) renew(ctx context.Context, version int64, anyway bool) (anew bool, err error) {
	c.edits.Lock()
	defer c.edits.Unlock()
	if !anyway && version <= c.version {
		return false, nil
	}
	next, err := c.read(ctx, version)
	if err != nil {
		version = 0
	}
	if next != nil {
		c.put(next, version)
	}
	return true, err
}

// turn is what edits take one after the other, with the copies that they are made from.
type turn struct {
	sync.Mutex
	state  StateStore
	copies [permission.OfPolicy + 1]interface {
		at() int64
		renew(ctx context.Context, version int64, anyway bool) (anew bool, err error)
	}
}

// of are the versions of some copies, for the store to hold an edit against.
func (t *turn) of(kinds ...permission.Copied) (v permission.Versions) {
	for _, kind := range kinds {
		v[kind] = t.copies[kind].at()
	}
	return v
}

// reload reads anew what the store has later versions of, or all of it. The versions are
// read before what they are of: a judgement by a copy that is later than its version is
// refused, and one by a copy that is earlier would be kept. The turn is the caller's.
func (t *turn) reload(ctx context.Context, all bool) error {
	ctx = context.WithoutCancel(ctx)
	now, err := t.state.Versions(ctx)
	if err != nil {
		return err
	}
	for kind, c := range t.copies { // the rules after all that they judge by
		anew, err := c.renew(ctx, now[kind], all)
		if err != nil {
			return err
		}
		all = all || anew
	}
	return nil
}

// editTries is how often an edit is made anew because others come first.
const editTries = 100

// edit lets change write what it makes of the copies, and again where the store has later
// ones. The turn is the caller's.
func (t *turn) edit(ctx context.Context, change func() error) error {
	for range editTries {
		if err := change(); !errors.Is(err, permission.ErrOutdated) {
			return err
		}
		if err := t.reload(ctx, false); err != nil {
			return err
		}
	}
	return &permission.Error{Code: permission.CodeUnavailable, Message: "this changes faster than it can be edited"}
}
