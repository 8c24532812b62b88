package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// entryFields are the members of an entry (CONTRACT section 4): all of them, and
// no other.
var entryFields = []string{"seq", "at", "kind", "callId", "actor", "data", "prevHash", "hash"}

// chain follows a journal's entries and holds no more of them than its two ends.
type chain struct {
	entries     int64
	first, last permission.Entry // without their data
	trim        int64            // the entry that says what was trimmed before first; 0: none
	seals       permission.Seals
}

// badEntry names the first entry that breaks the chain.
type badEntry struct {
	number, at int64 // in the file, from 1, and its offset in bytes
	seq        int64 // 0: it cannot be read
	why        string
}

func (b *badEntry) Error() string {
	place := fmt.Sprintf("entry number %d of the file, at byte %d", b.number, b.at)
	if b.seq == 0 {
		return place + ": " + b.why
	}
	return fmt.Sprintf("entry %d (%s): %s", b.seq, place, b.why)
}

// add takes the next entry, or says what is wrong with it.
func (c *chain) add(raw []byte, at int64) error {
	c.entries++
	e, why := readEntry(raw)
	if why == "" {
		why = c.follow(e)
	}
	if why == "" {
		why = c.seals.Add(e)
	}
	if why != "" {
		return &badEntry{c.entries, at, e.Seq, why}
	}
	return nil
}

// readEntry reads an entry strictly and holds its hash against its content: the
// bytes of the file themselves, so that nothing escapes by being read loosely.
func readEntry(raw []byte) (e permission.Entry, why string) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return e, "it is malformed: " + err.Error()
	}
	var covered []string
	for _, m := range members {
		if !slices.Contains(entryFields, m.Key) {
			return e, fmt.Sprintf("it has an unknown field %.40q", m.Key)
		}
		if m.Key != "hash" {
			covered = append(covered, string(m.RawKey)+":"+string(m.Value))
		}
	}
	if len(members) != len(entryFields) {
		return e, "a field is missing: an entry has " + strings.Join(entryFields, ", ")
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return permission.Entry{}, "it is malformed: " + err.Error()
	}
	sum, err := rawjson.Sum(json.RawMessage("{" + strings.Join(covered, ",") + "}"))
	if err != nil {
		return e, "it is malformed: " + err.Error()
	}
	if sum != e.Hash {
		return e, "its hash is not that of its content: it was changed"
	}
	return e, ""
}

// follow holds an entry against the one before it.
func (c *chain) follow(e permission.Entry) (why string) {
	if c.entries == 1 {
		why = begin(e)
		c.first = e
		c.first.Data = nil
	} else {
		why = succeed(c.last, e)
	}
	if c.trim == 0 && c.first.Seq > 1 && e.Trims(c.first) {
		c.trim = e.Seq
	}
	c.last = e
	c.last.Data = nil
	return why
}

func begin(e permission.Entry) string {
	switch {
	case e.Seq < 1:
		return "entries are numbered from 1"
	case e.Seq == 1 && e.PrevHash != "":
		return "the first entry of a journal follows none, and this one says it does"
	case e.Seq > 1 && e.PrevHash == "":
		return "it says that none came before it"
	}
	return ""
}

func succeed(last, e permission.Entry) string {
	switch {
	case e.Seq <= last.Seq:
		return fmt.Sprintf("it stands after entry %d", last.Seq)
	case e.Seq > last.Seq+1:
		return fmt.Sprintf("it stands after entry %d: what was between them is missing", last.Seq)
	case e.PrevHash != last.Hash:
		return fmt.Sprintf("its prevHash is not the hash of entry %d: one of the two was replaced", last.Seq)
	}
	return ""
}
