package joined

import (
	"context"
	"fmt"
	"slices"

	"sekisho/backend/era"
	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// connection is the server's side of a session at /mcp: all servers behind the desk, as one.
type connection struct {
	host      Host
	self      *session.Session
	opts      Options
	members   *members
	lists     *lists
	questions *questions
	calls     *calls
	subs      *subscriptions
	log       *clientLog
	locator   *locator
	search    *search
	listeners *listeners
}

// Send takes what the client says that is no request.
func (j *connection) Send(ctx context.Context, p upstream.Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	switch {
	case bad != nil:
		return bad
	case m.Kind == mcpwire.Response:
		j.questions.reply(ctx, m)
	case m.Method == mcpwire.CancelledNote:
		j.calls.cancel(ctx, m)
	case m.Method == mcpwire.ProgressNote:
		j.questions.progressed(ctx, m)
	case m.Method != mcpwire.InitializedNote: // each member has heard of it when it was opened
		for _, peer := range j.members.peers() {
			peer.hand(ctx, p)
		}
	}
	return nil
}

func (j *connection) Stop()                 { j.members.stop() }
func (j *connection) Over() <-chan struct{} { return j.members.ended }
func (j *connection) Last() string          { return "" }
func (j *connection) Said(int) string       { return "" }

// request takes a request of the client to its answer.
func (j *connection) request(ctx context.Context, m mcpwire.Message, out *session.Stream) {
	defer j.self.Attach(out)()
	var result []byte
	var bad *mcpwire.Error
	switch m.Method {
	case mcpwire.CallTool, mcpwire.GetPrompt, mcpwire.Complete, mcpwire.ReadResource, mcpwire.Subscribe, mcpwire.Unsubscribe:
		j.pass(ctx, m, out)
		return
	case mcpwire.Listen:
		j.listen(ctx, m, out)
		return
	case mcpwire.Discover:
		result = era.Discovered(j.members.met.together(ctx).capabilities(), aboutDesk(), nil)
	case mcpwire.SetLevel:
		result, bad = j.setLevel(ctx, m)
	case mcpwire.Ping:
		result = []byte("{}")
	default:
		what := slices.IndexFunc(mcpwire.Listings[:], func(l mcpwire.Listing) bool { return l.Method == m.Method })
		if what < 0 {
			bad = mcpwire.Errorf(mcpwire.CodeNoMethod, "%.80q is not there at the endpoint of all servers", m.Method)
			break
		}
		result, bad = j.page(ctx, mcpwire.ListKind(what), m)
	}
	if bad != nil {
		out.Refuse(m.ID, bad) // whoever is gone has missed nothing
		return
	}
	if j.self.Shared {
		result = era.Complete(m.Method, result)
	}
	out.Answer(mcpwire.ResultAnswer(m.ID, result))
}

// page answers a request for a list: there is one page.
func (j *connection) page(ctx context.Context, what mcpwire.ListKind, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	if cursor, _ := mcpwire.Member(m.Params, "cursor"); cursor != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "no such cursor: the list has one page")
	}
	l := &mcpwire.Listings[what]
	array, err := j.lists.list(ctx, what)
	if err != nil {
		j.opts.Logger.Debug("list what all servers have", "of", l.Words, "error", err)
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "list %s: the desk does not answer", l.Words)
	}
	return fmt.Appendf(nil, `{%q:%s}`, l.Member, array), nil
}

// setLevel tells all members, and those that are opened later, which log messages the
// client wants.
func (j *connection) setLevel(ctx context.Context, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	if bad := j.log.set(m); bad != nil {
		return nil, bad
	}
	ctx, cancel := context.WithTimeout(ctx, j.opts.within())
	defer cancel()
	j.log.tell(ctx, j.members.peers()...)
	return []byte("{}"), nil
}
