package desk

import (
	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// withhold says why no rule and no grant may allow a tool now, or nothing. Every judgement
// asks it; what makes its answer stricter gives the policy a new version, so that no
// earlier judgement is kept.
func (d *Catalogue) withhold(server, tool string) permission.Explanation {
	_, why := d.tools.Load().Against(server, tool)
	return why
}

// withheld is withhold for a call.
func (d *Catalogue) withheld(c *permission.Call) permission.Explanation {
	t, ok := toolbook.ToolOf(c)
	if !ok {
		return permission.Explanation{}
	}
	return d.withhold(t.Server, t.Name)
}

// changed says what of a call's tool changed since it was first allowed.
func (d *Catalogue) changed(c *permission.Call) permission.ToolChange {
	t, ok := toolbook.ToolOf(c)
	if !ok {
		return ""
	}
	change, _ := d.tools.Load().Against(t.Server, t.Name)
	return change
}

// Sight is what a tool is now, as far as its server has said, and how the server is
// started or reached: another text after any change.
func (d *Catalogue) Sight(serverID, tool string) permission.Sight {
	return d.tools.Load().Sight(serverID, tool)
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
	change, against := d.tools.Load().Against(*c.ServerID, c.ToolName)
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
	return d.tools.Load().Changed(serverID)
}

// ToolFlags tells of deceiving characters in tools as a server just offered them; of tools
// without any nothing is said.
func (d *Catalogue) ToolFlags(offered []permission.OfferedTool) (flagged []permission.FlaggedTool) {
	return toolbook.Flagged(offered)
}

// FlaggedTools names the tools of a server whose definitions, as they were seen last, hold
// deceiving characters.
func (d *Catalogue) FlaggedTools(serverID string) (flagged []permission.FlaggedTool) {
	return d.tools.Load().Flagged(serverID)
}

// FlagsOfTool tells of deceiving characters in one tool's name and, where its server has
// said it, in its definition.
func (d *Catalogue) FlagsOfTool(serverID *string, name string) []permission.TextFlag {
	return d.tools.Load().FlagsOf(serverID, name)
}
