package desk

import (
	"maps"
	"slices"

	"sekisho/backend/permission"
)

// withhold says why no rule and no grant may allow a tool now, or nothing. Every judgement
// asks it; what makes its answer stricter gives the policy a new version, so that no
// earlier judgement is kept.
func (d *Catalogue) withhold(server, tool string) permission.Explanation {
	_, why := (*d.tools.Load()).against(server, tool)
	return why
}

// withheld is withhold for a call.
func (d *Catalogue) withheld(c *permission.Call) permission.Explanation {
	if !ofServersTool(c) {
		return permission.Explanation{}
	}
	return d.withhold(*c.ServerID, c.ToolName)
}

// changed says what of a call's tool changed since it was first allowed.
func (d *Catalogue) changed(c *permission.Call) permission.ToolChange {
	if !ofServersTool(c) {
		return ""
	}
	change, _ := (*d.tools.Load()).against(*c.ServerID, c.ToolName)
	return change
}

// Sight is what a tool is now, as far as its server has said, and how the server is
// started or reached: another text after any change.
func (d *Catalogue) Sight(serverID, tool string) permission.Sight {
	p, s := (*d.tools.Load()).pin(serverID, tool)
	if s == nil {
		return ""
	}
	if !p.Whole { // its hash is another once the server says it again
		return permission.SightOf(s.launch.Hash, "")
	}
	return permission.SightOf(s.launch.Hash, p.Seen)
}

// sightOf is Sight for a call.
func (d *Catalogue) sightOf(c *permission.Call) *permission.Sight {
	var s permission.Sight
	if c.ServerID != nil && c.Method == permission.CallTool {
		s = d.Sight(*c.ServerID, c.ToolName)
	}
	return &s
}

// turned says why a call's tool is not the one that the call says it is, or nothing.
func (d *Catalogue) turned(c *permission.Call) (why permission.Explanation) {
	if c.ServerID == nil || c.Method != permission.CallTool {
		return why
	}
	change, against := (*d.tools.Load()).against(*c.ServerID, c.ToolName)
	switch {
	case c.Sight.Turned(*d.sightOf(c)) && change != "":
		return against
	case c.Sight.Turned(*d.sightOf(c)):
		return permission.Explanation{Code: permission.ReasonToolTurned,
			Reason: "the tool, or how its server is started or reached, is another than when this call was shown"}
	case change != permission.ChangedUnknown || c.Why.Changed == change:
		return why
	}
	return against
}

// ChangedTools names the tools of a server that no rule and no grant allows until a
// person has accepted their change.
func (d *Catalogue) ChangedTools(serverID string) (names []string) {
	if s := (*d.tools.Load())[serverID]; s != nil {
		for name, p := range s.tools {
			if p.Change(s.launch.Hash) != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// ToolFlags tells of deceiving characters in tools as a server just offered them; of tools
// without any nothing is said.
func (d *Catalogue) ToolFlags(offered []permission.OfferedTool) (flagged []permission.FlaggedTool) {
	for _, o := range offered {
		if flags := flagsOf(o.Name, o.Raw); flags != nil && len(flagged) < maxFlagged {
			flagged = append(flagged, permission.FlaggedTool{ToolName: o.Name, Flags: flags})
		}
	}
	return flagged
}

// FlaggedTools names the tools of a server whose definitions, as they were seen last, hold
// deceiving characters.
func (d *Catalogue) FlaggedTools(serverID string) (flagged []permission.FlaggedTool) {
	s := (*d.tools.Load())[serverID]
	if s == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if flags := s.flags[s.tools[name].Seen]; flags != nil && len(flagged) < maxFlagged {
			flagged = append(flagged, permission.FlaggedTool{ToolName: name, Flags: flags})
		}
	}
	return flagged
}

// FlagsOfTool tells of deceiving characters in one tool's name and, where its server has
// said it, in its definition.
func (d *Catalogue) FlagsOfTool(serverID *string, name string) []permission.TextFlag {
	if serverID != nil {
		if p, s := (*d.tools.Load()).pin(*serverID, name); s != nil && s.flags[p.Seen] != nil {
			return s.flags[p.Seen]
		}
	}
	return flagText(nil, "/name", name, true)
}
