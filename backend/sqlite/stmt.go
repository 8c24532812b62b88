package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/quota"
)

// writerSettings are those of the writer's connection alone. The driver keeps the
// statements prepared, by their text. One goroutine at a time uses the connection,
// so SQLite needs no mutex of its own; the cache of 32 MB holds what is open.
// What is deleted is overwritten, so that inputs can be wiped: older forms of a row
// would stay in the file otherwise.
const writerSettings = "&_stmt_cache_size=64&_mutex=no&_cache_size=-32768&_secure_delete=on"

// writer is the one connection that writes, with the statements around each job
// prepared.
type writer struct {
	db     *sql.DB
	conn   *sql.Conn
	clock  *clock
	head   *head // of the journal as it is on disk; nil when that is not certain
	recent recent
	counts *quota.Counts

	damaged func(error) bool // of the store

	format   int64    // of the database
	accounts accounts // what the sets are, as the journal says
	since    int64    // rows that it told of since it told of all
	disputes disputes // rows that read otherwise
	signing  signing

	begin, end, rollback, save, back, release *hot
	insertPlace                               *hot
	meeting, insertCall, count, insertEntry   *hot
	hit, enterOne, enterRecent, entered       *hot
	changes                                   map[string]*hot // by their text
}

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, conn: conn, recent: recent{}, counts: quota.New(), changes: map[string]*hot{}}
	// What SQLite copies to take a job back would go to a file in the system's folder.
	// The disk is waited for outside of SQLite; see disk.
	if err := errors.Join(w.pragma("wal_autocheckpoint = "+walPages), w.pragma("temp_store = MEMORY"),
		w.pragma("synchronous = NORMAL")); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	for stmt, text := range map[**hot]string{
		&w.begin: "BEGIN IMMEDIATE", &w.end: "COMMIT", &w.rollback: "ROLLBACK",
		&w.save: "SAVEPOINT job", &w.back: "ROLLBACK TO job", &w.release: "RELEASE job",
		&w.meeting: meeting, &w.insertCall: insertCall, &w.count: countWaiting, &w.insertEntry: insertEntry, &w.hit: hitRule,
		&w.insertPlace: insertPlace, &w.enterOne: enterOne, &w.enterRecent: enterRecent, &w.entered: entered,
	} {
		if *stmt, err = newHot(conn, text); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	// That all columns are there shows now, and not when a call is looked for.
	if _, err := conn.ExecContext(ctx, "SELECT "+callColumns+" FROM calls LIMIT 0"); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// close ends the statements first: with one of them open SQLite would not close the
// database, and would leave its log beside it.
func (w *writer) close() error {
	var err error
	for _, h := range []*hot{w.begin, w.end, w.rollback, w.save, w.back, w.release, w.meeting, w.insertCall, w.count, w.insertEntry, w.hit,
		w.insertPlace, w.enterOne, w.enterRecent, w.entered} {
		if h != nil {
			err = errors.Join(err, h.close())
		}
	}
	for _, h := range w.changes {
		err = errors.Join(err, h.close())
	}
	return errors.Join(err, w.conn.Close(), w.db.Close())
}

// commit runs the jobs in one transaction. The error is that of all; a job's own
// is in the job. After an error the head is read anew, since what is on disk is
// not certain.
func (w *writer) commit(jobs []*job) (g group, err error) {
	if err := w.begin.exec(nil); err != nil {
		w.abort()
		return group{}, err
	}
	h, err := w.readHead()
	if err != nil {
		w.abort()
		return group{}, err
	}
	hits, stated := tally{}, false
	var done []*tx
	defer func() {
		if err != nil || !g.dirty {
			for _, t := range slices.Backward(done) {
				t.takeBack()
			}
		}
	}()
	for _, j := range jobs {
		t := &tx{w: w, head: h, alone: len(jobs) == 1}
		done = append(done, t)
		if err := w.attempt(t, j); err != nil {
			w.abort()
			return group{}, err
		}
		if j.err == nil {
			g.dirty, h, j.last = true, t.head, t.head.seq
			stated = stated || t.stated
			g.events = append(g.events, t.events...)
			for _, h := range t.hits {
				hits.add(h)
			}
		}
	}
	if !g.dirty {
		w.abort()
		return group{}, nil
	}
	signed := &tx{w: w, head: h}
	if err := errors.Join(hits.write(w.hit), signed.sign(stated), w.end.exec(nil)); err != nil {
		w.abort()
		return group{}, err
	}
	h, g.events = signed.head, append(g.events, signed.events...)
	w.head, g.last = &h, h.seq
	w.signing.wrote(signed)
	for _, t := range done {
		w.disputes.committed(t)
	}
	return g, nil
}

// changing runs a change that answers some columns of a call; io.EOF: it changed none. The
// few forms that there are of it stay prepared.
func (w *writer) changing(query string, values []any, columns []column) (err error) {
	h := w.changes[query]
	if h == nil {
		if h, err = newHot(w.conn, query); err != nil {
			return err
		}
		w.changes[query] = h
	}
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i].Ordinal = i + 1
		if args[i].Value, err = driver.DefaultParameterConverter.ConvertValue(v); err != nil {
			return err
		}
	}
	row := make([]driver.Value, len(columns))
	if err := h.row(args, row); err != nil {
		return err
	}
	for i, c := range columns {
		c.take(row[i])
	}
	return nil
}

func (w *writer) readHead() (head, error) {
	if w.head != nil {
		return *w.head, nil
	}
	return readHead(&tx{w: w})
}

// abort takes the transaction back. SQLite may have done so by itself, and then
// there is nothing left to roll back.
func (w *writer) abort() {
	w.head = nil
	_ = w.rollback.exec(nil)
}

// attempt runs one job. Its own failure is the job's; an error is that of the
// transaction: a full disk, for one, makes SQLite roll back all of it, and what ran
// after that would commit by itself.
func (w *writer) attempt(t *tx, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if j.err = j.fn(t); j.err == nil {
		j.err = t.tellState()
	}
	if j.err == nil && t.stated {
		j.err = t.refold()
	}
	if j.err != nil {
		t.takeBack()
	}
	if t.torn != nil || !t.saved {
		return t.torn
	}
	if j.err != nil {
		if err := w.back.exec(nil); err != nil {
			return errors.Join(j.err, err)
		}
	}
	return w.release.exec(nil)
}

// tx is one job's part of the writer's transaction. It is no sql.Tx, which would
// start a goroutine for every query.
type tx struct {
	w      *writer
	alone  bool // a job that is alone needs no savepoint: when it fails, nothing is committed
	saved  bool // there is a savepoint to which the job can be taken back
	torn   error
	head   head // as it will be on disk
	events []permission.Event
	hits   []hit

	touched map[string]map[string]bool // rows by set and key, of which no entry has told yet
	undo    []undo
	stated  bool // an entry told of sets

	counted []func() // each takes one of the counts of this job back

	sinceBefore *int64 // the writer's since before this job

	settling bool                        // a person picked versions: what is touched is in dispute no more
	keeping  bool                        // changes a row that may be in dispute, which it stays in
	told     map[rowName]json.RawMessage // what the journal is told of rows in dispute, in the place of what stands in the tables
	moved    []permission.Difference     // differences with other versions than before
}

// save makes the savepoint of a job that may fail halfway. Under one, SQLite copies
// each page before it changes it, which a plain suspend does not pay for.
func (t *tx) save() {
	if t.alone || t.saved || t.torn != nil {
		return
	}
	t.torn = t.w.save.exec(nil)
	t.saved = t.torn == nil
}

// bare notes the failure of a statement: outside a savepoint it is that of the whole
// transaction.
func (t *tx) bare(err error) error {
	if err != nil && !t.alone && !t.saved {
		t.torn = err
	}
	return err
}

// Exec runs a statement that answers no rows.
func (t *tx) Exec(query string, args ...any) (sql.Result, error) {
	t.save()
	return t.w.conn.ExecContext(context.Background(), query, args...)
}

// Query runs a statement that answers rows. Close them before the next statement.
func (t *tx) Query(query string, args ...any) (*sql.Rows, error) {
	t.save()
	return t.w.conn.QueryContext(context.Background(), query, args...)
}

// QueryRow runs a statement that answers at most one row.
func (t *tx) QueryRow(query string, args ...any) *sql.Row {
	t.save()
	return t.w.conn.QueryRowContext(context.Background(), query, args...)
}
