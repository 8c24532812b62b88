package notify

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// soon is how long a test waits for what must happen, and a while how long for what
// must not.
const (
	soon   = 5 * time.Second
	aWhile = 150 * time.Millisecond
)

const busConfig = `<busconfig><type>session</type><listen>unix:dir=%s</listen><servicedir>%s</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// startBus starts a message bus for one test, which everything in it then uses.
// services are started by it on demand, each by the command of a service file.
func startBus(t *testing.T, services map[string]string) (end func()) {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Fatal(err) // make test installs it
	}
	dir := t.TempDir()
	for name, command := range services {
		write(t, filepath.Join(dir, name+".service"), "[D-BUS Service]\nName="+name+"\nExec="+command+"\n")
	}
	config := filepath.Join(dir, "bus.conf")
	write(t, config, fmt.Sprintf(busConfig, dir, dir))
	bus := exec.Command(program, "--config-file="+config, "--nofork", "--print-address")
	out, err := bus.StdoutPipe()
	if err == nil {
		err = bus.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { bus.Process.Kill(); bus.Wait() })
	t.Cleanup(end)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	return end
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// join connects a process of the session, that may be anybody.
func join(t *testing.T) *dbus.Conn {
	t.Helper()
	conn, err := connect(context.Background()) // the test's own ends before what it opened
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// own takes a name, from whoever has it.
func own(t *testing.T, conn *dbus.Conn, name string) {
	t.Helper()
	reply, err := conn.RequestName(name, dbus.NameFlagAllowReplacement|dbus.NameFlagReplaceExisting|dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("own %s: %v, %v", name, reply, err)
	}
}

// person is what a desk was told to do by its desktop.
type person struct{ did chan string }

func (p person) says(what string) func() { return func() { p.did <- what } }

func (p person) token(what string) func(string) {
	return func(token string) { p.did <- strings.TrimSpace(what + " " + token) }
}

func (p person) next(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-p.did:
		if got != want {
			t.Fatalf("the desk was told to %q, want %q", got, want)
		}
	case <-time.After(soon):
		t.Fatalf("the desk was not told to %q", want)
	}
}

// nothing is that: what was sent before is taken in by then, as ping shows.
func (p person) nothing(t *testing.T) {
	t.Helper()
	select {
	case got := <-p.did:
		t.Errorf("the desk was told to %q", got)
	case <-time.After(aWhile):
	}
}

// openDesktop opens a Desktop on the test's bus.
func openDesktop(t *testing.T, folder string) (*Desktop, person) {
	t.Helper()
	t.Setenv("LC_ALL", "C")
	p := person{make(chan string, 100)}
	d, err := Open(Options{Folder: folder, Icon: productIcon(t), Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Open: p.token("open"), Review: p.token("review"), Hold: p.says("hold"), Quit: p.says("quit"), Changed: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, p
}

// until waits for what must come true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// notice is a call that a notification service got.
type notice struct {
	from     string // the caller's connection
	id       uint32 // the one that it replaces, or closes
	close    bool
	summary  string
	body     string
	actions  []string
	hints    map[string]dbus.Variant
	lifetime int32
}

// daemon is a notification service.
type daemon struct {
	conn *dbus.Conn
	got  chan notice
	last uint32
}

// serveNotices makes conn a notification service that can do these things.
func serveNotices(t *testing.T, conn *dbus.Conn, can ...string) *daemon {
	t.Helper()
	d := &daemon{conn: conn, got: make(chan notice, 100)}
	err := conn.ExportMethodTable(map[string]any{
		"GetCapabilities": func() ([]string, *dbus.Error) { return can, nil },
		"Notify": func(from dbus.Sender, _ string, replaces uint32, icon, summary, body string, actions []string, hints map[string]dbus.Variant,
			lifetime int32) (uint32, *dbus.Error) {
			if icon != "" {
				t.Errorf("an icon of its own: %q", icon)
			}
			d.got <- notice{from: string(from), id: replaces, summary: summary, body: body, actions: actions, hints: hints, lifetime: lifetime}
			if replaces == 0 {
				d.last++
				return d.last, nil
			}
			return replaces, nil
		},
		"CloseNotification": func(from dbus.Sender, id uint32) *dbus.Error {
			d.got <- notice{from: string(from), id: id, close: true}
			d.signal(t, "NotificationClosed", id, uint32(3))
			return nil
		},
	}, notificationsPath, notifications)
	if err != nil {
		t.Fatal(err)
	}
	own(t, conn, notifications)
	return d
}

func (d *daemon) next(t *testing.T) notice {
	t.Helper()
	select {
	case n := <-d.got:
		return n
	case <-time.After(soon):
		t.Fatal("nothing was said to the notification service")
		return notice{}
	}
}

func (d *daemon) nothing(t *testing.T) {
	t.Helper()
	select {
	case n := <-d.got:
		t.Errorf("the notification service was told %+v", n)
	case <-time.After(aWhile):
	}
}

func (d *daemon) signal(t *testing.T, name string, args ...any) {
	t.Helper()
	if err := d.conn.Emit(notificationsPath, notifications+"."+name, args...); err != nil {
		t.Error(err)
	}
}

// whisper sends a signal to one connection alone, which needs no match of it.
func whisper(t *testing.T, conn *dbus.Conn, to, name string, path dbus.ObjectPath, args ...any) {
	t.Helper()
	dot := strings.LastIndex(name, ".")
	msg := &dbus.Message{Type: dbus.TypeSignal, Body: args, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath: dbus.MakeVariant(path), dbus.FieldInterface: dbus.MakeVariant(name[:dot]),
		dbus.FieldMember:      dbus.MakeVariant(name[dot+1:]),
		dbus.FieldDestination: dbus.MakeVariant(to), dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(args...)),
	}}
	if err := conn.Send(msg, nil).Err; err != nil {
		t.Error(err)
	}
}

// ask calls a method of anybody and gives the answer.
func ask(conn *dbus.Conn, to string, path dbus.ObjectPath, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	return conn.Object(to, path).CallWithContext(ctx, method, 0, args...)
}

// listen gives what is signalled on an interface.
func listen(t *testing.T, conn *dbus.Conn, name string) chan *dbus.Signal {
	t.Helper()
	all, told := make(chan *dbus.Signal, 100), make(chan *dbus.Signal, 100)
	conn.Signal(all)
	go func() {
		for s := range all {
			if strings.HasPrefix(s.Name, name+".") {
				told <- s
			}
		}
	}()
	if err := conn.AddMatchSignal(dbus.WithMatchInterface(name)); err != nil {
		t.Fatal(err)
	}
	return told
}
