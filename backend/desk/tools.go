package desk

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// readTools reads what is known of tools.
func (d *Catalogue) readTools(ctx context.Context, _ int64) (*toolbook.Book, error) {
	pins, err := d.store.ToolPins(ctx)
	if err != nil {
		return nil, err
	}
	known := make([]toolbook.Known, len(pins))
	for i, p := range pins {
		seen, pinned, err := d.textsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		known[i] = toolbook.Known{Pin: p, Seen: seen, Pinned: pinned}
		for _, text := range []toolbook.Text{pinned, seen} {
			if text.Hash != "" && !text.Whole {
				d.opts.Logger.Error("what is kept of a tool's definition is not what its server said", "server", p.ServerID, "tool", p.ToolName,
					"definition", text.Hash)
			}
		}
	}
	b := toolbook.New(d.servers.Load().all, known)
	if before := d.tools.Load(); before != nil {
		b.Lose(*before)
	}
	return &b, nil
}

// textsOf gives the definitions of a pin to be shown, and whether they are what it says.
func (d *Catalogue) textsOf(ctx context.Context, p permission.ToolPin) (seen, pinned toolbook.Text, err error) {
	seenText, pinnedText := p.Texts()
	texts, err := d.store.ToolTexts(ctx, []string{seenText, pinnedText})
	if err != nil {
		return seen, pinned, err
	}
	return toolbook.NewText(texts[seenText], p.SeenText, p.Seen), toolbook.NewText(texts[pinnedText], p.PinnedText, p.Pinned), nil
}

// showable refuses a tool of which a person cannot have been shown what its server said.
func (d *Catalogue) showable(ctx context.Context, p permission.ToolPin) error {
	seen, pinned, err := d.textsOf(ctx, p)
	if err != nil || seen.Whole && pinned.Whole {
		return err
	}
	return &permission.Error{Code: permission.CodeUnavailable, Message: "what was kept of the tool " + strconv.Quote(p.ToolName) +
		" is damaged, so that its change cannot be shown: it can be accepted when its server has listed its tools again"}
}

// Saw takes in what a server said of its tools in an answer to tools/list, a page or all
// of it, before a client hears it. What is the same as before costs no write. On an
// error the tools that it changed ask until a later list could be kept.
func (d *Catalogue) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	said := toolbook.Definitions(offered)
	if d.tools.Load().Knows(serverID, said) {
		return nil
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	var e bookEdit
	err := d.turn.edit(ctx, func() (err error) {
		e, err = d.takeIn(ctx, serverID, said)
		return err
	})
	d.edited(e)
	return told("keep what a server says of its tools", err)
}

// takeIn keeps what a list says of a server's tools. Those that it changed are lost where
// that fails.
func (d *Catalogue) takeIn(ctx context.Context, serverID string, said toolbook.Said) (done bookEdit, err error) {
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	b := *d.tools.Load()
	list, ok := b.Heard(serverID, said, d.disputedTools())
	if !ok {
		return done, nil
	}
	ctx = context.WithoutCancel(ctx)
	var asked map[string]bool
	if list.Stirs() {
		asked, err = d.asked(ctx, serverID)
	}
	next, e := list.TakeIn(asked, d.state.Now())
	v := d.turn.of(permission.OfTools, permission.OfPolicy)
	if err == nil && len(e.Put) > 0 {
		v, err = d.store.EditTools(ctx, v, e)
	}
	if err == nil {
		return d.know(b, next, v), nil
	}
	after := list.Losing(e)
	d.tools.Store(&after)
	return bookEdit{before: b, after: after}, err
}

// disputedTools are the tools of which the stored rows are in dispute.
func (d *Catalogue) disputedTools() (tools map[toolbook.Tool]bool) {
	for _, p := range d.state.Differences() {
		if server, name, _ := strings.Cut(p.Key, "/"); p.Set == "tools" {
			if tools == nil {
				tools = map[toolbook.Tool]bool{}
			}
			tools[toolbook.Tool{Server: server, Name: name}] = true
		}
	}
	return tools
}

// Tool gives what is known of a tool: NotFound where that is nothing.
func (d *Catalogue) Tool(ctx context.Context, serverID, name string) (permission.KeptTool, error) {
	look, known := d.tools.Load().Look(serverID, name)
	if !known {
		return permission.KeptTool{}, permission.NotFound("tool")
	}
	seen, pinned, err := d.textsOf(ctx, look.Pin)
	if err != nil {
		return permission.KeptTool{}, told("read tool", err)
	}
	texts, err := d.store.ToolTexts(ctx, []string{look.Before})
	if err != nil {
		return permission.KeptTool{}, told("read tool", err)
	}
	return permission.KeptTool{ServerID: serverID, ToolName: name, Change: look.Change, Back: look.Pin.Back,
		Before: pinned.ToolText, After: seen.ToolText, LaunchBefore: toolbook.NewText(texts[look.Before], look.Before, look.Before).ToolText,
		LaunchAfter: look.Now, Level: look.Pin.LevelSet()}, nil
}

// AcceptTool takes a changed tool as seen by a person: from now on it is what may be
// allowed. CodeStale when it is not what the person was shown. A tool that did not change
// stays as it is.
func (d *Catalogue) AcceptTool(ctx context.Context, serverID, name string, shown permission.SeenTool) (permission.KeptTool, error) {
	if err := d.accept(ctx, serverID, name, shown); err != nil {
		return permission.KeptTool{}, err
	}
	return d.Tool(ctx, serverID, name)
}

func (d *Catalogue) accept(ctx context.Context, serverID, name string, shown permission.SeenTool) error {
	_, err := d.acceptAll(ctx, serverID, map[string]permission.SeenTool{name: shown})
	return err
}

// AcceptTools takes tools of a server, by name, as a person has seen them: all of them, or,
// when one is another by now, none; CodeStale names those. accepted are the ones that had
// changed.
func (d *Catalogue) AcceptTools(ctx context.Context, serverID string,
	shown map[string]permission.ShownTool) (accepted []string, err error) {
	seen := make(map[string]permission.SeenTool, len(shown))
	for name, s := range shown {
		seen[name] = permission.SeenTool{Definition: &s.Definition, Launch: &s.Launch, Back: &s.Back}
	}
	return d.acceptAll(ctx, serverID, seen)
}

func (d *Catalogue) acceptAll(ctx context.Context, serverID string, shown map[string]permission.SeenTool) (accepted []string, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	var e bookEdit
	err = d.turn.edit(ctx, func() (err error) {
		e, accepted, err = d.seen(ctx, serverID, shown)
		return err
	})
	d.edited(e)
	return accepted, err
}

// seen keeps that a person has seen tools of a server.
func (d *Catalogue) seen(
	ctx context.Context, serverID string, shown map[string]permission.SeenTool,
) (done bookEdit, accepted []string, err error) {
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	b := *d.tools.Load()
	e, err := b.Accepted(serverID, shown, d.state.Now())
	if err != nil || len(e.Put) == 0 {
		return done, nil, err
	}
	for _, p := range e.Put {
		before, _ := b.Tool(serverID, p.ToolName)
		if err := d.showable(ctx, before); err != nil {
			return done, nil, told("accept tools", err)
		}
		accepted = append(accepted, p.ToolName)
	}
	v, err := d.store.EditTools(ctx, d.turn.of(permission.OfTools, permission.OfPolicy), e)
	if err != nil {
		return done, nil, told("accept tools", err)
	}
	return d.know(b, b.Put(serverID, e.Put), v), accepted, nil
}

// SetToolLevel keeps the risk that a person gives a tool, in place of its name and its
// server's hint, until its definition is another; "" takes it back. Calls that wait keep
// theirs. NotFound where nothing is known of the tool.
func (d *Catalogue) SetToolLevel(ctx context.Context, serverID, name string, level permission.Risk) (permission.KeptTool, error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	var e bookEdit
	err := d.turn.edit(ctx, func() (err error) {
		e, err = d.setLevel(ctx, serverID, name, level)
		return err
	})
	d.edited(e)
	if err != nil {
		return permission.KeptTool{}, told("set risk of tool", err)
	}
	return d.Tool(ctx, serverID, name)
}

func (d *Catalogue) setLevel(ctx context.Context, serverID, name string, level permission.Risk) (done bookEdit, err error) {
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	b := *d.tools.Load()
	e, err := b.Leveled(serverID, name, level, d.state.Now())
	if err != nil || len(e.Put) == 0 {
		return done, err
	}
	v, err := d.store.EditTools(ctx, d.turn.of(permission.OfTools, permission.OfPolicy), e)
	if err != nil {
		return done, err
	}
	return d.know(b, b.Put(serverID, e.Put), v), nil
}

// ToolLevels gives the risks that persons gave the tools of a server, by their names.
func (d *Catalogue) ToolLevels(serverID string) []permission.ToolLevel {
	return d.tools.Load().Levels(serverID)
}

// asked are the tools of a server that a person is being asked about, or has answered for
// a call that did not run yet.
func (d *Catalogue) asked(ctx context.Context, serverID string) (asked map[string]bool, err error) {
	names, err := d.store.AskedTools(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("find what waits: %w", err)
	}
	asked = make(map[string]bool, len(names))
	for _, name := range names {
		asked[name] = true
	}
	return asked, nil
}
