package rest

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/agentbook"
	"sekisho/backend/executors"
	"sekisho/backend/permission"
	"sekisho/backend/projects"
	"sekisho/backend/restwire"
)

// tokenX is an executor's.
const tokenX = "ske_X"

// fewExecutors has one executor, of the project p.
type fewExecutors struct{}

func served1() *executors.Executors {
	return executors.New(context.Background(), fewExecutors{}, func() permission.Time { return 1700000000123 }, slog.New(slog.DiscardHandler))
}

func (fewExecutors) Executors(context.Context) (map[string]permission.Executor, error) {
	return map[string]permission.Executor{agentbook.TokenHash(tokenX): {ID: "x", Name: "laptop", ProjectIDs: []string{"p"}}}, nil
}

func (fewExecutors) AddExecutor(context.Context, permission.Executor, string, permission.Entry) error {
	return nil
}

func (fewExecutors) DeleteExecutor(_ context.Context, id permission.ExecutorID, _ permission.Entry) error {
	if id != "x" {
		return permission.NotFound("executor")
	}
	return nil
}

// fewProjects is a desk with one workspace, p, and one call of it.
type fewProjects struct{ *fakeDesk }

func someProjects(t interface{ Cleanup(func()) }) *projects.Door {
	d := fewProjects{newFake()}
	door := projects.New(d, d, projects.Options{Executors: served1().Token, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(door.Close)
	return door
}

func (fewProjects) Now() permission.Time { return 1700000000123 }

func (fewProjects) Server(_ context.Context, id string) (permission.Server, error) {
	if id != "p" {
		return permission.Server{}, permission.NotFound("server")
	}
	return permission.Server{ID: "p", Transport: permission.TransportWorkspace, Execution: permission.ExecutionClient, Enabled: true}, nil
}

func (d fewProjects) Servers(ctx context.Context) ([]permission.Server, error) {
	p, err := d.Server(ctx, "p")
	return []permission.Server{p}, err
}

// Call gives a completed call of p, which an executor has claimed.
func (d fewProjects) Call(_ context.Context, _ permission.Party, id permission.CallID) (permission.Call, error) {
	if id != "call-a" {
		return permission.Call{}, permission.NotFound("call")
	}
	return permission.Call{ID: id, ServerID: new("p"), Method: permission.CallTool, ToolName: "tool_read_file", Status: permission.Completed,
		Risk: permission.RiskLow, ClaimKey: "executor:x:k"}, nil
}

func (d fewProjects) Ask(ctx context.Context, _ permission.Agent, _ permission.Request) (permission.Call, bool, error) {
	c, err := d.Call(ctx, permission.Operator(), "call-a")
	return c, true, err
}

func (d fewProjects) Finish(ctx context.Context, _ permission.Agent, id permission.CallID, _ permission.Outcome) (permission.Call, error) {
	return d.Call(ctx, permission.Operator(), id)
}

func (fewProjects) Leave(context.Context, permission.Agent, permission.CallID) (c permission.Call, err error) {
	return c, nil
}

func (fewProjects) Doubt(context.Context, permission.Agent, permission.CallID, permission.ClaimID) (c permission.Call, err error) {
	return c, nil
}

func (fewProjects) Unclaimed(context.Context, permission.CallID) (c permission.Call, err error) {
	return c, nil
}

// TestAnExecutorDoesNothingElse: each row that is not for executors refuses one, before the desk is asked.
func TestAnExecutorDoesNothingElse(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if len(op.Security) == 0 || admits(op, restwire.Executors) {
			return
		}
		for _, body := range []string{c.body, "", "{"} {
			if got := c.send(s, tokenX, body); got.status != 403 {
				t.Errorf("with %q: %d %s", body, got.status, got.body)
			}
		}
		if s.desk.touched() > 0 {
			t.Errorf("the desk was asked: %v", s.desk.counts)
		}
	})
	s := newSite(t, func(o *Options) {
		o.Gateway = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the gateway was reached") })
	})
	if got := s.send("POST", "/mcp/p", tokenX, "{}"); got.status != 403 {
		t.Errorf("the gateway: %d", got.status)
	}
}

// TestProjectsOfOthersAreUnknown: the same bytes for a project or a call that is another's and one that never was.
func TestProjectsOfOthersAreUnknown(t *testing.T) {
	s := newSite(t, nil)
	for _, paths := range [][2]string{
		{"/my/projects/secret/tools/call-a", "/my/projects/nope/tools/call-a"},
		{"/my/projects/p/tools/call-b", "/my/projects/p/tools/nope"},
	} {
		one, other := s.send("GET", paths[0], tokenA, ""), s.send("GET", paths[1], tokenA, "")
		if one.status != 404 || string(one.body) != string(other.body) {
			t.Errorf("%s: %d %s and %s", paths[0], one.status, one.body, other.body)
		}
	}
}

func (fewProjects) Answerable(context.Context, permission.CallID) error { return nil }

func (fewProjects) ClientPatience(string) (time.Duration, bool) { return 0, false }
