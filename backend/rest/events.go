package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

const (
	heartbeat   = 15 * time.Second
	writeWithin = 10 * time.Second // how long one write may take before the reader is given up
	maxBehind   = 10_000           // events that a returning reader is told one by one
	replayPage  = 500
)

// errReaderGone ends a stream whose reader left, was too slow, or lost its token.
var errReaderGone = errors.New("the reader of the stream is gone")

func (h *journalRows) addEvents(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/events", ID: "streamEvents", Who: restwire.Both, Waits: true, Remote: true,
		Summary: "Stream what happens, as server-sent events",
		About: "An event is a hint to look again. Its id is the journal's sequence number, its name one of call.created, call.changed, call.decided, call.claimed, call.finished, " +
			"rules.changed, servers.changed, agents.changed, grants.changed, settings.changed, inputs.wiped, journal.trimmed, and its data {seq, kind, callId, desk}. " +
			"agents.arrived, which has no place in the journal, says that a client of an agent spoke to the desk for the first time since that was started; " +
			"server.moved, likewise, that a server behind the desk started, ended, or offers other tools, and desk.trouble that trouble with the disk came or went. " +
			"Last-Event-ID resumes without gap or repeat; reset says that it is unknown, too old, or older than what the journal still holds, and all should be read anew. " +
			"desk is the desk's run, as GET /v1/calls has it: with another one, sequence numbers known before say nothing any more. " +
			"An agent is told of its own calls alone; with runId or sessionId, so is a person. An agent also hears agent.stopped when a person stops it, and at once where it is stopped already.",
		Responses: map[string]*huma.Response{"200": {Description: "The stream",
			Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}}},
	}, h.streamEvents)
}

type eventsIn struct {
	RunID       string `query:"runId"`
	SessionID   string `query:"sessionId"`
	LastEventID string `header:"Last-Event-ID"`
}

func (h *journalRows) streamEvents(ctx context.Context, in *eventsIn) (*huma.StreamResponse, error) {
	_, newest, err := h.journal.Events(ctx, math.MaxInt64, 1)
	if err != nil {
		return nil, err
	}
	from, known := resumeAt(in.LastEventID, newest)
	if from < newest {
		if from, known, err = h.stillHeld(ctx, from, newest); err != nil {
			return nil, err
		}
	}
	leave, err := h.lanes.Wait(restwire.CallerOf(ctx), restwire.Streams)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		_, w := humago.Unwrap(hc)
		s := &stream{rows: h, who: restwire.CallerOf(ctx), run: permission.RunID(in.RunID), session: permission.SessionID(in.SessionID), w: w,
			conn: http.NewResponseController(w), sent: from}
		if err := s.serve(ctx, known); err != nil && !errors.Is(err, errReaderGone) && ctx.Err() == nil {
			h.log.Error("event stream ended", "err", err)
		}
	}}, nil
}

// resumeAt says after which event a stream begins, and whether what came between
// can be told one by one.
func resumeAt(lastEventID string, newest int64) (from int64, known bool) {
	if lastEventID == "" {
		return newest, true
	}
	last, err := strconv.ParseInt(lastEventID, 10, 64)
	if err != nil || last < 0 || last > newest || newest-last > maxBehind {
		return newest, false
	}
	return last, true
}

// stillHeld says whether the journal holds the event after from: its oldest entries
// may have been trimmed.
func (h *journalRows) stillHeld(ctx context.Context, from, newest int64) (int64, bool, error) {
	next, _, err := h.journal.Events(ctx, from, 1)
	if err != nil {
		return 0, false, err
	}
	if len(next) == 0 || next[0].Seq > from+1 {
		return newest, false, nil
	}
	return from, true, nil
}

// stream is one reader of events.
type stream struct {
	rows    *journalRows
	who     restwire.Caller
	run     permission.RunID
	session permission.SessionID
	w       http.ResponseWriter
	conn    *http.ResponseController
	sent    int64           // the newest sequence number that was told or passed over
	stopped permission.Time // until when the reader knows that it is stopped, where it is an agent
}

// agentStopped is the kind of event that tells an agent that a person stopped it.
const agentStopped permission.EntryKind = "agent.stopped"

// serve tells what was missed and then what happens. What was missed is read
// twice: the bulk before the subscription, so that its buffer does not overflow
// meanwhile, and the rest after it, so that nothing falls between.
func (s *stream) serve(ctx context.Context, known bool) error {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no")
	defer func() { _ = s.conn.SetWriteDeadline(time.Time{}) }()
	if err := s.write(": sekisho\n\n"); err != nil {
		return err
	}
	if !known {
		if err := s.tell(permission.Event{Seq: s.sent, Kind: "reset"}); err != nil {
			return err
		}
	}
	if err := s.hearStop(ctx); err != nil {
		return err
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	events, stop := s.rows.journal.Subscribe()
	defer stop()
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	return s.follow(ctx, events)
}

// catchUp tells what the journal has after the event that was sent last.
func (s *stream) catchUp(ctx context.Context) error {
	for {
		events, _, err := s.rows.journal.Events(ctx, s.sent, replayPage)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		for _, e := range events {
			if err := s.pass(ctx, e); err != nil {
				return err
			}
		}
		if len(events) < replayPage {
			return nil
		}
	}
}

// follow tells live events until the reader, the desk or the subscription ends.
func (s *stream) follow(ctx context.Context, events <-chan permission.Event) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case e, ok := <-events:
			if !ok {
				return errReaderGone // too slow, or the desk closes: the reader resumes
			}
			err = s.pass(ctx, e)
		case <-beat.C:
			err = s.write(": \n\n")
		case <-ctx.Done():
			err = errReaderGone
		case <-s.rows.work.done:
			err = errReaderGone
		}
		if err != nil {
			return err
		}
	}
}

// pass tells the reader of an event that is new to it and meant for it.
func (s *stream) pass(ctx context.Context, e permission.Event) error {
	switch {
	case e.Seq == 0: // no entry of the journal: it is told with the place where the reader is
		e.Seq = s.sent
	case e.Seq <= s.sent:
		return nil
	}
	s.sent = e.Seq
	if e.Kind == permission.AgentsChanged {
		if !s.stillKnown(ctx) {
			return errReaderGone
		}
		if err := s.hearStop(ctx); err != nil {
			return err
		}
	}
	if !s.sees(e) {
		return nil
	}
	return s.tell(e)
}

// stillKnown reports whether the reader's token is good, as far as one can tell.
func (s *stream) stillKnown(ctx context.Context) bool {
	if s.who.IsOperator() {
		return true
	}
	_, err := s.rows.agents.Authenticate(ctx, s.who.Token)
	return !errors.Is(err, permission.NotFound(""))
}

// hearStop tells an agent that a person has stopped it, where it does not know that. The list of
// agents has what was committed before an event about them.
func (s *stream) hearStop(ctx context.Context) error {
	if s.who.IsOperator() {
		return nil
	}
	all, err := s.rows.agents.Agents(ctx)
	i := slices.IndexFunc(all, func(a permission.Agent) bool { return a.ID == s.who.Agent.ID })
	if err != nil || i < 0 {
		return nil // its calls are refused all the same
	}
	news := all[i].StoppedUntil > s.stopped
	if s.stopped = all[i].StoppedUntil; !news {
		return nil
	}
	return s.tell(permission.Event{Seq: s.sent, Kind: agentStopped})
}

// sees keeps what is not a step of a call from agents, whoever's call it names. That the
// journal was signed is no news.
func (s *stream) sees(e permission.Event) bool {
	if e.Kind == permission.CheckpointKind {
		return false
	}
	if !s.who.IsOperator() && !strings.HasPrefix(string(e.Kind), "call.") {
		return false
	}
	if e.CallID == "" {
		return s.who.IsOperator() && s.run == "" && s.session == ""
	}
	return s.who.Sees(e.Agent) && (s.run == "" || e.Run == s.run) && (s.session == "" || e.Session == s.session)
}

func (s *stream) tell(e permission.Event) error {
	data, err := json.Marshal(struct {
		Seq    int64                `json:"seq"`
		Kind   permission.EntryKind `json:"kind"`
		CallID *permission.CallID   `json:"callId"`
		Desk   string               `json:"desk"`
	}{e.Seq, e.Kind, orNull(e.CallID), s.rows.work.run})
	if err != nil {
		return fmt.Errorf("tell event: %w", err)
	}
	return s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, data))
}

// write sends text now. A reader that does not take it in time is gone: the desk
// never waits for one.
func (s *stream) write(text string) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeWithin)) // a writer without deadlines never blocks
	_, err := io.WriteString(s.w, text)
	if err == nil {
		err = s.conn.Flush()
	}
	if err != nil {
		return errReaderGone
	}
	return nil
}
