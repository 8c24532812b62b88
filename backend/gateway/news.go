package gateway

import (
	"context"
	"net/http"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
)

// shows gives what brings the client of a request all that the server says before its answer. A
// client that listens to a server with a table is told by the desk, too, that its list of tools is
// another.
func (g *lists) shows(ctx context.Context, s *session.Session, x *session.Exchange, m mcpwire.Message,
	out *session.Stream) func(session.Inbound) {
	show := func(in session.Inbound) { s.Show(ctx, x, out, in) }
	if m.Method != mcpwire.Listen {
		return show
	}
	return func(in session.Inbound) {
		if note, bad := mcpwire.FromServer(in.Raw); bad == nil && note.Method == mcpwire.ListeningNote {
			var told bool
			if in.Raw, told = acknowledged(note, wantsTools(m.Params) && g.tabled(s.Server.ID)); told {
				defer x.Listens() // the acknowledgement comes first
			}
		}
		show(in)
	}
}

// toolsNews is the member of a filter of news by which a client asks for changes of the list of tools.
const toolsNews = "toolsListChanged"

// acknowledged is a server's word of which news there will be, with those of its list of tools where
// the desk brings them; told reports whether there will be some of that.
func acknowledged(note mcpwire.Message, ours bool) (raw []byte, told bool) {
	if told = wantsTools(note.Params); told || !ours {
		return note.Raw, told
	}
	return promised(note.Raw, toolsNews, "params", "notifications")
}

// promised is a message in which a member of the object at a path says true; false where there is no
// such object.
func promised(raw []byte, name string, path ...string) ([]byte, bool) {
	at, there := mcpwire.Find(raw, 0, path...)
	if !there {
		return raw, false
	}
	members, err := rawjson.Members(raw[at.From:at.To])
	if err != nil {
		return raw, false
	}
	object := []byte("{" + string(mcpwire.Quote(name)) + ":true}")
	if rest := rawjson.Object(members, name); rest != nil {
		object = append(append(object[:len(object)-1], ','), rest[1:]...)
	}
	return mcpwire.Respell(raw, map[mcpwire.Span][]byte{at: object}), true
}

// wantsTools reports whether params speak of news of the list of tools.
func wantsTools(params []byte) bool {
	raw, _ := mcpwire.Member(params, "notifications")
	value, _ := mcpwire.Member(raw, toolsNews)
	return strings.TrimSpace(string(value)) == "true"
}

// introduced is what a server with a table says of itself: its list of tools changes, since the desk
// makes it for each client. A server of the era without sessions that brings no such news says so
// itself.
func (g *lists) introduced(s *session.Session, m mcpwire.Message, in session.Inbound, bridged bool) session.Inbound {
	if !in.OK || !g.tabled(s.Server.ID) || m.Method == mcpwire.Discover && !bridged {
		return in
	}
	if said, there := promised(in.Value, "listChanged", "capabilities", "tools"); there {
		in.Value = said
		in.Raw = mcpwire.ResultAnswer(m.ID, said)
	}
	return in
}

// paramFault holds the headers of a call against its arguments, but of a tool that the client may not
// use: which parameters that has is not for it to know.
func (g *lists) paramFault(s *session.Session, said http.Header, m mcpwire.Message) *mcpwire.Error {
	if m.Method == mcpwire.CallTool {
		raw, _ := mcpwire.Member(m.Params, "name")
		if name, _ := mcpwire.Text(raw); !g.desk.Usable(s.Who(), s.Server.ID, name) {
			return nil
		}
	}
	return s.Headers.Fault(said, m)
}
