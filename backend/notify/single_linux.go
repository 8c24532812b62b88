package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"

	"github.com/godbus/dbus/v5"
)

// deskName is the name of every desk with a window: all of them queue for it, so
// that the bus knows them.
const deskName = "dev.sekisho.Desk"

// deskPath is where the desk on a data folder listens.
func deskPath(folder string) dbus.ObjectPath {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	sum := sha256.Sum256([]byte(folder))
	return dbus.ObjectPath("/dev/sekisho/Desk/" + hex.EncodeToString(sum[:16]))
}

// present lets a second start on the same folder ask for the window, and nothing else.
func present(conn *dbus.Conn, o Options) {
	methods := map[string]any{"Present": func() *dbus.Error {
		o.Open("")
		return nil
	}}
	path := deskPath(o.Folder)
	if err := errors.Join(conn.ExportMethodTable(methods, path, deskName), describe(conn, path, deskXML)); err != nil {
		o.Logger.Warn("let a second start find this desk", "error", err)
		return
	}
	if _, err := conn.RequestName(deskName, 0); err != nil {
		o.Logger.Warn("let a second start find this desk", "error", err)
	}
}

// Present asks the desk that holds a folder to bring its window up, and reports
// whether one did. Of the desks of the session, the one on the folder takes it.
func Present(ctx context.Context, folder string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := connect(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	var desks []string
	if call(ctx, conn, busName, "/org/freedesktop/DBus", busName+".ListQueuedOwners", deskName).Store(&desks) != nil {
		return false
	}
	for _, desk := range desks {
		if call(ctx, conn, desk, deskPath(folder), deskName+".Present").Err == nil {
			return true
		}
	}
	return false
}
