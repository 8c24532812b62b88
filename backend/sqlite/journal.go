package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// head is the end of the journal's chain.
type head struct {
	seq  int64
	hash string
}

func readHead(t *tx) (h head, err error) {
	err = t.QueryRow("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").Scan(&h.seq, &h.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return head{}, nil
	}
	return h, err
}

// entryRow is an entry with all made that can be made before its turn in the chain.
type entryRow struct {
	kind  string
	body  []byte // its canonical JSON up to the value of prevHash, which its place then completes
	args  []driver.NamedValue
	event permission.Event
}

const insertEntry = "INSERT INTO journal (at, kind, call_id, actor, data, seq, prev_hash, hash) VALUES (?,?,?,?,?,?,?,?)"

// newEntryRow refuses data that are no JSON.
func newEntryRow(e permission.Entry, call *permission.Call) (entryRow, error) {
	if e.Data == nil {
		e.Data = json.RawMessage("{}")
	}
	r := entryRow{kind: string(e.Kind), event: permission.Event{Kind: e.Kind}}
	var callID driver.Value
	if call != nil {
		e.CallID, callID = &call.ID, string(call.ID)
		r.event.CallID, r.event.Agent, r.event.Run, r.event.Session = call.ID, call.AgentID, call.RunID, call.SessionID
	}
	var err error
	if r.body, err = unhashed(e); err != nil {
		return r, fmt.Errorf("journal %s: %w", e.Kind, err)
	}
	r.args = numbered(int64(e.At), string(e.Kind), callID, e.Actor, string(e.Data), nil, nil, nil)
	return r, nil
}

// hashTail is the room for the end of an entry's canonical JSON.
const hashTail = sha256.Size*2 + len(`"","seq":}`) + 20

// unhashed begins what the hash of an entry covers, the canonical JSON of
// Entry.Unhashed, by hand: its members in their order, up to the hash before it.
func unhashed(e permission.Entry) ([]byte, error) {
	b := make([]byte, 0, len(e.Data)+len(e.Actor)+len(e.Kind)+160+hashTail)
	b = rawjson.AppendString(append(b, `{"actor":`...), e.Actor)
	b = append(b, `,"at":`...)
	if e.At.IsZero() {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, e.At.String())
	}
	b = append(b, `,"callId":`...)
	if e.CallID == nil {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, string(*e.CallID))
	}
	b, err := rawjson.Canonical(append(b, `,"data":`...), e.Data)
	if err != nil {
		return nil, err
	}
	b = rawjson.AppendString(append(b, `,"kind":`...), string(e.Kind))
	return append(b, `,"prevHash":`...), nil
}

// place gives the entry its place behind h and answers the new end of the chain.
func (r *entryRow) place(h head) head {
	seq := h.seq + 1
	b := append(rawjson.AppendString(r.body, h.hash), `,"seq":`...)
	sum := sha256.Sum256(append(strconv.AppendInt(b, seq, 10), '}'))
	next := head{seq: seq, hash: hex.EncodeToString(sum[:])}
	r.args[5].Value, r.args[6].Value, r.args[7].Value, r.event.Seq = seq, h.hash, next.hash, seq
	return next
}

// append writes e as the next entry of the chain and remembers its event. One that is
// about no call tells of the sets that were touched before it.
func (t *tx) append(e permission.Entry, call *permission.Call) (err error) {
	if call == nil && len(t.touched) > 0 {
		if e.Data, err = t.testify(e.Data); err != nil {
			return err
		}
	}
	r, err := newEntryRow(e, call)
	if err != nil {
		return err
	}
	t.save()
	return t.add(r)
}

// add writes an entry that was made before.
func (t *tx) add(r entryRow) error {
	next := r.place(t.head)
	if err := t.bare(t.w.insertEntry.exec(r.args)); err != nil {
		return fmt.Errorf("journal %s: %w", r.kind, err)
	}
	t.head = next
	t.events = append(t.events, r.event)
	return nil
}

// Note keeps an entry that belongs to no change of what else is kept.
func (s *Store) Note(ctx context.Context, e permission.Entry) error {
	return s.write(ctx, func(t *tx) error { return t.append(e, nil) })
}

// Journal gives the entries after seq, oldest first: limit of them, or fewer where they
// carry much, see maxPage. next is the seq of the last one where more follow, else 0.
func (s *Store) Journal(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT "+entryColumns+" FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", after, limit+1)
	if err != nil {
		return nil, 0, fmt.Errorf("read journal: %w", err)
	}
	defer rows.Close()
	entries = []permission.Entry{}
	bytes := 0
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, 0, fmt.Errorf("read journal: %w", err)
		}
		if bytes += len(e.Data); len(entries) == limit || len(entries) > 0 && bytes > maxPage {
			return entries, entries[len(entries)-1].Seq, nil
		}
		if !json.Valid(e.Data) { // without it, an export shows which entry is not what it was
			s.damaged(&rowError{fmt.Sprint("entry ", e.Seq, " of the journal"), errors.New("its data are no JSON")})
			e.Data = json.RawMessage("null")
		}
		entries = append(entries, e)
	}
	return entries, 0, rows.Err()
}

// Events gives the entries after seq as events, with the call's agent, run and
// session as they are now.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]permission.Event, error) {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT j.seq, j.kind, COALESCE(j.call_id,''), COALESCE(c.agent_id,''), COALESCE(c.run_id,''), COALESCE(c.session_id,'')
		FROM journal j LEFT JOIN calls c ON c.id = j.call_id WHERE j.seq > ? ORDER BY j.seq LIMIT ?`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	events := []permission.Event{}
	for rows.Next() {
		var e permission.Event
		if err := rows.Scan(&e.Seq, &e.Kind, &e.CallID, &e.Agent, &e.Run, &e.Session); err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		events = append(events, e)
	}
	return events, rows.Err()
}

// LastSeq is the newest entry's sequence number, 0 when there is none.
func (s *Store) LastSeq(ctx context.Context) (seq int64, err error) {
	if err := s.reader.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq),0) FROM journal").Scan(&seq); err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	return seq, nil
}
