// Package sqlite is the keeper of what a desk keeps: calls, rules, settings, servers, agents
// and the journal, in the tables of a database. Every change of a call and its journal entry
// are one transaction: a method is a transaction, and a function is SQL in one.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/rolesql"
)

// Store keeps one data folder. It is safe for use by many goroutines.
type Store struct {
	*base
	CallStore
	SessionStore
	PolicyStore
	PastStore
	CatalogueStore
	JournalStore
	StateStore
	CountStore
	InsightStore
	rolesql.Store

	db     *database.DB
	closed func() error
}

// Open opens the store of a folder: see database.Open.
func Open(ctx context.Context, dir string) (*Store, error) {
	s, err := start(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return s, nil
}

func start(ctx context.Context, dir string) (*Store, error) {
	var said journal.Start
	db, err := database.Open(ctx, dir, map[string]any{partFunction: partOf}, func(db *sql.DB, path string) (err error) {
		if said, err = journal.BringUp(ctx, db, path, database.Migrations()); err != nil {
			return err
		}
		return identify(ctx, db)
	})
	if err != nil {
		return nil, err
	}
	s, err := over(ctx, db, &said)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if said.Silent() {
		return s, nil
	}
	if err := s.write(ctx, func(t *tx) error { return t.Begin(&said) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// over is the store over an open database.
func over(ctx context.Context, db *database.DB, said *journal.Start) (*Store, error) {
	b := &base{reader: db.Reader, health: new(health)}
	w, err := newWriter(db.Conn, b.health)
	if err != nil {
		return nil, err
	}
	j, damage, err := journal.New(ctx, db, said)
	if err != nil {
		return nil, err
	}
	b.health.doubt(damage)
	if err := w.readPlaces(j.Clock.Now()); err != nil {
		return nil, err
	}
	if b.writing, err = database.Start(db, &work{writer: w, journal: j, hits: uses{}, sums: sums{}}); err != nil {
		return nil, err
	}
	owed := &owed{kept: b.writing.Kept, of: map[permission.CallID]int64{}}
	b.writing.Listen(owed.forget)
	s := &Store{base: b, db: db,
		CallStore: CallStore{b, owed}, SessionStore: SessionStore{b, db}, PolicyStore: PolicyStore{b}, PastStore: PastStore{b},
		CatalogueStore: CatalogueStore{b}, JournalStore: JournalStore{b, j}, StateStore: StateStore{b, j},
		CountStore: CountStore{b, w.counts, j.Clock}, InsightStore: InsightStore{b},
		Store: rolesql.New(db.Reader, func(ctx context.Context, do func(rolesql.Tx) error) error {
			return b.write(ctx, func(t *tx) error { return do(t) })
		})}
	s.closed = sync.OnceValue(s.end)
	return s, nil
}

// Torn is the path of the copy of a torn log: see database.DB.
func (s *Store) Torn() string { return s.db.Torn }

// Close ends the writer after what is queued has been committed and signed.
func (s *Store) Close() error { return s.closed() }

func (s *Store) end() error {
	end := database.NewJob(context.Background(), func(t *tx) error { return t.SignEnd() })
	return errors.Join(s.writing.Close(end), s.db.Close())
}

// Reader is what a keeper of other tables of the database reads with.
func (s *Store) Reader() *sql.DB { return s.reader }

// Write lets a keeper of other tables write: do runs in a transaction that the journal tells of.
func (s *Store) Write(ctx context.Context, do func(*journal.Tx) error) error {
	return s.write(ctx, func(t *tx) error { return do(&t.Tx) })
}
