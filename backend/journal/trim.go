package journal

import (
	"encoding/json"
	"errors"

	"sekisho/backend/permission"
)

const (
	TrimStep = 1000 // entries that one transaction removes
	// EntryBytes is what an entry takes on disk beside its data.
	EntryBytes = 270
)

// Trimming is what is to be removed of a journal.
type Trimming struct {
	Before permission.Time
	Excess int64 // bytes over the bound
	Newest int64 // the entry that was the newest when the trimming began
}

// Step removes what it can of the oldest entries and writes the entry that says so.
func (m *Trimming) Step(t *Tx) (n int64, err error) {
	last, n, freed, err := m.oldest(t)
	if err != nil || n == 0 {
		return 0, err
	}
	if _, err := t.Exec("DELETE FROM journal WHERE seq <= ?", last.seq); err != nil {
		return 0, err
	}
	data, err := json.Marshal(map[string]any{"through": last.seq, "hash": last.hash, "removed": n})
	if err != nil {
		return 0, err
	}
	err = t.Append(permission.Entry{At: t.w.Clock.Now(), Kind: permission.JournalTrimmed, Actor: permission.ActorDesk, Data: data}, nil)
	if err == nil {
		err = m.keepState(t)
	}
	if err == nil {
		m.Excess -= freed
	}
	return n, err
}

// keepState writes down all rules and the other sets, where the last entry that did is
// gone: what remains has to say by itself how they stand.
func (m *Trimming) keepState(t *Tx) error {
	full, some := false, false
	err := statements(t, func(s statement, _ int64) bool {
		full, some = s.Full, true
		return !full
	})
	if full || err != nil && !errors.Is(err, errUnsound) {
		return err
	}
	if !some && t.w.accounts.empty() {
		return nil
	}
	return t.snapshot("trimmed")
}

// oldest finds the end of the entries that go in one step. It stops at the first
// that stays: what remains has no gaps.
func (m *Trimming) oldest(t *Tx) (last head, n, freed int64, err error) {
	rows, err := t.Query("SELECT seq, at, hash, octet_length(data) FROM journal WHERE seq < ? ORDER BY seq LIMIT ?", m.Newest, TrimStep)
	if err != nil {
		return last, 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var e head
		var at permission.Time
		var bytes int64
		if err := rows.Scan(&e.seq, &at, &e.hash, &bytes); err != nil {
			return last, 0, 0, err
		}
		if at >= m.Before && freed >= m.Excess {
			break
		}
		last, n, freed = e, n+1, freed+bytes+EntryBytes
	}
	return last, n, freed, rows.Err()
}
