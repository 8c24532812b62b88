package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// judged is a judged request of a client. For the call runner it is the Executor, which lets
// the session's server execute the request, and the Voice, which answers the client.
type judged struct {
	g     *Gateway
	s     *session.Session
	x     *session.Exchange
	m     mcpwire.Message
	act   mcpwire.Act
	out   *session.Stream
	first func(session.Inbound) // hears the server's answer before the client does; nil is nobody

	raw   []byte           // what the server gets
	sight permission.Sight // what the tool was then
	in    session.Inbound  // what the server answered
}

// judging reads and admits a judged request, and has it done; what comes back as an error is
// its answer.
func (g *Gateway) judging(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream,
	do func(context.Context, *judged) *mcpwire.Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	act, bad := mcpwire.ReadAct(m)
	var x *session.Exchange
	if before := s.Admitted(m.Key); before != nil && !s.Shared && out.Bridged != nil && out.Bridged.Again {
		before.Replace(ctx)
	}
	if bad == nil {
		x, bad = s.AdmitWith(m, act.Token, act.TokenKey, cancel)
	}
	if bad == nil {
		defer s.Release(x)
		bad = do(ctx, &judged{g: g, s: s, x: x, m: m, act: act, out: out})
	}
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
	}
}

// call takes a judged request through the desk to its answer. first, where it is not nil,
// hears the server's answer before the client.
func (g *Gateway) call(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound)) {
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) *mcpwire.Error {
		c.first = first
		q := requestOf(s, &c.act, out.Bridged)
		q.Client, q.Lively = s.ClientOf(m), c.x.Token != nil
		q.Patience = g.patience(&q)
		out.Patience(q.Patience)
		if out.Bridged != nil {
			c.x.Beats = out.Bridged.Beats
		}
		q.Call.Continues = g.continues(s, &q.Call)
		if s.Server.IsWorkspace() && !s.Server.RunsHere() {
			q.Elsewhere = g.opts.Clients
		}
		if bad := g.unlisted(ctx, c, &q); bad != nil {
			return bad
		}
		g.calls.Run(ctx, q, c, c)
		return nil
	})
}

// bridgedRun begins the runs of calls that come through "sekisho mcp". What follows is a caller's
// word: it shall name no session, and no call of another door.
const bridgedRun = "stdio-"

// requestOf is what the desk is asked for an act of the session's client, who does not wait
// for a person. A call that comes through "sekisho mcp" has the identity that it was given
// there, and which it has again when it is repeated.
func requestOf(s *session.Session, act *mcpwire.Act, via *mcpwire.Bridged) attend.Request {
	id := uuid.Must(uuid.NewV7())
	q := attend.Request{Agent: s.Who(), Began: time.Now(), Call: permission.Request{
		Identity: permission.Identity{RunID: s.RunOf(id), ToolCallID: id.String(), SessionID: s.Name(), Stateless: s.Name() == ""},
		ServerID: &s.Server.ID, Method: act.Method, ToolName: act.Name, Input: act.Input(), Envelope: act.Envelope,
	}}
	if via == nil {
		return q
	}
	q.Began = q.Began.Add(-via.Waited)
	if via.Call != "" && act.Method == mcpwire.CallTool {
		q.Call.RunID, q.Call.ToolCallID, q.Call.Again = bridgedRun+permission.RunID(via.Run), via.Call, via.Again
		if s.Shared {
			q.Call.RunID = bridgedRun + permission.RunID(via.Call)
		}
	}
	return q
}

// patience is how long the client of a request waits.
func (g *Gateway) patience(q *attend.Request) time.Duration {
	known, hard := timeoutOf(q.Client, g.opts.Patience)
	return g.calls.Patience(q, known, hard)
}

// Prepare makes the message that the server is to get, and the headers of a call that a
// person edited anew: in the era without sessions they repeat arguments.
func (c *judged) Prepare(call *permission.Call) error {
	c.raw = c.act.Message(c.m, call)
	if d := call.Decision; c.s.Server.IsWorkspace() && d != nil && d.FileVersion != "" {
		c.raw = mcpwire.WithMeta(c.raw, mcpwire.MetaFileVersion, d.FileVersion)
	}
	if call.Original == nil {
		return nil
	}
	m, bad := mcpwire.FromClient(c.raw)
	if bad != nil {
		return fmt.Errorf("read the edited call: %w", bad)
	}
	c.x.Header = c.s.Headers.With(c.x.Header, m)
	return nil
}

// Execute sends the call to its server, and waits for the answer though the client leaves.
func (c *judged) Execute(ctx context.Context, _ *permission.Call) (attend.Result, error) {
	if !c.s.Begin(ctx, c.x) {
		return attend.Result{}, c.unsent(ctx, context.Cause(ctx))
	}
	c.sight = c.g.desk.Sight(c.s.Server.ID, c.act.Name)
	sent, settled := c.s.Dispatch(ctx, c.x, c.raw)
	in, err := follow(ctx, c.s, c.x, c.out, session.Following{Limit: c.g.opts.CallTimeout, Detached: true, Sent: sent})
	settled()
	switch {
	case err == nil:
	case c.s.Has(c.x):
		in = c.unanswered(context.WithoutCancel(ctx), err)
	default:
		return attend.Result{}, c.unsent(ctx, err)
	}
	c.in = in
	return attend.Result{OK: in.OK, Output: in.Value, Doubt: in.Doubtful}, nil
}

// follow brings what the server says to the stream until the answer comes, which it
// returns unsent. An error says that none will come.
func follow(ctx context.Context, s *session.Session, x *session.Exchange, out *session.Stream,
	f session.Following) (session.Inbound, error) {
	return s.Follow(ctx, x, func(in session.Inbound) { s.Show(ctx, x, out, in) }, f)
}

// unsent says why a call did not reach its server.
func (c *judged) unsent(ctx context.Context, err error) error {
	const end = ": it was not executed"
	cause := context.Cause(ctx)
	switch {
	case c.x.Withdrawn(), cause != nil && !errors.Is(cause, session.ErrClosed) && !errors.Is(cause, upstream.ErrEnded):
		return errLeft
	case errors.Is(err, upstream.ErrEnded):
		return errors.New(c.s.Obituary("the server ended before the call reached it") + end)
	}
	return fmt.Errorf("the call did not reach the server: %s%s", err, end)
}

// unanswered is the outcome of a call whose answer never came.
func (c *judged) unanswered(ctx context.Context, err error) (in session.Inbound) {
	switch {
	case errors.Is(err, session.ErrLate):
		c.s.GiveUp(ctx, c.x)
		in = session.Fault(c.m.ID, "the server did not answer within %s: it is not known whether the call ran", c.g.opts.CallTimeout)
	case errors.Is(err, session.ErrCancelled):
		in = session.Fault(c.m.ID, "the call was cancelled while it was running: it is not known whether it ran")
	default:
		in = session.Fault(c.m.ID, "%s", c.s.Obituary("the server ended while the call was running; it is not known whether it ran"))
	}
	in.Doubtful = true
	return in
}

// stage says where a call is that its client waits for.
func stage(call *permission.Call) string {
	switch call.Status {
	case permission.Approved:
		return "Approved, waiting for a client that holds the files"
	case permission.Claimed:
		return "Running at the client that holds the files"
	}
	return "Waiting for a person at Sekisho"
}

// Beat is a sign of life: progress for a client that asked for it, else a comment.
func (c *judged) Beat(call *permission.Call) error {
	if c.x.Token == nil {
		return c.out.Comment(stage(call))
	}
	c.x.Beats++
	words := mcpwire.Quote(stage(call) + " (" + short(c.act.Name) + ")")
	const note = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%s}}`
	return c.out.Event(fmt.Appendf(nil, note, c.x.Token, c.x.Beats, words))
}

// short cuts a name to what fits into a line.
func short(name string) string {
	if r := []rune(name); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return name
}

// Refused answers that the call was not executed, or not again: a repeated one has the
// answer of the first time.
func (c *judged) Refused(r attend.Refusal) error {
	if via := c.out.Bridged; via != nil && via.Again && r.Call != nil && r.Call.ToolCallID == via.Call {
		if answer := kept(c.m, r.Call); answer != nil {
			return c.out.Answer(answer)
		}
	}
	return c.out.Answer(refusal(c.m, r))
}

// Failed answers that the call failed before it was executed, where somebody waits for that.
func (c *judged) Failed(err error) {
	if answer := failure(c.s, c.m, c.out, err); answer != nil {
		c.out.Answer(answer)
		return
	}
	c.out.Begin()
}

// Done answers with what the server said.
func (c *judged) Done(call *permission.Call, r attend.Result) {
	if r.Elsewhere {
		c.out.Answer(kept(c.m, call))
		return
	}
	c.g.asksForMore(c, call)
	if c.in.OK {
		c.g.tasks.learn(sharedKey{c.s.Agent.ID, c.s.Server.ID}, c.in.Value)
	}
	if c.first != nil {
		c.first(c.in)
	}
	c.out.Final(c.in)
}

// continues gives the call that a request is another round of, and takes note that it is
// continued; "" is none.
func (g *Gateway) continues(s *session.Session, q *permission.Request) permission.CallID {
	if !s.Shared {
		return ""
	}
	next, ok := nextRound(q.Envelope)
	if !ok {
		return ""
	}
	hash, err := rawjson.Hash(q.ServerID, q.ToolName, q.Input)
	if err != nil {
		return "" // the desk refuses it
	}
	return g.rounds.take(s.Agent.ID, keyOf(hash, next), &s.Server, g.desk.Sight(s.Server.ID, q.ToolName), next.keys, time.Now())
}

// asksForMore takes note of a call whose server asks for input.
func (g *Gateway) asksForMore(c *judged, call *permission.Call) {
	if !c.s.Shared {
		return
	}
	if this, ok := unfinished(c.in.Value); ok {
		at := time.Now()
		g.rounds.note(c.s.Agent.ID, keyOf(call.InputHash, this), round{call.ID, c.s.Server, c.sight, this.keys, at.Add(roundWithin)}, at)
	}
}
