package notify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	reconnectEvery = 10 * time.Second // after the bus was lost, or not there
	patience       = 5 * time.Second  // with a service that does not answer
	farewell       = time.Second      // for the last words when the desk ends
)

// Desktop shows a State by whatever the desktop offers, also when that comes late,
// ends and begins again. A bus or a service that is missing is no error.
type Desktop struct {
	opts  Options
	icons func() icons // made when they are first shown
	texts map[string]map[string]forms
	stop  context.CancelFunc
	done  chan struct{}
	next  chan struct{} // there is another state to show

	mu        sync.Mutex
	state     State
	tray      bool // somebody shows our tray item
	notifying bool // a notification service is there, or would be started
}

// Open connects to the session's bus, now or when it can.
func Open(o Options) (*Desktop, error) {
	texts, err := catalogue()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Desktop{opts: o, icons: sync.OnceValue(o.icons), texts: texts, stop: stop, done: make(chan struct{}), next: make(chan struct{}, 1)}
	go d.run(ctx)
	return d, nil
}

// Close takes away what is shown.
func (d *Desktop) Close() {
	d.stop()
	<-d.done
}

// Show is to show s from now on. It does not wait.
func (d *Desktop) Show(s State) {
	d.mu.Lock()
	d.state = s
	d.mu.Unlock()
	select {
	case d.next <- struct{}{}:
	default: // it will be looked at anyway
	}
}

// Tray reports whether somebody shows our tray item.
func (d *Desktop) Tray() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tray
}

// Notifications reports whether there is somebody to show notifications.
func (d *Desktop) Notifications() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.notifying
}

// offers keeps what the desktop offers now, and tells when that is news.
func (d *Desktop) offers(tray, notifying bool) {
	d.mu.Lock()
	news := tray != d.tray || notifying != d.notifying
	d.tray, d.notifying = tray, notifying
	d.mu.Unlock()
	if news {
		d.opts.Changed()
	}
}

// current is the state to show, with the words to say it.
func (d *Desktop) current() (State, words) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state, wordsIn(d.texts, d.state.Language)
}

func (d *Desktop) run(ctx context.Context) {
	defer close(d.done)
	for ctx.Err() == nil {
		if err := d.serve(ctx); err != nil {
			d.opts.Logger.Debug("the session's bus", "error", err)
		}
		d.offers(false, false)
		select {
		case <-time.After(reconnectEvery):
		case <-ctx.Done():
		}
	}
}

// serve shows what there is over one connection, until that or the desk ends.
func (d *Desktop) serve(ctx context.Context) error {
	life, end := context.WithCancel(context.Background())
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell, end) })()
	conn, err := connect(life)
	if err != nil {
		return err
	}
	defer conn.Close()
	signals := make(chan *dbus.Signal, 64)
	conn.Signal(signals)
	present(conn, d.opts)
	note, tray := &note{conn: conn, icons: d.icons, review: d.opts.Review}, newTray(conn, d)
	if err := watch(conn); err != nil {
		return err
	}
	note.look(life)
	tray.look(life)
	for {
		state, words := d.current()
		note.show(life, state, words)
		tray.show(state, words)
		d.offers(tray.hosted, note.served)
		select {
		case <-ctx.Done():
			note.close(life)
			return nil
		case <-life.Done():
			return life.Err()
		case <-d.next:
		case s, open := <-signals:
			if !open {
				return dbus.ErrClosed
			}
			note.heed(life, s)
			tray.heed(life, s)
		}
	}
}

// connect joins the session's bus. Unlike the library's own way it starts no bus.
func connect(life context.Context) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && (address == "" || address == "autolaunch:") {
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(dir, "bus"))
	}
	conn, err := dbus.Connect(address, dbus.WithContext(life), dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return nil, fmt.Errorf("connect to the session's bus: %w", err)
	}
	return conn, nil
}

// watch asks for the signals of the two services, and for who they are.
func watch(conn *dbus.Conn) error {
	for _, service := range []string{notifications, watcher} {
		for _, match := range [][]dbus.MatchOption{
			{dbus.WithMatchSender(busName), dbus.WithMatchInterface(busName), dbus.WithMatchMember("NameOwnerChanged"),
				dbus.WithMatchArg(0, service)},
			{dbus.WithMatchSender(service), dbus.WithMatchInterface(service)},
		} {
			if err := conn.AddMatchSignal(match...); err != nil {
				return fmt.Errorf("watch %s: %w", service, err)
			}
		}
	}
	return nil
}

const busName = "org.freedesktop.DBus"

// newOwner reads a word of the bus itself, which nobody else can say: that a service
// has another owner, "" for none.
func newOwner(s *dbus.Signal, service string) (owner string, ok bool) {
	if s.Sender != busName || s.Name != busName+".NameOwnerChanged" || len(s.Body) != 3 || s.Body[0] != service {
		return "", false
	}
	owner, ok = s.Body[2].(string)
	return owner, ok
}

// call asks a service, which has a while to answer.
func call(ctx context.Context, conn *dbus.Conn, service string, path dbus.ObjectPath, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return conn.Object(service, path).CallWithContext(ctx, method, dbus.FlagNoAutoStart, args...)
}

// ownerOf is the connection that has a name now, or "".
func ownerOf(ctx context.Context, conn *dbus.Conn, name string) string {
	var owner string
	if call(ctx, conn, busName, "/org/freedesktop/DBus", busName+".GetNameOwner", name).Store(&owner) != nil {
		return ""
	}
	return owner
}
