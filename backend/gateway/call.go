package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// leaveWithin bounds what is told to the desk after the caller has gone.
const leaveWithin = 5 * time.Second

// held is one judged request on its way through the desk.
type held struct {
	first func(inbound) // hears the server's answer before the client does; nil is nobody
	s     *session
	x     *exchange
	m     mcpwire.Message
	tool  mcpwire.Act
	out   *stream
	call  permission.Call // as the desk last told it

	sight     permission.Sight  // what the tool was when it was executed
	continues permission.CallID // that it is another round of; "" is none
}

// call asks the desk for a judged request, waits for the answer, and executes it once
// if it is a yes. first, where it is not nil, hears the server's answer before the client.
func (g *Gateway) call(ctx context.Context, s *session, m mcpwire.Message, out *stream, first func(inbound)) {
	tool, bad := mcpwire.ReadAct(m)
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x, bad := s.admitWith(m, tool.Token, tool.TokenKey, cancel)
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	}
	defer s.release(x)
	h := &held{s: s, x: x, m: m, tool: tool, out: out, first: first}
	h.continues = g.continues(h)
	who := agentClient{s.agent.ID, s.clientOf(m)}
	began, waits := time.Now(), g.patienceOf(who)
	until := began.Add(waits)
	if bad := g.unlisted(ctx, h, waits/2); bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	}
	if answer := g.ask(ctx, h, until); answer != nil {
		out.answer(answer)
		return
	}
	if h.call.Status == permission.Claimed {
		g.executeAllowed(ctx, h)
		return
	}
	for g.settle(ctx, h, until.Add(-margin(waits))) {
	}
	if cause := context.Cause(ctx); cause != nil && h.call.Status == permission.Pending {
		g.patience.note(who, leaving{time.Since(began), errors.Is(cause, errTimedOut)})
	}
}

// patienceOf is how long a client is kept waiting: as a person set it, else as is known
// of it.
func (g *Gateway) patienceOf(who agentClient) time.Duration {
	if set, ok := g.desk.ClientPatience(who.client); ok {
		return set
	}
	return g.patience.wait(who, g.opts.Patience)
}

// settle waits for the call's answer and acts on it; true says that the rules sent
// it back to wait when it was about to run.
func (g *Gateway) settle(ctx context.Context, h *held, until time.Time) (again bool) {
	if h.call.Status == permission.Pending {
		if err := g.hold(ctx, h, until); err != nil {
			g.letGo(ctx, h, err)
			return false
		}
	}
	if h.call.Status != permission.Approved {
		if h.out.answer(h.refused(&h.call, verdict(&h.call))) != nil {
			g.letGo(ctx, h, errGone) // a decline that was not heard still answers later
		}
		return false
	}
	if !h.s.begin(ctx, h.x) {
		g.letGo(ctx, h, context.Cause(ctx))
		return false
	}
	return g.execute(ctx, h)
}

// margin is how long before its patience ends a caller is told PENDING, so that the
// answer is there in time.
func margin(patience time.Duration) time.Duration { return min(patience/10, 2*time.Second) }

// ask brings the call to the desk, and claims it where a rule allows it. An answer says
// why it was not taken. The call is asked for to the end even if the caller leaves
// meanwhile: else nobody knew whether it is there.
func (g *Gateway) ask(ctx context.Context, h *held, until time.Time) (answer []byte) {
	id, err := uuid.NewV7()
	if err == nil {
		h.call, _, err = g.desk.Ask(context.WithoutCancel(ctx), h.s.agent, permission.Request{
			Identity: permission.Identity{RunID: h.s.runOf(id), ToolCallID: id.String(), SessionID: h.s.name(), Stateless: h.s.shared, Held: true, Patience: permission.TimeOf(until)},
			ServerID: &h.s.server.ID, Method: h.tool.Method, ToolName: h.tool.Name, Input: h.tool.Input(), Envelope: h.tool.Envelope,
			Claim:     &permission.ClaimRequest{Claimant: claimant, Key: id.String(), Lease: g.lease()},
			Continues: h.continues,
		})
	}
	if err == nil {
		return nil
	}
	var e *permission.Error
	switch {
	case !errors.As(err, &e):
		g.opts.Logger.Error("ask for a call", "server", h.s.server.ID, "error", err)
		return mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "the desk could not take the call: nothing was executed"))
	case e.Code == permission.CodeTooMany:
		return h.refusedFor(string(e.Code), nil, tooMany(e))
	case e.Code == permission.CodeMalformed || e.Code == permission.CodeInvalid:
		return mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeParams, "%s", e))
	}
	return mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "the desk did not take the call: %s", e))
}

// errPatience says that the caller has been kept as long as it will wait.
var errPatience = errors.New("the caller's patience is over")

// hold waits until the call is decided, with signs of life for the caller. An error
// says why nobody waits any more: the call is then to be left.
func (g *Gateway) hold(ctx context.Context, h *held, until time.Time) error {
	who := permission.Party{Agent: &h.s.agent}
	for {
		if err := h.beat(); err != nil {
			h.x.cancel(errGone)
		}
		left := time.Until(until)
		if left <= 0 { // to ask took all of it
			return errPatience
		}
		next, cancel := context.WithTimeout(ctx, min(g.opts.Beat, left))
		call, err := g.desk.Wait(next, who, h.call.ID, h.call.Rev)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("wait for call: %w", err)
		}
		h.call = call
		switch {
		case call.Status != permission.Pending:
			return nil
		case !time.Now().Before(until):
			return errPatience
		}
	}
}

// beat is a sign of life: progress for a caller that asked for it, else a comment.
func (h *held) beat() error {
	if h.x.token == nil {
		return h.out.comment("waiting for a person")
	}
	h.x.beats++
	return h.out.event(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%s}}`,
		h.x.token, h.x.beats, mcpwire.Quote("Waiting for a person at Sekisho ("+short(h.tool.Name)+")")))
}

// letGo leaves the call: it stays at the desk, and nobody executes it until the
// agent asks again. The caller is told, if it is there.
func (g *Gateway) letGo(ctx context.Context, h *held, why error) {
	call, err := g.leave(ctx, h)
	switch {
	case errors.Is(why, errPatience) && err == nil && call.Status.Settled() && !call.CallerGone:
		h.out.answer(h.refused(&call, verdict(&call))) // decided at the last moment
	case errors.Is(why, errPatience):
		h.out.answer(h.refusedFor("pending", &h.call.ID, pending(&h.call)))
	case errors.Is(why, errCancelled), errors.Is(why, errGone), errors.Is(why, context.Canceled):
		h.out.begin() // nothing to say, and perhaps nobody to hear it
	case errors.Is(why, upstream.ErrEnded):
		h.out.answer(mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", h.s.obituary("the server ended while the call was waiting: it was not executed"))))
	case errors.Is(why, errClosed):
		h.out.answer(mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "the session ended while the call was waiting: it was not executed")))
	default:
		g.opts.Logger.Error("hold a call", "call", h.call.ID, "error", why)
		h.out.answer(mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "the desk does not answer: the call was not executed")))
	}
}

func (g *Gateway) leave(ctx context.Context, h *held) (permission.Call, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	call, err := g.desk.Leave(ctx, h.s.agent, h.call.ID)
	if err != nil {
		g.opts.Logger.Error("leave a call", "call", h.call.ID, "error", err)
	}
	return call, err
}

// executeAllowed lets the server run a call that was claimed as it was asked for.
func (g *Gateway) executeAllowed(ctx context.Context, h *held) {
	switch {
	case !bytes.Equal(h.call.Input, h.tool.Input()), !bytes.Equal(h.call.Envelope, h.tool.Envelope), h.call.Method != h.tool.Method:
		g.opts.Logger.Error("execute a call", "call", h.call.ID, "error", "the desk answered with another call")
		g.finish(context.WithoutCancel(ctx), h, fault(h.m.ID, "the desk answered with another call: nothing was executed"))
	case !h.s.begin(ctx, h.x):
		g.unheard(ctx, h)
	default:
		g.run(ctx, h, h.m.Raw)
	}
}

// unheard keeps the outcome of a call whose caller left when it was about to run.
func (g *Gateway) unheard(ctx context.Context, h *held) {
	g.record(context.WithoutCancel(ctx), h, fault(h.m.ID, "the caller left before the call was sent to the server: it was not executed"))
	h.out.begin() // nothing to say, and perhaps nobody to hear it
}

// execute claims the call and lets the server run it, with the bytes of the row.
// What comes of it is recorded whether the caller is still there or not. again says
// that it waits for a person once more.
func (g *Gateway) execute(ctx context.Context, h *held) (again bool) {
	lasting := context.WithoutCancel(ctx)
	raw, err := h.bytes()
	if err == nil {
		err = h.describe(raw)
	}
	if err == nil {
		err = g.claim(lasting, h)
	}
	if waits(err) {
		h.s.pause(h.x)
		h.call = *conflictOf(err).Call
		return true
	}
	if err != nil {
		g.leave(ctx, h) // a yes that could not be used is good for the next time
		h.out.answer(g.unclaimed(h, err))
		return false
	}
	g.run(ctx, h, raw)
	return false
}

// conflictOf is what the desk said, if it was a conflict that carries a call.
func conflictOf(err error) *permission.Error {
	var e *permission.Error
	if errors.As(err, &e) && e.Call != nil {
		return e
	}
	return nil
}

// waits reports whether the call could not be claimed because it waits again.
func waits(err error) bool {
	e := conflictOf(err)
	return e != nil && e.Call.Status == permission.Pending
}

// run sends a claimed call to its server and records what comes of it.
func (g *Gateway) run(ctx context.Context, h *held, raw []byte) {
	if h.left(ctx) {
		g.unheard(ctx, h)
		return
	}
	lasting := context.WithoutCancel(ctx)
	h.sight = g.desk.Sight(h.s.server.ID, h.tool.Name)
	sent, settled := h.s.dispatch(ctx, h.x, raw)
	in, err := g.follow(ctx, h.s, h.x, h.out, following{limit: g.opts.CallTimeout, detached: true, sent: sent})
	settled()
	switch {
	case err == nil:
		g.finish(lasting, h, in)
	case h.s.has(h.x):
		in = g.unanswered(lasting, h, err)
		in.doubtful = true
		g.finish(lasting, h, in)
	case h.left(ctx):
		g.unheard(ctx, h)
	default:
		g.finish(lasting, h, fault(h.m.ID, "%s", h.unsent(err)))
	}
}

// unsent says why a call did not reach its server.
func (h *held) unsent(err error) string {
	const end = ": it was not executed"
	if errors.Is(err, upstream.ErrEnded) {
		return h.s.obituary("the server ended before the call reached it") + end
	}
	return fmt.Sprintf("the call did not reach the server: %s%s", err, end)
}

func (g *Gateway) claim(ctx context.Context, h *held) error {
	call, err := g.desk.Claim(ctx, h.s.agent, h.call.ID, permission.ClaimRequest{
		InputHash: h.call.InputHash, Claimant: claimant, Key: uuid.NewString(), Lease: g.lease(),
	})
	if err == nil {
		h.call = call
	}
	return err
}

// claimant is how the journal names who executes.
const claimant = "gateway"

// lease is for how long a call is claimed: it has an outcome by then.
func (g *Gateway) lease() time.Duration { return g.opts.CallTimeout + cancelGrace }

// bytes gives the message to be executed: the row's own input and envelope, if they are
// what was asked for or what a person made of it.
func (h *held) bytes() ([]byte, error) {
	if err := h.tool.Matches(h.s.server.ID, &h.call); err != nil {
		return nil, fmt.Errorf("execute call %s: %w", h.call.ID, err)
	}
	return h.tool.Message(h.m, &h.call), nil
}

// describe makes the headers anew of a call that a person edited: in the era without
// sessions they repeat arguments.
func (h *held) describe(raw []byte) error {
	if h.call.Original == nil {
		return nil
	}
	m, bad := mcpwire.FromClient(raw)
	if bad != nil {
		return fmt.Errorf("read the edited call: %w", bad)
	}
	h.x.header = h.s.headers.with(h.x.header, m)
	return nil
}

// unclaimed answers for a call that may not be executed after all.
func (g *Gateway) unclaimed(h *held, err error) []byte {
	if e := conflictOf(err); e != nil && e.Call.Status.Settled() {
		return h.refused(e.Call, verdict(e.Call))
	}
	g.opts.Logger.Error("claim a call", "call", h.call.ID, "error", err)
	return mcpwire.ErrorAnswer(h.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "the call could not be claimed, and was not executed: repeat it"))
}

// unanswered is the outcome of a call whose answer never came.
func (g *Gateway) unanswered(ctx context.Context, h *held, err error) inbound {
	switch {
	case errors.Is(err, errLate):
		h.s.giveUp(ctx, h.x)
		return fault(h.m.ID, "the server did not answer within %s: it is not known whether the call ran", g.opts.CallTimeout)
	case errors.Is(err, errCancelled):
		return fault(h.m.ID, "the call was cancelled while it was running: it is not known whether it ran")
	}
	return fault(h.m.ID, "%s", h.s.obituary("the server ended while the call was running; it is not known whether it ran"))
}

// left reports whether the caller of a call that is about to run has gone, or has
// cancelled it.
func (h *held) left(ctx context.Context) bool {
	select {
	case <-h.x.cancelled:
		return true
	default:
		return ctx.Err() != nil
	}
}

// finish records what came of the call, and tells the caller even if that fails.
func (g *Gateway) finish(ctx context.Context, h *held, in inbound) {
	g.record(ctx, h, in)
	g.asksForMore(h, in)
	if in.ok {
		g.tasks.learn(sharedKey{h.s.agent.ID, h.s.server.ID}, in.value)
	}
	if h.first != nil {
		h.first(in)
	}
	h.out.final(in)
}

// record keeps what came of the call. What the caller then hears outlives the desk,
// however it ends, and the call itself also a loss of power.
func (g *Gateway) record(ctx context.Context, h *held, in inbound) {
	out := permission.Outcome{OK: in.ok, Output: in.value, Soon: true}
	if h.call.ClaimID != nil {
		out.ClaimID = *h.call.ClaimID
	}
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	var err error
	if in.doubtful {
		_, err = g.desk.Doubt(ctx, h.s.agent, h.call.ID, out.ClaimID)
	} else {
		_, err = g.desk.Finish(ctx, h.s.agent, h.call.ID, out)
	}
	if err != nil {
		g.opts.Logger.Error("record a result", "call", h.call.ID, "error", err)
	}
	if err := g.desk.Kept(ctx, &h.call); err != nil {
		g.opts.Logger.Error("keep a call that ran", "call", h.call.ID, "error", err)
	}
}
