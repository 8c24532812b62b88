package gateway

import (
	"slices"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// health is how a server did when it was last seen.
type health struct {
	running int
	failed  bool
	tools   []string
	crashes int                    // one after the other, before it had answered anything
	until   time.Time              // when it may be started again
	headers *upstream.ParamHeaders // of its tools, while its entry is this
	entry   permission.Server
}

// How a server that cannot be started is tried again: at once at first, then later each
// time.
const (
	fewCrashes  = 2
	firstRest   = time.Second
	longestRest = time.Minute
)

// crashed notes that the server ended by itself before it had answered anything.
func (v *health) crashed(now time.Time) {
	if v.crashes++; v.crashes > fewCrashes {
		v.until = now.Add(min(firstRest<<min(v.crashes-fewCrashes-1, 10), longestRest))
	}
}

// proved notes that a server which was started has answered something.
func (g *Gateway) proved(serverID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.health(serverID)
	v.crashes, v.until = 0, time.Time{}
}

// resting says why a server is not started now; nil when it may be.
func (g *Gateway) resting(serverID string) *mcpwire.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.seen[serverID]
	if v == nil || !time.Now().Before(v.until) {
		return nil
	}
	return mcpwire.Errorf(mcpwire.CodeInternal, "the server %s ended %d times before it answered anything: it is started again in %s",
		serverID, v.crashes, time.Until(v.until).Round(time.Second))
}

// State says how a server does: running while a session has it, failed when it last
// ended by itself or did not start, else idle. Whether it is disabled is in the list.
func (g *Gateway) State(serverID string) permission.ServerState {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch v := g.seen[serverID]; {
	case v == nil:
		return permission.ServerIdle
	case v.running > 0:
		return permission.ServerRunning
	case v.failed:
		return permission.ServerFailed
	}
	return permission.ServerIdle
}

// Tools gives the names in the server's last tools/list, or nil when none was seen.
func (g *Gateway) Tools(serverID string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.seen[serverID]; v != nil {
		return append([]string(nil), v.tools...)
	}
	return nil
}

// offers reports whether a tool is in the server's last tools/list.
func (g *Gateway) offers(serverID, tool string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.seen[serverID]
	return v != nil && slices.Contains(v.tools, tool)
}

// health gives the record of a server. The caller holds the lock.
func (g *Gateway) health(serverID string) *health {
	v := g.seen[serverID]
	if v == nil {
		v = &health{}
		g.seen[serverID] = v
	}
	return v
}

// paramHeaders is what is known of the headers of a server's tools: of any agent's list,
// since one that does not list them itself is held against them, too.
func (g *Gateway) paramHeaders(server *permission.Server) *upstream.ParamHeaders {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.health(server.ID)
	if v.headers == nil || !v.entry.Same(server) {
		v.headers, v.entry = &upstream.ParamHeaders{}, *server
	}
	return v.headers
}

// remember keeps what a server's tools/list answer says of its tools.
func (g *Gateway) remember(server *permission.Server, m mcpwire.Message, more bool) {
	offered := offeredIn(m.Result)
	if !server.IsWorkspace() { // its definitions are ours: another version of Sekisho changes no tool
		g.tell(server.ID, offered)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.health(server.ID)
	if !more {
		v.tools = []string{}
	}
	for _, t := range offered[:min(len(offered), mcpwire.MaxListed-len(v.tools))] {
		v.tools = append(v.tools, t.Name)
	}
}
