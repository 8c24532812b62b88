package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
	"sekisho/backend/process"
)

// Options of a conversation.
type Options struct {
	// Approvals decides about tools in some circumstances.
	Approvals func(handover.Circumstances) handover.ExecutorApprovalService
	// Allowed reports whether the rules allow a tool now, for tools that the client would run
	// without asking; an error is a no.
	Allowed func(ctx context.Context, in handover.Circumstances, toolName string, input json.RawMessage) (bool, error)
	Bypass  bool // the client was started so that it may be put into the mode that asks nothing
	// Stopped says that a person stopped the agent: a turn that is under way is interrupted.
	Stopped <-chan struct{}
	Out     io.Writer // gets what the client says beside the control protocol, unchanged
}

// Peer is the side of the control protocol that answers, to one client program.
type Peer struct {
	opts Options
	out  io.Reader // the client's standard output

	writing sync.Mutex
	in      io.WriteCloser // and its standard input

	turns chan struct{} // a result of the client
	work  sync.WaitGroup

	mu    sync.Mutex
	open  map[string]context.CancelFunc // requests of the client, by id
	asked map[string]chan error         // ours
	where handover.Circumstances
	uses  map[string]handover.Circumstances // of tools, by id

	bypass atomic.Bool // a person has put the client into the mode that asks nothing
}

// New makes a peer of a client with these standard streams.
func New(in io.WriteCloser, out io.Reader, opts Options) *Peer {
	return &Peer{opts: opts, in: in, out: out, turns: make(chan struct{}, 1),
		open: map[string]context.CancelFunc{}, asked: map[string]chan error{}, uses: map[string]handover.Circumstances{}}
}

const (
	beginWithin     = time.Minute // for the client to start and to know the hooks
	interruptWithin = 5 * time.Second
)

var errEnded = errors.New("the client has ended")

// Converse begins the protocol, lets the client have the prompts one after the other, and
// closes its input after the last. It ends with the client's output. When ctx ends it
// interrupts the client first. An error says that the client is to be ended.
func (p *Peer) Converse(ctx context.Context, prompts <-chan string) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- p.serve(serving)
		stop() // nobody hears answers any more
	}()
	defer p.in.Close()
	err := p.begin(serving)
	if err == nil {
		err = p.talk(ctx, serving, prompts)
	}
	p.in.Close()
	if err == nil {
		err = p.end(ctx, ended)
	}
	stop() // what nobody hears the answer of any more is withdrawn
	p.work.Wait()
	return err
}

// end waits for the client's end, when its input is closed.
func (p *Peer) end(ctx context.Context, ended <-chan error) error {
	select {
	case err := <-ended:
		return errors.Join(err, context.Cause(ctx))
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-time.After(interruptWithin):
	}
	return context.Cause(ctx)
}

// begin tells the client which tools it is to ask about. No prompt goes out before it knows.
func (p *Peer) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beginWithin)
	defer cancel()
	if err := p.ask(ctx, initialization()); err != nil {
		return fmt.Errorf("begin the control protocol: %w", err)
	}
	return nil
}

// talk gives the client one prompt after the other, each when the one before has its result.
func (p *Peer) talk(ctx, serving context.Context, prompts <-chan string) error {
	for {
		select {
		case text, more := <-prompts:
			if !more {
				return nil
			}
			turn := map[string]any{"type": "user", "message": map[string]string{"role": "user", "content": text},
				"parent_tool_use_id": nil, "session_id": ""}
			if err := p.write(turn); err != nil {
				return err
			}
		case <-p.opts.Stopped:
			continue // nothing is under way
		case <-ctx.Done():
			return p.interrupt(serving)
		case <-serving.Done():
			return nil
		}
		if more, err := p.turn(ctx, serving); !more {
			return err
		}
	}
}

// turn waits for the client's result. Where a person stops the agent, the client is interrupted,
// and its result comes at once.
func (p *Peer) turn(ctx, serving context.Context) (more bool, err error) {
	for {
		select {
		case <-p.turns:
			return true, nil
		case <-p.opts.Stopped:
			p.work.Go(func() { _ = p.interrupt(serving) }) // who does not hear is refused all the same
		case <-ctx.Done():
			return false, p.interrupt(serving)
		case <-serving.Done():
			return false, nil
		}
	}
}

// interrupt asks the client to stop what it does.
func (p *Peer) interrupt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, interruptWithin)
	defer cancel()
	return p.ask(ctx, map[string]any{"subtype": "interrupt"})
}

// noticeEnd puts the client back into the mode that asks, when a person is asked although an
// answer had put it into the one that does not: that answer has ended. A question and a plan
// are for a person in every mode.
func (p *Peer) noticeEnd(ctx context.Context, r *request) {
	if own := r.ToolName == handover.AskTool || r.ToolName == permission.PlanTool; !own && p.bypass.Swap(false) {
		p.work.Go(func() { // a client that has ended hears nothing
			_ = p.ask(ctx, map[string]any{"subtype": "set_permission_mode", "mode": modeDefault})
		})
	}
}

// ask sends a control request and waits for its answer.
func (p *Peer) ask(ctx context.Context, what map[string]any) error {
	id, answer := uuid.NewString(), make(chan error, 1)
	p.mu.Lock()
	p.asked[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asked, id)
	}()
	if err := p.write(map[string]any{"type": "control_request", "request_id": id, "request": what}); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return errors.Join(errEnded, context.Cause(ctx))
	}
}

// write sends one line to the client.
func (p *Peer) write(what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.in.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}

// serve takes the client's lines to their end.
func (p *Peer) serve(ctx context.Context) error {
	if err := process.EachLine(p.out, func(line []byte) error { return p.take(ctx, line) }); err != nil {
		return fmt.Errorf("take what the client says: %w", err)
	}
	return nil
}

// take handles one line: what belongs to the control protocol ends here, and all else goes on
// as it came.
func (p *Peer) take(ctx context.Context, line []byte) error {
	var m message
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		_ = json.Unmarshal(line, &m) // what cannot be read asks nothing
	}
	switch m.Type {
	case "control_request":
		p.begun(ctx, &m)
		return nil
	case "control_cancel_request":
		p.cancel(m.RequestID)
		return nil
	case "control_response":
		p.answered(&m)
		return nil
	}
	if m.Type == "system" && m.Subtype == "init" {
		p.locate("", handover.Circumstances{Session: m.SessionID, Cwd: m.Cwd})
	}
	if _, err := p.opts.Out.Write(line); err != nil {
		return fmt.Errorf("pass the client's output on: %w", err)
	}
	if m.Type == "result" {
		select {
		case p.turns <- struct{}{}:
		default:
		}
	}
	return nil
}

// locate keeps where the client works, and where a use of a tool is meant: helpers of an agent
// may work in folders of their own.
func (p *Peer) locate(use string, where handover.Circumstances) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where = where
	if use != "" {
		p.uses[use] = where
	}
}

// circumstances are those of a use of a tool, as its hook told them, else the latest.
func (p *Peer) circumstances(use string) handover.Circumstances {
	p.mu.Lock()
	defer p.mu.Unlock()
	where, told := p.uses[use]
	if !told {
		where = p.where
	}
	delete(p.uses, use)
	return where
}

// answered takes the client's answer to a request of ours.
func (p *Peer) answered(m *message) {
	if m.Response == nil {
		return
	}
	p.mu.Lock()
	answer := p.asked[m.Response.RequestID]
	p.mu.Unlock()
	if answer == nil {
		return
	}
	var err error
	if m.Response.Subtype != "success" {
		err = fmt.Errorf("the client: %s", m.Response.Error)
	}
	select {
	case answer <- err:
	default: // a second answer
	}
}

// begun answers a request of the client beside the lines that follow.
func (p *Peer) begun(ctx context.Context, m *message) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	p.open[m.RequestID] = cancel
	p.mu.Unlock()
	p.work.Go(func() {
		defer cancel()
		response, err := p.answer(ctx, m)
		if ctx.Err() != nil {
			return // the client has taken it back, or has ended
		}
		p.cancel(m.RequestID)
		inner := map[string]any{"subtype": "success", "request_id": m.RequestID, "response": response}
		if err != nil {
			inner = map[string]any{"subtype": "error", "request_id": m.RequestID, "error": err.Error()}
		}
		_ = p.write(map[string]any{"type": "control_response", "response": inner}) // a client that has ended hears nothing
	})
}

// cancel ends the work on a request of the client.
func (p *Peer) cancel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.open[id]; stop != nil {
		stop()
		delete(p.open, id)
	}
}
