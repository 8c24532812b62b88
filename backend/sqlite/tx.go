package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/quota"
	"sekisho/backend/tally"
)

// writer is what the writing of calls keeps in memory between jobs: calls that are not
// entered in their index yet, what was allowed lately, and the statements that jobs need.
type writer struct {
	conn   *database.Conn
	health *health
	recent recent
	counts *quota.Counts

	insertPlace, meeting, insertCall, count *database.Stmt
	hit, enterOne, enterRecent, entered     *database.Stmt
	addCount                                *database.Stmt
	changes                                 map[string]*database.Stmt // by their text
}

func newWriter(conn *database.Conn, h *health) (*writer, error) {
	w := &writer{conn: conn, health: h, recent: recent{}, counts: quota.New(), changes: map[string]*database.Stmt{}}
	err := conn.PrepareAll(map[**database.Stmt]string{
		&w.insertPlace: insertPlace, &w.meeting: meeting, &w.insertCall: insertCall, &w.count: countWaiting,
		&w.hit: hitRule, &w.enterOne: enterOne, &w.enterRecent: enterRecent, &w.entered: entered,
		&w.addCount: addCount,
	})
	if err == nil { // that all columns are there shows now, and not when a call is looked for
		_, err = conn.Exec("SELECT " + callColumns + " FROM calls LIMIT 0")
	}
	return w, err
}

// enter empties recent. Where it fails, all is as it was.
func (w *writer) enter() error {
	if len(w.recent) == 0 {
		return nil
	}
	if err := w.conn.Transact(w.enterRecent, w.entered); err != nil {
		return err
	}
	clear(w.recent)
	return nil
}

// changing runs a change that answers some columns of a call; io.EOF: it changed none. The
// few forms that there are of it stay prepared.
func (w *writer) changing(query string, values []any, columns []column) (err error) {
	h := w.changes[query]
	if h == nil {
		if h, err = w.conn.Prepare(query); err != nil {
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
	if err := h.Row(args, row); err != nil {
		return err
	}
	for i, c := range columns {
		c.take(row[i])
	}
	return nil
}

// tx is one job's part of the writer's transaction.
type tx struct {
	journal.Tx
	w       *writer
	hits    []hit
	counts  []tally.Count
	counted []func() // each takes one of the counts of this job back
}

// uncount takes the counts of a job back but for the first ones.
func (t *tx) uncount(keep int) {
	for i := len(t.counted) - 1; i >= keep; i-- {
		t.counted[i]()
	}
	t.counted = t.counted[:keep]
}

// takeBack takes back what a job that came to nothing has done in memory.
func (t *tx) takeBack() {
	t.uncount(0)
	t.TakeBack()
}

// work is what the jobs of one transaction are part of; see database.Work.
type work struct {
	*writer
	journal *journal.Writer
	jobs    []*tx // of the transaction under way
	hits    uses  // of those that were not taken back
	sums    sums  // likewise
}

// Tidy enters calls in their index: when they are many, and in pauses.
func (w *work) Tidy(pause bool) error {
	if !pause && len(w.recent) < maxRecent {
		return nil
	}
	return w.enter()
}

// Begin is told that a transaction has begun.
func (w *work) Begin() error {
	clear(w.hits)
	clear(w.sums)
	return w.journal.Begin()
}

// Run runs a job.
func (w *work) Run(part database.Tx, do func(*tx) error) (of *database.Tx, last int64, err error) {
	t := &tx{Tx: w.journal.Part(part), w: w.writer}
	w.jobs = append(w.jobs, t)
	if err = do(t); err == nil {
		last, err = t.Finish()
	}
	if err != nil {
		t.takeBack()
		return &t.Tx.Tx, 0, err
	}
	for _, h := range t.hits {
		w.hits.add(h)
	}
	for _, c := range t.counts {
		w.sums.add(c)
	}
	return &t.Tx.Tx, last, nil
}

// Seal counts the hits of rules and the calls, and signs.
func (w *work) Seal(part database.Tx) error {
	return errors.Join(w.hits.write(w.hit), w.sums.write(w.addCount), w.journal.Seal(part))
}

// Committed gives the events of the transaction, and its newest entry.
func (w *work) Committed() (events []permission.Event, last int64) {
	for _, t := range w.jobs {
		t.Kept()
	}
	w.forget()
	return w.journal.Committed()
}

// Undone takes back what the jobs did in memory.
func (w *work) Undone() {
	for i := len(w.jobs) - 1; i >= 0; i-- {
		w.jobs[i].takeBack()
	}
	w.forget()
	w.journal.Undone()
}

func (w *work) forget() {
	clear(w.jobs)
	w.jobs = w.jobs[:0]
}

// base is what all parts of the store read and write with.
type base struct {
	reader  *sql.DB
	writing *database.Writer[*tx]
	health  *health
}

// write runs do in a transaction and returns when it is on disk. Nothing of do
// remains when it returns an error.
func (b *base) write(ctx context.Context, do func(*tx) error) error {
	return b.health.outcome(b.writing.Write(ctx, do))
}

// writeSoon is write that returns when do is committed; see database.Writer.
func (b *base) writeSoon(ctx context.Context, lazy bool, do func(*tx) error) (last int64, err error) {
	last, err = b.writing.WriteSoon(ctx, lazy, do)
	return last, b.health.outcome(err)
}

// damaged reports whether err is a damaged row, and remembers that there is one.
func (b *base) damaged(err error) bool { return b.health.damaged(err) }
