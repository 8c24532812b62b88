package session

import (
	"context"
	"time"
)

const getComment = 15 * time.Second // between signs of life on a GET stream

// Show sends a message that is not the answer. A caller that does not take it is gone,
// and may take it from its GET stream.
func (s *Session) Show(ctx context.Context, x *Exchange, out *Stream, in Inbound) {
	raw := in.Raw
	if in.progress != nil && x.Beats > 0 {
		raw = in.progress.Shift(raw, x.Beats+1)
	}
	if ctx.Err() == nil && out.Event(raw) == nil {
		return
	}
	x.cancel(ErrGone)
	s.keep(in)
}

// Speak is the GET stream: it ends with the client, the session, or when another
// one takes over.
func (s *Session) Speak(ctx context.Context, out *Stream) {
	replaced := s.backlog.listen()
	if out.Begin() != nil {
		return
	}
	beat := time.NewTicker(getComment)
	defer beat.Stop()
	for {
		select {
		case <-replaced:
			s.backlog.nudge() // the wake that this one took was the other's
			return
		default:
		}
		if raw := s.backlog.take(); raw != nil {
			if out.Event(raw) != nil {
				s.backlog.putBack(raw)
				return
			}
			continue
		}
		var err error
		select {
		case <-s.backlog.wake:
		case <-beat.C:
			err = out.Comment("listening")
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
