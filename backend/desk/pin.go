package desk

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// unpinned reports whether a call's tool is of a server behind the desk, and was not
// pinned yet.
func (d *Catalogue) unpinned(c *permission.Call) bool {
	t, ok := toolbook.ToolOf(c)
	return ok && d.tools.Load().Unpinned(t)
}

// pinTools pins those of some tools that a person's word allows now.
func (d *Catalogue) pinTools(ctx context.Context, tools []toolbook.Tool) error {
	if len(tools) == 0 {
		return nil
	}
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	next, e := d.tools.Load().Pinned(tools, d.disputedTools())
	if len(e.Put) == 0 {
		return nil
	}
	v, err := d.store.EditTools(context.WithoutCancel(ctx), d.turn.of(permission.OfTools), e)
	if err != nil {
		return told("keep what an allowed tool is", err)
	}
	d.tools.put(&next, v[permission.OfTools]) // nothing is stricter for it: no judgement is outdated
	return nil
}

// pinNamed pins the tools that rules allow by their server and name: whoever writes such
// a rule means the tool as it is now, and not as it may be when it is first called.
func (d *Catalogue) pinNamed(ctx context.Context, rules []permission.Rule) error {
	var tools []toolbook.Tool
	for _, r := range rules {
		if r.Effect == permission.Allow && r.For(permission.CallTool) && r.Enabled && r.ServerID != nil && r.ToolName != nil {
			tools = append(tools, toolbook.Tool{Server: *r.ServerID, Name: *r.ToolName})
		}
	}
	return d.pinTools(ctx, tools)
}
