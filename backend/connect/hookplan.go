package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sekisho/backend/conftext"
)

// hookPath is the path of the entry that stands for a client's hooks.
var hookPath = []string{"hooks"}

// exists reports whether something has a name.
func (p Places) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// FindHooks adds to the files of Find those that make clients ask about their own tools:
// where a client is there, also when the file is not.
func FindHooks(p Places, all []File) []File {
	for _, c := range Clients() {
		for _, target := range hooksOf(c.ID).targets(p) {
			i := slices.IndexFunc(all, func(f File) bool { return f.Path == target.path && f.Client.ID == c.ID })
			if i >= 0 {
				all[i].hook = &target
				continue
			}
			all = append(all, readHooks(c, target))
		}
	}
	order := map[string]int{}
	for i, c := range Clients() {
		order[c.ID] = i
	}
	slices.SortStableFunc(all, func(a, b File) int { return order[a.Client.ID] - order[b.Client.ID] })
	return all
}

// readHooks reads a file that holds hooks and no tool servers.
func readHooks(c Client, target hookTarget) File {
	c = c.ofHooks()
	f, there := read(c, target.path, "")
	f.hook = &target
	if there {
		return f
	}
	f.new, f.Mode, f.Real = true, 0o600, target.path
	for at := filepath.Dir(target.path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil { // the nearest folder that is there
			rest, _ := filepath.Rel(at, target.path)
			f.Real = filepath.Join(real, rest)
			break
		}
	}
	return f
}

// ofHooks is the client as its files of hooks are read.
func (c Client) ofHooks() Client {
	c.sections, c.text = nil, conftext.Dialect{}
	return c
}

// hookEntry is the entry of a client's hooks in a state.
func hookEntry(state State) Entry { return Entry{Path: hookPath, State: state, Hook: true} }

// addHook adds the hooks to a plan whose tool servers are done: now is the file after them.
func (p *Plan) addHook(o *Options, now *conftext.Document) error {
	h, c := p.File.hook, &p.File.Client
	if h == nil || h.style == nil || !o.Hooks {
		return nil
	}
	door := HookDoor(c.ID)
	if h.style.whole(now.Root, o, door) {
		p.Entries = append(p.Entries, hookEntry(Behind))
		return nil
	}
	src, err := h.style.with(now.Src, c.text, o, door)
	if err != nil {
		e := hookEntry(Left)
		e.Reason = "its hooks are written in a way that cannot be changed safely: " + err.Error()
		p.Entries = append(p.Entries, e)
		return nil
	}
	after, err := readDocument(c, src)
	if err != nil {
		return fmt.Errorf("what would be written could not be read: %w", err)
	}
	if !h.style.whole(after.Root, o, door) || !h.style.sameButOurs(now, after, c.text) {
		return errors.New("its hooks are written in a way that cannot be changed safely")
	}
	doc, err := readDocument(c, string(p.File.Content))
	if err != nil {
		return err
	}
	p.Entries = append(p.Entries, hookEntry(Direct))
	p.After = []byte(after.Src)
	p.sides = sides{redact(doc, c), redact(after, c)}
	p.Difference = p.sides.unified(p.File.Path)
	return nil
}

// sameButOurs reports whether two texts say the same without what asks the desk.
func (s *hookStyle) sameButOurs(a, b *conftext.Document, dialect conftext.Dialect) bool {
	var roots []map[string]any
	for _, doc := range []*conftext.Document{a, b} {
		src, err := s.without(doc.Src, dialect)
		if err != nil {
			return false
		}
		plain, err := conftext.Read(src, dialect)
		if err != nil {
			return false
		}
		roots = append(roots, unhooked(plain.Root))
	}
	return reflect.DeepEqual(roots[0], roots[1])
}

// unhooked is a file's root without events and a table of hooks that have nothing: they are
// made, and go, with what is in them.
func unhooked(root map[string]any) map[string]any {
	events, _ := root["hooks"].(map[string]any)
	for event, list := range events {
		if items, ok := list.([]any); ok && len(items) == 0 {
			delete(events, event)
		}
	}
	if len(events) == 0 {
		delete(root, "hooks")
	}
	return root
}

// makeOwn plans a file that is made anew, or is ours alone.
func makeOwn(file File, o Options) (*Plan, error) {
	plan := &Plan{File: file, Agent: o.Agent, After: file.Content}
	if !o.Hooks {
		return plan, nil
	}
	var text string
	if file.hook.own != nil {
		text = file.hook.own(&o)
	} else {
		var err error
		if text, err = file.hook.style.with(conftext.Text(file.hook.skeleton), file.Client.text, &o, HookDoor(file.Client.ID)); err != nil {
			return nil, err
		}
	}
	head, _, _ := strings.Cut(text, "\n")
	switch {
	case file.new && file.hook.needs != "" && !o.asked(file):
		e := hookEntry(Left)
		e.Why = &Obstacle{Code: hooksFirst, Value: file.hook.needs}
		e.Reason = e.Why.Error()
		plan.Entries = []Entry{e}
	case string(file.Content) == text:
		plan.Entries = []Entry{hookEntry(Behind)}
	case file.new || strings.HasPrefix(string(file.Content), head): // by another version of sekisho
		plan.Entries, plan.After = []Entry{hookEntry(Direct)}, []byte(text)
		plan.sides = sides{string(file.Content), text}
		plan.Difference = plan.sides.unified(file.Path)
	default:
		e := hookEntry(Left)
		e.Why = &Obstacle{Code: ownFileChanged}
		e.Reason = e.Why.Error()
		plan.Entries = []Entry{e}
	}
	return plan, nil
}

// asked reports whether the hooks that a file needs stand, or are to be written before it.
func (o *Options) asked(file File) bool {
	return slices.Contains(o.Hooked, file.hook.needs) || stands(file.Client.ID, file.hook.needs)
}

// stands reports whether the hooks of a client's file ask the desk.
func stands(client, path string) bool {
	c, _ := ClientByID(client)
	f, there := read(c, path, "")
	if !there || f.Err != nil {
		return false
	}
	doc, err := readDocument(&c, string(f.Content))
	if err != nil {
		return false
	}
	style := targetOf(client).style
	return !slices.ContainsFunc(style.events, func(event string) bool {
		list, _ := conftext.At(doc.Root, []string{"hooks", event}).([]any)
		return !slices.ContainsFunc(list, style.has)
	})
}

// asksDesk reports whether a value of a file is, or holds nothing but, commands of ours.
func asksDesk(value any) bool {
	table, _ := value.(map[string]any)
	if list, ok := table["hooks"].([]any); ok && len(list) > 0 {
		return !slices.ContainsFunc(list, func(handler any) bool { return !asksDesk(handler) })
	}
	for _, style := range []*hookStyle{&claudeHooks, &copilotHooks} {
		if style.ours(table) {
			return true
		}
	}
	return false
}

// targetOf gives the file that a client's hooks are written into among others'.
func targetOf(client string) (t hookTarget) {
	if h := hooksOf(client); h != nil {
		t = h.files(Places{})[0]
	}
	return t
}

// unhook takes our part out of a file that a person has changed since: nil content says that
// nothing else is in it, so that a file that connecting made goes.
func (r *Record) unhook(now []byte, dialect conftext.Dialect) ([]byte, error) {
	target := targetOf(r.Client)
	src, err := target.style.without(string(now), dialect)
	if err != nil {
		return nil, err
	}
	doc, err := conftext.Read(src, dialect)
	if err != nil {
		return nil, err
	}
	if r.Made && reflect.DeepEqual(unhooked(doc.Root), conftext.Decoded(target.skeleton)) {
		return nil, nil
	}
	return []byte(src), nil
}

// missingFolders are those above a path that are not there, innermost first.
func missingFolders(path string) (all []string) {
	for at := filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		all = append(all, at)
	}
	return all
}
