package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"sekisho/backend/database"
)

type rowHash = [sha256.Size]byte

// account is what one set is according to the journal: hashes of its rows.
type account struct {
	rows   map[string]rowHash
	keys   []string // sorted
	moved  bool     // keys are not those of rows any more
	digest string   // "": to be computed
}

// put takes in a row; nil removes it. It answers what was there.
func (a *account) put(key string, row *rowHash) (before *rowHash) {
	if old, had := a.rows[key]; had {
		before = &old
	}
	a.moved = a.moved || (before == nil) != (row == nil)
	a.digest = ""
	if row == nil {
		delete(a.rows, key)
	} else {
		a.rows[key] = *row
	}
	return before
}

// sum is the digest of the set: the hash of its rows' hashes in the order of their keys,
// which are in the rows.
func (a *account) sum() string {
	if a.moved {
		a.keys, a.moved = slices.Sorted(maps.Keys(a.rows)), false
	}
	if a.digest == "" {
		h := sha256.New()
		for _, key := range a.keys {
			row := a.rows[key]
			h.Write(row[:])
		}
		a.digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	}
	return a.digest
}

// accounts are those of all sets, by name.
type accounts map[string]*account

func newAccounts() accounts {
	a := accounts{}
	for i := range sets {
		a[sets[i].name] = &account{rows: map[string]rowHash{}}
	}
	return a
}

func (a accounts) digests() map[string]string {
	d := make(map[string]string, len(a))
	for name, of := range a {
		d[name] = of.sum()
	}
	return d
}

// agree reports whether digests are those of the sets. A set without one was empty: its
// table came with a later format.
func (a accounts) agree(digests map[string]string) bool {
	for name, of := range a {
		if said, is := digests[name]; is && said != of.sum() || !is && len(of.rows) > 0 {
			return false
		}
	}
	for name := range digests {
		if a[name] == nil {
			return false
		}
	}
	return true
}

func (a accounts) empty() bool {
	for _, of := range a {
		if len(of.rows) > 0 {
			return false
		}
	}
	return true
}

// readAccounts reads what the tables hold, and shows each row to visit, which may be nil. A
// table that the format of the data does not have yet is an empty set.
func readAccounts(from database.Querier, visit func(set, key string, row []byte)) (accounts, error) {
	a := newAccounts()
	for i := range sets {
		s := &sets[i]
		var made bool
		if err := database.One(from, &made, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)", s.table); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.name, err)
		} else if !made {
			continue
		}
		err := s.read(from, "1", nil, func(key string, row []byte) error {
			for _, twice := a[s.name].rows[key]; twice; _, twice = a[s.name].rows[key] {
				key += "'" // rows without an id
			}
			hash := sha256.Sum256(row)
			a[s.name].put(key, &hash)
			if visit != nil {
				visit(s.name, key, row)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.name, err)
		}
	}
	return a, nil
}

// undo is what an account said of a row before a change.
type undo struct {
	set, key string
	before   *rowHash
}
