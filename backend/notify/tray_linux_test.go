package notify

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
)

// watcherOf makes conn a watcher of tray items, with or without somebody to show them.
func watcherOf(t *testing.T, conn *dbus.Conn, shows any) chan string {
	t.Helper()
	items := make(chan string, 10)
	err := conn.ExportMethodTable(map[string]any{
		"RegisterStatusNotifierItem": func(name string) *dbus.Error { items <- name; return nil },
	}, watcherPath, watcher)
	if err == nil && shows != nil {
		err = conn.ExportMethodTable(map[string]any{
			"Get": func(string, string) (dbus.Variant, *dbus.Error) { return dbus.MakeVariant(shows), nil },
		}, watcherPath, properties)
	}
	if err != nil {
		t.Fatal(err)
	}
	own(t, conn, watcher)
	return items
}

var ourItem = fmt.Sprintf("org.kde.StatusNotifierItem-%d-1", os.Getpid())

func registered(t *testing.T, items chan string) {
	t.Helper()
	select {
	case name := <-items:
		if name != ourItem {
			t.Errorf("registered as %s", name)
		}
	case <-time.After(soon):
		t.Fatal("nothing registered")
	}
}

func TestTrayRegisters(t *testing.T) {
	startBus(t, nil)
	first := join(t)
	items := watcherOf(t, first, nil)
	d, _ := openDesktop(t, t.TempDir())
	registered(t, items)
	until(t, "the tray", d.Tray)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the tray to go", func() bool { return !d.Tray() })

	second := join(t)
	registered(t, watcherOf(t, second, true))
	until(t, "the tray again", d.Tray)
}

func TestATrayThatNobodyShows(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, false)
	d, _ := openDesktop(t, t.TempDir())
	registered(t, items)
	time.Sleep(aWhile)
	if d.Tray() {
		t.Error("an item that nobody shows counts as a tray")
	}
	stranger := join(t)
	table := func(shows bool) map[string]any {
		return map[string]any{"Get": func(string, string) (dbus.Variant, *dbus.Error) { return dbus.MakeVariant(shows), nil }}
	}
	if err := conn.ExportMethodTable(table(true), watcherPath, properties); err != nil {
		t.Fatal(err)
	}
	whisper(t, stranger, ownerOf(t.Context(), stranger, ourItem), watcher+".StatusNotifierHostRegistered", watcherPath)
	time.Sleep(aWhile)
	if d.Tray() {
		t.Error("a stranger's word made a tray")
	}
	if err := conn.Emit(watcherPath, watcher+".StatusNotifierHostRegistered"); err != nil {
		t.Fatal(err)
	}
	until(t, "the tray", d.Tray)
}

// property reads a property of the tray item as the tray does.
func property[T any](t *testing.T, conn *dbus.Conn, path dbus.ObjectPath, of, name string) (value T) {
	t.Helper()
	var v dbus.Variant
	if err := ask(conn, ourItem, path, properties+".Get", of, name).Store(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := v.Store(&value); err != nil {
		t.Fatalf("%s is %v: %v", name, v, err)
	}
	return value
}

func TestTrayItem(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, true)
	openAndShow(t, State{})
	registered(t, items)
	answer := ask(conn, ourItem, itemPath, properties+".GetAll", item)
	if answer.Err != nil {
		t.Fatal(answer.Err)
	}
	all, _ := answer.Body[0].(map[string]dbus.Variant) // Store would lose the types
	for name, signature := range map[string]string{
		"Category": "s", "Id": "s", "Title": "s", "Status": "s", "WindowId": "i", "IconName": "s", "IconPixmap": "a(iiay)",
		"AttentionIconPixmap": "a(iiay)", "OverlayIconPixmap": "a(iiay)", "ToolTip": "(sa(iiay)ss)", "ItemIsMenu": "b", "Menu": "o",
	} {
		if got := all[name].Signature().String(); got != signature {
			t.Errorf("%s has the type %q, want %q", name, got, signature)
		}
	}
	if got := property[string](t, conn, itemPath, item, "Status"); got != "Active" {
		t.Errorf("status %s", got)
	}
	if err := ask(conn, ourItem, itemPath, properties+".Set", item, "Status", dbus.MakeVariant("Passive")).Err; err == nil {
		t.Error("anybody can write to the item")
	}
	if err := ask(conn, ourItem, itemPath, properties+".Get", item, "Token").Err; err == nil {
		t.Error("there is a property of any name")
	}
	var none map[string]dbus.Variant
	if err := ask(conn, ourItem, itemPath, properties+".GetAll", "other").Store(&none); err != nil || len(none) != 0 {
		t.Errorf("%d properties, %v", len(none), err)
	}
}

func openAndShow(t *testing.T, s State) (*Desktop, person) {
	t.Helper()
	d, p := openDesktop(t, t.TempDir())
	d.Show(s)
	return d, p
}

func TestTrayFollows(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, true)
	told := listen(t, conn, item)
	d, _ := openAndShow(t, State{})
	registered(t, items)
	quiet := waiting(3)
	quiet.Quiet, quiet.Held = true, true
	for _, c := range []struct {
		state         State
		title, status string
		signals       []string
	}{
		{waiting(2), "Sekisho: 2 calls wait", "NeedsAttention", []string{"NewTitle", "NewToolTip", "NewStatus"}},
		{quiet, "Sekisho: 3 calls wait · Everything is held", "Active", []string{"NewTitle", "NewToolTip", "NewStatus"}},
		{State{Language: "ru"}, "Sekisho: Никто не ждёт", "Active", []string{"NewTitle", "NewToolTip"}},
	} {
		d.Show(c.state)
		for _, want := range c.signals {
			select {
			case s := <-told:
				if s.Name != item+"."+want || want == "NewStatus" && s.Body[0] != c.status {
					t.Errorf("told %s %v, want %s", s.Name, s.Body, want)
				}
			case <-time.After(soon):
				t.Fatalf("no %s", want)
			}
		}
		if title, status := property[string](t, conn, itemPath, item, "Title"),
			property[string](t, conn, itemPath, item, "Status"); title != c.title || status != c.status {
			t.Errorf("%q, %s", title, status)
		}
	}
	if len(told) > 0 {
		t.Errorf("more was told: %v", <-told)
	}
}

// menuNow reads the menu as the tray does: labels, and whether holding is checked.
func menuNow(t *testing.T, conn *dbus.Conn) (labels []string, held int32) {
	t.Helper()
	var revision uint32
	var top layout
	if err := ask(conn, ourItem, menuPath, menuName+".GetLayout", root, int32(-1), []string{}).Store(&revision, &top); err != nil {
		t.Fatal(err)
	}
	for _, child := range top.Children {
		var e layout
		if err := dbus.Store([]any{child.Value()}, &e); err != nil {
			t.Fatal(err)
		}
		if label, ok := e.Properties["label"].Value().(string); ok {
			labels = append(labels, label)
		}
		if state, ok := e.Properties["toggle-state"].Value().(int32); ok {
			held = state
		}
	}
	return labels, held
}

func TestMenu(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, true)
	d, p := openAndShow(t, State{})
	registered(t, items)
	press := func(id int32, want string) {
		t.Helper()
		if err := ask(conn, ourItem, menuPath, menuName+".Event", id, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err; err != nil {
			t.Error(err)
		}
		p.next(t, want)
	}
	labels, held := menuNow(t, conn)
	if want := []string{"No call waits", "Hold everything", "Open Sekisho", "Quit"}; !slices.Equal(labels, want) || held != 0 {
		t.Errorf("the menu is %q, held %d", labels, held)
	}
	press(entryWaiting, "open")
	press(entryOpen, "open")
	press(entryQuit, "quit")
	press(entryHold, "hold")

	now := waiting(4)
	now.Held = true
	d.Show(now)
	labels, held = menuNow(t, conn)
	if labels[0] != "4 calls wait" || held != 1 {
		t.Errorf("the menu is %q, held %d", labels, held)
	}
	press(entryWaiting, "review")
	press(entryHold, "open") // whoever pressed: it is ended in the window alone
	for _, c := range []struct {
		id   int32
		what string
	}{{entryHold, "hovered"}, {entryQuit, "opened"}, {root, "clicked"}, {entryLine, "clicked"}} {
		if err := ask(conn, ourItem, menuPath, menuName+".Event", c.id, c.what, dbus.MakeVariant(""), uint32(0)).Err; err != nil {
			t.Error(err)
		}
	}
	if err := ask(conn, ourItem, menuPath, menuName+".Event", int32(99), "clicked", dbus.MakeVariant(""), uint32(0)).Err; err == nil {
		t.Error("an entry that is not there was pressed")
	}
	p.nothing(t)
}

func TestMenuProtocol(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, true)
	told := listen(t, conn, menuName)
	d, p := openAndShow(t, State{})
	registered(t, items)
	d.Show(waiting(1))
	for seen := 0; seen < 1; {
		select {
		case s := <-told:
			if s.Name != menuName+".LayoutUpdated" || s.Body[1] != root {
				t.Errorf("told %v", s)
			}
			if labels, _ := menuNow(t, conn); labels[0] == "1 call waits" {
				seen++
			}
		case <-time.After(soon):
			t.Fatal("nothing told of another menu")
		}
	}

	var entries []entry
	if err := ask(conn, ourItem, menuPath, menuName+".GetGroupProperties", []int32{entryHold, 99},
		[]string{"toggle-type"}).Store(&entries); err != nil || len(entries) != 1 || len(entries[0].Properties) != 1 ||
		entries[0].Properties["toggle-type"].Value() != "checkmark" {
		t.Errorf("%+v, %v", entries, err)
	}
	var value dbus.Variant
	if err := ask(conn, ourItem, menuPath, menuName+".GetProperty", entryQuit, "label").Store(&value); err != nil || value.Value() != "Quit" {
		t.Errorf("%v, %v", value, err)
	}
	if ask(conn, ourItem, menuPath, menuName+".GetProperty", entryQuit, "nothing").Err == nil ||
		ask(conn, ourItem, menuPath, menuName+".GetLayout", int32(99), int32(0), []string{}).Err == nil {
		t.Error("what is not there was given")
	}
	var revision uint32
	var top layout
	if err := ask(conn, ourItem, menuPath, menuName+".GetLayout", root, int32(0), []string{}).Store(&revision, &top); err != nil ||
		len(top.Children) != 0 || revision == 0 {
		t.Errorf("%+v, %v", top, err)
	}
	type press struct {
		ID   int32
		What string
		Data dbus.Variant
		At   uint32
	}
	var unknown []int32
	err := ask(conn, ourItem, menuPath, menuName+".EventGroup",
		[]press{{entryOpen, "clicked", dbus.MakeVariant(""), 0}, {99, "clicked", dbus.MakeVariant(""), 0}}).Store(&unknown)
	if err != nil || !slices.Equal(unknown, []int32{99}) {
		t.Errorf("%v, %v", unknown, err)
	}
	p.next(t, "open")
	if version := property[uint32](t, conn, menuPath, menuName, "Version"); version != 3 {
		t.Errorf("version %d", version)
	}
	var update bool
	if err := ask(conn, ourItem, menuPath, menuName+".AboutToShow", root).Store(&update); err != nil || update {
		t.Errorf("%v, %v", update, err)
	}
	for method, args := range map[string][]any{"Activate": {int32(1), int32(1)}, "SecondaryActivate": {int32(1), int32(1)},
		"ContextMenu": {int32(1), int32(1)}} {
		if err := ask(conn, ourItem, itemPath, item+"."+method, args...).Err; err != nil {
			t.Error(err)
		}
		p.next(t, "open")
	}
	if err := ask(conn, ourItem, itemPath, item+".Scroll", int32(1), "vertical").Err; err != nil {
		t.Error(err)
	}
	p.nothing(t)
}

// TestObjectsDescribeThemselves: what they say of their properties is what they have.
func TestObjectsDescribeThemselves(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	items := watcherOf(t, conn, true)
	openAndShow(t, State{})
	registered(t, items)
	for path, of := range map[dbus.ObjectPath]string{itemPath: item, menuPath: menuName} {
		node, err := introspect.Call(conn.Object(ourItem, path))
		if err != nil || len(node.Interfaces) != 2 || node.Interfaces[0].Name != of {
			t.Fatalf("%s: %+v, %v", path, node, err)
		}
		answer := ask(conn, ourItem, path, properties+".GetAll", of)
		if answer.Err != nil {
			t.Fatal(answer.Err)
		}
		all, _ := answer.Body[0].(map[string]dbus.Variant)
		if len(all) != len(node.Interfaces[0].Properties) {
			t.Errorf("%s has %d properties and tells of %d", path, len(all), len(node.Interfaces[0].Properties))
		}
		for _, p := range node.Interfaces[0].Properties {
			if got := all[p.Name].Signature().String(); got != p.Type || p.Access != "read" {
				t.Errorf("%s: %s is %q, told %q", path, p.Name, got, p.Type)
			}
		}
	}
}
