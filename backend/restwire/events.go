package restwire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"sekisho/backend/permission"
)

// Bounds of a stream of events.
const (
	Heartbeat   = 15 * time.Second
	WriteWithin = 10 * time.Second // how long one write may take before the reader is given up
	MaxBehind   = 10_000           // events that a returning reader is told one by one
	ReplayPage  = 500
)

// ErrReaderGone ends a stream whose reader left, was too slow, or lost its token.
var ErrReaderGone = errors.New("the reader of the stream is gone")

// EventSource is the journal as streams read it.
type EventSource interface {
	Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error)
	Subscribe() (events <-chan permission.Event, stop func())
}

// EventStream tells one reader what happens, as server-sent events whose ids are the sequence
// numbers of the journal. A door says what of it its reader is told, by Tell.
type EventStream struct {
	Source  EventSource
	Closing <-chan struct{}
	Reset   func() error                                  // tells that what the reader knew says nothing any more
	Begin   func(context.Context) error                   // before what was missed; nil: nothing
	Open    func(context.Context) error                   // after what was missed; nil: nothing
	Pass    func(context.Context, permission.Event) error // an event that is new to the reader
	Wait    func() time.Duration                          // until Ring is due; nil: never
	Ring    func(context.Context) error

	w    http.ResponseWriter
	conn *http.ResponseController
	sent int64 // the newest sequence number that was told or passed over
}

// ResumeAt says after which event a stream begins whose reader was told the one of an id last, and whether
// what came between can be told one by one: the journal may have trimmed its oldest entries.
func ResumeAt(ctx context.Context, source EventSource, lastEventID string) (from int64, known bool, err error) {
	_, newest, err := source.Events(ctx, math.MaxInt64, 1)
	if err != nil || lastEventID == "" {
		return newest, true, err
	}
	last, bad := strconv.ParseInt(lastEventID, 10, 64)
	if bad != nil || last < 0 || last > newest || newest-last > MaxBehind {
		return newest, false, nil
	}
	if last == newest {
		return last, true, nil
	}
	next, _, err := source.Events(ctx, last, 1)
	if err != nil {
		return 0, false, err
	}
	if len(next) == 0 || next[0].Seq > last+1 {
		return newest, false, nil
	}
	return last, true, nil
}

// Serve tells what was missed after an event, and then what happens, until the reader, the desk or
// the subscription ends. What was missed is read twice: the bulk before the subscription, so that
// its buffer does not overflow meanwhile, and the rest after it, so that nothing falls between.
func (s *EventStream) Serve(ctx context.Context, w http.ResponseWriter, from int64, known bool) error {
	s.w, s.conn, s.sent = w, http.NewResponseController(w), from
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	defer func() { _ = s.conn.SetWriteDeadline(time.Time{}) }()
	if err := s.write(": sekisho\n\n"); err != nil {
		return err
	}
	if !known {
		if err := s.Reset(); err != nil {
			return err
		}
	}
	if s.Begin != nil {
		if err := s.Begin(ctx); err != nil {
			return err
		}
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	events, stop := s.Source.Subscribe()
	defer stop()
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	if s.Open != nil {
		if err := s.Open(ctx); err != nil {
			return err
		}
	}
	return s.follow(ctx, events)
}

// catchUp passes on what the journal has after the event that was sent last.
func (s *EventStream) catchUp(ctx context.Context) error {
	for {
		events, _, err := s.Source.Events(ctx, s.sent, ReplayPage)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		for _, e := range events {
			if err := s.pass(ctx, e); err != nil {
				return err
			}
		}
		if len(events) < ReplayPage {
			return nil
		}
	}
}

// follow passes on live events.
func (s *EventStream) follow(ctx context.Context, events <-chan permission.Event) error {
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for {
		due, stop := s.due()
		var err error
		select {
		case e, ok := <-events:
			if err = ErrReaderGone; ok { // else it was too slow, or the desk closes: the reader resumes
				err = s.pass(ctx, e)
			}
		case <-due:
			err = s.Ring(ctx)
		case <-beat.C:
			err = s.write(": \n\n")
		case <-ctx.Done():
			err = ErrReaderGone
		case <-s.Closing:
			err = ErrReaderGone
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// due rings when Ring is.
func (s *EventStream) due() (ring <-chan time.Time, stop func()) {
	if s.Wait == nil {
		return nil, func() {}
	}
	t := time.NewTimer(s.Wait())
	return t.C, func() { t.Stop() }
}

// pass passes on an event that is new to the reader. What is no entry of the journal has the place
// where the reader is.
func (s *EventStream) pass(ctx context.Context, e permission.Event) error {
	switch {
	case e.Seq == 0:
		e.Seq = s.sent
	case e.Seq <= s.sent:
		return nil
	}
	s.sent = e.Seq
	return s.Pass(ctx, e)
}

// Sent is the newest sequence number that was told or passed over.
func (s *EventStream) Sent() int64 { return s.sent }

// Tell sends an event with the sequence number where the reader is.
func (s *EventStream) Tell(name string, what any) error {
	data, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("tell event: %w", err)
	}
	return s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", s.sent, name, data))
}

// write sends text now. A reader that does not take it in time is gone: the desk never waits for one.
func (s *EventStream) write(text string) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(WriteWithin)) // a writer without deadlines never blocks
	_, err := io.WriteString(s.w, text)
	if err == nil {
		err = s.conn.Flush()
	}
	if err != nil {
		return ErrReaderGone
	}
	return nil
}
