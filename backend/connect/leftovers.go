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

	"sekisho/backend/place"
)

// leftovers gives, by id and masked, the servers that connecting put into the desk's list,
// that no connected file answers for any more, and that may still be there: the desk could
// not be asked to let them go, or another entry used them. The vault must be locked.
func (v *Vault) leftovers() (map[string]Server, error) {
	all := map[string]Server{}
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

// changeLeftovers notes more of them, and that others are none. The vault must be locked.
func (v *Vault) changeLeftovers(more map[string]Server, settled ...string) error {
	all, err := v.leftovers()
	if err != nil {
		return err
	}
	before := len(all)
	maps.Copy(all, more)
	for _, id := range settled {
		delete(all, id)
	}
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
// and that no app uses any more: they were left when its file was put back. One that was
// changed on the desk since is the desk's own, and not among them.
func (w *Wiring) Leftovers(ctx context.Context) (ids []string, err error) {
	if w.Vault == nil || w.Desk == nil {
		return nil, nil
	}
	err = w.Vault.locked(ctx, func() error {
		left, err := w.left(ctx)
		ids = slices.Sorted(maps.Keys(left))
		return err
	})
	return ids, err
}

func (w *Wiring) left(ctx context.Context) (map[string]Server, error) {
	all, err := w.Vault.leftovers()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	have, err := w.Desk.Servers(ctx)
	if err != nil {
		return nil, err
	}
	records, err := w.Vault.Records()
	if err != nil {
		return nil, err
	}
	var settled []string
	for id, was := range all {
		if !slices.ContainsFunc(have, func(s Server) bool { return s.ID == id && s.kept(was) }) {
			settled = append(settled, id)
		}
	}
	settled = append(settled, answered(records)...)
	for _, id := range settled {
		delete(all, id)
	}
	for _, id := range w.used() { // they may be left over again
		delete(all, id)
	}
	return all, w.Vault.changeLeftovers(nil, settled...)
}

// answered are the servers that connected files answer for.
func answered(records []Record) (ids []string) {
	for _, r := range records {
		for _, m := range r.Moved {
			ids = append(ids, m.Server.ID)
		}
	}
	return ids
}

// RemoveLeftovers takes servers off the desk's list that are left over: ErrChanged, and
// nothing is done, when one of them is not any more.
func (w *Wiring) RemoveLeftovers(ctx context.Context, ids []string) (done Disconnected, err error) {
	if w.Vault == nil || w.Desk == nil {
		return done, errors.Join(ErrChanged, w.Away)
	}
	err = w.Vault.locked(ctx, func() error {
		left, err := w.left(ctx)
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
		return w.Vault.changeLeftovers(nil, slices.Concat(removed, kept)...)
	})
	return done, err
}
