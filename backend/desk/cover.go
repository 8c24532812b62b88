package desk

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// pin keeps what a call's tool is when a rule or a grant first allows it. What it is
// later is held against that.
func (d *Calls) pin(ctx context.Context, c *permission.Call) error {
	if !d.catalogue.unpinned(c) {
		return nil
	}
	return d.catalogue.pinTools(ctx, toolbook.ToolsOf(*c))
}

// pinAllowed is pin for a call that a rule or a grant allows. What a person approved says
// nothing of its tool.
func (d *Calls) pinAllowed(ctx context.Context, c *permission.Call) error {
	if c.Decision == nil || !c.Decision.Approved || c.Decision.By == permission.ByPerson {
		return nil
	}
	return d.pin(ctx, c)
}

// maxCovered bounds how many waiting calls are looked at for what a wide answer covers.
// The tools of the others are not pinned, and ask.
const maxCovered = 10_000

// pinCovered pins the tools that an answer is for: the call's own, and for a session
// those of the calls that wait in it too.
func (d *Calls) pinCovered(ctx context.Context, c *permission.Call, scope permission.Scope) error {
	tools := toolbook.ToolsOf(*c)
	if scope == permission.ScopeSession {
		also, err := d.coveredTools(ctx, c)
		if err != nil {
			return told("find what an answer covers", err)
		}
		tools = append(tools, also...)
	}
	return d.catalogue.pinTools(ctx, tools)
}

// coveredTools are those of the calls that wait and that a yes to all of a call's session
// reaches.
func (d *Calls) coveredTools(ctx context.Context, c *permission.Call) (tools []toolbook.Tool, err error) {
	grants, now := []permission.Grant{{Scope: permission.ScopeSession, Approved: true}}, d.Now()
	grants[0].Answering(c)
	f := permission.CallFilter{Agent: c.AgentID, SessionID: c.SessionID, Statuses: []permission.Status{permission.Pending}, Brief: true,
		Limit: maxCovered}
	for {
		waiting, next, err := d.store.Calls(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, w := range waiting {
			if len(permission.Covering(grants, &w, false, now)) > 0 {
				tools = append(tools, toolbook.ToolsOf(w)...)
			}
		}
		f.Before, f.Limit = next, f.Limit-len(waiting) // a page of large calls is a short one
		if next == 0 || f.Limit <= 0 {
			return tools, nil
		}
	}
}

// askedNow gives the questions that the rules ask now about the calls that wait in a call's
// session, where an edit of the rules made them other than those that are kept.
func (d *Calls) askedNow(ctx context.Context, c *permission.Call) (map[permission.CallID][]string, error) {
	asked := map[permission.CallID][]string{}
	_, err := d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
		if w.call.AgentID == c.AgentID && w.call.SessionID == c.SessionID && !slices.Equal(w.got.Asked, w.call.Questions) {
			asked[w.call.ID] = w.got.Asked
		}
		return t, false
	})
	return asked, err
}
