package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/permission"
)

const (
	trimStep = 1000 // entries that one transaction removes
	// entryBytes is what an entry takes on disk beside its data.
	entryBytes = 270
)

// TrimJournal removes the oldest entries: those from before a time (0: none for
// that), and then as many as are needed to bring the journal to maxBytes (0: none
// for that). The newest entry always stays. An entry in the same transaction names
// the last that was removed, so that what remains can be verified. What belongs to
// calls that are still open goes too: the call itself says how it stands.
func (s *Store) TrimJournal(ctx context.Context, before permission.Time, maxBytes int64) (removed int64, err error) {
	trim := trimming{before: before}
	err = s.reader.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq), 0) FROM journal").Scan(&trim.newest)
	if err == nil && maxBytes > 0 {
		err = s.reader.QueryRowContext(ctx, "SELECT COALESCE(SUM(octet_length(data)), 0) + COUNT(*) * ? FROM journal",
			entryBytes).Scan(&trim.excess)
		trim.excess -= maxBytes
	}
	for err == nil {
		var step int64
		err = s.write(ctx, func(t *tx) error {
			var err error
			step, err = trim.step(t)
			return err
		})
		removed += step
		if step < trimStep {
			break
		}
	}
	if err != nil {
		return removed, fmt.Errorf("trim journal: %w", err)
	}
	return removed, nil
}

// trimming is what is to be removed of a journal.
type trimming struct {
	before permission.Time
	excess int64 // bytes over the bound
	newest int64 // the entry that was the newest when the trimming began
}

// step removes what it can of the oldest entries and writes the entry that says so.
func (m *trimming) step(t *tx) (n int64, err error) {
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
	err = t.append(permission.Entry{At: t.w.clock.now(), Kind: permission.JournalTrimmed, Actor: permission.ActorDesk, Data: data}, nil)
	if err == nil {
		err = m.keepState(t)
	}
	if err == nil {
		m.excess -= freed
	}
	return n, err
}

// keepState writes down all rules and the other sets, where the last entry that did is
// gone: what remains has to say by itself how they stand.
func (m *trimming) keepState(t *tx) error {
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
func (m *trimming) oldest(t *tx) (last head, n, freed int64, err error) {
	rows, err := t.Query("SELECT seq, at, hash, octet_length(data) FROM journal WHERE seq < ? ORDER BY seq LIMIT ?", m.newest, trimStep)
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
		if at >= m.before && freed >= m.excess {
			break
		}
		last, n, freed = e, n+1, freed+bytes+entryBytes
	}
	return last, n, freed, rows.Err()
}
