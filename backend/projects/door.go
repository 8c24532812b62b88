package projects

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Calls is what the door needs of the life of calls beside what the call runner needs.
type Calls interface {
	attend.Desk
	Call(ctx context.Context, who permission.Party, id permission.CallID) (permission.Call, error)
	List(ctx context.Context, who permission.Party, f permission.CallFilter) (calls []permission.Call, next int64, rev int64, err error)
	// Unclaimed lets a call expire that was approved, and that no client came to execute.
	Unclaimed(ctx context.Context, id permission.CallID) (permission.Call, error)
}

// Desk is what else it needs of the desk.
type Desk interface {
	Server(ctx context.Context, id string) (permission.Server, error)
	Servers(ctx context.Context) ([]permission.Server, error)
	Settings(ctx context.Context) (permission.Settings, error)
	Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error)
	Subscribe() (events <-chan permission.Event, stop func())
	Now() permission.Time
}

// Run runs a call of a workspace in a process of its own, and gives its result as MCP has it. shown is
// the version of a file that a person was shown, and "" none.
// ErrUnknown of package trial says that nobody knows what became of it.
type Run func(ctx context.Context, s permission.Server, c *permission.Call, shown string) (result []byte, err error)

// Options of a door. Without Run no workspace is executed at the desk.
type Options struct {
	Run       Run
	Executors func(token string) (permission.Executor, bool) // the executor of a token that still is one
	Gone      time.Duration                                  // after which an agent that has not asked is gone; 0 is 60 s
	Unclaimed time.Duration                                  // after which a call is no longer held for a client to claim; 0 is 60 s
	Logger    *slog.Logger                                   // nil is slog.Default

	// Usable reports whether an agent may use a tool of a workspace at all, by its table; nil: it may.
	Usable func(agent permission.Agent, serverID, tool string) bool
}

// Door serves /my/projects/. It is safe for use by many goroutines.
type Door struct {
	calls   Calls
	desk    Desk
	opts    Options
	runner  *attend.Runner
	lanes   *restwire.Lanes // of the API that the rows are added to
	news    *news
	closing context.Context
	close   context.CancelFunc
	busy    sync.WaitGroup

	mu    sync.Mutex
	there map[permission.CallID]*presence
}

// lease is how long the desk's own execution has the right to execute: longer than any tool runs.
const lease = 6 * time.Minute

// New makes a door before a desk. Close it before the desk.
func New(calls Calls, desk Desk, opts Options) *Door {
	opts.Gone, opts.Unclaimed = cmp.Or(opts.Gone, time.Minute), cmp.Or(opts.Unclaimed, time.Minute)
	opts.Logger = cmp.Or(opts.Logger, slog.Default())
	if opts.Executors == nil {
		opts.Executors = func(string) (e permission.Executor, ok bool) { return e, false }
	}
	if opts.Usable == nil {
		opts.Usable = func(permission.Agent, string, string) bool { return true }
	}
	d := &Door{calls: calls, desk: desk, opts: opts, there: map[permission.CallID]*presence{},
		news:   &news{of: map[permission.CallID][]chan struct{}{}},
		runner: attend.New(calls, attend.Options{Claimant: "workspace", Lease: lease, Logger: opts.Logger})}
	d.closing, d.close = context.WithCancel(context.Background())
	d.busy.Go(func() { d.news.listen(d.closing, desk.Subscribe) })
	return d
}

// Close ends waits, streams and what runs. Calls whose agents wait are left at the desk.
func (d *Door) Close() {
	if d == nil {
		return
	}
	d.close()
	d.busy.Wait()
}

// workspace gives the workspace of a project, to an agent of a user who sees it, to an executor that
// serves it, and to a person; else it is as unknown as one that never was.
func (d *Door) workspace(ctx context.Context, who caller, project string) (permission.Server, error) {
	s, err := d.desk.Server(ctx, project)
	switch {
	case err != nil && !isNotFound(err):
		return s, err
	case err != nil, !s.IsWorkspace(), !s.Enabled, !who.sees(&s):
		return permission.Server{}, permission.NotFound("project")
	}
	return s, nil
}

// call gives a call of a project to who may see it.
func (d *Door) call(ctx context.Context, who caller, project string, id permission.CallID) (
	c permission.Call, s permission.Server, err error) {
	if s, err = d.workspace(ctx, who, project); err != nil {
		return c, s, err
	}
	party := who.Party
	if who.Executor != nil {
		party = permission.Operator() // its projects' calls are checked here
	}
	c, err = d.calls.Call(ctx, party, id)
	if err == nil && (c.ServerID == nil || *c.ServerID != project || c.Method != permission.CallTool) {
		err = permission.NotFound("call")
	}
	return c, s, err
}
