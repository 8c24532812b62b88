package desk

import (
	"maps"
	"slices"

	"sekisho/backend/permission"
)

// Bounds of what is known of one server's tools.
const (
	maxTools  = 1000
	maxUnseen = 250 // of these, tools that are allowed and were in no list
)

// book is what is known of the tools of all servers. It never changes: an edit makes
// another one.
type book map[string]*shelf // by server

// shelf is what is known of one server. It never changes either.
type shelf struct {
	launch permission.ToolText // how it is started or reached; without a hash: it is in no list of servers
	tools  map[string]permission.ToolPin
	unseen int  // pins of tools that were in no list
	lost   bool // what it said last could not be kept
}

// newBook holds stored pins against the servers as they are.
func newBook(servers []permission.Server, pins []permission.ToolPin) book {
	b := book{}
	for _, p := range pins {
		if b[p.ServerID] == nil {
			b[p.ServerID] = &shelf{tools: map[string]permission.ToolPin{}}
		}
		b[p.ServerID].put(p)
	}
	return b.moved(servers)
}

// moved is the book for another list of servers. Pins of a server that is gone stay: it
// may come back as another.
func (b book) moved(servers []permission.Server) book {
	next := book{}
	for id, s := range b {
		gone := s.copy()
		gone.launch = permission.ToolText{}
		next[id] = gone
	}
	for i := range servers {
		s := next[servers[i].ID]
		if s == nil {
			s = &shelf{tools: map[string]permission.ToolPin{}}
			next[servers[i].ID] = s
		}
		s.launch = launchText(&servers[i])
	}
	for id, s := range next {
		for name, p := range s.tools {
			if p.Launch == "" && s.launch.Hash == "" {
				s.drop(name)
				continue
			}
			p.Withheld = p.Change(s.launch.Hash) != ""
			s.tools[name] = p
		}
		if len(s.tools) == 0 && s.launch.Hash == "" {
			delete(next, id)
		}
	}
	return next
}

// with is the book with another shelf in the place of one.
func (b book) with(server string, s *shelf) book {
	next := maps.Clone(b)
	next[server] = s
	return next
}

// pin finds what is known of a tool whose server is in the list.
func (b book) pin(server, tool string) (p permission.ToolPin, s *shelf) {
	if s = b[server]; s == nil || s.launch.Hash == "" {
		return p, nil
	}
	p, known := s.tools[tool]
	if !known {
		p = permission.ToolPin{ServerID: server, ToolName: tool}
	}
	return p, s
}

// change says what of a call's tool changed since it was first allowed.
func (b book) change(server *string, tool string) permission.ToolChange {
	if server == nil {
		return ""
	}
	p, s := b.pin(*server, tool)
	if s == nil {
		return ""
	}
	return p.Change(s.launch.Hash)
}

// withhold says why no rule and no grant may allow a tool, or "".
func (b book) withhold(server, tool string) string {
	p, s := b.pin(server, tool)
	if s == nil {
		return ""
	}
	switch p.Change(s.launch.Hash) {
	case permission.ChangedDefinition:
		return "the tool changed since it was first allowed: its definition is another"
	case permission.ChangedLaunch:
		return "the tool changed since it was first allowed: its server is started or reached in another way"
	case permission.ChangedBoth:
		return "the tool changed since it was first allowed: its definition is another, and its server is started or reached in another way"
	}
	switch {
	case s.lost:
		return "what the server last said of its tools could not be kept"
	case p.Launch == "" && p.Seen == "" && !s.room():
		return "more tools of this server are known than can be watched for changes, and this one is not among them"
	}
	return ""
}

func (s *shelf) copy() *shelf {
	next := *s
	next.tools = maps.Clone(s.tools)
	return &next
}

// room reports whether one more tool can be pinned that was in no list.
func (s *shelf) room() bool { return s.unseen < maxUnseen && len(s.tools) < maxTools }

// put and drop keep count. They are for a shelf that nobody else has yet.
func (s *shelf) put(p permission.ToolPin) {
	s.drop(p.ToolName)
	s.tools[p.ToolName] = p
	if p.Seen == "" {
		s.unseen++
	}
}

func (s *shelf) drop(name string) {
	if p, known := s.tools[name]; known && p.Seen == "" {
		s.unseen--
	}
	delete(s.tools, name)
}

// saw is a pin after a list that has this definition.
func saw(p permission.ToolPin, hash string) permission.ToolPin {
	switch {
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

// knows reports whether a list says nothing new.
func (s *shelf) knows(said map[string]*definition) bool {
	for name, d := range said {
		if p, known := s.tools[name]; !known || saw(p, d.hash) != p {
			return false
		}
	}
	return !s.lost
}

// see is the shelf after a list of its server, and what is to be kept of that. Tools
// beyond the bounds take the place of those that nobody allowed and that are not in the
// list.
func (s *shelf) see(server string, said map[string]*definition) (next *shelf, e permission.ToolEdit) {
	next, budget := s.copy(), maxDefined
	next.lost = false
	idle := next.idle(said)
	for _, name := range slices.Sorted(maps.Keys(said)) {
		p, known := next.tools[name]
		if !known {
			p = permission.ToolPin{ServerID: server, ToolName: name}
			if len(next.tools) >= maxTools && len(idle) == 0 {
				continue // it is not watched, and no rule allows it
			}
			if len(next.tools) >= maxTools {
				e.Drop = append(e.Drop, next.tools[idle[0]])
				next.drop(idle[0])
				idle = idle[1:]
			}
		}
		after := saw(p, said[name].hash)
		if known && after == p {
			continue
		}
		after.Withheld = after.Change(next.launch.Hash) != ""
		if after.Withheld && !p.Withheld {
			e.Judge = true
		}
		next.put(after)
		e.Put = append(e.Put, after)
		e.Texts = append(e.Texts, said[name].text(&budget))
	}
	return next, e
}

// idle are the tools that nobody allowed and that are not in a list.
func (s *shelf) idle(said map[string]*definition) (names []string) {
	for name, p := range s.tools {
		if p.Launch == "" && said[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
