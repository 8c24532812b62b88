package toolbook

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/permission"
)

// changes is what the journal says of tools that a list changed, and of those whose texts
// hold deceiving characters. What changes once more before a person has accepted it is
// told together.
func (s *shelf) changes(next *shelf, serverID string, put []permission.ToolPin, at permission.Time) (entries []permission.Entry) {
	var again, flagged, older []string
	for _, p := range put {
		if s.flags[p.Seen] == nil && next.flags[p.Seen] != nil {
			flagged = append(flagged, p.ToolName)
		}
		if before := s.tools[p.ToolName]; p.LevelVoid && !before.LevelVoid {
			entries = append(entries, levelEntry("toolLevelVoid", permission.ActorDesk, before.Level, "", p, at))
		}
		if before, known := s.tools[p.ToolName]; known && !before.Whole && before.Launch != "" && !p.Withheld {
			older = append(older, p.ToolName)
		}
		switch before := s.tools[p.ToolName]; {
		case p.Withheld && before.Withheld:
			again = append(again, p.ToolName)
		case p.Withheld:
			entries = append(entries, toolEntry("toolChanged", permission.ActorDesk, p, s.launch.Hash, at))
		}
	}
	if len(again) > 0 {
		entries = append(entries, permission.Entry{At: at, Kind: permission.ServersChanged, Actor: permission.ActorDesk,
			Data: permission.Data(map[string]any{
				"what": "toolsChangedAgain", "serverId": serverID, "tools": again,
			})})
	}
	if len(flagged) > 0 {
		entries = append(entries, permission.Entry{At: at, Kind: permission.ServersChanged, Actor: permission.ActorDesk,
			Data: permission.Data(map[string]any{
				"what": "toolsFlagged", "serverId": serverID, "tools": flagged,
			})})
	}
	if len(older) > 0 {
		entries = append(entries, permission.Entry{At: at, Kind: permission.ServersChanged, Actor: permission.ActorDesk,
			Data: permission.Data(map[string]any{
				"what": "toolsPinnedWhole", "serverId": serverID, "tools": older,
				"why": "older pins held less of a definition: by that, these tools did not change",
			})})
	}
	return entries
}

func toolEntry(what, actor string, p permission.ToolPin, launch string, at permission.Time) permission.Entry {
	return permission.Entry{At: at, Kind: permission.ServersChanged, Actor: actor, Data: permission.Data(map[string]any{
		"what": what, "serverId": p.ServerID, "toolName": p.ToolName, "change": p.Change(launch),
		"definition": map[string]string{"before": p.Pinned, "after": p.Seen}, "launch": map[string]string{"before": p.Launch, "after": launch},
	})}
}

// levelEntry is what the journal says of the risk that a person gives a tool.
func levelEntry(what, actor string, before, after permission.Risk, p permission.ToolPin, at permission.Time) permission.Entry {
	return permission.Entry{At: at, Kind: permission.ServersChanged, Actor: actor, Data: permission.Data(map[string]any{
		"what": what, "serverId": p.ServerID, "toolName": p.ToolName, "definition": p.Seen,
		"risk": map[string]permission.Risk{"before": before, "after": after},
	})}
}

// Leveled is what it means that a person gives a tool a risk, "" taking it back. Nothing is
// put where it has that already.
func (b Book) Leveled(serverID, name string, level permission.Risk, at permission.Time) (e permission.ToolEdit, err error) {
	p, s := b.pin(serverID, name)
	if !s.tells(p) {
		return e, permission.NotFound("tool")
	}
	if p.Level == level && !p.LevelVoid {
		return e, nil
	}
	before := p.Level
	if p.LevelVoid {
		before = ""
	}
	if p.Level, p.LevelAt, p.LevelVoid = level, at, false; level == "" {
		p.LevelAt = 0
	}
	e.Put = []permission.ToolPin{p}
	e.Entries = []permission.Entry{levelEntry("toolLevel", permission.ActorPerson, before, level, p, at)}
	return e, nil
}

// tells reports whether there is anything to say of a tool.
func (s *shelf) tells(p permission.ToolPin) bool {
	if s == nil || len(p.ToolName) > permission.MaxNameBytes {
		return false
	}
	change, _ := s.against(p)
	return p.Launch != "" || p.Seen != "" || change != ""
}

// Accepted is what it means that a person has seen tools of a server. Nothing is put where
// none of them had changed.
func (b Book) Accepted(serverID string, shown map[string]permission.SeenTool, at permission.Time) (e permission.ToolEdit, err error) {
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		p, s := b.pin(serverID, name)
		if !s.tells(p) {
			return e, permission.NotFound("tool")
		}
		if seen := shown[name]; other(seen.Definition, p.Seen) || other(seen.Launch, s.launch.Hash) || other(seen.Back, p.Back) {
			stale = append(stale, strconv.Quote(name))
		}
		if change, _ := s.against(p); change == "" {
			continue
		}
		e.Judge, e.Texts = true, []permission.ToolText{s.launch}
		e.Entries = append(e.Entries, toolEntry("toolAccepted", permission.ActorPerson, p, s.launch.Hash, at))
		if p.Back {
			p.Seen, p.SeenText = p.Pinned, p.PinnedText
		}
		p.Pinned, p.PinnedText, p.Launch, p.Back, p.Withheld = p.Seen, p.SeenText, s.launch.Hash, false, false
		s.describe(&p)
		e.Put = append(e.Put, p)
	}
	if len(stale) > 0 {
		return e, &permission.Error{Code: permission.CodeStale, Message: "these tools changed again since they were shown: " +
			strings.Join(stale, ", ")}
	}
	return e, nil
}

// other reports whether what was seen is said, and is not what is there.
func other[T comparable](seen *T, is T) bool { return seen != nil && *seen != is }

// Installed is what another list of servers means for their tools.
func (b Book) Installed(servers []permission.Server, at permission.Time) (next Book, e permission.ToolEdit) {
	next = b.moved(servers)
	for id, s := range b {
		var changed []string
		for name, before := range s.tools {
			after, kept := next.Tool(id, name)
			switch {
			case !kept:
				e.Drop = append(e.Drop, before)
			case after != before:
				e.Put = append(e.Put, after)
			}
			if after.Withheld && !before.Withheld {
				changed = append(changed, name)
			}
		}
		if len(changed) == 0 {
			continue
		}
		slices.Sort(changed)
		e.Judge = true
		e.Entries = append(e.Entries, permission.Entry{At: at, Kind: permission.ServersChanged, Actor: permission.ActorPerson,
			Data: permission.Data(map[string]any{
				"what": "launchChanged", "serverId": id, "tools": changed,
				"launch": map[string]string{"before": s.launch.Hash, "after": next[id].launch.Hash},
			})})
	}
	return next, e
}

// Pinned is the book with those of some tools pinned that are not yet. What asks for a
// reason of its own is left out: a yes does not take that away. So is what is in dispute.
func (b Book) Pinned(tools []Tool, disputed map[Tool]bool) (next Book, e permission.ToolEdit) {
	next = b
	for _, t := range tools {
		p, s := next.pin(t.Server, t.Name)
		if s == nil || p.Launch != "" || disputed[t] {
			continue
		}
		if change, _ := s.against(p); change != "" {
			continue
		}
		if s == b[t.Server] {
			s = s.copy()
			next = next.with(t.Server, s)
			e.Texts = append(e.Texts, s.launch)
		}
		p.Launch, p.Pinned, p.PinnedText = s.launch.Hash, p.Seen, p.SeenText
		s.put(p)
		e.Put = append(e.Put, p)
	}
	return next, e
}

// Put is the book with pins of a server as they were edited.
func (b Book) Put(server string, pins []permission.ToolPin) Book {
	next := b[server].copy()
	for _, p := range pins {
		next.put(p)
	}
	return b.with(server, next)
}
