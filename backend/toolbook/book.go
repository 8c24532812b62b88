// Package toolbook is what is known of the tools of servers: how their servers describe them
// and are started, what of that a person's word has allowed, and what speaks against a tool
// that is another by now. A book never changes: what comes of a list of tools, a yes or another
// list of servers is the next book, and the edit that keeps it. It reads no clock and no store.
package toolbook

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// Book is what is known of the tools of all servers. It never changes: an edit makes
// another one.
type Book map[string]*shelf // by server

// shelf is what is known of one server. It never changes either.
type shelf struct {
	launch permission.ToolText // how it is started or reached; without a hash: it is in no list of servers
	tools  map[string]permission.ToolPin
	texts  map[string]keptText              // what is kept of definitions, by their hashes
	lost   map[string]bool                  // tools of which what it said last could not be kept
	flags  map[string][]permission.TextFlag // deceiving characters of definitions, by their hashes

	lately stirs // lists that changed tools anew

	disputed map[string]bool // tools whose rows were in dispute at the last list; see List

	// How many of its tools were in no list, are allowed, are so under the launch as it
	// is, and changed.
	unseen, allowed, current, withheld int
}

// keptText is a definition's kept text: its bytes, and its hash where its pin names that.
type keptText struct {
	size int
	hash string
}

func newShelf() *shelf {
	return &shelf{tools: map[string]permission.ToolPin{}, texts: map[string]keptText{}, lost: map[string]bool{},
		flags: map[string][]permission.TextFlag{}}
}

// Known is a stored pin with its definitions.
type Known struct {
	Pin          permission.ToolPin
	Seen, Pinned Text
}

// New holds what is stored against the servers as they are.
func New(servers []permission.Server, known []Known) Book {
	b := Book{}
	for _, k := range known {
		s, p := b[k.Pin.ServerID], k.Pin
		if s == nil {
			s = newShelf()
			b[p.ServerID] = s
		}
		s.put(p)
		for _, text := range []Text{k.Pinned, k.Seen} {
			if text.Hash != "" && text.Whole {
				s.texts[text.Hash], s.flags[text.Hash] = keptText{len(text.Text), text.kept}, flagsOf(p.ToolName, []byte(text.Text))
			}
		}
		if p.SeenText != "" {
			s.flags[p.Seen] = keptFlags(p.Flags)
		}
	}
	return b.moved(servers)
}

// moved is the book for another list of servers. Pins of a server that is gone stay: it
// may come back as another.
func (b Book) moved(servers []permission.Server) Book {
	next := Book{}
	for id, s := range b {
		gone := s.copy()
		gone.launch = permission.ToolText{}
		next[id] = gone
	}
	for i := range servers {
		s := next[servers[i].ID]
		if s == nil {
			s = newShelf()
			next[servers[i].ID] = s
		}
		s.launch = launchText(&servers[i])
	}
	for id, s := range next {
		pins := s.tools
		s.tools = make(map[string]permission.ToolPin, len(pins))
		s.unseen, s.allowed, s.current, s.withheld = 0, 0, 0, 0
		for _, p := range pins {
			if p.Launch == "" && s.launch.Hash == "" {
				continue
			}
			p.Withheld = p.Change(s.launch.Hash) != ""
			s.put(p)
		}
		if len(s.tools) == 0 && s.launch.Hash == "" {
			delete(next, id)
		}
	}
	return next
}

// with is the book with another shelf in the place of one.
func (b Book) with(server string, s *shelf) Book {
	next := maps.Clone(b)
	next[server] = s
	return next
}

// pin finds what is known of a tool whose server is in the list.
func (b Book) pin(server, tool string) (p permission.ToolPin, s *shelf) {
	if s = b[server]; s == nil || s.launch.Hash == "" {
		return p, nil
	}
	p, known := s.tools[tool]
	if !known {
		p = permission.ToolPin{ServerID: server, ToolName: tool, Whole: true}
	}
	return p, s
}

// Against says what no rule and no grant may allow a tool for, and why; "" is nothing.
func (b Book) Against(server, tool string) (change permission.ToolChange, why permission.Explanation) {
	p, s := b.pin(server, tool)
	if s == nil {
		return "", why
	}
	return s.against(p)
}

func (s *shelf) against(p permission.ToolPin) (permission.ToolChange, permission.Explanation) {
	if change := p.Change(s.launch.Hash); change != "" {
		return change, permission.Explanation{Code: permission.ReasonToolChanged, Params: permission.Param("change", change),
			Reason: "the tool changed since it was first allowed or asked for: " + changes[change]}
	}
	switch {
	case s.lost[p.ToolName]:
		return permission.ChangedUnknown, permission.Explanation{Code: permission.ReasonToolNotKept,
			Reason: "what the server last said of the tool could not be kept"}
	case p.Launch != "":
	case s.relaunched():
		return permission.ChangedLaunch, permission.Explanation{Code: permission.ReasonServerRelaunched,
			Reason: "the tool's server is started or reached in another way than when its tools were allowed"}
	case s.twin(p.ToolName):
		return permission.ChangedUnknown, permission.Explanation{Code: permission.ReasonToolTwinChanged,
			Reason: "a tool that differs from this one in letter case alone changed since it was first allowed"}
	case p.Seen == "" && !s.room():
		return permission.ChangedUnknown, permission.Explanation{Code: permission.ReasonToolNotWatched,
			Reason: "more tools of this server are known than can be watched for changes, and this one is not among them"}
	}
	return "", permission.Explanation{}
}

// changes say in English what changed of a tool.
var changes = map[permission.ToolChange]string{
	permission.ChangedDefinition: "its definition is another",
	permission.ChangedLaunch:     "its server is started or reached in another way",
	permission.ChangedBoth:       "its definition is another, and its server is started or reached in another way",
}

// relaunched reports whether all tools that are allowed were so under other launches. A
// new command has all names to choose from: those that nobody allowed yet ask too.
func (s *shelf) relaunched() bool { return s.allowed > 0 && s.current == 0 }

// allowedUnder is the launch under which tools are allowed: the one as it is, or that of
// a tool that was allowed before.
func (s *shelf) allowedUnder() string {
	if !s.relaunched() {
		return s.launch.Hash
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if launch := s.tools[name].Launch; launch != "" {
			return launch
		}
	}
	return ""
}

// twin reports whether a tool that changed has this name but for letter case: patterns
// take the two for one.
func (s *shelf) twin(name string) bool {
	if s.withheld+len(s.lost) == 0 {
		return false
	}
	folded := pattern.Fold(name)
	for other, p := range s.tools {
		if (p.Withheld || s.lost[other]) && other != name && pattern.Fold(other) == folded {
			return true
		}
	}
	return false
}

func (s *shelf) copy() *shelf {
	next := *s
	next.tools, next.texts, next.lost, next.flags = maps.Clone(s.tools), maps.Clone(s.texts), maps.Clone(s.lost), maps.Clone(s.flags)
	return &next
}

// List is what a server says of its tools, on its way into a book. What is said of tools
// whose rows are in dispute is left out: they stay as they are until a person has picked a
// version. It is lost: they ask after that, too, until it is said again.
type List struct {
	book   Book
	server string
	shelf  *shelf
	said   Said
}

// Heard is a list of a server; false where that is none behind the desk.
func (b Book) Heard(server string, said Said, disputed map[Tool]bool) (l List, ok bool) {
	s := b[server]
	if s == nil || s.launch.Hash == "" {
		return l, false
	}
	if len(disputed) == 0 && len(s.disputed) == 0 {
		return List{b, server, s, said}, true
	}
	next, rest := s.copy(), maps.Clone(said)
	next.disputed = map[string]bool{}
	for t := range disputed {
		if t.Server != server {
			continue
		}
		next.disputed[t.Name] = true
		if said[t.Name] != nil {
			delete(rest, t.Name)
			next.lost[t.Name] = true
		}
	}
	return List{b, server, next, rest}, true
}

// Stirs reports whether the list changes a tool that nobody allowed yet, or may push one
// out: it matters then whether a person is being asked about it.
func (l List) Stirs() bool { return l.shelf.stirs(l.said) }

// TakeIn is the book after the list, and what is to be kept of that. asked are the tools
// that a person is being asked about.
func (l List) TakeIn(asked map[string]bool, at permission.Time) (next Book, e permission.ToolEdit) {
	after, e := l.shelf.see(l.server, l.said, asked, at)
	e.Entries = l.shelf.changes(after, l.server, e.Put, at)
	return l.book.with(l.server, after), e
}

// Losing is the book where an edit of the list could not be kept.
func (l List) Losing(e permission.ToolEdit) Book {
	next := l.shelf.copy()
	for _, p := range e.Put {
		next.lost[p.ToolName] = true
	}
	return l.book.with(l.server, next)
}

// Lose takes over from an earlier book which tools' last definitions could not be kept. It is
// for a book that nobody else has yet.
func (b Book) Lose(before Book) {
	for id, s := range b {
		if old := before[id]; old != nil {
			maps.Copy(s.lost, old.lost)
		}
	}
}

// room reports whether one more tool can be pinned that was in no list.
func (s *shelf) room() bool { return s.unseen < maxUnseen && len(s.tools) < maxTools }

// put and drop keep count. They are for a shelf that nobody else has yet.
func (s *shelf) put(p permission.ToolPin) {
	s.drop(p.ToolName)
	s.tools[p.ToolName] = p
	s.count(p, 1)
}

func (s *shelf) drop(name string) {
	if p, known := s.tools[name]; known {
		s.count(p, -1)
		delete(s.tools, name)
	}
}

func (s *shelf) count(p permission.ToolPin, by int) {
	if p.Seen == "" {
		s.unseen += by
	}
	if p.Launch != "" {
		s.allowed += by
	}
	if p.Launch != "" && p.Launch == s.launch.Hash {
		s.current += by
	}
	if p.Withheld {
		s.withheld += by
	}
}

// Destructive reports whether a server has ever said of a tool that it may destroy.
func (b Book) Destructive(server, tool string) bool {
	p, _ := b.Tool(server, tool)
	return p.Destructive
}

// Level is the risk that a person gave a tool as its server last described it; nil is none.
func (b Book) Level(server, tool string) *permission.Risk {
	p, s := b.pin(server, tool)
	if s == nil || s.lost[tool] || p.Level == "" || p.LevelVoid {
		return nil
	}
	return &p.Level
}

// whole is an older pin as it is written today, held against a definition by the members
// that it was made of. Where these differ, the tool changed.
func whole(p permission.ToolPin, d *definition) permission.ToolPin {
	if p.Whole {
		return p
	}
	if p.Pinned == d.before {
		p.Pinned = d.hash
	}
	if p.Seen == d.before {
		p.Seen = d.hash
	}
	p.Whole = true
	return p
}

// saw is a pin after a list that has this definition.
func saw(p permission.ToolPin, d *definition) permission.ToolPin {
	p.Destructive = p.Destructive || d.destructive
	p.LevelVoid = p.LevelVoid || p.Level != "" && p.Seen != "" && p.Seen != d.hash
	switch hash := d.hash; {
	case p.Launch == "":
		p.Seen = hash
	case p.Pinned == "": // allowed before it was ever seen: this completes the pin
		p.Seen, p.Pinned = hash, hash
	case p.Seen != p.Pinned && hash == p.Pinned: // nobody has looked at what it was meanwhile
		p.Back = true
	default:
		p.Seen, p.Back = hash, false
	}
	return p
}

// Knows reports whether a list of a server says nothing new.
func (b Book) Knows(server string, said Said) bool {
	s := b[server]
	return s == nil || s.launch.Hash == "" || s.knows(said)
}

func (s *shelf) knows(said Said) bool {
	for name, d := range said {
		if p, known := s.tools[name]; !known || !p.Whole || s.lost[name] || saw(p, d) != p || s.texts[d.hash].hash == "" {
			return false
		}
	}
	return true
}

// turned reports whether a tool that nobody allowed yet was another before.
func turned(p permission.ToolPin, hash string) bool {
	return p.Launch == "" && p.Seen != "" && p.Seen != hash
}

func (s *shelf) stirs(said Said) bool {
	count := len(s.tools)
	for name, d := range said {
		p, known := s.tools[name]
		if !known {
			count++
		}
		if count > maxTools || turned(whole(p, d), d.hash) {
			return true
		}
	}
	return false
}

// see is the shelf after a list of its server, and what is to be kept of that. A tool
// that a person is being asked about is pinned as it was before: the answer is for that
// one. Tools beyond the bounds take the place of those that nobody allowed or is asked
// about, and that are not in the list.
//
// What changes anew, list by list, is kept a few times and then once a minute: between,
// such a tool asks.
func (s *shelf) see(server string, said Said, asked map[string]bool,
	at permission.Time) (next *shelf, e permission.ToolEdit) {
	next = s.copy()
	next.lately = s.lately.at(at)
	hasty, again := next.lately.lists >= maxStirs, false
	idle := next.idle(said, asked)
	for _, name := range slices.Sorted(maps.Keys(said)) {
		delete(next.lost, name)
		p, known := next.tools[name]
		if !known {
			p = permission.ToolPin{ServerID: server, ToolName: name, Whole: true}
			if len(next.tools) >= maxTools && len(idle) == 0 {
				continue // it is not watched, and no rule allows it
			}
			if len(next.tools) >= maxTools {
				e.Drop = append(e.Drop, next.tools[idle[0]])
				next.drop(idle[0])
				idle = idle[1:]
			}
		}
		before := p
		p = whole(p, said[name])
		if asked[name] && turned(p, said[name].hash) {
			p.Launch, p.Pinned, p.PinnedText = next.allowedUnder(), p.Seen, p.SeenText
		}
		after := saw(p, said[name])
		if known && after == before && s.texts[said[name].hash].hash != "" {
			continue
		}
		after.Withheld = after.Change(next.launch.Hash) != ""
		if after.Withheld && !before.Withheld {
			e.Judge = true
		} else if known && before.Seen != "" && before.Whole && after != before {
			if again = true; hasty {
				next.lost[name] = true
				continue
			}
		}
		next.put(after)
		e.Put = append(e.Put, after)
	}
	if again && !hasty {
		next.lately.lists++
	}
	e.Texts = next.write(said, e.Put)
	for i := range e.Put {
		next.describe(&e.Put[i])
		next.tools[e.Put[i].ToolName] = e.Put[i]
	}
	return next, e
}

// maxStirs is how many lists in a row may change tools anew. One more is kept each minute.
const maxStirs = 5

// stirs counts lists of a server that changed tools which were seen before, and that no
// person was to hear of for the first time.
type stirs struct {
	lists int
	since permission.Time
}

// at is the count at a time: one less for each minute.
func (s stirs) at(now permission.Time) stirs {
	minutes := int(now.Std().Sub(s.since.Std()) / time.Minute)
	if minutes >= s.lists {
		return stirs{since: now}
	}
	return stirs{s.lists - minutes, s.since.Add(time.Duration(minutes) * time.Minute)}
}

// describe puts into a pin what testifies for what is shown of its tool.
func (s *shelf) describe(p *permission.ToolPin) {
	if text, kept := s.texts[p.Seen]; kept {
		p.SeenText = text.hash
	}
	if text, kept := s.texts[p.Pinned]; kept {
		p.PinnedText = text.hash
	}
	p.Flags = flagsText(s.flags[p.Seen])
}

// write gives the texts of new pins that are not kept yet, so far as there is room for
// them beside those that are.
func (s *shelf) write(said Said, put []permission.ToolPin) (texts []permission.ToolText) {
	if len(put) == 0 {
		return nil
	}
	texts = append(texts, s.launch) // a pin may name it now
	named, budget := map[string]bool{}, maxDefined
	for _, p := range s.tools {
		named[p.Seen], named[p.Pinned] = true, true
	}
	for hash, text := range s.texts {
		if named[hash] {
			budget -= text.size
		} else {
			delete(s.texts, hash)
			delete(s.flags, hash)
		}
	}
	for _, p := range put {
		d := said[p.ToolName]
		if flags := flagsOf(p.ToolName, bytes.Join(d.json, nil)); flags != nil {
			s.flags[d.hash] = flags
		}
		if s.texts[d.hash].hash == "" {
			text := d.text(&budget)
			s.texts[d.hash] = keptText{len(text.Text), text.Hash}
			texts = append(texts, text)
		}
	}
	return texts
}

// idle are the tools that nobody allowed, is asked about or gave a risk, and that are not
// in a list.
func (s *shelf) idle(said Said, asked map[string]bool) (names []string) {
	for name, p := range s.tools {
		if p.Launch == "" && p.Level == "" && said[name] == nil && !asked[name] && !s.disputed[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// charge is what speaks against a tool, as a person would be shown it; the zero value is
// nothing.
type charge struct {
	change       permission.ToolChange
	seen, launch string
	back         bool
}

func (b Book) charge(server, tool string) charge {
	p, s := b.pin(server, tool)
	if s == nil {
		return charge{}
	}
	change, _ := s.against(p)
	if change == "" {
		return charge{}
	}
	return charge{change, p.Seen, s.launch.Hash, p.Back}
}

// Turned reports whether something speaks against a tool that did not in an earlier book,
// and what changed.
func (b Book) Turned(before Book, t Tool) (change permission.ToolChange, turned bool) {
	is := b.charge(t.Server, t.Name)
	return is.change, is != charge{} && is != before.charge(t.Server, t.Name)
}

// TurnsAgainst reports whether a book may say something against a tool that another did
// not say.
func (b Book) TurnsAgainst(before Book) bool {
	for id, s := range b {
		if s != before[id] && (s.withheld+len(s.lost) > 0 || s.relaunched()) {
			return true
		}
	}
	return false
}

// Tool gives what is kept of a tool.
func (b Book) Tool(server, name string) (p permission.ToolPin, known bool) {
	if s := b[server]; s != nil {
		p, known = s.tools[name]
	}
	return p, known
}

// Tool names a tool of a server.
type Tool struct{ Server, Name string }

// ToolOf is the tool that a call is of; false where it is none that a server has: what is
// known of tools says nothing of a server's resources and prompts.
func ToolOf(c *permission.Call) (t Tool, ok bool) {
	if c.ServerID == nil || !permission.AboutTool(c.Method) {
		return t, false
	}
	return Tool{*c.ServerID, c.ToolName}, true
}

// ToolsOf are the tools of calls that are a server's.
func ToolsOf(calls ...permission.Call) (tools []Tool) {
	for i := range calls {
		if t, ok := ToolOf(&calls[i]); ok {
			tools = append(tools, t)
		}
	}
	return tools
}
