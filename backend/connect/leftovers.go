package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// leftover is a server, masked, that connecting puts into a desk's list, and that may stay
// there without a connected file that answers for it: connecting was killed, the desk could
// not be asked to let it go, or another entry used it.
type leftover struct {
	Server
	Desk deskMark `json:"desk,omitempty"`
}

// deskMark tells a desk from this user's others: it is the ids of all agents that it has and
// had, so that it only grows, and two marks of one desk share an id whenever they were taken.
// Without any it tells nothing.
type deskMark []permission.AgentID

// shares reports whether two marks are one desk's, as far as is known.
func (m deskMark) shares(o deskMark) bool {
	return slices.ContainsFunc(m, func(id permission.AgentID) bool { return slices.Contains(o, id) })
}

// sameDesk is shares, and true when one of the marks tells nothing.
func (m deskMark) sameDesk(o deskMark) bool { return len(m) == 0 || len(o) == 0 || m.shares(o) }

// owns reports whether a note is for certain of the desk that has this mark now, or of a
// time when notes had none.
func (m deskMark) owns(l leftover) bool { return len(l.Desk) == 0 || m.shares(l.Desk) }

// markOf reads the mark of a desk. Agents are asked for first: one that is removed in
// between is in both lists then, and not in neither.
func markOf(ctx context.Context, d AgentList) (m deskMark, err error) {
	agents, err := d.Agents(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := d.RemovedAgents(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		m = append(m, a.ID)
	}
	m = append(m, removed...)
	slices.Sort(m)
	return slices.Compact(m), nil
}

// of makes notes of a desk's servers.
func (m deskMark) of(servers map[string]Server) (all []leftover) {
	for _, s := range servers {
		all = append(all, leftover{s.Masked(), m})
	}
	return all
}

// key tells notes apart: two desks may have servers of one id. Ids of agents begin with
// the time, so a desk's smallest stays the same as its mark grows.
func (l leftover) key() string {
	if len(l.Desk) == 0 {
		return l.ID
	}
	return l.ID + "/" + string(slices.Min(l.Desk))
}

// leftovers gives what is noted, by key. The vault must be locked.
func (v *Vault) leftovers() (map[string]leftover, error) {
	all := map[string]leftover{}
	raw, err := os.ReadFile(filepath.Join(v.dir, "leftovers.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read which servers are left over: %w", err)
	}
	return all, nil
}

// changeLeftovers notes more of them, and then forgets those that are settled. The vault
// must be locked.
func (v *Vault) changeLeftovers(more []leftover, settled func(leftover) bool) error {
	all, err := v.leftovers()
	if err != nil {
		return err
	}
	before := len(all)
	for _, l := range more {
		all[l.key()] = l
	}
	maps.DeleteFunc(all, func(_ string, l leftover) bool { return settled != nil && settled(l) })
	if len(more) == 0 && len(all) == before {
		return nil
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = place.WriteSecret(filepath.Join(v.dir, "leftovers.json"), append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("note which servers are left over: %w", err)
	}
	return nil
}

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

// answered reports whether a connected file answers for a server.
func answered(records []Record, l leftover) bool {
	return slices.ContainsFunc(records, func(r Record) bool {
		return r.Desk.sameDesk(l.Desk) && slices.ContainsFunc(r.Moved, func(m Moved) bool { return m.Server.ID == l.ID })
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

// has settles the servers of these ids that were noted for the desk.
func (m deskMark) has(ids ...[]string) func(leftover) bool {
	all := slices.Concat(ids...)
	return func(l leftover) bool { return slices.Contains(all, l.ID) && m.owns(l) }
}
