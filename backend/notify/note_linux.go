package notify

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/godbus/dbus/v5"
)

const (
	notifications     = "org.freedesktop.Notifications"
	notificationsPath = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// note is the one notification. It counts what waits, is replaced when that changes
// and closed when nothing waits. Its only action is to look.
type note struct {
	conn   *dbus.Conn
	icons  func() icons
	review func(token string)

	served  bool   // there is a service, or one would be started
	owner   string // the connection that is the service now; "" is none yet
	actions bool   // what the service can do
	markup  bool

	id      uint32 // of what stands there; 0 is nothing
	says    message
	told    int    // the arrivals that it told of
	putAway bool   // a person put it away, or it cannot be shown
	token   string // the desktop's leave to bring the window up
}

// message is what a notification says.
type message struct {
	summary, body string
	high          bool
}

// look finds out whether there is a service.
func (n *note) look(ctx context.Context) {
	if n.owner = ownerOf(ctx, n.conn, notifications); n.owner != "" {
		n.served = true
		n.learn(ctx)
		return
	}
	var startable []string
	err := call(ctx, n.conn, busName, "/org/freedesktop/DBus", busName+".ListActivatableNames").Store(&startable)
	n.served = err == nil && slices.Contains(startable, notifications)
}

// learn asks what the service can do. One that does not say is taken to read markup:
// then an agent's name can only look odd.
func (n *note) learn(ctx context.Context) {
	var can []string
	err := call(ctx, n.conn, n.owner, notificationsPath, notifications+".GetCapabilities").Store(&can)
	n.actions = slices.Contains(can, "actions")
	n.markup = err != nil || slices.Contains(can, "body-markup")
}

// show makes the notification say what there is to say, or takes it away.
func (n *note) show(ctx context.Context, s State, w words) {
	if !s.Notify || s.Waiting == 0 {
		n.close(ctx)
		return
	}
	if says := (message{w.title(s), w.text(s), s.High}); s.Arrivals != n.told || !n.putAway && (n.id == 0 || says != n.says) {
		n.send(ctx, says, s, w)
	}
}

// send shows a message in the place of the one before. The service is addressed by
// its connection's own name, so that the id is that connection's.
func (n *note) send(ctx context.Context, says message, s State, w words) {
	fresh := s.Arrivals != n.told
	n.told, n.putAway = s.Arrivals, true
	if !n.started(ctx) {
		return
	}
	body, actions := says.body, []string{}
	if n.markup {
		body = escaped(body)
	}
	if n.actions {
		review := w.say("review")
		actions = []string{"default", review, "review", review}
	}
	var id uint32
	err := call(ctx, n.conn, n.owner, notificationsPath, notifications+".Notify",
		"Sekisho", n.id, "", says.summary, body, actions, n.hints(says.high, s.Sound && fresh), int32(0)).Store(&id)
	if err != nil {
		n.id = 0
		return
	}
	n.id, n.says, n.putAway = id, says, false
}

// started reports whether the service is there, which the bus may start for it.
func (n *note) started(ctx context.Context) bool {
	if n.owner == "" && n.served {
		call(ctx, n.conn, busName, "/org/freedesktop/DBus", busName+".StartServiceByName", notifications, uint32(0))
		n.look(ctx)
	}
	return n.owner != ""
}

func (n *note) hints(high, sound bool) map[string]dbus.Variant {
	urgency := byte(1)
	if high {
		urgency = 2 // critical
	}
	hints := map[string]dbus.Variant{
		"urgency":       dbus.MakeVariant(urgency),
		"desktop-entry": dbus.MakeVariant("sekisho"),
		"image-data":    dbus.MakeVariant(n.icons().picture),
	}
	if sound {
		hints["sound-name"] = dbus.MakeVariant("message-new-instant")
	} else {
		hints["suppress-sound"] = dbus.MakeVariant(true)
	}
	return hints
}

// close takes the notification away.
func (n *note) close(ctx context.Context) {
	if n.id == 0 {
		return
	}
	call(ctx, n.conn, n.owner, notificationsPath, notifications+".CloseNotification", n.id)
	n.id, n.token = 0, ""
}

// heed takes a signal, if it is the bus's or the service's own and about our
// notification. Any process can send one that looks like it.
func (n *note) heed(ctx context.Context, s *dbus.Signal) {
	if owner, ok := newOwner(s, notifications); ok {
		n.owned(ctx, owner)
		return
	}
	if n.owner == "" || s.Sender != n.owner || s.Path != notificationsPath || len(s.Body) != 2 || n.id == 0 || s.Body[0] != n.id {
		return
	}
	switch key, _ := s.Body[1].(string); s.Name {
	case notifications + ".ActivationToken":
		n.token = leave(key)
	case notifications + ".ActionInvoked":
		if key == "default" || key == "review" {
			n.review(n.token)
			n.token = ""
		}
	case notifications + ".NotificationClosed":
		n.id, n.putAway, n.token = 0, true, ""
	}
}

// owned forgets what another service showed, and shows it again with the new one.
func (n *note) owned(ctx context.Context, owner string) {
	if owner == n.owner {
		return
	}
	n.id, n.token = 0, ""
	n.putAway = n.putAway && owner == "" // nothing is started for what was shown already
	n.look(ctx)
}

// leave is a token as it may be handed on to the display: a short word or nothing.
func leave(token string) string {
	if len(token) > 1024 || strings.ContainsFunc(token, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return ""
	}
	return token
}
