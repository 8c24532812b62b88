package notify

import (
	"slices"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
)

const (
	menuPath = dbus.ObjectPath("/MenuBar")
	menuName = "com.canonical.dbusmenu"
)

// The entries of the menu. Any process of the session can press them.
const (
	root int32 = iota
	entryWaiting
	entryLine
	entryHold
	entryOpen
	entryLine2
	entryQuit
)

// menu is the menu of the tray item.
type menu struct {
	desk     *Desktop
	conn     *dbus.Conn
	revision atomic.Uint32
	shown    looks
}

// looks is what changes of the menu.
type looks struct {
	words [4]string
	held  bool
}

func looksOf(s State, w words) looks {
	return looks{[4]string{w.waits(s), w.say("hold"), w.say("open"), w.say("quit")}, s.Held}
}

// entry is an entry of the menu with its properties.
type entry struct {
	ID         int32
	Properties map[string]dbus.Variant
}

// layout is a branch of the menu as the protocol has it.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// entries are those of the menu now, the root first.
func (m *menu) entries() []entry {
	state, words := m.desk.current()
	l := looksOf(state, words)
	held := int32(0)
	if l.held {
		held = 1
	}
	text := func(s string) map[string]dbus.Variant { return map[string]dbus.Variant{"label": dbus.MakeVariant(s)} }
	line := map[string]dbus.Variant{"type": dbus.MakeVariant("separator")}
	hold := text(l.words[1])
	hold["toggle-type"], hold["toggle-state"] = dbus.MakeVariant("checkmark"), dbus.MakeVariant(held)
	return []entry{
		{root, map[string]dbus.Variant{"children-display": dbus.MakeVariant("submenu")}},
		{entryWaiting, text(l.words[0])}, {entryLine, line}, {entryHold, hold},
		{entryOpen, text(l.words[2])}, {entryLine2, line}, {entryQuit, text(l.words[3])},
	}
}

// only leaves the named properties; no names are all.
func only(properties map[string]dbus.Variant, names []string) map[string]dbus.Variant {
	left := map[string]dbus.Variant{}
	for name, value := range properties {
		if len(names) == 0 || slices.Contains(names, name) {
			left[name] = value
		}
	}
	return left
}

func (m *menu) find(id int32) (entry, *dbus.Error) {
	for _, e := range m.entries() {
		if e.ID == id {
			return e, nil
		}
	}
	return entry{}, dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", []any{"no such entry"})
}

func (m *menu) methods() map[string]any {
	return map[string]any{
		"GetLayout":          m.layout,
		"GetGroupProperties": m.group,
		"GetProperty": func(id int32, name string) (dbus.Variant, *dbus.Error) {
			e, err := m.find(id)
			if value, ok := e.Properties[name]; err == nil && ok {
				return value, nil
			}
			return dbus.MakeVariant(""), dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", []any{"no such property"})
		},
		"Event": func(id int32, what string, _ dbus.Variant, _ uint32) *dbus.Error {
			return m.event(id, what)
		},
		"EventGroup": func(events []struct {
			ID   int32
			What string
			Data dbus.Variant
			At   uint32
		}) ([]int32, *dbus.Error) {
			unknown := []int32{}
			for _, e := range events {
				if m.event(e.ID, e.What) != nil {
					unknown = append(unknown, e.ID)
				}
			}
			return unknown, nil
		},
		"AboutToShow":      func(int32) (bool, *dbus.Error) { return false, nil },
		"AboutToShowGroup": func([]int32) ([]int32, []int32, *dbus.Error) { return []int32{}, []int32{}, nil },
	}
}

func (m *menu) layout(parent, depth int32, names []string) (uint32, layout, *dbus.Error) {
	top, err := m.find(parent)
	if err != nil {
		return 0, layout{}, err
	}
	branch := layout{top.ID, only(top.Properties, names), []dbus.Variant{}}
	if parent == root && depth != 0 {
		for _, e := range m.entries()[1:] {
			branch.Children = append(branch.Children, dbus.MakeVariant(layout{e.ID, only(e.Properties, names), []dbus.Variant{}}))
		}
	}
	return m.revision.Load(), branch, nil
}

// group gives the properties of the named entries; no ids are all.
func (m *menu) group(ids []int32, names []string) ([]entry, *dbus.Error) {
	found := []entry{}
	for _, e := range m.entries() {
		if len(ids) == 0 || slices.Contains(ids, e.ID) {
			found = append(found, entry{e.ID, only(e.Properties, names)})
		}
	}
	return found, nil
}

// event does what an entry is for. Whoever presses may be no person: so holding can
// be begun here and not ended, and what waits is only shown.
func (m *menu) event(id int32, what string) *dbus.Error {
	if _, err := m.find(id); err != nil || what != "clicked" {
		return err
	}
	state, _ := m.desk.current()
	switch opts := m.desk.opts; {
	case id == entryWaiting && state.Waiting > 0:
		opts.Review("")
	case id == entryHold && !state.Held:
		opts.Hold()
	case id == entryQuit:
		opts.Quit()
	case id == entryWaiting, id == entryHold, id == entryOpen:
		opts.Open("")
	}
	return nil
}

func (m *menu) properties() map[string]dbus.Variant {
	return map[string]dbus.Variant{
		"Version":       dbus.MakeVariant(uint32(3)),
		"TextDirection": dbus.MakeVariant("ltr"),
		"Status":        dbus.MakeVariant("normal"),
		"IconThemePath": dbus.MakeVariant([]string{}),
	}
}

// show tells of another layout when the menu looks otherwise than before.
func (m *menu) show(s State, w words) {
	now := looksOf(s, w)
	if now == m.shown {
		return
	}
	m.shown = now
	if err := m.conn.Emit(menuPath, menuName+".LayoutUpdated", m.revision.Add(1), root); err != nil {
		m.desk.opts.Logger.Debug("tell the tray", "error", err)
	}
}
