package joined

import (
	"context"
	"testing"

	"sekisho/backend/permission"
)

// listed is a desk with some servers.
type listed struct {
	Desk
	servers []permission.Server
}

func (l *listed) Servers(context.Context) ([]permission.Server, error) { return l.servers, nil }

// TestAbilitiesOfAnEntryThatIsNoMore: a session that began with the entry before says
// nothing of a server as it is now.
func TestAbilitiesOfAnEntryThatIsNoMore(t *testing.T) {
	before, now := permission.Server{ID: "a", Command: "before", Enabled: true}, permission.Server{ID: "a", Command: "now", Enabled: true}
	a := &abilities{desk: &listed{servers: []permission.Server{now}}, met: map[string]met{}}
	if a.learn(&before, ability{}); a.together(t.Context()) != everything {
		t.Error("it counts as met")
	}
	if a.learn(&now, ability{}); a.together(t.Context()) != (ability{}) {
		t.Error("it does not count as met")
	}
}
