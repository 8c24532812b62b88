package insights

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/permission"
)

// Pause begins a break of a person: nothing asks for attention until it ends. What waits goes
// on waiting, with the deadlines that it has, and nothing is decided by it.
func (i *Insights) Pause(ctx context.Context, minutes int) (permission.Time, error) {
	i.pausing.Lock()
	defer i.pausing.Unlock()
	until := i.now().Add(time.Duration(minutes) * time.Minute)
	if err := i.store.Pause(ctx, until); err != nil {
		return 0, fmt.Errorf("begin a break: %w", err)
	}
	err := i.hush(ctx, true)
	i.wake()
	return until, err
}

// Resume ends a break.
func (i *Insights) Resume(ctx context.Context) error {
	i.pausing.Lock()
	defer i.pausing.Unlock()
	return i.resume(ctx)
}

// resume is Resume under the lock.
func (i *Insights) resume(ctx context.Context) error {
	p, err := i.store.Presence(ctx)
	if err != nil || p.PausedUntil.IsZero() {
		return err
	}
	if err := i.hush(ctx, false); err != nil {
		return err
	}
	if err := i.store.Pause(ctx, 0); err != nil {
		return fmt.Errorf("end a break: %w", err)
	}
	i.wake()
	return nil
}

// Paused is when the break ends that a person takes; 0: takes none, or has said meanwhile
// that calls may disturb.
func (i *Insights) Paused(ctx context.Context) (until permission.Time, err error) {
	p, err := i.store.Presence(ctx)
	if err != nil || p.PausedUntil <= i.now() {
		return 0, err
	}
	s, err := i.settings.Settings(ctx)
	if err != nil || !s.Window.Quiet {
		return 0, err
	}
	return p.PausedUntil, nil
}

func (i *Insights) hush(ctx context.Context, quiet bool) error {
	_, err := i.settings.ChangeSettings(ctx, func(s *permission.Settings) error {
		s.Window.Quiet = quiet
		return nil
	})
	if err != nil {
		return fmt.Errorf("change whether calls may disturb: %w", err)
	}
	return nil
}

// wake tells who keeps the time of breaks that there is another.
func (i *Insights) wake() {
	select {
	case i.changed <- struct{}{}:
	default:
	}
}

// Changed tells that Keep has to be called again.
func (i *Insights) Changed() <-chan struct{} { return i.changed }

// Keep ends a break that is over and puts old counts together, and says how long there is
// nothing more to do.
func (i *Insights) Keep(ctx context.Context) (rest time.Duration, err error) {
	rest, err = i.endOver(ctx)
	if merged := i.store.MergeCounts(ctx, i.now().Add(-minutesKept)); merged != nil {
		err = errors.Join(err, fmt.Errorf("put old counts together: %w", merged))
	}
	return rest, err
}

// pauseLook is how long it takes at most until the end of a break is seen, also by a machine that
// slept meanwhile, and until an end that failed is tried again.
const pauseLook = time.Minute

// endOver ends a break that is over. What a person begins meanwhile is another one.
func (i *Insights) endOver(ctx context.Context) (rest time.Duration, err error) {
	i.pausing.Lock()
	defer i.pausing.Unlock()
	p, err := i.store.Presence(ctx)
	if err == nil && p.PausedUntil.IsZero() {
		return time.Hour, nil
	}
	if left := time.Duration(p.PausedUntil-i.now()) * time.Millisecond; err == nil && left > 0 {
		return min(left, pauseLook), nil
	}
	if err == nil {
		err = i.resume(ctx)
	}
	return pauseLook, err
}
