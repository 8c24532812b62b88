package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strings"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// reader is one reading of all programs' histories.
type reader struct {
	places Places
	visit  Visitor
	buffer *bufio.Reader
	long   []byte
	seed   maphash.Seed
	seen   map[uint64]struct{} // calls that were told already: a continued session repeats them
	gaps   []Unread
	// projects are the folders that Claude Code, Gemini CLI and opencode have worked in.
	projects map[string]bool
}

// newReader fills in what the visitor does not want to be told.
func newReader(places Places, visit Visitor) *reader {
	r := &reader{places: places, visit: visit, buffer: bufio.NewReaderSize(nil, 256<<10), seed: maphash.MakeSeed(),
		seen: map[uint64]struct{}{}, gaps: []Unread{}, projects: map[string]bool{}}
	if r.visit.Call == nil {
		r.visit.Call = func(Call) {}
	}
	if r.visit.Entry == nil {
		r.visit.Entry = func(Entry) {}
	}
	if r.visit.Bytes == nil {
		r.visit.Bytes = func(int) {}
	}
	if r.visit.File == nil {
		r.visit.File = func(Client) {}
	}
	return r
}

// unread counts something that was not read.
func (r *reader) unread(kind Kind, place string) {
	for i := range r.gaps {
		if r.gaps[i].Kind == kind {
			r.gaps[i].Count++
			return
		}
	}
	r.gaps = append(r.gaps, Unread{Kind: kind, Count: 1, First: strings.ToValidUTF8(place, "\uFFFD")})
}

// known is how many of the folders that agents worked in are looked into for settings.
const knownProjects = 2_000

// project notes a folder that an agent worked in.
func (r *reader) project(folder string) {
	if len(r.projects) < knownProjects && folder != "" {
		r.projects[folder] = true
	}
}

// shortID is how short the id of a call may be to name it in one file alone: some models
// number their calls anew in each session.
const shortID = 12

// tell hands a call on, once, whatever files have it. It is false for one whose input is
// nothing that a desk would take.
func (r *reader) tell(id, file string, c Call) bool {
	if len(c.Input) == 0 || string(c.Input) == "null" {
		c.Input = json.RawMessage("{}")
	}
	if c.Tool == "" || c.Input[0] != '{' || rawjson.Check(c.Input, rawjson.MaxInputDepth) != nil {
		return false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, c.Input) == nil { // some programs write it over several lines
		c.Input = compact.Bytes()
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	if len(id) < shortID {
		h.WriteString(file)
	}
	for _, s := range []string{string(c.Client), id, c.Tool} {
		h.WriteByte(0)
		h.WriteString(s)
	}
	h.WriteByte(0)
	h.Write(c.Input)
	if _, known := r.seen[h.Sum64()]; id != "" && known {
		return true
	}
	r.seen[h.Sum64()] = struct{}{}
	r.visit.Call(c)
	return true
}

// pending are the calls of a file that have no outcome yet, in their order.
type pending struct {
	order []string
	of    map[string]*Call
}

func (p *pending) add(id string, c Call) {
	if p.of == nil {
		p.of = map[string]*Call{}
	}
	if p.of[id] == nil {
		p.order = append(p.order, id)
	}
	p.of[id] = &c
}

// end tells of all that have no outcome, and gives how many could not be told of.
func (p *pending) end(r *reader, file string) (bad int) {
	for _, id := range p.order {
		if c := p.of[id]; c != nil && !r.tell(id, file, *c) {
			bad++
		}
	}
	return bad
}

// settle takes a call whose outcome is known out, and tells of it.
func (p *pending) settle(r *reader, id, file string, outcome Outcome) bool {
	c := p.of[id]
	if c == nil {
		return true
	}
	c.Outcome = outcome
	p.of[id] = nil
	return r.tell(id, file, *c)
}

// moment reads a time; none is no time.
func moment(text string) permission.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return permission.TimeOf(at)
}

// mcp splits the name that a program gives to a tool of an MCP server.
func mcp(name, before, between string) (server *string, tool string, is bool) {
	rest, found := strings.CutPrefix(name, before)
	own, tool, split := strings.Cut(rest, between)
	if !found || !split || own == "" || tool == "" {
		return nil, name, false
	}
	return &own, tool, true
}

// text is what a value says that is a string, or a list of parts with texts.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil && len(parts) > 0 {
		return parts[0].Text
	}
	return ""
}
