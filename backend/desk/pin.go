package desk

import (
	"context"

	"sekisho/backend/permission"
)

// toolOf names a tool of a server.
type toolOf struct{ server, tool string }

// toolsOf are the tools of calls that are a server's.
func toolsOf(calls ...permission.Call) (tools []toolOf) {
	for i := range calls {
		if c := &calls[i]; ofServersTool(c) {
			tools = append(tools, toolOf{*c.ServerID, c.ToolName})
		}
	}
	return tools
}

// pin keeps what a call's tool is when a rule or a grant first allows it. What it is
// later is held against that.
func (d *Desk) pin(ctx context.Context, c *permission.Call) error {
	if !d.unpinned(c) {
		return nil
	}
	return d.pinTools(ctx, toolsOf(*c))
}

// unpinned reports whether a call's tool is of a server behind the desk, and was not
// pinned yet.
func (d *Desk) unpinned(c *permission.Call) bool {
	if !ofServersTool(c) {
		return false
	}
	p, s := (*d.tools.Load()).pin(*c.ServerID, c.ToolName)
	return s != nil && p.Launch == ""
}

// pinAllowed is pin for a call that a rule or a grant allows. What a person approved says
// nothing of its tool.
func (d *Desk) pinAllowed(ctx context.Context, c *permission.Call) error {
	if c.Decision == nil || !c.Decision.Approved || c.Decision.By == permission.ByPerson {
		return nil
	}
	return d.pin(ctx, c)
}

// pinTools pins those of some tools that a person's word allows now.
func (d *Desk) pinTools(ctx context.Context, tools []toolOf) error {
	if len(tools) == 0 {
		return nil
	}
	d.pinning.Lock()
	defer d.pinning.Unlock()
	return d.pinAll(ctx, tools)
}

// pinAll pins those of some tools that are not pinned. d.pinning is held.
func (d *Desk) pinAll(ctx context.Context, tools []toolOf) error {
	next, e := (*d.tools.Load()).pinned(tools, d.disputedTools())
	if len(e.Put) == 0 {
		return nil
	}
	if _, err := d.store.EditTools(context.WithoutCancel(ctx), e); err != nil {
		return told("keep what an allowed tool is", err)
	}
	d.tools.Store(&next) // nothing is stricter for it: no judgement is outdated
	return nil
}

// pinned is the book with those of some tools pinned that are not yet. What asks for a
// reason of its own is left out: a yes does not take that away. So is what is in dispute.
func (b book) pinned(tools []toolOf, disputed map[toolOf]bool) (next book, e permission.ToolEdit) {
	next = b
	for _, t := range tools {
		p, s := next.pin(t.server, t.tool)
		if s == nil || p.Launch != "" || disputed[t] {
			continue
		}
		if change, _ := s.against(p); change != "" {
			continue
		}
		if s == b[t.server] {
			s = s.copy()
			next = next.with(t.server, s)
			e.Texts = append(e.Texts, s.launch)
		}
		p.Launch, p.Pinned, p.PinnedText = s.launch.Hash, p.Seen, p.SeenText
		s.put(p)
		e.Put = append(e.Put, p)
	}
	return next, e
}

// pinNamed pins the tools that rules allow by their server and name: whoever writes such
// a rule means the tool as it is now, and not as it may be when it is first called.
func (d *Desk) pinNamed(ctx context.Context, rules []permission.Rule) error {
	var tools []toolOf
	for _, r := range rules {
		if r.Effect == permission.Allow && r.For(permission.CallTool) && r.Enabled && r.ServerID != nil && r.ToolName != nil {
			tools = append(tools, toolOf{*r.ServerID, *r.ToolName})
		}
	}
	return d.pinTools(ctx, tools)
}

// maxCovered bounds how many waiting calls are looked at for what a wide answer covers.
// The tools of the others are not pinned, and ask.
const maxCovered = 10_000

// pinCovered pins the tools that an answer is for: the call's own, and for a session
// those of the calls that wait in it too. d.pinning is held.
func (d *Desk) pinCovered(ctx context.Context, c *permission.Call, scope permission.Scope) error {
	tools := toolsOf(*c)
	if scope == permission.ScopeSession {
		also, err := d.coveredTools(ctx, c)
		if err != nil {
			return told("find what an answer covers", err)
		}
		tools = append(tools, also...)
	}
	return d.pinAll(ctx, tools)
}

// coveredTools are those of the calls that wait in a call's session and are of no higher
// risk.
func (d *Desk) coveredTools(ctx context.Context, c *permission.Call) (tools []toolOf, err error) {
	f := permission.CallFilter{Agent: c.AgentID, SessionID: c.SessionID, Statuses: []permission.Status{permission.Pending}, Brief: true, Limit: maxCovered}
	for {
		waiting, next, err := d.store.Calls(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, w := range waiting {
			if w.Class != nil && w.Risk.Rank() <= c.Risk.Rank() {
				tools = append(tools, toolsOf(w)...)
			}
		}
		f.Before, f.Limit = next, f.Limit-len(waiting) // a page of large calls is a short one
		if next == 0 || f.Limit <= 0 {
			return tools, nil
		}
	}
}
