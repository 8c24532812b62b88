package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// head is the end of the journal's chain.
type head struct {
	seq  int64
	hash string
}

func readHead(t *sql.Tx) (h head, err error) {
	err = t.QueryRow("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").Scan(&h.seq, &h.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return head{}, nil
	}
	return h, err
}

// append writes e as the next entry of the chain and remembers its event.
func (t *tx) append(e permission.Entry, call *permission.Call) error {
	e.Seq, e.PrevHash = t.head.seq+1, t.head.hash
	if e.Data == nil {
		e.Data = json.RawMessage("{}")
	}
	event := permission.Event{Seq: e.Seq, Kind: e.Kind}
	if call != nil {
		e.CallID = &call.ID
		event.CallID, event.Agent, event.Run, event.Session = call.ID, call.AgentID, call.RunID, call.SessionID
	}
	var err error
	if e.Hash, err = EntryHash(e); err != nil {
		return fmt.Errorf("journal %s: %w", e.Kind, err)
	}
	_, err = t.Exec("INSERT INTO journal (seq, at, kind, call_id, actor, data, prev_hash, hash) VALUES (?,?,?,?,?,?,?,?)",
		e.Seq, e.At, e.Kind, e.CallID, e.Actor, string(e.Data), e.PrevHash, e.Hash)
	if err != nil {
		return fmt.Errorf("journal %s: %w", e.Kind, err)
	}
	t.head = head{seq: e.Seq, hash: e.Hash}
	t.events = append(t.events, event)
	return nil
}

// EntryHash is the hex SHA-256 of the canonical JSON of e without its hash
// (CONTRACT section 4).
func EntryHash(e permission.Entry) (string, error) {
	raw, err := json.Marshal(struct {
		Seq      int64              `json:"seq"`
		At       permission.Time    `json:"at"`
		Kind     string             `json:"kind"`
		CallID   *permission.CallID `json:"callId"`
		Actor    string             `json:"actor"`
		Data     json.RawMessage    `json:"data"`
		PrevHash string             `json:"prevHash"`
	}{e.Seq, e.At, e.Kind, e.CallID, e.Actor, e.Data, e.PrevHash})
	if err != nil {
		return "", err
	}
	canonical, err := rawjson.Canonical(nil, raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// Journal gives the entries after seq, oldest first.
func (s *Store) Journal(ctx context.Context, after int64, limit int) ([]permission.Entry, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT seq, at, kind, call_id, actor, data, prev_hash, hash FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	defer rows.Close()
	entries := []permission.Entry{}
	for rows.Next() {
		var e permission.Entry
		var data string
		if err := rows.Scan(&e.Seq, &e.At, &e.Kind, &e.CallID, &e.Actor, &data, &e.PrevHash, &e.Hash); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		e.Data = json.RawMessage(data)
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// Events gives the entries after seq as events, with the call's agent, run and
// session as they are now.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]permission.Event, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT j.seq, j.kind, COALESCE(j.call_id,''), COALESCE(c.agent_id,''), COALESCE(c.run_id,''), COALESCE(c.session_id,'')
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
