package toolbook

import (
	"maps"
	"slices"

	"sekisho/backend/permission"
)

// Look is what a person is to be shown of a tool, texts by their hashes but for how its
// server is started now.
type Look struct {
	Pin    permission.ToolPin
	Change permission.ToolChange
	Before string // how the server was started when the tool was allowed
	Now    permission.ToolText
}

// Look finds what is known of a tool; false where that is nothing.
func (b Book) Look(server, name string) (l Look, known bool) {
	p, s := b.pin(server, name)
	if !s.tells(p) {
		return l, false
	}
	change, _ := s.against(p)
	l = Look{p, change, p.Launch, s.launch}
	if p.Launch == "" && change == permission.ChangedLaunch {
		l.Before = s.allowedUnder()
	}
	return l, true
}

// Unpinned reports whether a tool is of a server behind the desk, and was not pinned yet.
func (b Book) Unpinned(t Tool) bool {
	p, s := b.pin(t.Server, t.Name)
	return s != nil && p.Launch == ""
}

// Sight is what a tool is now, as far as its server has said, and how the server is started
// or reached: another text after any change.
func (b Book) Sight(server, tool string) permission.Sight {
	p, s := b.pin(server, tool)
	if s == nil {
		return ""
	}
	if !p.Whole { // its hash is another once the server says it again
		return permission.SightOf(s.launch.Hash, "")
	}
	return permission.SightOf(s.launch.Hash, p.Seen)
}

// Levels gives the risks that persons gave the tools of a server, by their names.
func (b Book) Levels(server string) (levels []permission.ToolLevel) {
	for _, p := range b.sorted(server) {
		if level := p.LevelSet(); level != nil {
			levels = append(levels, *level)
		}
	}
	return levels
}

// Changed names the tools of a server that no rule and no grant allows until a person has
// accepted their change.
func (b Book) Changed(server string) (names []string) {
	for _, p := range b.sorted(server) {
		if p.Change(b[server].launch.Hash) != "" {
			names = append(names, p.ToolName)
		}
	}
	return names
}

// Flagged names the tools of a server whose definitions, as they were seen last, hold
// deceiving characters.
func (b Book) Flagged(server string) (flagged []permission.FlaggedTool) {
	for _, p := range b.sorted(server) {
		if flags := b[server].flags[p.Seen]; flags != nil && len(flagged) < maxFlagged {
			flagged = append(flagged, permission.FlaggedTool{ToolName: p.ToolName, Flags: flags})
		}
	}
	return flagged
}

// FlagsOf tells of deceiving characters in one tool's name and, where its server has said it,
// in its definition.
func (b Book) FlagsOf(server *string, name string) []permission.TextFlag {
	if server != nil {
		if p, s := b.pin(*server, name); s != nil && s.flags[p.Seen] != nil {
			return s.flags[p.Seen]
		}
	}
	return flagText(nil, "/name", name, true)
}

// Flagged tells of deceiving characters in tools as a server just offered them; of tools
// without any nothing is said.
func Flagged(offered []permission.OfferedTool) (flagged []permission.FlaggedTool) {
	for _, o := range offered {
		if flags := flagsOf(o.Name, o.Raw); flags != nil && len(flagged) < maxFlagged {
			flagged = append(flagged, permission.FlaggedTool{ToolName: o.Name, Flags: flags})
		}
	}
	return flagged
}

// sorted are the pins of a server by their tools' names.
func (b Book) sorted(server string) (pins []permission.ToolPin) {
	if s := b[server]; s != nil {
		for _, name := range slices.Sorted(maps.Keys(s.tools)) {
			pins = append(pins, s.tools[name])
		}
	}
	return pins
}
