package notify

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/godbus/dbus/v5"
)

const (
	watcher     = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	item        = "org.kde.StatusNotifierItem"
	itemPath    = dbus.ObjectPath("/StatusNotifierItem")
	properties  = "org.freedesktop.DBus.Properties"
)

// tray is our item in the desktop's tray. It registers with the desktop's watcher of
// such items, whenever there is one.
type tray struct {
	desk *Desktop
	conn *dbus.Conn
	name string
	menu *menu

	watcher    string // the connection that is the watcher now; "" is none
	registered bool
	hosted     bool // the item is registered, and somebody shows it
	shown      view
}

// view is what changes of the item.
type view struct{ title, status string }

func viewOf(s State, w words) view {
	v := view{title: w.tray(s), status: "Active"}
	if s.Waiting > 0 && !s.Quiet {
		v.status = "NeedsAttention"
	}
	return v
}

// newTray offers the item and its menu on the bus.
func newTray(conn *dbus.Conn, d *Desktop) *tray {
	t := &tray{desk: d, conn: conn, name: fmt.Sprintf("%s-%d-1", item, os.Getpid()), menu: &menu{desk: d, conn: conn}}
	open := func(int32, int32) *dbus.Error { d.opts.Open(""); return nil }
	methods := map[string]any{
		"Activate": open, "SecondaryActivate": open, "ContextMenu": open,
		"Scroll": func(int32, string) *dbus.Error { return nil },
	}
	err := offer(conn, itemPath, item, itemXML, methods, t.properties)
	if err == nil {
		err = offer(conn, menuPath, menuName, menuXML, t.menu.methods(), t.menu.properties)
	}
	if err == nil {
		_, err = conn.RequestName(t.name, dbus.NameFlagDoNotQueue)
	}
	if err != nil {
		d.opts.Logger.Warn("offer a tray item", "error", err)
	}
	return t
}

// offer puts an object on the bus: its methods, and its properties to read.
func offer(conn *dbus.Conn, path dbus.ObjectPath, name, xml string, methods map[string]any, get func() map[string]dbus.Variant) error {
	if err := errors.Join(conn.ExportMethodTable(methods, path, name), describe(conn, path, xml)); err != nil {
		return err
	}
	return conn.ExportMethodTable(map[string]any{
		"GetAll": func(of string) (map[string]dbus.Variant, *dbus.Error) {
			if of != name {
				return map[string]dbus.Variant{}, nil
			}
			return get(), nil
		},
		"Get": func(of, property string) (dbus.Variant, *dbus.Error) {
			value, ok := get()[property]
			if of != name || !ok {
				return value, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", []any{property})
			}
			return value, nil
		},
		"Set": func(_, property string, _ dbus.Variant) *dbus.Error {
			return dbus.NewError("org.freedesktop.DBus.Error.PropertyReadOnly", []any{property})
		},
	}, path, properties)
}

// toolTip is a tool tip as the protocol has it.
type toolTip struct {
	Icon        string
	Pixmaps     []pixmap
	Title, Text string
}

func (t *tray) properties() map[string]dbus.Variant {
	state, words := t.desk.current()
	v := viewOf(state, words)
	return map[string]dbus.Variant{
		"Category":            dbus.MakeVariant("ApplicationStatus"),
		"Id":                  dbus.MakeVariant("sekisho"),
		"Title":               dbus.MakeVariant("Sekisho: " + v.title),
		"Status":              dbus.MakeVariant(v.status),
		"WindowId":            dbus.MakeVariant(int32(0)),
		"IconName":            dbus.MakeVariant(""),
		"IconPixmap":          dbus.MakeVariant(t.desk.icons().tray),
		"AttentionIconName":   dbus.MakeVariant(""),
		"AttentionIconPixmap": dbus.MakeVariant(t.desk.icons().attention),
		"OverlayIconName":     dbus.MakeVariant(""),
		"OverlayIconPixmap":   dbus.MakeVariant([]pixmap{}),
		"ToolTip":             dbus.MakeVariant(toolTip{Pixmaps: []pixmap{}, Title: "Sekisho", Text: escaped(v.title)}),
		"ItemIsMenu":          dbus.MakeVariant(false),
		"Menu":                dbus.MakeVariant(menuPath),
	}
}

// look finds the watcher and registers the item with it.
func (t *tray) look(ctx context.Context) {
	t.registered = false
	if t.watcher = ownerOf(ctx, t.conn, watcher); t.watcher != "" {
		t.registered = call(ctx, t.conn, t.watcher, watcherPath, watcher+".RegisterStatusNotifierItem", t.name).Err == nil
	}
	t.host(ctx)
}

// host asks whether anybody shows items. A watcher that cannot say shows them itself.
func (t *tray) host(ctx context.Context) {
	shows := true
	if t.registered {
		var value dbus.Variant
		if call(ctx, t.conn, t.watcher, watcherPath, properties+".Get", watcher, "IsStatusNotifierHostRegistered").Store(&value) == nil {
			shows = value.Value() != false
		}
	}
	t.hosted = t.registered && shows
}

// show tells the tray what changed.
func (t *tray) show(s State, w words) {
	before := t.shown
	t.shown = viewOf(s, w)
	if t.shown.title != before.title {
		t.emit("NewTitle")
		t.emit("NewToolTip")
	}
	if t.shown.status != before.status {
		t.emit("NewStatus", t.shown.status)
	}
	t.menu.show(s, w)
}

func (t *tray) emit(signal string, args ...any) {
	if err := t.conn.Emit(itemPath, item+"."+signal, args...); err != nil {
		t.desk.opts.Logger.Debug("tell the tray", "error", err)
	}
}

// heed follows the watcher: one that comes gets the item, one that goes takes it away.
func (t *tray) heed(ctx context.Context, s *dbus.Signal) {
	if owner, ok := newOwner(s, watcher); ok {
		if owner != t.watcher || !t.registered {
			t.look(ctx)
		}
		return
	}
	if t.watcher == "" || s.Sender != t.watcher {
		return
	}
	switch s.Name {
	case watcher + ".StatusNotifierHostRegistered", watcher + ".StatusNotifierHostUnregistered":
		t.host(ctx)
	}
}
