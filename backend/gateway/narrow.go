package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/authz"
	"sekisho/backend/era"
	"sekisho/backend/joined"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
)

// lists are those of tools, as far as they are another for each client: tables of servers say who
// may use which of their tools.
type lists struct {
	desk   Desk
	joined *joined.Endpoint
	each   func(where func(*session.Session) bool, do func(*session.Session)) // of the open sessions
	offers func(serverID, tool string) bool                                   // by what a server has listed
}

// narrow takes out of a list of tools what the client may not use at all, by the table of the
// server: of a server without one, the list crosses as it is.
func (g *lists) narrow(ctx context.Context, s *session.Session, m mcpwire.Message, in session.Inbound) session.Inbound {
	server, err := g.desk.Server(ctx, s.Server.ID)
	if !in.OK || err != nil || server.ToolPermissions == nil { // of one that is not in the list any more, its session ends
		return in
	}
	may := func(tool string) bool { return g.desk.Usable(s.Who(), server.ID, tool) }
	in.Value = narrowed(in.Value, may)
	if server.Transport != permission.TransportBuiltin { // that one lists its help itself
		in.Value = withHelp(in.Value, authz.HelpName(g.offers(server.ID, authz.HelpTool)))
	}
	in.Raw = mcpwire.ResultAnswer(m.ID, in.Value)
	return in
}

// narrowed is a tools/list result with those entries alone of which the client may use every name
// that it could read in them. What is left is as the server wrote it. Others must not be given the
// list, which is this client's own.
func narrowed(result []byte, may func(tool string) bool) []byte {
	members, err := rawjson.Skim(result)
	if err != nil {
		return []byte(`{"tools":[]}`)
	}
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		value := m.Value
		switch {
		case strings.EqualFold(m.Key, "tools"):
			value = usable(value, may)
		case m.Key == "cacheScope":
			value = []byte(`"private"`)
		case m.Key == "ttlMs":
			value = []byte("0") // it changes with tables and roles: of that, a server that brings no news tells nobody
		}
		out = append(append(append(out, mcpwire.Quote(m.Key)...), ':'), value...)
	}
	return append(out, '}')
}

// withHelp is a tools/list result that ends with help, where it is the last page.
func withHelp(result []byte, name string) []byte {
	if cursor, _ := mcpwire.Member(result, "nextCursor"); cursor != nil && string(cursor) != "null" {
		return result
	}
	at, ok := mcpwire.Find(result, 0, "tools")
	if !ok || at.To-at.From < 2 || result[at.From] != '[' {
		return result
	}
	entry := authz.HelpEntry(name)
	if string(bytes.TrimSpace(result[at.From+1:at.To-1])) != "" {
		entry = append([]byte{','}, entry...)
	}
	return slices.Concat(result[:at.To-1], entry, result[at.To-1:])
}

// usable are the entries of a list of tools that the client may use.
func usable(list []byte, may func(tool string) bool) []byte {
	var entries []json.RawMessage
	if json.Unmarshal(list, &entries) != nil {
		return []byte("[]")
	}
	var kept [][]byte
	for _, entry := range entries {
		names, all := 0, true
		for _, raw := range named(entry, "name") {
			var name string
			all = all && json.Unmarshal(raw, &name) == nil && may(name)
			names++
		}
		if names > 0 && all {
			kept = append(kept, entry)
		}
	}
	return fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte(",")))
}

// toolsChanged is the notification that a list of tools is another.
var toolsChanged = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// toolsChangedFor is the same for the client that listens by the request of an id.
func toolsChangedFor(id []byte) []byte {
	return era.Tagged(mcpwire.Message{Method: mcpwire.Listings[mcpwire.OfTools].Changed}, id)
}

// StandingChanged tells the clients of an agent that their lists of tools may be others. Connections
// by the token of a session that ended end too.
func (g *lists) StandingChanged(agent permission.AgentID, ended permission.SessionID) {
	if ended != "" {
		g.each(func(s *session.Session) bool { return s.Agent.ID == agent }, func(s *session.Session) {
			if s.Unbind(ended); s.Agent.Session == ended {
				s.End(session.ErrClosed)
			}
		})
	}
	g.changed(func(s *session.Session) bool {
		return s.Agent.ID == agent && (g.joined.Serves(s) || g.tabled(s.Server.ID))
	})
}

// TablesChanged tells the clients of servers that their lists of tools may be others.
func (g *lists) TablesChanged(servers map[string]bool) {
	g.changed(func(s *session.Session) bool { return servers[s.Server.ID] || g.joined.Serves(s) })
}

// changed tells the clients of some sessions that their lists of tools may be others.
func (g *lists) changed(where func(*session.Session) bool) {
	g.each(func(s *session.Session) bool { return s.Whole == nil && where(s) }, func(s *session.Session) {
		if s.Shared && !g.joined.Serves(s) {
			session.Tell(s, toolsChangedFor)
			return
		}
		s.Say(nil, toolsChanged)
	})
}

// tabled reports whether a server says who may use which of its tools.
func (g *lists) tabled(id string) bool {
	server, err := g.desk.Server(context.Background(), id)
	return err == nil && server.ToolPermissions != nil
}
