package history

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"sekisho/backend/permission"
)

// opencodePart is a part of a message: a call, where its type is tool.
type opencodePart struct {
	Type    string `json:"type"`
	Tool    string `json:"tool"`
	CallID  string `json:"callID"`
	Session string `json:"sessionID"`
	State   struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Error  string          `json:"error"`
		Time   struct {
			Start int64 `json:"start"`
		} `json:"time"`
	} `json:"state"`
}

// opencodeHistory is what is known of opencode beside its calls.
type opencodeHistory struct {
	*tree
	folders map[string]string // of sessions
	servers []string
}

// opencode reads the database that newer versions keep, and the storage of older ones: a
// file for each session and each part of a message.
func (r *reader) opencode(ctx context.Context) {
	servers := r.opencodeLists(ctx)
	t := r.tree(Opencode, r.places.Opencode)
	if t == nil {
		return
	}
	defer t.close()
	h := &opencodeHistory{t, map[string]string{}, servers}
	h.database(ctx)
	stored := func(name string) bool {
		return strings.HasSuffix(name, ".json") && strings.Contains(name, "storage/session/")
	}
	for _, below := range []string{"storage", "project"} {
		t.files(ctx, below, func(name string) bool { return stored(name) && !strings.Contains(name, "/part/") }, h.session)
		t.files(ctx, below, func(name string) bool { return strings.HasSuffix(name, ".json") && strings.Contains(name, "/part/") },
			func(name string) { h.partFile(name) })
	}
}

// session notes the folder of a session.
func (h *opencodeHistory) session(name string) {
	var s struct {
		ID        string `json:"id"`
		Directory string `json:"directory"`
	}
	raw := h.whole(name)
	switch {
	case raw == nil:
	case json.Unmarshal(raw, &s) != nil:
		h.unread(BadLine, h.name(name))
	case s.Directory != "":
		h.folders[s.ID] = s.Directory
		h.project(s.Directory)
	}
}

func (h *opencodeHistory) partFile(name string) {
	if raw := h.whole(name); raw != nil && !h.part(raw, "", name) {
		h.unread(BadLine, h.name(name))
	}
}

// part reads a part of a message, of which session is known from elsewhere, or "".
func (h *opencodeHistory) part(raw []byte, session, file string) bool {
	if !bytes.Contains(raw, []byte(`"tool"`)) {
		return json.Valid(raw)
	}
	var p opencodePart
	if json.Unmarshal(raw, &p) != nil {
		return false
	}
	if p.Type != "tool" {
		return true
	}
	if session == "" {
		session = p.Session
	}
	c := Call{Client: Opencode, Session: session, At: permission.Time(p.State.Time.Start), Cwd: h.folders[session], Tool: p.Tool,
		Input: p.State.Input, Outcome: opencodeOutcome(p.State.Status, p.State.Error)}
	for _, own := range h.servers {
		if tool, found := strings.CutPrefix(p.Tool, own+"_"); found && tool != "" {
			c.Server, c.Tool = &own, tool
		}
	}
	return h.tell(p.CallID, file, c)
}

func opencodeOutcome(status, said string) Outcome {
	switch {
	case status == "completed":
		return Ran
	case status != "error", strings.Contains(said, "Tool execution aborted"):
		return Unknown
	case strings.Contains(said, "rejected permission to use this specific tool call"),
		strings.Contains(said, "has specified a rule which prevents you from using"):
		return Declined
	}
	return Ran
}

// database reads opencode.db.
func (h *opencodeHistory) database(ctx context.Context) {
	const name = "opencode.db"
	file := h.open(name)
	if file == nil {
		return
	}
	defer file.Close()
	wal := h.openLog(name + "-wal")
	if wal != nil {
		defer wal.Close()
	}
	d, err := openDatabase(file, wal)
	if err == nil {
		err = d.rows(ctx, "session", []string{"id", "directory"}, func(row []value) {
			h.folders[row[0].text()] = row[1].text()
			h.project(row[1].text())
		})
	}
	if err == nil {
		err = d.rows(ctx, "part", []string{"session_id", "data"}, func(row []value) {
			data := row[1]
			h.visit.Bytes(len(data))
			if !h.part(data, row[0].text(), name) {
				h.unread(BadLine, h.name(name))
			}
		})
	}
	if err != nil && ctx.Err() == nil {
		h.unread(BadFile, h.name(name))
	}
	if d != nil && d.cut > 0 {
		h.unread(LongLine, h.name(name))
	}
}
