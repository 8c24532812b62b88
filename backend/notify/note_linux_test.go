package notify

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// TestMain lets the bus start this program as a notification service.
func TestMain(m *testing.M) {
	if os.Getenv("SEKISHO_TEST_SERVICE") == "" {
		os.Exit(m.Run())
	}
	conn, err := connect(context.Background())
	if err == nil {
		err = conn.ExportMethodTable(map[string]any{
			"GetCapabilities": func() ([]string, *dbus.Error) { return []string{"actions"}, nil },
			"Notify": func(_ string, replaces uint32, _, summary, _ string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
				conn.Emit(notificationsPath, "dev.sekisho.Test.Shown", summary, replaces)
				return 7, nil
			},
		}, notificationsPath, notifications)
	}
	if err == nil {
		_, err = conn.RequestName(notifications, 0)
	}
	if err == nil {
		<-conn.Context().Done()
	}
}

var server = "filesystem"

// waiting is a state of as many calls, all new, with nobody at the window.
func waiting(n int) State {
	return State{Waiting: n, Arrivals: n, Newest: &Asked{Agent: "scribe", Tool: "write_file", Server: &server}, Notify: true, Sound: true}
}

func TestOneNotificationCounts(t *testing.T) {
	startBus(t, nil)
	daemon := serveNotices(t, join(t), "actions", "body-markup")
	d, _ := openDesktop(t, t.TempDir())
	daemon.nothing(t)

	d.Show(waiting(1))
	first := daemon.next(t)
	if first.id != 0 || first.summary != "Approval Needed: scribe" || first.body != "Tool 'write_file' requires approval" ||
		first.lifetime != 0 {
		t.Errorf("got %+v", first)
	}
	if want := []string{"default", "Review", "review", "Review"}; !slices.Equal(first.actions, want) {
		t.Errorf("offers %q", first.actions)
	}
	if first.hints["urgency"].Value() != byte(1) || first.hints["sound-name"].Value() == nil || first.hints["suppress-sound"].Value() != nil {
		t.Errorf("hints %v", first.hints)
	}
	for name := range first.hints {
		if !slices.Contains([]string{"urgency", "sound-name", "desktop-entry", "image-data"}, name) {
			t.Errorf("the hint %s", name)
		}
	}

	more := waiting(2)
	more.High, more.Sound = true, false
	d.Show(more)
	second := daemon.next(t)
	if second.id != 1 || second.summary != "Approval Needed: scribe" || !strings.HasSuffix(second.body, "\n2 calls wait for you") {
		t.Errorf("got %+v", second)
	}
	if second.hints["urgency"].Value() != byte(2) || second.hints["sound-name"].Value() != nil ||
		second.hints["suppress-sound"].Value() != true {
		t.Errorf("hints %v", second.hints)
	}
	d.Show(more)
	daemon.nothing(t)

	less := waiting(1)
	less.Arrivals = 2 // one was settled: nothing new, so nothing sounds
	d.Show(less)
	if third := daemon.next(t); third.id != 1 || third.close || third.hints["sound-name"].Value() != nil ||
		third.hints["urgency"].Value() != byte(1) {
		t.Errorf("got %+v", third)
	}
	d.Show(State{Notify: true, Arrivals: 2})
	if last := daemon.next(t); !last.close || last.id != 1 {
		t.Errorf("got %+v", last)
	}
	daemon.nothing(t)
}

func TestTheWindowTakesThePlaceOfTheNotification(t *testing.T) {
	startBus(t, nil)
	daemon := serveNotices(t, join(t))
	d, _ := openDesktop(t, t.TempDir())
	d.Show(waiting(1))
	daemon.next(t)
	seen := waiting(1)
	seen.Notify = false
	d.Show(seen)
	if n := daemon.next(t); !n.close {
		t.Errorf("got %+v", n)
	}
	d.Show(waiting(1)) // the person left without an answer
	if n := daemon.next(t); n.close || n.id != 0 || n.hints["suppress-sound"].Value() != true {
		t.Errorf("got %+v", n)
	}
	d.Close()
	if n := daemon.next(t); !n.close || n.id != 2 {
		t.Errorf("a desk that ended left %+v", n)
	}
}

func TestWhatAPersonPutAwayStaysAway(t *testing.T) {
	startBus(t, nil)
	daemon := serveNotices(t, join(t))
	d, p := openDesktop(t, t.TempDir())
	d.Show(waiting(2))
	daemon.next(t)
	daemon.signal(t, "NotificationClosed", uint32(1), uint32(2))
	daemon.signal(t, "ActionInvoked", uint32(1), "review") // of what is gone
	less := waiting(1)
	less.Arrivals = 2
	time.Sleep(aWhile)
	d.Show(less)
	daemon.nothing(t)
	d.Show(waiting(3))
	if n := daemon.next(t); n.id != 0 || n.summary != "Approval Needed: scribe" || !strings.HasSuffix(n.body, "3 calls wait for you") {
		t.Errorf("got %+v", n)
	}
	p.nothing(t)
}

func TestNamesAreNoMarkup(t *testing.T) {
	startBus(t, nil)
	daemon := serveNotices(t, join(t), "body-markup", "body-images", "body-hyperlinks")
	d, _ := openDesktop(t, t.TempDir())
	bad := waiting(1)
	bad.Newest = &Asked{Agent: "<img src=\"x\">", Tool: "a&b\u202e\n<b>", Server: nil}
	d.Show(bad)
	n := daemon.next(t)
	if n.body != `Tool 'a&amp;b⟦U+202E⟧⟦U+000A⟧&lt;b&gt;' requires approval` || n.summary != `Approval Needed: <img src="x">` {
		t.Errorf("got %s", n.body)
	}
	if len(n.actions) != 0 {
		t.Errorf("a service without actions was given %q", n.actions)
	}
	plain := serveNotices(t, join(t), "body", "actions") // another service, which reads no markup
	if n := plain.next(t); !strings.HasPrefix(n.body, `Tool 'a&b⟦U+202E⟧`) {
		t.Errorf("got %s", n.body)
	}
}

// TestForgedSignals: what looks like the service's word and is not does nothing, and
// even the service can only bring the window up.
func TestForgedSignals(t *testing.T) {
	startBus(t, nil)
	daemon, stranger := serveNotices(t, join(t), "actions"), join(t)
	d, p := openDesktop(t, t.TempDir())
	d.Show(waiting(1))
	desk := daemon.next(t).from
	daemon.signal(t, "ActionInvoked", uint32(1), "default")
	p.next(t, "review")

	for _, key := range []string{"default", "review", "approve"} {
		whisper(t, stranger, desk, notifications+".ActionInvoked", notificationsPath, uint32(1), key)
		if err := stranger.Emit(notificationsPath, notifications+".ActionInvoked", uint32(1), key); err != nil {
			t.Fatal(err)
		}
	}
	whisper(t, stranger, desk, notifications+".ActivationToken", notificationsPath, uint32(1), "stolen")
	whisper(t, stranger, desk, notifications+".NotificationClosed", notificationsPath, uint32(1), uint32(2))
	whisper(t, stranger, desk, busName+".NameOwnerChanged", "/org/freedesktop/DBus", notifications, "", stranger.Names()[0])
	whisper(t, stranger, desk, notifications+".ActionInvoked", notificationsPath, uint32(1), "review")
	p.nothing(t)
	daemon.nothing(t)

	for _, args := range [][]any{{uint32(2), "review"}, {uint32(0), "review"}, {uint32(1), "approve"}, {uint32(1), ""}, {int32(1), "review"},
		{"1", "review"}, {uint32(1)}, {uint32(1), "review", "more"}, {uint32(1), uint32(1)}} {
		daemon.signal(t, "ActionInvoked", args...)
	}
	whisper(t, daemon.conn, desk, notifications+".ActionInvoked", "/elsewhere", uint32(1), "review")
	p.nothing(t)

	daemon.signal(t, "ActivationToken", uint32(2), "of another")
	daemon.signal(t, "ActivationToken", uint32(1), "token-1")
	daemon.signal(t, "ActionInvoked", uint32(1), "review")
	p.next(t, "review token-1")
	daemon.signal(t, "ActionInvoked", uint32(1), "default")
	p.next(t, "review")
	for _, token := range []string{"two\nlines", strings.Repeat("x", 2000), "\u202e"} {
		daemon.signal(t, "ActivationToken", uint32(1), token)
		daemon.signal(t, "ActionInvoked", uint32(1), "review")
		p.next(t, "review")
	}
	p.nothing(t)
}

func TestAnotherService(t *testing.T) {
	startBus(t, nil)
	d, p := openDesktop(t, t.TempDir())
	d.Show(waiting(1)) // nobody is there yet
	time.Sleep(aWhile)
	if d.Notifications() {
		t.Error("there are notifications without a service")
	}
	old := serveNotices(t, join(t), "actions")
	desk := old.next(t).from
	until(t, "the service", d.Notifications)
	d.Show(waiting(2))
	if n := old.next(t); n.id != 1 {
		t.Errorf("got %+v", n)
	}

	other := serveNotices(t, join(t), "actions")
	if n := other.next(t); n.id != 0 || n.summary != "Approval Needed: scribe" {
		t.Errorf("the new service was told %+v", n)
	}
	whisper(t, old.conn, desk, notifications+".ActionInvoked", notificationsPath, uint32(1), "review")
	p.nothing(t)
	other.signal(t, "ActionInvoked", uint32(1), "review")
	p.next(t, "review")
	old.nothing(t)

	if err := other.conn.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the service to go", func() bool { return !d.Notifications() })
}

// TestStartedByTheBus: a service that the bus starts for the first notification gets
// that once.
func TestStartedByTheBus(t *testing.T) {
	t.Setenv("SEKISHO_TEST_SERVICE", "1")
	startBus(t, map[string]string{notifications: os.Args[0]})
	os.Unsetenv("SEKISHO_TEST_SERVICE")
	shown := listen(t, join(t), "dev.sekisho.Test")
	d, _ := openDesktop(t, t.TempDir())
	until(t, "a service that could be started", d.Notifications)
	for i, replaces := range []uint32{0, 7} {
		d.Show(waiting(i + 1))
		select {
		case s := <-shown:
			if s.Body[1] != replaces {
				t.Errorf("got %v", s.Body)
			}
		case <-time.After(soon):
			t.Fatal("nothing was shown")
		}
	}
	time.Sleep(aWhile)
	if len(shown) > 0 {
		t.Errorf("it was shown again: %v", (<-shown).Body)
	}
}

func TestAServiceThatHangs(t *testing.T) {
	startBus(t, nil)
	conn := join(t)
	held := make(chan struct{})
	defer close(held)
	err := conn.ExportMethodTable(map[string]any{"GetCapabilities": func() ([]string, *dbus.Error) {
		<-held
		return nil, nil
	}}, notificationsPath, notifications)
	if err != nil {
		t.Fatal(err)
	}
	own(t, conn, notifications)
	d, _ := openDesktop(t, t.TempDir())
	d.Show(waiting(1))
	time.Sleep(aWhile)
	start := time.Now()
	d.Close()
	if took := time.Since(start); took > farewell+time.Second {
		t.Errorf("closing took %s", took)
	}
}

func TestNoBus(t *testing.T) {
	for name, address := range map[string]string{"none": "", "one that is not there": "unix:path=/nonexistent/bus", "nonsense": "bus?"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			d, p := openDesktop(t, t.TempDir())
			d.Show(waiting(1))
			time.Sleep(aWhile)
			if d.Tray() || d.Notifications() || Present(t.Context(), t.TempDir()) {
				t.Error("something is there")
			}
			d.Close()
			p.nothing(t)
		})
	}
}

func TestTheBusEnds(t *testing.T) {
	end := startBus(t, nil)
	conn := join(t)
	serveNotices(t, conn)
	d, p := openDesktop(t, t.TempDir())
	until(t, "notifications", d.Notifications)
	end()
	until(t, "that to end", func() bool { return !d.Notifications() })
	d.Show(waiting(1))
	d.Close()
	p.nothing(t)
}
