package desk

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// ToolStore keeps what is known of the tools of servers.
type ToolStore interface {
	ToolPins(ctx context.Context) ([]permission.ToolPin, error)
	// ToolTexts gives the texts of those hashes that are known.
	ToolTexts(ctx context.Context, hashes []string) (map[string]permission.ToolText, error)
	// EditTools makes one change and answers the policy's version after it.
	EditTools(ctx context.Context, e permission.ToolEdit) (version int64, err error)
}

// loadTools reads what is known of tools.
func (d *Desk) loadTools(ctx context.Context) error {
	servers, err := d.store.Servers(ctx)
	if err != nil {
		return err
	}
	pins, err := d.store.ToolPins(ctx)
	if err != nil {
		return err
	}
	b := newBook(servers, pins)
	d.tools.Store(&b)
	return nil
}

// withhold says why no rule and no grant may allow a tool now, or "". Every judgement
// asks it; what makes its answer stricter gives the policy a new version, so that no
// earlier judgement is kept.
func (d *Desk) withhold(server, tool string) string { return (*d.tools.Load()).withhold(server, tool) }

// withheld is withhold for a call.
func (d *Desk) withheld(c *permission.Call) string {
	if c.ServerID == nil {
		return ""
	}
	return d.withhold(*c.ServerID, c.ToolName)
}

// changed says what of a call's tool changed since it was first allowed.
func (d *Desk) changed(c *permission.Call) permission.ToolChange {
	return (*d.tools.Load()).change(c.ServerID, c.ToolName)
}

// Saw takes in what a server said of its tools in an answer to tools/list, a page or all
// of it, before a client hears it. What is the same as before costs no write. On an
// error the server's tools ask until a later list could be kept.
func (d *Desk) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	said := definitions(offered)
	if s := (*d.tools.Load())[serverID]; s == nil || s.launch.Hash == "" || s.knows(said) {
		return nil
	}
	d.edit.Lock()
	defer d.edit.Unlock()
	d.pinning.Lock()
	defer d.pinning.Unlock()
	b := *d.tools.Load()
	s := b[serverID]
	if s == nil || s.launch.Hash == "" {
		return nil
	}
	next, e := s.see(serverID, said)
	for _, p := range e.Put {
		if p.Withheld && !s.tools[p.ToolName].Withheld {
			e.Entries = append(e.Entries, toolEntry("toolChanged", permission.ActorDesk, p, s.launch.Hash))
		}
	}
	version := d.plain.Version()
	if len(e.Put) > 0 {
		var err error
		if version, err = d.store.EditTools(context.WithoutCancel(ctx), e); err != nil {
			lost := s.copy()
			lost.lost = true
			d.know(b.with(serverID, lost), version)
			return told("keep what a server says of its tools", err)
		}
	}
	d.know(b.with(serverID, next), version)
	return nil
}

// know makes a book the one that decides. d.edit and d.pinning are held.
func (d *Desk) know(b book, version int64) {
	d.tools.Store(&b)
	if version != d.plain.Version() {
		d.plain = d.plain.Edit(nil, nil, version)
		d.publish()
	}
}

func toolEntry(what, actor string, p permission.ToolPin, launch string) permission.Entry {
	return permission.Entry{At: now(), Kind: permission.ServersChanged, Actor: actor, Data: data(map[string]any{
		"what": what, "serverId": p.ServerID, "toolName": p.ToolName, "change": p.Change(launch),
		"definition": map[string]string{"before": p.Pinned, "after": p.Seen}, "launch": map[string]string{"before": p.Launch, "after": launch},
	})}
}

// pin keeps what a tool is when a rule or a grant first allows it. What it is later is
// held against that.
func (d *Desk) pin(ctx context.Context, c *permission.Call) error {
	if c.ServerID == nil {
		return nil
	}
	if p, s := (*d.tools.Load()).pin(*c.ServerID, c.ToolName); s == nil || p.Launch != "" {
		return nil
	}
	d.pinning.Lock()
	defer d.pinning.Unlock()
	b := *d.tools.Load()
	p, s := b.pin(*c.ServerID, c.ToolName)
	if s == nil || p.Launch != "" {
		return nil
	}
	p.Launch, p.Pinned = s.launch.Hash, p.Seen
	if _, err := d.store.EditTools(context.WithoutCancel(ctx), permission.ToolEdit{Put: []permission.ToolPin{p}, Texts: []permission.ToolText{s.launch}}); err != nil {
		return told("keep what an allowed tool is", err)
	}
	next := s.copy()
	next.put(p)
	b = b.with(p.ServerID, next)
	d.tools.Store(&b) // nothing is stricter for it: no judgement is outdated
	return nil
}

// pinAllowed is pin for a call that a rule or a grant allows. What a person approved says
// nothing of its tool.
func (d *Desk) pinAllowed(ctx context.Context, c *permission.Call) error {
	if c.Decision == nil || !c.Decision.Approved || c.Decision.By == permission.ByPerson {
		return nil
	}
	return d.pin(ctx, c)
}

// judgeAgain is what the rules say of an approved call now. falls: it has to wait for a
// person again, since what approved it does not allow it any more.
func (d *Desk) judgeAgain(rules *policy.Set, c *permission.Call, at permission.Time) (decision policy.Decision, falls bool) {
	decision = rules.Decide(subject(c), at)
	if decision.Effect == permission.Deny || c.Decision == nil {
		return decision, false
	}
	if c.Decision.By == permission.ByGrant {
		if reason := d.withheld(c); reason != "" {
			return policy.Decision{Effect: permission.Ask, Reason: reason}, true
		}
	}
	return decision, decision.Effect == permission.Ask && c.Decision.By == permission.ByRule
}

// ChangedTools names the tools of a server that no rule and no grant allows until a
// person has accepted their change.
func (d *Desk) ChangedTools(serverID string) (names []string) {
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

// Tool gives what is known of a tool: NotFound where that is nothing.
func (d *Desk) Tool(ctx context.Context, serverID, name string) (permission.KeptTool, error) {
	p, s := (*d.tools.Load()).pin(serverID, name)
	if s == nil || p.Launch == "" && p.Seen == "" {
		return permission.KeptTool{}, permission.NotFound("tool")
	}
	texts, err := d.store.ToolTexts(ctx, []string{p.Pinned, p.Seen, p.Launch})
	if err != nil {
		return permission.KeptTool{}, told("read tool", err)
	}
	text := func(hash string) permission.ToolText {
		t := texts[hash]
		t.Hash = hash
		return t
	}
	return permission.KeptTool{ServerID: serverID, ToolName: name, Change: p.Change(s.launch.Hash), Back: p.Back,
		Before: text(p.Pinned), After: text(p.Seen), LaunchBefore: text(p.Launch), LaunchAfter: s.launch}, nil
}

// AcceptTool takes a changed tool as seen by a person: from now on it is what may be
// allowed. CodeStale when it is not what the person was shown. A tool that did not change
// stays as it is.
func (d *Desk) AcceptTool(ctx context.Context, serverID, name string, shown permission.SeenTool) (permission.KeptTool, error) {
	if err := d.accept(ctx, serverID, name, shown); err != nil {
		return permission.KeptTool{}, err
	}
	return d.Tool(ctx, serverID, name)
}

func (d *Desk) accept(ctx context.Context, serverID, name string, shown permission.SeenTool) error {
	d.edit.Lock()
	defer d.edit.Unlock()
	d.pinning.Lock()
	defer d.pinning.Unlock()
	b := *d.tools.Load()
	p, s := b.pin(serverID, name)
	switch {
	case s == nil || p.Launch == "" && p.Seen == "":
		return permission.NotFound("tool")
	case shown.Definition != "" && shown.Definition != p.Seen || shown.Launch != "" && shown.Launch != s.launch.Hash:
		return &permission.Error{Code: permission.CodeStale, Message: "this tool changed again since it was shown"}
	case p.Change(s.launch.Hash) == "":
		return nil
	}
	e := permission.ToolEdit{Judge: true, Texts: []permission.ToolText{s.launch},
		Entries: []permission.Entry{toolEntry("toolAccepted", permission.ActorPerson, p, s.launch.Hash)}}
	if p.Back {
		p.Seen = p.Pinned
	}
	p.Pinned, p.Launch, p.Back, p.Withheld = p.Seen, s.launch.Hash, false, false
	e.Put = []permission.ToolPin{p}
	version, err := d.store.EditTools(ctx, e)
	if err != nil {
		return told("accept tool", err)
	}
	next := s.copy()
	next.put(p)
	d.know(b.with(serverID, next), version)
	return nil
}

// installed is what another list of servers means for their tools.
func (b book) installed(servers []permission.Server) (next book, e permission.ToolEdit) {
	next = b.moved(servers)
	for id, s := range b {
		var changed []string
		for name, before := range s.tools {
			after, kept := next.tool(id, name)
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
		e.Entries = append(e.Entries, permission.Entry{At: now(), Kind: permission.ServersChanged, Actor: permission.ActorPerson, Data: data(map[string]any{
			"what": "launchChanged", "serverId": id, "tools": changed, "launch": map[string]string{"before": s.launch.Hash, "after": next[id].launch.Hash},
		})})
	}
	return next, e
}

func (b book) tool(server, name string) (p permission.ToolPin, known bool) {
	if s := b[server]; s != nil {
		p, known = s.tools[name]
	}
	return p, known
}
