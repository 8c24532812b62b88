package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
	"sekisho/backend/process"
)

// Streams are the lines of the editor and of the agent, each as it says and hears them.
type Streams struct {
	EditorSays  io.Reader
	EditorHears io.Writer
	AgentSays   io.Reader
	AgentHears  io.WriteCloser
}

// Options of a relay.
type Options struct {
	// Approvals decides about tools in some circumstances.
	Approvals func(handover.Circumstances) handover.ExecutorApprovalService
	// Stopped says that a person stopped the agent: turns that are under way are cancelled.
	Stopped <-chan struct{}
	Told    io.Writer // gets a line about what was not passed on, or not allowed
}

// Relay passes lines on between an editor and its agent, and answers the agent's permission
// requests.
type Relay struct {
	Streams
	opts Options
	work sync.WaitGroup

	writing sync.Mutex // to the agent
	telling sync.Mutex

	mu      sync.Mutex
	open    map[string]*pending // by the request's id
	seen    map[string]bool     // ids of all permission requests
	opening map[string]string   // folders of sessions that the editor asked for, by the request's id
	cwd     map[string]string   // of sessions
	turns   map[string]string   // sessions with a turn under way, by the id of its prompt
}

// pending is a permission request that waits for the desk.
type pending struct {
	session string
	cancel  context.CancelCauseFunc
}

// New makes a relay.
func New(streams Streams, opts Options) *Relay {
	return &Relay{Streams: streams, opts: opts,
		open: map[string]*pending{}, seen: map[string]bool{}, opening: map[string]string{}, cwd: map[string]string{},
		turns: map[string]string{}}
}

var (
	errCancelled = errors.New("the editor has cancelled the turn")
	errStopped   = errors.New("a person stopped this agent")
	errTwice     = errors.New("the agent has used the id of the request twice")
)

// Run relays until the agent's output ends. When the editor's ends, the agent's input does.
// What still waits for the desk then is withdrawn.
func (r *Relay) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	go func() { // ends with the editor's output
		defer r.AgentHears.Close()
		if err := process.EachLine(r.EditorSays, r.fromEditor); err != nil {
			r.tell("relay the editor: %v", err)
		}
	}()
	r.work.Go(func() {
		for {
			select {
			case <-r.opts.Stopped:
				r.interrupt()
			case <-ctx.Done():
				return
			}
		}
	})
	err := process.EachLine(r.AgentSays, func(line []byte) error { return r.fromAgent(ctx, line) })
	stop()
	r.work.Wait()
	if err != nil {
		return fmt.Errorf("relay the agent: %w", err)
	}
	return nil
}

// tell says something to whoever reads the program's errors.
func (r *Relay) tell(format string, args ...any) {
	r.telling.Lock()
	defer r.telling.Unlock()
	fmt.Fprintf(r.opts.Told, "sekisho: "+format+"\n", args...)
}

// fromAgent takes a line of the agent.
func (r *Relay) fromAgent(ctx context.Context, line []byte) error {
	if asks(line) {
		return r.asked(ctx, line)
	}
	r.answered(line)
	_, err := r.EditorHears.Write(line)
	return err
}

// answered notes the folder of a session that the agent has opened, and the end of a turn.
func (r *Relay) answered(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.opening) == 0 && (len(r.turns) == 0 || !may(line, "stopReason") && !may(line, "error")) {
		return
	}
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method != "" {
		return
	}
	key, _ := keyOf(m.ID)
	delete(r.turns, key)
	if cwd, ours := r.opening[key]; ours {
		delete(r.opening, key)
		if m.Result.SessionID != "" {
			r.cwd[m.Result.SessionID] = cwd
		}
	}
}

// fromEditor takes a line of the editor.
func (r *Relay) fromEditor(line []byte) error {
	var m message
	_ = json.Unmarshal(line, &m) // what cannot be read says nothing
	if r.forestalls(line, &m) {
		r.tell("the editor answered a permission request, which the desk answers: not passed on")
		return nil
	}
	r.mu.Lock()
	key, named := keyOf(m.ID)
	switch {
	case m.Method == newMethod && named:
		r.opening[key] = m.Params.Cwd
	case m.Method == promptMethod && named:
		r.turns[key] = m.Params.SessionID
	case m.Method == cancelMethod:
		for _, p := range r.open {
			if p.session == m.Params.SessionID {
				p.cancel(errCancelled)
			}
		}
	case m.Params.Cwd != "" && m.Params.SessionID != "": // a session that is loaded or resumed
		r.cwd[m.Params.SessionID] = m.Params.Cwd
	}
	r.mu.Unlock()
	return r.toAgent(line)
}

// forestalls reports whether a line of the editor may be taken for the answer to a permission
// request.
func (r *Relay) forestalls(line []byte, m *message) bool {
	if answers(line) {
		return true
	}
	key, ok := keyOf(m.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	return ok && m.Method == "" && r.seen[key]
}

// toAgent writes whole lines.
func (r *Relay) toAgent(line []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.AgentHears.Write(line); err != nil {
		return fmt.Errorf("write to the agent: %w", err)
	}
	return nil
}

// asked takes a permission request. What cannot be read, and an id that was there before, is
// answered with no.
func (r *Relay) asked(ctx context.Context, line []byte) error {
	var m message
	_ = json.Unmarshal(line, &m)
	key, ok := keyOf(m.ID)
	if !ok {
		r.tell("the agent's permission request has no id that it could be answered by: not passed on")
		return nil
	}
	a, err := readAsk(line)
	r.mu.Lock()
	if r.seen[key] && err == nil {
		err = errTwice
		if p := r.open[key]; p != nil {
			p.cancel(errTwice) // nobody knows to which of the two the agent takes an answer
		}
	}
	r.seen[key] = true
	if err == nil && a.yes == nil {
		err = errors.New("the agent offers no option of kind allow_once")
	}
	if err != nil {
		r.mu.Unlock()
		r.tell("not allowed: %v", err)
		return r.toAgent(response(m.ID, outcome(a.no)))
	}
	inner, cancel := context.WithCancelCause(ctx)
	p := &pending{a.session, cancel}
	r.open[key] = p
	cwd := r.cwd[a.session]
	r.mu.Unlock()
	a.readLine(cwd)
	r.work.Go(func() {
		defer cancel(nil)
		err := r.approve(inner, &a, cwd)
		r.mu.Lock()
		delete(r.open, key)
		left := context.Cause(inner)
		r.mu.Unlock()
		said := outcome(a.yes)
		switch {
		case ctx.Err() != nil:
			return // nobody hears it
		case errors.Is(left, errCancelled):
			said = cancelled
		case errors.Is(err, errStopped):
			r.interrupt()
			said = cancelled
		case left != nil || err != nil:
			r.tell("not allowed: %v", errors.Join(left, err))
			said = outcome(a.no)
		}
		_ = r.toAgent(response(m.ID, said)) // an agent that has ended hears nothing
	})
	return nil
}

// interrupt cancels the turns that are under way, once each, as the editor would.
func (r *Relay) interrupt() {
	r.mu.Lock()
	sessions := slices.Sorted(maps.Values(r.turns))
	clear(r.turns)
	r.mu.Unlock()
	for _, session := range slices.Compact(sessions) {
		r.tell("a person stopped this agent: its turn is cancelled")
		_ = r.toAgent(cancellation(session)) // an agent that has ended hears nothing
	}
}

// approve asks the desk. An error says why the agent must not go on.
func (r *Relay) approve(ctx context.Context, a *ask, cwd string) error {
	service := r.opts.Approvals(a.circumstances(cwd))
	status, err := service.RequestToolApproval(ctx, a.tool, a.input, a.callID)
	var known *permission.Error
	if errors.As(err, &known) && known.Code == permission.CodeCallConflict {
		// A hook asked for the call in other words: this is a question of its own.
		status, err = service.RequestToolApproval(ctx, a.tool, a.input, "acp:"+uuid.NewString())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.tool, err)
	}
	switch s := status.(type) {
	case handover.Approved:
		if bytes.Equal(s.Input, a.input) {
			return nil
		}
		return fmt.Errorf("%s: the desk approved another input", a.tool)
	case handover.Denied:
		if s.Stopped {
			return errStopped
		}
		return fmt.Errorf("%s: %s", a.tool, s.Reason)
	case handover.TimedOut:
		return fmt.Errorf("%s: %s", a.tool, s.Reason)
	}
	return fmt.Errorf("%s: nobody has answered yet", a.tool)
}
