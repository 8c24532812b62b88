package projects

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
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

type eventsIn struct {
	ProjectID   string `path:"project_id" maxLength:"256"`
	LastEventID string `header:"Last-Event-ID"`
}

func (d *Door) stream(ctx context.Context, in *eventsIn) (*huma.StreamResponse, error) {
	who := caller{restwire.CallerOf(ctx)}
	if _, err := d.workspace(ctx, who, in.ProjectID); err != nil {
		return nil, err
	}
	from, known, err := restwire.ResumeAt(ctx, d.desk, in.LastEventID)
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
		s := &stream{door: d, who: who, project: in.ProjectID, deadlines: map[permission.CallID]permission.Time{}}
		s.out = restwire.EventStream{Source: d.desk, Closing: d.closing.Done(), Open: s.open, Pass: s.pass, Wait: s.nextWarning, Ring: s.warn,
			Reset: func() error { return s.out.Tell("reset", struct{}{}) }}
		if err := s.out.Serve(ctx, w, from, known); err != nil && !errors.Is(err, restwire.ErrReaderGone) && ctx.Err() == nil {
			d.opts.Logger.Error("event stream of a workspace ended", "err", err)
		}
	}}, nil
}

// stream is one reader of events.
type stream struct {
	out       restwire.EventStream
	door      *Door
	who       caller
	project   string
	deadlines map[permission.CallID]permission.Time // of waiting calls that were not warned of
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
		if err := s.out.Tell(eventWarning, requested(&c)); err != nil {
			return err
		}
	}
	return nil
}

// pass tells the reader of an event that is meant for it.
func (s *stream) pass(ctx context.Context, e permission.Event) error {
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
			return restwire.ErrReaderGone
		}
	}
	if _, err := s.door.workspace(ctx, s.who, s.project); err != nil {
		return restwire.ErrReaderGone
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
	return s.out.Tell(eventSignal, signalled{c.ID, c.ToolName, c.Input, c.InputHash})
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
		return s.out.Tell(eventRequest, requested(c))
	case kind == permission.CallCreated && asked(c):
		return s.out.Tell(eventRequest, requested(c)) // it has moved on since
	case over(c.Status) && kind != permission.CallCreated && kind != permission.CallClaimed:
		return s.out.Tell(eventAck, acked{c.ID, statusOf(c.Status)})
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
