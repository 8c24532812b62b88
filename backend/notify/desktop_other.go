//go:build !linux

package notify

import "context"

// Desktop is nothing here: the window alone tells of what waits.
type Desktop struct{}

// Open gives a Desktop that shows nothing.
func Open(Options) (*Desktop, error) { return &Desktop{}, nil }

// Close has nothing to take away.
func (d *Desktop) Close() {}

// Show shows nothing.
func (d *Desktop) Show(State) {}

// Tray reports that there is none.
func (d *Desktop) Tray() bool { return false }

// Notifications reports that there are none.
func (d *Desktop) Notifications() bool { return false }

// Present finds no other desk.
func Present(context.Context, string) bool { return false }

// Autostart is not offered here.
func Autostart(bool, string, ...string) error { return nil }
