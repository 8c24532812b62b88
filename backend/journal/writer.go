// Package journal is the hash-chained record of all that happened, written in the
// transactions that it tells of, and what it says of the sets: the tables that decide what is
// allowed. A start holds those tables against the journal; what differs is in dispute until a
// person has settled it. With a key the journal is signed.
package journal

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Writer is what the writer of a database knows of the journal in it: its end, what it says
// of the sets, and how it is signed. One goroutine at a time uses it, but for its clock and
// what is in dispute.
type Writer struct {
	Clock *Clock
	Name  string // of the journal, which its signatures hold; "" when it is lost

	conn   *database.Conn
	insert *database.Stmt
	opened int64 // the newest entry that was there before this process

	head     head // of the journal as it is on disk
	certain  bool // that head is
	format   int64
	accounts accounts // what the sets are, as the journal says
	since    int64    // rows that it told of since it told of all
	disputes disputes // rows that read otherwise
	signing  signing

	// Of the transaction under way: its end, its events, and whether it tells of sets and so
	// is to be signed, and was.
	end            head
	events         []permission.Event
	stated, signed bool
}

// New is the writer of a journal as a start found it. damage says that its newest entry was
// passed over; see lastTime.
func New(ctx context.Context, db *database.DB, said *Start) (w *Writer, damage string, err error) {
	w = &Writer{Name: said.name, conn: db.Conn, format: said.Format, accounts: said.accounts, since: said.since}
	w.disputes.open(said.Disputes)
	if w.insert, err = db.Conn.Prepare(insertEntry); err != nil {
		return nil, "", err
	}
	since, damage, err := lastTime(ctx, db.Reader)
	if err == nil {
		err = database.One(db.Reader, &w.opened, "SELECT COALESCE(MAX(seq), 0) FROM journal")
	}
	if err != nil {
		return nil, "", fmt.Errorf("read the journal's last time: %w", err)
	}
	w.Clock = newClock(since)
	return w, damage, nil
}

// Begin is told that a transaction has begun.
func (w *Writer) Begin() (err error) {
	w.events, w.stated, w.signed = w.events[:0], false, false
	if w.end = w.head; !w.certain {
		w.end, err = readHead(w.conn)
	}
	return err
}

func readHead(from database.Querier) (h head, err error) {
	rows, err := from.Query("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return h, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&h.seq, &h.hash)
	}
	return h, errors.Join(err, rows.Err())
}

// Part is what a job has of the transaction.
func (w *Writer) Part(part database.Tx) Tx { return Tx{Tx: part, w: w, head: w.end} }

// Seal signs the transaction where that is due.
func (w *Writer) Seal(part database.Tx) error {
	if !w.signing.due(w.end, w.stated) {
		return nil
	}
	t := w.Part(part)
	e, err := w.signing.checkpoint(t.head, w.Clock.Now(), false)
	if err == nil {
		err = t.Append(e, nil)
	}
	w.end, w.events, w.signed = t.head, append(w.events, t.events...), true
	return err
}

// Committed gives the events of the transaction, until the next one, and the number of its
// newest entry.
func (w *Writer) Committed() (events []permission.Event, last int64) {
	w.head, w.certain = w.end, true
	if w.signed {
		w.signing.last = w.end.seq
	}
	return w.events, w.end.seq
}

// Undone is told that nothing of the transaction is there, or that it is not certain: the end
// of the journal is read anew.
func (w *Writer) Undone() { w.certain = false }

// Differences lists the rows that read other than the journal says, as they did when the
// data were opened, but for those that were settled since.
func (w *Writer) Differences() []permission.Difference { return w.disputes.all() }

// Disputed says in words for a person that there are such rows, or "".
func (w *Writer) Disputed() string { return w.disputes.words() }
