package rest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

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
	from, known, err := restwire.ResumeAt(ctx, h.journal, in.LastEventID)
	if err != nil {
		return nil, err
	}
	leave, err := h.lanes.Wait(restwire.CallerOf(ctx), restwire.Streams)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		_, w := humago.Unwrap(hc)
		s := &stream{rows: h, who: restwire.CallerOf(ctx), run: permission.RunID(in.RunID), session: permission.SessionID(in.SessionID)}
		s.out = restwire.EventStream{Source: h.journal, Closing: h.work.done, Begin: s.hearStop, Pass: s.pass,
			Reset: func() error { return s.tell("reset", "") }}
		if err := s.out.Serve(ctx, w, from, known); err != nil && !errors.Is(err, restwire.ErrReaderGone) && ctx.Err() == nil {
			h.log.Error("event stream ended", "err", err)
		}
	}}, nil
}

// stream is one reader of events.
type stream struct {
	out     restwire.EventStream
	rows    *journalRows
	who     restwire.Caller
	run     permission.RunID
	session permission.SessionID
	stopped permission.Time // until when the reader knows that it is stopped, where it is an agent
}

// agentStopped is the kind of event that tells an agent that a person stopped it.
const agentStopped permission.EntryKind = "agent.stopped"

// pass tells the reader of an event that is meant for it.
func (s *stream) pass(ctx context.Context, e permission.Event) error {
	if e.Kind == permission.AgentsChanged {
		if !s.stillKnown(ctx) {
			return restwire.ErrReaderGone
		}
		if err := s.hearStop(ctx); err != nil {
			return err
		}
	}
	if !s.sees(e) {
		return nil
	}
	return s.tell(e.Kind, e.CallID)
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
	return s.tell(agentStopped, "")
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

// tell tells of an event, of a call or, where that is empty, of none.
func (s *stream) tell(kind permission.EntryKind, call permission.CallID) error {
	return s.out.Tell(string(kind), struct {
		Seq    int64                `json:"seq"`
		Kind   permission.EntryKind `json:"kind"`
		CallID *permission.CallID   `json:"callId"`
		Desk   string               `json:"desk"`
	}{s.out.Sent(), kind, orNull(call), s.rows.work.run})
}
