package attend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Desk keeps a call until it is decided, gives the one right to execute it, and takes its
// result, or that none will come. Wait answers when the call is not pending, its rev is not
// rev, it changes, or ctx ends; the last is no error. Answerable waits until an answer may be
// given for a call that was claimed as it was asked for.
type Desk interface {
	Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error)
	Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error)
	Leave(ctx context.Context, agent permission.Agent, id permission.CallID) (permission.Call, error)
	Claim(ctx context.Context, agent permission.Agent, id permission.CallID, r permission.ClaimRequest) (permission.Call, error)
	Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error)
	Doubt(ctx context.Context, agent permission.Agent, id permission.CallID, claim permission.ClaimID) (permission.Call, error)
	Answerable(ctx context.Context, id permission.CallID) error
	// ClientPatience is how long a person set that a client of this name waits; false when
	// nothing was set.
	ClientPatience(name string) (time.Duration, bool)
}

// Request is what a caller asks for.
type Request struct {
	Agent permission.Agent
	// Call has the caller's identity, the method, the tool and its input: none of these is
	// left out. Held, Patience and Claim are the runner's.
	Call permission.Request

	Client   string        // the name of the caller's program; "" is not known
	Began    time.Time     // when the caller began to wait
	Patience time.Duration // how long the caller waits; 0 is not at all
	Lively   bool          // the caller hears signs of life: its limit may be for silence alone

	Elsewhere Elsewhere // where the call is executed; nil is by the Executor
}

// Executor executes the calls of a request.
type Executor interface {
	// Prepare makes an approved call ready: what is executed is its input and envelope. An
	// error says that this cannot be done: the call is then not executed.
	Prepare(call *permission.Call) error
	// Execute executes the call that was prepared last, which is claimed. ctx ends when the
	// caller leaves. An error says that the call was not executed.
	Execute(ctx context.Context, call *permission.Call) (Result, error)
}

// Result is what came of an executed call.
type Result struct {
	OK     bool
	Output []byte // nil is none

	Doubt     bool // no output will come, and the call may have run: a person looks
	Elsewhere bool // the agent executes the call, and the door reports the end: see Runner.Finish
}

// Voice tells the caller what becomes of its request. After Beat, one of the others is
// called, once.
type Voice interface {
	// Beat is a sign of life while the call waits for a person, or for what a program elsewhere
	// makes of it; an error says that the caller has gone.
	Beat(*permission.Call) error
	// Refused tells that the call was not executed; an error says that nobody heard.
	Refused(Refusal) error
	// Failed tells that the call was not executed, and not because somebody decided so. The
	// error is ErrGone or the cause of the end of Run's context, where the caller has left;
	// else its text is meant for the caller, and permission.Error says more where the desk
	// did not take the call.
	Failed(error)
	// Done tells what came of an executed call.
	Done(*permission.Call, Result)
}

// Refusal says why a call was not executed.
type Refusal struct {
	Code  string           // the status of the call, or pending, or the code of the desk's error
	Call  *permission.Call // nil where the desk did not take it
	Words string           // for the model: what happened, whether the call ran, what to do now
}

// Reasons why a caller is no longer there. A door may give its own as the cause of its
// context's end.
var (
	ErrGone      = errors.New("the caller has gone")
	ErrCancelled = errors.New("the caller cancelled the request")
	ErrTimedOut  = errors.New("the caller waited no longer") // as it said
)

// Options of a runner.
type Options struct {
	Claimant string        // how the journal names the door that executes
	Lease    time.Duration // for how long a call is claimed: it has a result by then
	Beat     time.Duration // between signs of life; 0 is 5 s
	// HandsOver says that calls are executed in the caller's own program. Several callers may
	// ask about one: the key of their claims is its ToolCallID, so that all have the same.
	HandsOver bool
	Habits    Habits       // nil: what is seen of clients is forgotten
	Logger    *slog.Logger // nil is slog.Default
}

// Habits keeps what is seen of clients.
type Habits interface {
	KeepClientHabit(ctx context.Context, h permission.ClientHabit) error
}

// Runner runs the calls of one door. It is safe for use by many goroutines.
type Runner struct {
	desk   Desk
	opts   Options
	limits limits
	turns  turns
}

// New makes a runner before a desk.
func New(desk Desk, opts Options) *Runner {
	if opts.Beat <= 0 {
		opts.Beat = 5 * time.Second
	}
	opts.Logger = cmp.Or(opts.Logger, slog.Default())
	return &Runner{desk: desk, opts: opts}
}

// Remember takes in what was seen of clients before this process began.
func (r *Runner) Remember(all []permission.ClientHabit) { r.limits.remember(all) }

// keepHabit keeps what was seen of the client of a request, where that is news.
func (r *Runner) keepHabit(ctx context.Context, req *Request) {
	h, news := r.limits.news(agentClient{req.Agent.ID, req.Client})
	if !news || r.opts.Habits == nil {
		return
	}
	if err := r.opts.Habits.KeepClientHabit(context.WithoutCancel(ctx), h); err != nil {
		r.opts.Logger.Error("keep how long a client waits", "client", req.Client, "error", err)
	}
}

// Patience is how long the client of a request waits: as a person set it, else as the door
// knows, or as the client was seen to wait: less, or more where the known limit is not hard.
func (r *Runner) Patience(req *Request, known time.Duration, hard bool) time.Duration {
	r.limits.back(req)
	if set, ok := r.desk.ClientPatience(req.Client); ok {
		return set
	}
	return r.limits.of(agentClient{req.Agent.ID, req.Client}, known, hard)
}

// Run takes a request to its end, and tells the caller of it. ctx ends when the caller
// leaves; a call that is claimed is then still executed and recorded to its end.
func (r *Runner) Run(ctx context.Context, req Request, executor Executor, voice Voice) {
	ctx, end, err := r.turns.take(ctx, &req)
	if err != nil {
		voice.Failed(err)
		return
	}
	defer end()
	r.keepHabit(ctx, &req) // of its coming back
	defer r.keepHabit(ctx, &req)
	a := &attempt{Runner: r, key: uuid.NewString(), came: time.Now(), req: req, executor: executor, voice: voice}
	switch {
	case !a.ask(ctx):
	case a.created && a.call.Status == permission.Claimed && a.call.ClaimKey == a.claimRequest(a.call.ToolCallID).Key:
		a.executeAllowed(ctx)
	default:
		until := req.Began.Add(req.Patience - margin(req.Patience))
		for a.settle(ctx, until) {
		}
	}
}

// attempt is one request on its way through the desk.
type attempt struct {
	*Runner
	key      string // of its claim
	came     time.Time
	req      Request
	executor Executor
	voice    Voice
	call     permission.Call // as the desk last told it
	created  bool            // by this attempt
}

// ask brings the call to the desk, and claims it where a rule allows it; false when it was
// not taken. The call is asked for to the end even if the caller leaves meanwhile: else
// nobody knew whether it is there.
func (a *attempt) ask(ctx context.Context) bool {
	err := a.question(ctx)
	var e *permission.Error
	switch {
	case err == nil:
		return true
	case !errors.As(err, &e):
		a.opts.Logger.Error("ask for a call", "tool", a.req.Call.ToolName, "error", err)
		a.voice.Failed(errors.New("the desk could not take the call: nothing was executed"))
	case e.Code == permission.CodeTooMany:
		a.voice.Refused(Refusal{Code: string(e.Code), Words: tooMany(e)}) // whoever is gone has missed nothing
	default:
		a.voice.Failed(fmt.Errorf("the desk did not take the call: %w", e))
	}
	return false
}

// question puts the request to the desk.
func (a *attempt) question(ctx context.Context) (err error) {
	q := a.req.Call
	q.Held, q.Patience = true, permission.TimeOf(a.req.Began.Add(a.req.Patience))
	if a.req.Elsewhere == nil {
		q.Claim = a.claimRequest("")
	}
	a.call, a.created, err = a.desk.Ask(context.WithoutCancel(ctx), a.req.Agent, q)
	return err
}

// settle waits for the call's answer and acts on it; true says that it moved on meanwhile: the
// rules sent it back to wait when it was about to run, or a program elsewhere came to it.
func (a *attempt) settle(ctx context.Context, until time.Time) (again bool) {
	if a.call.Status == permission.Pending {
		if err := a.wait(ctx, until); err != nil {
			return a.letGo(ctx, err)
		}
	}
	switch {
	case a.req.Elsewhere != nil && !a.call.InputWiped && (a.call.Status == permission.Approved || ranElsewhere(a.call.Status)):
		return a.elsewhere(ctx, until)
	case a.opts.HandsOver && a.call.Status == permission.Claimed: // by another caller of it
	case a.call.Status != permission.Approved:
		if a.decided(&a.call) != nil {
			a.leave(ctx) // a decline that was not heard still answers later
		}
		return false
	case ctx.Err() != nil:
		return a.letGo(ctx, context.Cause(ctx))
	}
	return a.execute(ctx)
}

// decided tells the caller that the call was settled without being executed for it.
func (a *attempt) decided(call *permission.Call) error {
	return a.voice.Refused(Refusal{Code: string(call.Status), Call: call, Words: call.Refusal()})
}
