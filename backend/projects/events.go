package projects

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

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Bounds of a stream.
const (
	heartbeat   = 15 * time.Second
	writeWithin = 10 * time.Second // how long one write may take before the reader is given up
	maxBehind   = 10_000           // events that a returning reader is told one by one
	replayPage  = 500
)

// warnBefore is how long before its deadline a waiting call is warned of.
const warnBefore = time.Minute

// The names of events.
const (
	eventRequest = "TOOL_APPROVAL_REQUEST"
	eventWarning = "TOOL_APPROVAL_WARNING"
	eventSignal  = "TOOL_EXECUTION_SIGNAL"
	eventAck     = "TOOL_RESULT_ACK"
)

// errReaderGone ends a stream whose reader left, was too slow, or lost its token.
var errReaderGone = errors.New("the reader of the stream is gone")

type eventsIn struct {
	ProjectID   string `path:"project_id" maxLength:"256"`
	LastEventID string `header:"Last-Event-ID"`
}

func (d *Door) stream(ctx context.Context, in *eventsIn) (*huma.StreamResponse, error) {
	who := caller{restwire.CallerOf(ctx)}
	if _, err := d.workspace(ctx, who, in.ProjectID); err != nil {
		return nil, err
	}
	from, known, err := d.resumeAt(ctx, in.LastEventID)
	if err != nil {
		return nil, err
	}
	leave, err := d.lanes.Wait(who.Caller, restwire.Streams)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		_, w := humago.Unwrap(hc)
		s := &stream{door: d, who: who, project: in.ProjectID, w: w, conn: http.NewResponseController(w), sent: from,
			deadlines: map[permission.CallID]permission.Time{}}
		if err := s.serve(ctx, known); err != nil && !errors.Is(err, errReaderGone) && ctx.Err() == nil {
			d.opts.Logger.Error("event stream of a workspace ended", "err", err)
		}
	}}, nil
}

// resumeAt says after which event a stream begins, and whether what came between can be told one by
// one.
func (d *Door) resumeAt(ctx context.Context, lastEventID string) (from int64, known bool, err error) {
	_, newest, err := d.desk.Events(ctx, math.MaxInt64, 1)
	if err != nil || lastEventID == "" {
		return newest, true, err
	}
	last, bad := strconv.ParseInt(lastEventID, 10, 64)
	if bad != nil || last < 0 || last > newest || newest-last > maxBehind {
		return newest, false, nil
	}
	if last == newest {
		return last, true, nil
	}
	next, _, err := d.desk.Events(ctx, last, 1)
	if err == nil && (len(next) == 0 || next[0].Seq > last+1) { // its oldest entries were trimmed
		return newest, false, nil
	}
	return last, true, err
}

// stream is one reader of events.
type stream struct {
	door      *Door
	who       caller
	project   string
	w         http.ResponseWriter
	conn      *http.ResponseController
	sent      int64                                 // the newest sequence number that was told or passed over
	deadlines map[permission.CallID]permission.Time // of waiting calls that were not warned of
}

// serve tells what was missed and then what happens: the rest of what was missed is read after the
// subscription, so that nothing falls between.
func (s *stream) serve(ctx context.Context, known bool) error {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no")
	defer func() { _ = s.conn.SetWriteDeadline(time.Time{}) }()
	if err := s.write(": sekisho\n\n"); err != nil {
		return err
	}
	if !known {
		if err := s.tell("reset", struct{}{}); err != nil {
			return err
		}
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	events, stop := s.door.desk.Subscribe()
	defer stop()
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	return s.follow(ctx, events)
}

// open tells an executor of the calls that it may claim, and takes note of the deadlines of those
// that wait for a person.
func (s *stream) open(ctx context.Context) error {
	status := permission.Pending
	if s.who.Executor != nil {
		status = permission.Approved
	}
	all, err := openCalls(ctx, s.door.calls, s.project, status)
	if err != nil {
		return err
	}
	for i := range all {
		if s.who.Executor == nil {
			s.deadlines[all[i].ID] = all[i].ExpiresAt
		} else if err := s.signal(ctx, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

// catchUp tells what the journal has after the event that was sent last.
func (s *stream) catchUp(ctx context.Context) error {
	for {
		events, _, err := s.door.desk.Events(ctx, s.sent, replayPage)
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

// follow tells live events, and warns of deadlines, until the reader, the desk or the subscription ends.
func (s *stream) follow(ctx context.Context, events <-chan permission.Event) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		warning := time.NewTimer(s.nextWarning())
		var err error
		select {
		case e, ok := <-events:
			if !ok {
				err = errReaderGone // too slow, or the desk closes: the reader resumes
				break
			}
			err = s.pass(ctx, e)
		case <-warning.C:
			err = s.warn(ctx)
		case <-beat.C:
			err = s.write(": \n\n")
		case <-ctx.Done():
			err = errReaderGone
		case <-s.door.closing.Done():
			err = errReaderGone
		}
		warning.Stop()
		if err != nil {
			return err
		}
	}
}

// nextWarning is how long it is until the next call is to be warned of.
func (s *stream) nextWarning() time.Duration {
	next := time.Hour
	for _, at := range s.deadlines {
		if !at.IsZero() {
			next = min(next, at.Std().Sub(s.door.desk.Now().Std())-warnBefore)
		}
	}
	return max(next, 0)
}

// warn tells of the calls that wait and whose deadline is near.
func (s *stream) warn(ctx context.Context) error {
	for id, at := range s.deadlines {
		if at.IsZero() || at.Std().Sub(s.door.desk.Now().Std()) > warnBefore {
			continue
		}
		delete(s.deadlines, id)
		c, err := s.door.calls.Call(ctx, permission.Operator(), id)
		if err != nil {
			return err
		}
		if c.Status != permission.Pending {
			continue
		}
		if err := s.tell(eventWarning, requested(&c)); err != nil {
			return err
		}
	}
	return nil
}

// pass tells the reader of an event that is new to it and meant for it.
func (s *stream) pass(ctx context.Context, e permission.Event) error {
	if e.Seq == 0 || e.Seq <= s.sent {
		return nil
	}
	s.sent = e.Seq
	switch {
	case e.Kind == permission.AgentsChanged || e.Kind == permission.ServersChanged:
		return s.stillWelcome(ctx)
	case e.CallID == "":
		return nil
	}
	c, err := s.door.calls.Call(ctx, permission.Operator(), e.CallID)
	switch {
	case isNotFound(err):
		return nil
	case err != nil:
		return err
	case c.ServerID == nil || *c.ServerID != s.project || c.Method != permission.CallTool:
		return nil
	case s.who.Executor != nil:
		if e.Kind == permission.CallClaimed || e.Kind == permission.CallFinished {
			return nil
		}
		return s.signal(ctx, &c)
	}
	return s.tellPerson(e.Kind, &c)
}

// stillWelcome reports whether the reader's token is good, and its project still there.
func (s *stream) stillWelcome(ctx context.Context) error {
	if s.who.Executor != nil {
		if _, ok := s.door.opts.Executors(s.who.Token); !ok {
			return errReaderGone
		}
	}
	if _, err := s.door.workspace(ctx, s.who, s.project); err != nil {
		return errReaderGone
	}
	return nil
}

// signalled is what an executor is told of a call.
type signalled struct {
	ToolID    permission.CallID `json:"tool_id"`
	ToolName  string            `json:"tool_name"`
	Params    json.RawMessage   `json:"tool_params"`
	InputHash string            `json:"input_hash"`
}

// signal tells an executor of a call that it may claim.
func (s *stream) signal(ctx context.Context, c *permission.Call) error {
	if c.Status != permission.Approved || c.CallerGone {
		return nil
	}
	if of, err := s.door.desk.Server(ctx, s.project); err != nil || of.RunsHere() {
		return nil
	}
	if err := s.stillWelcome(ctx); err != nil { // the desk may say of an executor's end before it is out of its book
		return err
	}
	return s.tell(eventSignal, signalled{c.ID, c.ToolName, c.Input, c.InputHash})
}

// request is what a person is told of a waiting call.
type request struct {
	ApprovalID permission.CallID `json:"approval_id"`
	ToolName   string            `json:"tool_name"`
	Params     json.RawMessage   `json:"tool_params"`
	InputHash  string            `json:"input_hash"`
	Rev        int64             `json:"rev"`
	Risk       permission.Risk   `json:"risk_level"`
	Timeout    float64           `json:"timeout_seconds"`
}

func requested(c *permission.Call) request {
	return request{c.ID, c.ToolName, c.Input, c.InputHash, c.Rev, c.Risk, timeout(c)}
}

// acked is what a person is told at the end of a call.
type acked struct {
	ToolID permission.CallID `json:"tool_id"`
	Status Status            `json:"status"`
}

// tellPerson tells of a step of a call.
func (s *stream) tellPerson(kind permission.EntryKind, c *permission.Call) error {
	if c.Status == permission.Pending {
		s.deadlines[c.ID] = c.ExpiresAt
	} else {
		delete(s.deadlines, c.ID)
	}
	switch {
	case c.Status == permission.Pending && (kind == permission.CallCreated || c.Rev == c.ShownRev):
		return s.tell(eventRequest, requested(c))
	case kind == permission.CallCreated && asked(c):
		return s.tell(eventRequest, requested(c)) // it has moved on since
	case over(c.Status) && kind != permission.CallCreated && kind != permission.CallClaimed:
		return s.tell(eventAck, acked{c.ID, statusOf(c.Status)})
	}
	return nil
}

// asked reports whether a person was asked about a call.
func asked(c *permission.Call) bool {
	if c.Decision == nil {
		return false
	}
	return c.Decision.By == permission.ByPerson || c.Decision.By == permission.ByClock || c.Decision.By == permission.ByCaller
}

func (s *stream) tell(name string, what any) error {
	data, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("tell event: %w", err)
	}
	return s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", s.sent, name, data))
}

// write sends text now. A reader that does not take it in time is gone: the desk never waits for one.
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
