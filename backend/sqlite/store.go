// Package sqlite is the keeper: the only room that knows SQL. One writer
// goroutine commits whatever queued while the disk was busy (group commit);
// readers have a pool of their own. Every change of a call and its journal
// entry are one transaction.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "github.com/mattn/go-sqlite3" // the driver, registered as sqlite3

	"sekisho/backend/permission"
)

// FileName is the database's name in the data folder.
const FileName = "sekisho.db"

// ErrClosed is the answer of a store that has been closed.
var ErrClosed = &permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}

const (
	maxGroup   = 128 // writes in one commit, at most
	writeQueue = 1024
	readers    = 4
)

// Store keeps one data folder. It is safe for use by many goroutines.
type Store struct {
	writer *sql.DB
	reader *sql.DB
	jobs   chan *job
	quit   chan struct{}
	done   chan struct{}

	mu        sync.Mutex
	listeners []func([]permission.Event)
	closeOnce sync.Once
}

type job struct {
	ctx  context.Context
	fn   func(*tx) error
	err  error
	done chan struct{}
}

// Open opens the database of a folder, made and migrated as needed. A database
// newer than this program knows is refused.
func Open(ctx context.Context, dir string) (*Store, error) {
	path := filepath.Join(dir, FileName)
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	writer, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	writer.SetMaxOpenConns(1)
	if err := migrate(ctx, writer); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), writer.Close())
	}
	reader, err := sql.Open("sqlite3", dsn(path, "deferred")+"&_query_only=on")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), writer.Close())
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	s := &Store{writer: writer, reader: reader, jobs: make(chan *job, writeQueue), quit: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s, nil
}

// private makes the file with mode 0600, because SQLite would make it for all
// to read, and tightens one that is open to others.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

func dsn(path, txlock string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String() + "?_foreign_keys=on&_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_txlock=" + txlock
}

// Close ends the writer after what is queued has been committed.
func (s *Store) Close() error {
	s.closeOnce.Do(func() { close(s.quit) })
	<-s.done
	return errors.Join(s.reader.Close(), s.writer.Close())
}

// Listen adds a function that hears the events of each commit, in order, after
// it is on disk. It runs on the writer's goroutine and must not block.
func (s *Store) Listen(f func([]permission.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, f)
}

// write runs fn in a transaction and returns when it is committed. Nothing of
// fn remains when it returns an error.
func (s *Store) write(ctx context.Context, fn func(*tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case <-s.quit:
		return ErrClosed
	default:
	}
	select {
	case s.jobs <- j:
	case <-s.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done:
		return j.err
	case <-s.done:
		select {
		case <-j.done:
			return j.err
		default:
			return ErrClosed
		}
	}
}

func (s *Store) run() {
	defer close(s.done)
	for {
		select {
		case j := <-s.jobs:
			s.group(s.drain(j))
		case <-s.quit:
			select {
			case j := <-s.jobs:
				s.group(s.drain(j))
			default:
				return
			}
		}
	}
}

func (s *Store) drain(first *job) []*job {
	group := []*job{first}
	for len(group) < maxGroup {
		select {
		case j := <-s.jobs:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// group commits the jobs together. A job that fails is rolled back alone; when
// the commit itself fails, all have.
func (s *Store) group(jobs []*job) {
	events, err := s.commit(jobs)
	if err != nil {
		for _, j := range jobs {
			if j.err == nil {
				j.err = fmt.Errorf("commit: %w", err)
			}
		}
	} else if len(events) > 0 {
		s.mu.Lock()
		for _, f := range s.listeners {
			f(events)
		}
		s.mu.Unlock()
	}
	for _, j := range jobs {
		close(j.done)
	}
}

func (s *Store) commit(jobs []*job) ([]permission.Event, error) {
	sqlTx, err := s.writer.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer sqlTx.Rollback()
	head, err := readHead(sqlTx) // what is on disk, whatever became of the commit before
	if err != nil {
		return nil, err
	}
	var events []permission.Event
	for _, j := range jobs {
		t := &tx{Tx: sqlTx, head: head}
		if err := savepoint(t, j); err != nil {
			return nil, err
		}
		if j.err == nil {
			head = t.head
			events = append(events, t.events...)
		}
	}
	return events, sqlTx.Commit()
}

// savepoint runs one job. Its own failure is the job's; an error is that of the
// transaction: a full disk, for one, makes SQLite roll back all of it, and what ran
// after that would commit by itself.
func savepoint(t *tx, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if _, err := t.Exec("SAVEPOINT job"); err != nil {
		return err
	}
	if j.err = j.fn(t); j.err != nil {
		if _, err := t.Exec("ROLLBACK TO job"); err != nil {
			return errors.Join(j.err, err)
		}
	}
	_, err := t.Exec("RELEASE job")
	return err
}

// tx is one job's part of the writer's transaction.
type tx struct {
	*sql.Tx
	head   head
	events []permission.Event
}
