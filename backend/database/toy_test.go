package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// toy keeps notes with numbers: what a writer is for in these tests.
type toy struct {
	seq, end int64 // of the newest note on disk, and in the transaction under way
	events   []permission.Event
}

// part is what a job of a toy's gets.
type part struct {
	Tx
	toy *toy
}

func (y *toy) Tidy(bool) error { return nil }

func (y *toy) Begin() error {
	y.end, y.events = y.seq, nil
	return nil
}

func (y *toy) Run(tx Tx, do func(*part) error) (*Tx, int64, error) {
	t := &part{tx, y}
	end, events := y.end, len(y.events)
	if err := do(t); err != nil {
		y.end, y.events = end, y.events[:events]
		return &t.Tx, 0, err
	}
	return &t.Tx, y.end, nil
}

func (y *toy) Seal(Tx) error { return nil }

func (y *toy) Committed() ([]permission.Event, int64) {
	y.seq = y.end
	return y.events, y.seq
}

func (y *toy) Undone() {}

// note writes one.
func note(id string, text []byte) func(*part) error {
	return func(t *part) error {
		t.toy.end++
		t.toy.events = append(t.toy.events, permission.Event{Seq: t.toy.end})
		_, err := t.Exec("INSERT INTO notes (seq, id, text) VALUES (?, ?, ?)", t.toy.end, id, text)
		return err
	}
}

// house is an open database with a toy over it.
type house struct {
	*Writer[*part]
	db  *DB
	toy *toy
}

const notes = "CREATE TABLE IF NOT EXISTS notes (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, text BLOB); CREATE TABLE IF NOT EXISTS ruled (id)"

func open(ctx context.Context, dir string) (*house, error) {
	db, err := Open(ctx, dir, nil, func(db *sql.DB, path string) error {
		err := Migrate(ctx, db, path, Migrations())
		if err == nil {
			_, err = db.Exec(notes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	h := &house{db: db, toy: &toy{}}
	if err = One(db.Reader, &h.toy.seq, "SELECT COALESCE(MAX(seq), 0) FROM notes"); err == nil {
		h.Writer, err = Start(db, h.toy)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return h, nil
}

func opened(t testing.TB, dir string) *house {
	t.Helper()
	h, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.end() })
	return h
}

// end closes a house once.
func (h *house) end() error {
	if h.db == nil {
		return nil
	}
	err := errors.Join(h.Close(NewJob(context.Background(), func(*part) error { return errors.New("nothing more") })), h.db.Close())
	h.db = nil
	return err
}

func (h *house) torn() string { return h.db.Torn }

func ask(t testing.TB, h *house, id string, text []byte) {
	t.Helper()
	if err := h.Write(context.Background(), note(id, text)); err != nil {
		t.Fatal(err)
	}
}

// ids gives those of all notes in order.
func ids(t testing.TB, h *house) string {
	t.Helper()
	list, err := texts(h.db.Reader, "SELECT id FROM notes ORDER BY seq")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(list)
}

// marked gives an input of some length, whose every part can be found in a file.
func marked(id string, length int) []byte {
	mark := "MARK-" + id + "-"
	return []byte(`{"text":"` + strings.Repeat(mark, length/len(mark)+1) + `"}`)
}
