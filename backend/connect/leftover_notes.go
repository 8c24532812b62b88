package connect

import (
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

// leftover is a server, masked, that connecting puts into a desk's list, and that may stay
// there without a connected file that answers for it: connecting was killed, the desk could
// not be asked to let it go, or another entry used it.
type leftover struct {
	Server
	Desk deskMark `json:"desk,omitempty"`
}

// key tells notes apart: two desks may have servers of one id. Ids of agents begin with
// the time, so a desk's smallest stays the same as its mark grows.
func (l leftover) key() string {
	if len(l.Desk) == 0 {
		return l.ID
	}
	return l.ID + "/" + string(slices.Min(l.Desk))
}

// owns reports whether a note is for certain of the desk that has this mark now, or of a
// time when notes had none.
func (m deskMark) owns(l leftover) bool { return len(l.Desk) == 0 || m.shares(l.Desk) }

// of makes notes of a desk's servers.
func (m deskMark) of(servers map[string]Server) (all []leftover) {
	for _, s := range servers {
		all = append(all, leftover{s.Masked(), m})
	}
	return all
}

// has settles the servers of these ids that were noted for the desk.
func (m deskMark) has(ids ...[]string) func(leftover) bool {
	all := slices.Concat(ids...)
	return func(l leftover) bool { return slices.Contains(all, l.ID) && m.owns(l) }
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

// answered reports whether a connected file answers for a server.
func answered(records []Record, l leftover) bool {
	return slices.ContainsFunc(records, func(r Record) bool {
		return r.Desk.sameDesk(l.Desk) && slices.ContainsFunc(r.Moved, func(m Moved) bool { return m.Server.ID == l.ID })
	})
}
