package sqlite

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// JournalStore reads the journal, adds what is no change of anything else, and signs.
type JournalStore struct {
	*base
	journal *journal.Writer
}

// Note keeps an entry that belongs to no change of what else is kept.
func (s *JournalStore) Note(ctx context.Context, e permission.Entry) error {
	return s.write(ctx, func(t *tx) error { return t.Append(e, nil) })
}

// Journal gives the entries after seq, oldest first: limit of them, or fewer where they
// carry much, see maxPage. next is the seq of the last one where more follow, else 0.
func (s *JournalStore) Journal(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT "+journal.Columns+" FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", after, limit+1)
	if err != nil {
		return nil, 0, fmt.Errorf("read journal: %w", err)
	}
	defer rows.Close()
	entries = []permission.Entry{}
	bytes := 0
	for rows.Next() {
		e, err := journal.Scan(rows)
		if err != nil {
			return nil, 0, fmt.Errorf("read journal: %w", err)
		}
		if bytes += len(e.Data); len(entries) == limit || len(entries) > 0 && bytes > maxPage {
			return entries, entries[len(entries)-1].Seq, nil
		}
		if !json.Valid(e.Data) { // without it, an export shows which entry is not what it was
			s.damaged(&database.RowError{Row: fmt.Sprint("entry ", e.Seq, " of the journal"), Err: errors.New("its data are no JSON")})
			e.Data = json.RawMessage("null")
		}
		entries = append(entries, e)
	}
	return entries, 0, rows.Err()
}

// Events gives the entries after seq as events, with the call's agent, run and
// session as they are now.
func (s *JournalStore) Events(ctx context.Context, after int64, limit int) ([]permission.Event, error) {
	events, err := database.List(func(row database.Row) (e permission.Event, err error) {
		err = row.Scan(&e.Seq, &e.Kind, &e.CallID, &e.Agent, &e.Run, &e.Session)
		return e, err
	})(s.reader.QueryContext(ctx,
		`SELECT j.seq, j.kind, COALESCE(j.call_id,''), COALESCE(c.agent_id,''), COALESCE(c.run_id,''), COALESCE(c.session_id,'')
		FROM journal j LEFT JOIN calls c ON c.id = j.call_id WHERE j.seq > ? ORDER BY j.seq LIMIT ?`, after, limit))
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return events, nil
}

// LastSeq is the newest entry's sequence number, 0 when there is none.
func (s *JournalStore) LastSeq(ctx context.Context) (seq int64, err error) {
	if err := s.reader.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq),0) FROM journal").Scan(&seq); err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	return seq, nil
}

// Listen adds a function that hears the events of each commit; see database.Writer.
func (s *JournalStore) Listen(f func([]permission.Event)) { s.writing.Listen(f) }

// JournalName is the name of this folder's journal, which its signatures hold.
func (s *JournalStore) JournalName() string { return s.journal.Name }

// SignWith lets the store sign its journal from now on, and at its end; see
// journal.Writer.CheckSeals. unsigned are the entries after the last signature.
func (s *JournalStore) SignWith(ctx context.Context, key ed25519.PrivateKey, fresh bool) (unsigned journal.Range, err error) {
	held, err := s.journal.CheckSeals(s.reader, key, fresh)
	if err != nil {
		return unsigned, err
	}
	s.health.doubt(held.Broken)
	return held.Unsigned, s.write(ctx, func(t *tx) error { return t.SignWith(held) })
}

// SignedEnd is the last line of an export that ends with the newest entry; see journal.Tx.
func (s *JournalStore) SignedEnd(ctx context.Context) (e permission.Entry, err error) {
	err = s.write(ctx, func(t *tx) error {
		e, err = t.SignedEnd()
		return err
	})
	return e, err
}
