package connect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Leftovers names, sorted, the servers on the desk's list that came there by connecting,
// and that no app's file known here uses: they were left when it was put back, or when
// connecting was killed. One that was changed on the desk since is the desk's own, and not
// among them. What another desk of the user has is left to that one.
func (w *Wiring) Leftovers(ctx context.Context) (ids []string, err error) {
	if w.Vault == nil || w.Desk == nil {
		return nil, nil
	}
	err = w.Vault.locked(ctx, func() error {
		left, _, err := w.left(ctx)
		ids = slices.Sorted(maps.Keys(left))
		return err
	})
	return ids, err
}

// left gives by id what is left over on the desk, and the desk's mark. What the desk has
// no more, or changed, is settled, on the word of the desk that it was noted for alone.
func (w *Wiring) left(ctx context.Context) (map[string]Server, deskMark, error) {
	all, err := w.Vault.leftovers()
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	have, err := w.Desk.Servers(ctx)
	if err != nil {
		return nil, nil, err
	}
	mark, err := markOf(ctx, w.Desk)
	if err != nil {
		return nil, nil, err
	}
	records, err := w.Vault.Records()
	if err != nil {
		return nil, nil, err
	}
	there := func(l leftover) bool {
		return slices.ContainsFunc(have, func(s Server) bool { return s.ID == l.ID && s.kept(l.Server) })
	}
	left := map[string]Server{}
	for _, l := range all {
		if there(l) && !answered(records, l) && l.Desk.sameDesk(mark) {
			left[l.ID] = l.Server
		}
	}
	for _, id := range w.used(slices.Collect(maps.Keys(left))) { // they may be left over again
		delete(left, id)
	}
	return left, mark, w.Vault.changeLeftovers(nil, func(l leftover) bool {
		return answered(records, l) || !there(l) && mark.owns(l)
	})
}

// RemoveLeftovers takes servers off the desk's list that are left over: ErrChanged, and
// nothing is done, when one of them is not any more.
func (w *Wiring) RemoveLeftovers(ctx context.Context, ids []string) (done Disconnected, err error) {
	if w.Vault == nil || w.Desk == nil {
		return done, errors.Join(ErrChanged, w.Away)
	}
	err = w.Vault.locked(ctx, func() error {
		left, mark, err := w.left(ctx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, ok := left[id]; !ok {
				return fmt.Errorf("the server %s: %w", id, ErrChanged)
			}
		}
		maps.DeleteFunc(left, func(id string, _ Server) bool { return !slices.Contains(ids, id) })
		removed, kept, err := removeServers(ctx, w.Desk, left)
		if err != nil {
			return err
		}
		done.Removed, done.Kept = removed, kept
		return w.Vault.changeLeftovers(nil, mark.has(removed, kept))
	})
	return done, err
}
