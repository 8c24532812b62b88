package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

const (
	cancelGrace = 10 * time.Second // for a server to answer what was cancelled
	getComment  = 15 * time.Second // between signs of life on a GET stream
)

// initialize starts a session and lets the server answer. A session whose server
// refuses, or whose client leaves before the answer, is ended.
func (g *Gateway) initialize(w http.ResponseWriter, r *http.Request, agent permission.Agent, server permission.Server, m mcpwire.Message) {
	out := newStream(w, r)
	s, bad := g.open(agent, server, false)
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	if info, _ := mcpwire.Member(m.Params, "clientInfo"); info != nil {
		s.client = clientOf(info)
	}
	defer s.leave()
	defer s.attach(out)()
	w.Header().Set(mcpwire.SessionHeader, s.id)
	if in, err := g.relay(r.Context(), s, m, out, nil); err != nil || !in.ok {
		s.end(errClosed)
	}
}

// request takes a request of the client to its answer.
func (g *Gateway) request(ctx context.Context, s *session, m mcpwire.Message, out *stream) {
	defer s.attach(out)()
	switch {
	case permission.Judged(m.Method):
		g.call(ctx, s, m, out, nil)
	case m.Method == mcpwire.Listen && !g.mayListen(ctx, s, m, out):
	case m.Method == mcpwire.Complete && g.desk.OnHold():
		out.answer(mcpwire.ErrorAnswer(m.ID, onHold(m.Method)))
	case mcpwire.IsTask(m.Method):
		g.task(ctx, s, m, out)
	default:
		g.relay(ctx, s, m, out, nil) // what went wrong has been answered
	}
}

// relay is for every request that is not judged: it crosses as it is. first, where it is not
// nil, hears the server's answer before the client does.
func (g *Gateway) relay(ctx context.Context, s *session, m mcpwire.Message, out *stream, first func(inbound)) (inbound, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x, bad := s.admit(m, cancel)
	if bad != nil {
		return inbound{}, errors.Join(bad, out.answer(mcpwire.ErrorAnswer(m.ID, bad)))
	}
	defer s.release(x)
	if !s.begin(ctx, x) {
		return inbound{}, g.apologize(ctx, s, x, out, upstream.ErrEnded)
	}
	sent, settled := s.dispatch(ctx, x, m.Raw)
	defer settled()
	in, err := g.follow(ctx, s, x, out, following{sent: sent})
	if err != nil {
		return in, g.apologize(ctx, s, x, out, err)
	}
	if first != nil {
		first(in)
	}
	return in, out.final(in)
}

// follow brings what the server says to the stream until the answer comes, which it
// returns unsent. An error says that none will come.
func (g *Gateway) follow(ctx context.Context, s *session, x *exchange, out *stream, f following) (inbound, error) {
	return s.follow(ctx, x, func(in inbound) { s.show(ctx, x, out, in) }, f)
}

// show sends a message that is not the answer. A caller that does not take it is gone,
// and may take it from its GET stream.
func (s *session) show(ctx context.Context, x *exchange, out *stream, in inbound) {
	raw := in.raw
	if in.progress != nil && x.beats > 0 {
		raw = in.progress.Shift(raw, x.beats+1)
	}
	if ctx.Err() == nil && out.event(raw) == nil {
		return
	}
	x.cancel(errGone)
	s.keep(in)
}

// apologize tells a caller that no answer of the server will come, where it is
// there to hear it and did not ask for just that.
func (g *Gateway) apologize(ctx context.Context, s *session, x *exchange, out *stream, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var words string
	switch {
	case errors.Is(err, errCancelled):
		return errors.Join(err, out.begin())
	case errors.Is(err, errGone), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, upstream.ErrEnded), errors.Is(err, errClosed):
		words = s.obituary("the server ended before it answered")
	default:
		words = fmt.Sprintf("the request did not reach the server: %s", err)
	}
	return errors.Join(err, out.answer(mcpwire.ErrorAnswer(x.id, mcpwire.Errorf(mcpwire.CodeInternal, "%s", words))))
}

// notify takes a notification of the client to the server. One that MCP does not name ends
// here, without a word: nobody answers a notification.
func (g *Gateway) notify(ctx context.Context, w http.ResponseWriter, s *session, m mcpwire.Message) {
	if !mcpwire.SessionEra.TakesNote(m.Method) || m.Method == mcpwire.CancelledNote && !s.cancelRequest(m) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.deliver(ctx, w, s, m)
}

// respond takes the client's response to a request of the server.
func (g *Gateway) respond(ctx context.Context, w http.ResponseWriter, s *session, m mcpwire.Message) {
	if !s.answered(m.Key) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	g.deliver(ctx, w, s, m)
}

func (g *Gateway) deliver(ctx context.Context, w http.ResponseWriter, s *session, m mcpwire.Message) {
	switch err := s.far.Send(ctx, upstream.MessageOf(m)); {
	case err == nil:
		w.WriteHeader(http.StatusAccepted)
	case errors.Is(err, upstream.ErrEnded):
		refuse(w, http.StatusNotFound, nil, mcpwire.Errorf(mcpwire.CodeNoSession, "%s: begin again with initialize", err))
	default: // the session is as good as before
		refuse(w, http.StatusBadGateway, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the message did not reach the server: %s", err))
	}
}

// speak is the GET stream: it ends with the client, the session, or when another
// one takes over.
func (s *session) speak(ctx context.Context, out *stream) {
	replaced := s.listen()
	if out.begin() != nil {
		return
	}
	beat := time.NewTicker(getComment)
	defer beat.Stop()
	for {
		select {
		case <-replaced:
			s.nudge() // the wake that this one took was the other's
			return
		default:
		}
		if raw := s.dequeue(); raw != nil {
			if out.event(raw) != nil {
				s.requeue(raw)
				return
			}
			continue
		}
		var err error
		select {
		case <-s.wake:
		case <-beat.C:
			err = out.comment("listening")
		case <-replaced:
		case <-ctx.Done():
			return
		case <-s.ending:
			return
		}
		if err != nil {
			return
		}
	}
}
