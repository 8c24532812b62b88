package desk

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/permission"
)

// readTools reads what is known of tools.
func (d *Catalogue) readTools(ctx context.Context, _ int64) (*book, error) {
	pins, err := d.store.ToolPins(ctx)
	if err != nil {
		return nil, err
	}
	texts, flags := map[string]keptText{}, map[string][]permission.TextFlag{}
	for _, p := range pins {
		seen, pinned, err := d.textsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, text := range []shownText{pinned, seen} {
			if text.Hash == "" {
				continue
			}
			if !text.whole {
				d.opts.Logger.Error("what is kept of a tool's definition is not what its server said", "server", p.ServerID, "tool", p.ToolName,
					"definition", text.Hash)
				continue
			}
			texts[text.Hash], flags[text.Hash] = keptText{len(text.Text), text.kept}, flagsOf(p.ToolName, []byte(text.Text))
		}
		if p.SeenText != "" {
			flags[p.Seen] = keptFlags(p.Flags)
		}
	}
	b := newBook(d.servers.Load().all, pins, texts, flags)
	if before := d.tools.Load(); before != nil {
		b.lose(*before)
	}
	return &b, nil
}

// shownText is a definition as it is shown to a person.
type shownText struct {
	permission.ToolText
	kept  string // the hash of the text, where its pin names it
	whole bool   // it is what the pin says
}

func newShownText(text permission.ToolText, kept, definition string) shownText {
	whole := definition == "" || vouched(text, kept, definition)
	if !whole {
		text = permission.ToolText{Text: "(what was kept of this is damaged, and is not shown)\n", Cut: true}
	}
	text.Hash = definition
	return shownText{text, kept, whole}
}

// textsOf gives the definitions of a pin to be shown, and whether they are what it says.
func (d *Catalogue) textsOf(ctx context.Context, p permission.ToolPin) (seen, pinned shownText, err error) {
	seenText, pinnedText := p.Texts()
	texts, err := d.store.ToolTexts(ctx, []string{seenText, pinnedText})
	if err != nil {
		return seen, pinned, err
	}
	return newShownText(texts[seenText], p.SeenText, p.Seen), newShownText(texts[pinnedText], p.PinnedText, p.Pinned), nil
}

// showable refuses a tool of which a person cannot have been shown what its server said.
func (d *Catalogue) showable(ctx context.Context, p permission.ToolPin) error {
	seen, pinned, err := d.textsOf(ctx, p)
	if err != nil || seen.whole && pinned.whole {
		return err
	}
	return &permission.Error{Code: permission.CodeUnavailable, Message: "what was kept of the tool " + strconv.Quote(p.ToolName) +
		" is damaged, so that its change cannot be shown: it can be accepted when its server has listed its tools again"}
}

// Saw takes in what a server said of its tools in an answer to tools/list, a page or all
// of it, before a client hears it. What is the same as before costs no write. On an
// error the tools that it changed ask until a later list could be kept.
func (d *Catalogue) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	said := definitions(offered)
	if s := (*d.tools.Load())[serverID]; s == nil || s.launch.Hash == "" || s.knows(said) {
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
func (d *Catalogue) takeIn(ctx context.Context, serverID string, said map[string]*definition) (done bookEdit, err error) {
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	b := *d.tools.Load()
	s := b[serverID]
	if s == nil || s.launch.Hash == "" {
		return done, nil
	}
	s, said = s.without(serverID, said, d.disputedTools())
	ctx = context.WithoutCancel(ctx)
	var asked map[string]bool
	if s.stirs(said) {
		asked, err = d.asked(ctx, serverID)
	}
	now := d.state.Now()
	next, e := s.see(serverID, said, asked, now)
	e.Entries = s.changes(next, serverID, e.Put, now)
	v := d.turn.of(permission.OfTools, permission.OfPolicy)
	if err == nil && len(e.Put) > 0 {
		v, err = d.store.EditTools(ctx, v, e)
	}
	if err == nil {
		return d.know(b, b.with(serverID, next), v), nil
	}
	after := b.with(serverID, s.losing(e.Put))
	d.tools.Store(&after)
	return bookEdit{before: b, after: after}, err
}

// disputedTools are the tools of which the stored rows are in dispute.
func (d *Catalogue) disputedTools() (tools map[toolOf]bool) {
	for _, p := range d.state.Differences() {
		if server, name, _ := strings.Cut(p.Key, "/"); p.Set == "tools" {
			if tools == nil {
				tools = map[toolOf]bool{}
			}
			tools[toolOf{server, name}] = true
		}
	}
	return tools
}

// Tool gives what is known of a tool: NotFound where that is nothing.
func (d *Catalogue) Tool(ctx context.Context, serverID, name string) (permission.KeptTool, error) {
	p, s := (*d.tools.Load()).pin(serverID, name)
	if !s.tells(p) {
		return permission.KeptTool{}, permission.NotFound("tool")
	}
	change, _ := s.against(p)
	launch := p.Launch
	if launch == "" && change == permission.ChangedLaunch {
		launch = s.allowedUnder()
	}
	seen, pinned, err := d.textsOf(ctx, p)
	if err != nil {
		return permission.KeptTool{}, told("read tool", err)
	}
	texts, err := d.store.ToolTexts(ctx, []string{launch})
	if err != nil {
		return permission.KeptTool{}, told("read tool", err)
	}
	return permission.KeptTool{ServerID: serverID, ToolName: name, Change: change, Back: p.Back,
			Before: pinned.ToolText, After: seen.ToolText, LaunchBefore: newShownText(texts[launch], launch, launch).ToolText,
			LaunchAfter: s.launch, Level: p.LevelSet()},
		nil
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
	e, err := b.accepted(serverID, shown, d.state.Now())
	if err != nil || len(e.Put) == 0 {
		return done, nil, err
	}
	for _, p := range e.Put {
		if err := d.showable(ctx, b[serverID].tools[p.ToolName]); err != nil {
			return done, nil, told("accept tools", err)
		}
	}
	v, err := d.store.EditTools(ctx, d.turn.of(permission.OfTools, permission.OfPolicy), e)
	if err != nil {
		return done, nil, told("accept tools", err)
	}
	next := b[serverID].copy()
	for _, p := range e.Put {
		next.put(p)
		accepted = append(accepted, p.ToolName)
	}
	return d.know(b, b.with(serverID, next), v), accepted, nil
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
	e, err := b.leveled(serverID, name, level, d.state.Now())
	if err != nil || len(e.Put) == 0 {
		return done, err
	}
	v, err := d.store.EditTools(ctx, d.turn.of(permission.OfTools, permission.OfPolicy), e)
	if err != nil {
		return done, err
	}
	next := b[serverID].copy()
	next.put(e.Put[0])
	return d.know(b, b.with(serverID, next), v), nil
}

// ToolLevels gives the risks that persons gave the tools of a server, by their names.
func (d *Catalogue) ToolLevels(serverID string) (levels []permission.ToolLevel) {
	if s := (*d.tools.Load())[serverID]; s != nil {
		for _, name := range slices.Sorted(maps.Keys(s.tools)) {
			if level := s.tools[name].LevelSet(); level != nil {
				levels = append(levels, *level)
			}
		}
	}
	return levels
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
