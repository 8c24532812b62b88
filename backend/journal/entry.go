package journal

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Columns are those of an entry, for Scan.
const Columns = "seq, at, kind, call_id, actor, data, prev_hash, hash"

// Scan reads an entry of a row of Columns.
func Scan(row database.Row) (e permission.Entry, err error) {
	var data string
	err = row.Scan(&e.Seq, &e.At, &e.Kind, &e.CallID, &e.Actor, &data, &e.PrevHash, &e.Hash)
	e.Data = json.RawMessage(data)
	return e, err
}

// carriesHash reports whether an entry's hash is that of its content.
func carriesHash(e *permission.Entry) bool {
	sum, err := rawjson.Sum(e.Unhashed())
	return err == nil && sum == e.Hash
}

// head is the end of the journal's chain.
type head struct {
	seq  int64
	hash string
}

// Draft is an entry with all made that can be made before its turn in the chain.
type Draft struct {
	kind  string
	body  []byte // its canonical JSON up to the value of prevHash, which its place then completes
	args  []driver.NamedValue
	event permission.Event
}

const insertEntry = "INSERT INTO journal (at, kind, call_id, actor, data, seq, prev_hash, hash) VALUES (?,?,?,?,?,?,?,?)"

// NewDraft drafts an entry, of a call or of none. It refuses data that are no JSON.
func NewDraft(e permission.Entry, call *permission.Call) (Draft, error) {
	if e.Data == nil {
		e.Data = json.RawMessage("{}")
	}
	r := Draft{kind: string(e.Kind), event: permission.Event{Kind: e.Kind}}
	var callID driver.Value
	if call != nil {
		e.CallID, callID = &call.ID, string(call.ID)
		r.event.CallID, r.event.Agent, r.event.Run, r.event.Session = call.ID, call.AgentID, call.RunID, call.SessionID
	}
	var err error
	if r.body, err = unhashed(e); err != nil {
		return r, fmt.Errorf("journal %s: %w", e.Kind, err)
	}
	r.args = database.Numbered(int64(e.At), string(e.Kind), callID, e.Actor, string(e.Data), nil, nil, nil)
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
func (r *Draft) place(h head) head {
	seq := h.seq + 1
	b := append(rawjson.AppendString(r.body, h.hash), `,"seq":`...)
	sum := sha256.Sum256(append(strconv.AppendInt(b, seq, 10), '}'))
	next := head{seq: seq, hash: hex.EncodeToString(sum[:])}
	r.args[5].Value, r.args[6].Value, r.args[7].Value, r.event.Seq = seq, h.hash, next.hash, seq
	return next
}
