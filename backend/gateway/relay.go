package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// clientOf is the name of the client that begins a session.
func clientOf(m mcpwire.Message) string {
	info, _ := mcpwire.Member(m.Params, "clientInfo")
	return session.ClientOf(info)
}

// initialize starts a session and lets the server answer. A session whose server
// refuses, or whose client leaves before the answer, is ended.
func (g *Gateway) initialize(w http.ResponseWriter, r *http.Request, agent permission.Agent, server permission.Server,
	m mcpwire.Message) {
	out := session.NewStream(w, r)
	s, bad := g.open(agent, server, false)
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	s.Client = clientOf(m)
	defer s.Leave()
	defer s.Attach(out)()
	w.Header().Set(mcpwire.SessionHeader, s.ID())
	out.Patience(g.patience(&attend.Request{Agent: agent, Client: s.Client}))
	if in, err := g.relay(r.Context(), s, m, out, nil); err != nil || !in.OK {
		s.End(session.ErrClosed)
	}
}

// Request takes a request of the client to its answer. first, where it is not nil, hears the
// server's answer before the client does.
func (g *Gateway) Request(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound)) {
	defer s.Attach(out)()
	switch {
	case m.Method == mcpwire.CallTool && s.Server.ID == permission.PromptServer:
		g.prompt(ctx, s, m, out)
	case m.Method == mcpwire.CallTool && s.Server.Transport == permission.TransportBuiltin:
		coordinate(ctx, g, s, m, out, first)
	case helps(ctx, g, s, m, out, first):
	case permission.Judged(m.Method):
		g.call(ctx, s, m, out, first)
	case m.Method == mcpwire.Listen && !g.mayListen(ctx, s, m, out):
	case m.Method == mcpwire.Complete && g.desk.OnHold():
		out.Answer(mcpwire.ErrorAnswer(m.ID, onHold(m.Method)))
	case mcpwire.IsTask(m.Method):
		g.task(ctx, s, m, out)
	default:
		g.relay(ctx, s, m, out, first) // what went wrong has been answered
	}
}

// relay is for every request that is not judged: it crosses as it is. first, where it is not
// nil, hears the server's answer before the client does.
func (g *Gateway) relay(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream,
	first func(session.Inbound)) (session.Inbound, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x, bad := s.Admit(m, cancel)
	if bad != nil {
		return session.Inbound{}, errors.Join(bad, out.Answer(mcpwire.ErrorAnswer(m.ID, bad)))
	}
	defer s.Release(x)
	if !s.Begin(ctx, x) {
		return session.Inbound{}, g.apologize(ctx, s, x, out, upstream.ErrEnded)
	}
	sent, settled := s.Dispatch(ctx, x, m.Raw)
	defer settled()
	in, err := s.Follow(ctx, x, g.shows(ctx, s, x, m, out), session.Following{Sent: sent})
	if err != nil {
		return in, g.apologize(ctx, s, x, out, err)
	}
	if first != nil {
		first(in)
	}
	switch m.Method {
	case mcpwire.ListTools:
		in = g.narrow(ctx, s, m, in)
	case mcpwire.Initialize, mcpwire.Discover:
		in = g.introduced(s, m, in, g.bridges.Sessions(&s.Server))
	}
	return in, out.Final(in)
}

// apologize tells a caller that no answer of the server will come, where it is
// there to hear it and did not ask for just that.
func (g *Gateway) apologize(ctx context.Context, s *session.Session, x *session.Exchange, out *session.Stream, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var words string
	switch {
	case errors.Is(err, session.ErrCancelled), left(out, err):
		return errors.Join(err, out.Begin())
	case errors.Is(err, session.ErrGone), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, upstream.ErrEnded), errors.Is(err, session.ErrClosed):
		words = s.Obituary("the server ended before it answered")
	default:
		words = fmt.Sprintf("the request did not reach the server: %s", err)
	}
	return errors.Join(err, out.Answer(mcpwire.ErrorAnswer(x.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", words))))
}

// notify takes a notification of the client to the server. One that MCP does not name ends
// here, without a word: nobody answers a notification.
func (g *Gateway) notify(ctx context.Context, w http.ResponseWriter, s *session.Session, m mcpwire.Message) {
	if !mcpwire.SessionEra.TakesNote(m.Method) || m.Method == mcpwire.CancelledNote && !s.CancelRequest(m) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.deliver(ctx, w, s, m)
}

// respond takes the client's response to a request of the server.
func (g *Gateway) respond(ctx context.Context, w http.ResponseWriter, s *session.Session, m mcpwire.Message) {
	if !s.Answered(m.Key) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.deliver(ctx, w, s, m)
}

func (g *Gateway) deliver(ctx context.Context, w http.ResponseWriter, s *session.Session, m mcpwire.Message) {
	switch err := s.Far.Send(ctx, upstream.MessageOf(m)); {
	case err == nil:
		w.WriteHeader(http.StatusAccepted)
	case errors.Is(err, upstream.ErrEnded):
		refuse(w, http.StatusNotFound, nil, mcpwire.Errorf(mcpwire.CodeNoSession, "%s: begin again with initialize", err))
	default: // the session is as good as before
		refuse(w, http.StatusBadGateway, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the message did not reach the server: %s", err))
	}
}

// task takes a request about tasks to its answer: it is part of an act that was judged, or
// is refused.
func (g *Gateway) task(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) {
	of := sharedKey{s.Agent.ID, s.Server.ID}
	id, bad := mcpwire.ReadTask(m)
	if bad == nil && m.Method != mcpwire.ListTasks && !g.tasks.has(of, id) {
		bad = mcpwire.Errorf(mcpwire.CodeParams, "no call through this desk is known to have begun the task %.80q: %s was not sent to the server",
			id, m.Method)
	}
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	g.relay(ctx, s, m, out, func(in session.Inbound) { // what went wrong has been answered
		if in.OK && m.Method == mcpwire.ListTasks {
			g.tasks.learn(of, in.Value)
		}
	})
}
