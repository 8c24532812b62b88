// Package sqlite is the keeper: the only room that knows SQL. One writer
// goroutine commits whatever queued meanwhile (group commit); a write that finds
// nobody else commits on the spot, which saves two changes of goroutine. What was
// committed is acknowledged when one flush has brought it to the disk; see disk.
// Readers have a pool of their own. Every change of a call and its journal entry are
// one transaction.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver, registered as sqlite3

	"sekisho/backend/permission"
)

// FileName is the database's name in the data folder.
const FileName = "sekisho.db"

// ErrClosed is the answer of a store that has been closed.
var ErrClosed = &permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}

const (
	maxGroup   = 512 // writes in one commit, at most
	writeQueue = 1024
	readers    = 4
)

// Store keeps one data folder. It is safe for use by many goroutines.
type Store struct {
	Counts

	reader *sql.DB
	jobs   chan *job
	quit   chan struct{}
	done   chan struct{}
	under  atomic.Int64  // writes under way
	woken  chan struct{} // a write on the spot was the first since the log was folded

	turn   sync.Mutex // held while committing, or tending the log
	writer *writer
	log    wal
	last   time.Time // when something was committed
	disk   *disk

	mu        sync.Mutex
	listeners []func([]permission.Event)
	closed    func() error
	torn      string // see Torn
	name      string // see JournalName
	unread    string // what of the journal's end could not be believed; see Damage
	opened    int64  // the newest entry that was there before this process
	clock     *clock
	trouble   atomic.Pointer[string] // see Trouble
	damage    atomic.Pointer[string] // see Damage
}

type job struct {
	ctx  context.Context
	fn   func(*tx) error
	soon bool  // it does not wait for the disk
	lazy bool  // nor does anybody else
	last int64 // the number of its newest entry, or of an older one
	err  error
	done chan struct{}
}

// Open opens the database of a folder, made and migrated as needed. A database
// newer than this program knows is refused, and so is a log without its database.
// A torn log is copied first; see Torn.
func Open(ctx context.Context, dir string) (*Store, error) {
	path := filepath.Join(dir, FileName)
	isTorn, err := inspect(ctx, path, true)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	made, err := private(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	torn := ""
	if isTorn {
		if torn, err = keepTorn(path); err != nil {
			return nil, fmt.Errorf("open store %s: nothing was opened, because the log could not be copied first: %w", path, err)
		}
	}
	db := sql.OpenDB(newWriting(dsn(path, "immediate") + writerSettings))
	db.SetMaxOpenConns(1)
	if isTorn {
		err = takeOver(ctx, db)
	}
	var said testimony
	if err == nil {
		said, err = bringUp(ctx, db, path, migrations())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close(), unmake(path, made))
	}
	writer, err := newWriter(ctx, db)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	said.into(writer)
	reader, err := sql.Open("sqlite3", dsn(path, "deferred")+"&_query_only=on")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), writer.close())
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	since, damage, err := lastTime(ctx, reader)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: read the journal's last time: %w", path, err), reader.Close(), writer.close())
	}
	writer.clock = newClock(since)
	var opened int64
	err = one(reader, &opened, "SELECT COALESCE(MAX(seq), 0) FROM journal")
	if err == nil {
		err = writer.readPlaces()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), reader.Close(), writer.close())
	}
	disk, err := newDisk(path + "-wal")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), reader.Close(), writer.close())
	}
	s := &Store{
		writer: writer, reader: reader, disk: disk, torn: torn, unread: damage, opened: opened, name: said.name, clock: writer.clock,
		log:  wal{path: path + "-wal", limit: walLimit},
		jobs: make(chan *job, writeQueue), woken: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	s.Counts = Counts{s, writer.counts}
	s.closed, writer.damaged = sync.OnceValue(s.end), s.damaged
	s.log.warm()
	go s.run()
	go s.runFlusher()
	if err := said.begin(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), s.Close())
	}
	return s, nil
}

// private makes the file with mode 0600, because SQLite would make it for all
// to read, and tightens one that is open to others.
func private(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if made = err == nil; errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return false, err
	}
	if info, err := f.Stat(); err != nil || info.Mode().Perm() == 0o600 {
		return made, errors.Join(err, f.Close())
	}
	return made, errors.Join(f.Chmod(0o600), f.Close())
}

// takeOver folds what SQLite reads of a torn log into the database and cuts the log to
// nothing: what stands behind its end would be found again by the next start. Where
// another program reads, that may be so.
func takeOver(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("take over the log: %w", err)
	}
	return nil
}

// unmake removes what the first start of a folder made and could not fill; the database
// last, because a log without one is refused.
func unmake(path string, made bool) error {
	if !made {
		return nil
	}
	for _, name := range []string{path + "-wal", path + "-shm", path} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func dsn(path, txlock string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String() + "?_foreign_keys=on&_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_txlock=" + txlock
}

// Torn is the path of the copy of the log that Open made, because what SQLite reads of
// the log ends before commits of the same log: it was damaged, or a machine that lost
// its power wrote its last moments out of order. What those commits held, calls, answers
// and rules, may be missing from the store, also what had been folded into the database:
// older pages of the log lie over it. The copy has it, and one of the database beside
// it. It is "" when the log was whole, also at later starts: the log is taken over by the
// first.
func (s *Store) Torn() string { return s.torn }

// Close ends the writer after what is queued has been committed.
func (s *Store) Close() error { return s.closed() }

func (s *Store) end() error {
	close(s.quit)
	<-s.done
	s.turn.Lock() // for a write on the spot
	defer s.turn.Unlock()
	s.signEnd()
	s.flush()
	return errors.Join(s.disk.close(), s.reader.Close(), s.writer.close())
}

// Listen adds a function that hears the events of each commit, in order, after
// it is on disk. No other commit is acknowledged meanwhile: it must not
// block, nor write.
func (s *Store) Listen(f func([]permission.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, f)
}

// write runs fn in a transaction and returns when it is on disk. Nothing of fn
// remains when it returns an error.
func (s *Store) write(ctx context.Context, fn func(*tx) error) error {
	return s.submit(&job{ctx: ctx, fn: fn, done: make(chan struct{})})
}

// writeSoon is write that returns when fn is committed: it outlives this process, and
// a moment later the loss of power too. See reach. A lazy one is for what nobody waits
// for: that moment is longer.
func (s *Store) writeSoon(ctx context.Context, lazy bool, fn func(*tx) error) (last int64, err error) {
	j := &job{ctx: ctx, fn: fn, soon: true, lazy: lazy, done: make(chan struct{})}
	err = s.submit(j)
	return j.last, err
}

func (s *Store) submit(j *job) error {
	defer s.under.Add(-1)
	if s.under.Add(1) == 1 && s.turn.TryLock() {
		return s.outcome(s.alone(j))
	}
	select {
	case <-s.quit:
		return ErrClosed
	default:
	}
	select {
	case s.jobs <- j:
	case <-s.quit:
		return ErrClosed
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
	select {
	case <-j.done:
		return s.outcome(j.err)
	case <-s.done:
		select {
		case <-j.done:
			return s.outcome(j.err)
		default:
			return ErrClosed
		}
	}
}

// alone commits one write on the goroutine of its caller, who took the turn.
func (s *Store) alone(j *job) error {
	if err := s.onTheSpot(j); err != nil {
		return err
	}
	switch {
	case j.lazy:
		s.disk.nudgeLater()
	case j.soon:
		s.disk.nudge()
	default:
		s.flush()
	}
	<-j.done
	return j.err
}

func (s *Store) onTheSpot(j *job) error {
	defer s.turn.Unlock()
	select {
	case <-s.quit:
		return ErrClosed
	case <-j.ctx.Done():
		return j.ctx.Err()
	default:
	}
	if !s.log.used {
		select {
		case s.woken <- struct{}{}:
		default:
		}
	}
	s.commit([]*job{j})
	return nil
}

// commit writes the jobs together and tends the log. A job that fails is rolled back
// alone; when the commit itself fails, all have. The caller has the turn, and flushes
// when it has given it away.
func (s *Store) commit(jobs []*job) {
	g, err := group{}, s.disk.fault()
	if err == nil && len(s.writer.recent) >= maxRecent {
		err = s.writer.enter()
	}
	if err == nil {
		g, err = s.writer.commit(jobs)
		s.log.bound(s.writer)
		s.last = time.Now()
	}
	if err != nil || !g.dirty {
		release(jobs, err)
		return
	}
	for _, j := range jobs {
		if j.soon {
			close(j.done)
		} else {
			g.jobs = append(g.jobs, j)
		}
	}
	s.disk.add(g)
}

// run is the writer's goroutine. Its pauses are for the log.
func (s *Store) run() {
	defer close(s.done)
	defer s.flush() // what it committed is on disk when it has ended
	idle := time.NewTimer(walIdle)
	defer idle.Stop()
	for {
		select {
		case j := <-s.jobs:
			s.queued(j)
			idle.Reset(walIdle)
		case <-s.woken:
			idle.Reset(walIdle)
		case <-idle.C:
			if rest := s.rest(); rest > 0 {
				idle.Reset(rest)
			}
		case <-s.quit:
			select {
			case j := <-s.jobs:
				s.queued(j)
			default:
				return
			}
		}
	}
}

// queued commits a write and whatever queued meanwhile.
func (s *Store) queued(first *job) {
	s.disk.room()
	s.turn.Lock()
	jobs := s.drain(first)
	s.commit(jobs)
	s.turn.Unlock()
	if slices.ContainsFunc(jobs, func(j *job) bool { return !j.lazy }) {
		s.disk.nudge()
		return
	}
	s.disk.nudgeLater()
}

// rest folds the log when nothing has been committed for a while, and says how
// long to wait when something has.
func (s *Store) rest() time.Duration {
	s.turn.Lock()
	defer s.turn.Unlock()
	if wait := walIdle - time.Since(s.last); wait > 0 {
		return wait
	}
	_ = s.writer.enter() // what is wrong shows with the next write
	s.log.fold(s.writer)
	return 0
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

func (s *Store) tell(events []permission.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.listeners {
		f(events)
	}
}
