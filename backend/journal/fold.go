package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

type folded map[string]map[string]json.RawMessage // rows by set and key

func newFolded() folded {
	f := folded{}
	for i := range sets {
		f[sets[i].name] = map[string]json.RawMessage{}
	}
	return f
}

// fold gives the rows of all sets as the entries of the journal leave them: from the
// newest that has all rows on, or else from the first. It holds one of them at a time.
func fold(db database.Querier, last statement) (folded, error) {
	full, disputed, from := false, false, int64(0)
	err := statements(db, func(s statement, seq int64) bool {
		full, disputed, from = s.Full, disputed || s.Disputed, seq
		return !full
	})
	var first int64
	if err == nil && !full {
		err = database.One(db, &first, "SELECT COALESCE(MIN(seq), 1) FROM journal")
	}
	switch {
	case err != nil:
		return nil, err
	case !full && first > 1 || disputed:
		return nil, errUnsound
	}
	rows, mixed, sound := newFolded(), false, true
	err = statementsFrom(db, from, "ASC", func(s statement, _ int64) bool {
		mixed = mixed || s.Format != last.Format
		sound = rows.apply(&s)
		return sound
	})
	if err == nil && !sound {
		err = errUnsound
	}
	if err != nil {
		return nil, err
	}
	if !mixed && !rows.accounts().agree(last.Digests) {
		return nil, errUnsound
	}
	return rows, nil
}

// apply takes in the rows of a statement; false says that it has some of no set.
func (f folded) apply(s *statement) bool {
	for set, changed := range s.Rows {
		if f[set] == nil {
			return false
		}
		for _, c := range changed {
			if f[set][c.Key] = Compact(c.Row); len(c.Row) == 0 || string(c.Row) == "null" {
				delete(f[set], c.Key)
			}
		}
	}
	return true
}

// Compact is a row in the form that each gives it. Rows were written so, and json.Marshal
// writes some letters in another way when it takes them in.
func Compact(row json.RawMessage) json.RawMessage {
	out, err := rawjson.Canonical(nil, row)
	if err != nil {
		return row
	}
	return out
}

func (f folded) accounts() accounts {
	a := newAccounts()
	for set, rows := range f {
		for key, row := range rows {
			hash := sha256.Sum256(row)
			a[set].put(key, &hash)
		}
	}
	return a
}

// differ lists the rows that two versions of the sets do not have alike.
func differ(journal, tables folded) (list []permission.Difference) {
	for i := range sets {
		name := sets[i].name
		keys := map[string]bool{}
		for _, rows := range []map[string]json.RawMessage{journal[name], tables[name]} {
			for key := range rows {
				keys[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if said, is := journal[name][key], tables[name][key]; !alike(said, is) {
				list = append(list, newDifference(name, key, said, is))
			}
		}
	}
	return list
}

// alike compares two versions of a row. A column that one of them does not have is of
// another format.
func alike(said, is json.RawMessage) bool {
	if bytes.Equal(said, is) {
		return true
	}
	var a, b map[string]json.RawMessage
	if said == nil || is == nil || json.Unmarshal(said, &a) != nil || json.Unmarshal(is, &b) != nil {
		return false
	}
	same := len(a) != len(b)
	for column, value := range a {
		other, both := b[column]
		same = same && (!both || bytes.Equal(value, other))
	}
	return same
}
