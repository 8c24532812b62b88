package roles

import (
	"context"
	"errors"
	"time"

	"sekisho/backend/permission"
)

// remembered is how long the book has a session that has ended: the list of sessions goes back as far.
const remembered = 24 * time.Hour

// restMost bounds how long Expire rests: a machine may have slept, and its clock may be set.
const restMost = time.Minute

// Moved tells that the next session may expire sooner than Expire said.
func (r *Roles) Moved() <-chan struct{} { return r.moved }

// Expire ends the sessions whose token or passkey has expired, and lets go of those that ended long
// ago. It gives when to look again.
func (r *Roles) Expire(ctx context.Context) (rest time.Duration, err error) {
	over, _ := r.book.Load().Expired(r.opts.Now())
	for _, s := range over {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if is := r.expire(ctx, s); is != nil {
			err = errors.Join(err, is)
		}
	}
	r.forget()
	if err != nil {
		return restMost, err
	}
	now := r.opts.Now()
	if _, next := r.book.Load().Expired(now); next != 0 {
		return min(max(next.Std().Sub(now.Std()), time.Millisecond), restMost), nil
	}
	return restMost, nil
}

// expire ends a session in which nothing more can be asked. What could not be withdrawn is tried again.
func (r *Roles) expire(ctx context.Context, s permission.MadeSession) error {
	if err := r.opts.Withdraw(ctx, s.AgentID, s.ID); err != nil {
		return err
	}
	if err := r.expired(ctx, s.ID); err != nil {
		return err
	}
	r.opts.Changed(s.AgentID, s.ID)
	return nil
}

func (r *Roles) expired(ctx context.Context, id permission.SessionID) error {
	r.edits.Lock()
	defer r.edits.Unlock()
	if s, _ := r.book.Load().Session(id); !s.Over(r.opts.Now()) { // its passkey was changed in the last moment
		return nil
	}
	return r.over(ctx, permission.ActorClock, "session_expired", id)
}

// forget lets go of the sessions that ended long ago.
func (r *Roles) forget() {
	r.edits.Lock()
	defer r.edits.Unlock()
	r.book.Store(r.book.Load().Since(r.opts.Now().Add(-remembered)))
}

// move lets who waits for the next session to expire look again.
func (r *Roles) move() {
	select {
	case r.moved <- struct{}{}:
	default:
	}
}
