// Package executor runs the tools of a workspace where its files are, for a desk that has them not:
// it hears of calls that were approved, claims each, runs it, and reports what came of it.
//
// It runs what the desk holds as approved, by its hash, and nothing else; the program of the tools
// judges the call once more. A call that another executor has claimed is left to it, and so is one
// that was claimed here before: nothing runs twice.
package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/restclient"
	"sekisho/backend/tool"
)

// Run runs a tool, and gives its result.
type Run func(ctx context.Context, tool string, input []byte) (tool.Result, error)

// Executor serves one project of a desk.
type Executor struct {
	Desk    *restclient.Client
	Project string
	Run     Run
	Logger  *slog.Logger
	Retry   time.Duration // after which the desk is asked again; 0 is 2 s
}

// Bounds of what an executor does.
const (
	maxSignal  = 40 << 20                                     // bytes of one event
	atOnce     = 8                                            // calls that run at the same time
	claimFor   = time.Minute                                  // as long as the desk waits for a claim
	tellFor    = guard.MaxTimeout*time.Second + 3*time.Minute // longer than any lease: a result is taken after it, too
	leaveFor   = 2 * time.Minute                              // of that, once the executor is told to end
	signalName = "TOOL_EXECUTION_SIGNAL"
)

// signal is a call that may be claimed.
type signal struct {
	ToolID    permission.CallID `json:"tool_id"`
	ToolName  string            `json:"tool_name"`
	Params    json.RawMessage   `json:"tool_params"`
	InputHash string            `json:"input_hash"`
}

// Projects lists the projects that the token of a client serves.
func Projects(ctx context.Context, desk *restclient.Client) (all []string, err error) {
	var out struct {
		Projects []struct {
			ID        string               `json:"project_id"`
			Execution permission.Execution `json:"execution"`
		} `json:"projects"`
	}
	err = desk.Do(ctx, http.MethodGet, "/my/projects", nil, &out)
	for _, p := range out.Projects {
		if p.Execution == permission.ExecutionClient {
			all = append(all, p.ID)
		}
	}
	return all, err
}

// Serve hears of calls and runs them until ctx ends, or the desk does not take the token any more.
// What runs then is ended, and reported.
func (x *Executor) Serve(ctx context.Context, began func()) error {
	if x.Retry <= 0 {
		x.Retry = 2 * time.Second
	}
	var busy sync.WaitGroup
	defer busy.Wait()
	turns := make(chan struct{}, atOnce)
	path := "/my/projects/" + url.PathEscape(x.Project) + "/events"
	for {
		err := x.Desk.Stream(ctx, path, maxSignal, began, func(name string, data []byte) {
			var s signal
			if name != signalName || json.Unmarshal(data, &s) != nil {
				return
			}
			busy.Go(func() {
				select {
				case turns <- struct{}{}:
					defer func() { <-turns }()
					x.handle(ctx, &s)
				case <-ctx.Done():
				}
			})
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case final(err):
			return err
		}
		x.Logger.Warn("the desk cannot be heard, and is asked again", "error", err)
		select {
		case <-time.After(x.Retry):
		case <-ctx.Done():
			return nil
		}
	}
}

// handle claims a call, runs it and reports the result.
func (x *Executor) handle(ctx context.Context, s *signal) {
	if ctx.Err() != nil {
		return // it is for whoever comes next
	}
	hash, err := rawjson.Hash(&x.Project, s.ToolName, s.Params)
	if err == nil && hash != s.InputHash {
		err = errors.New("its parameters are not those that were approved")
	}
	if err != nil {
		x.Logger.Error("a call is not run", "call", s.ToolID, "error", err)
		return
	}
	var claimed restclient.CallAnswer
	err = x.tell(ctx, claimFor, restclient.CallPath(s.ToolID)+"/claim",
		map[string]string{"inputHash": hash, "claimant": "sekisho executor", "claimKey": uuid.NewString()}, &claimed)
	if err != nil || claimed.Call.ClaimID == nil {
		var p *restclient.Problem
		if !errors.As(err, &p) || p.Status != http.StatusConflict { // else another has it, or it is over
			x.Logger.Warn("a call cannot be claimed", "call", s.ToolID, "error", err)
		}
		return
	}
	x.Logger.Info("run", "tool", s.ToolName, "call", s.ToolID)
	result, err := x.Run(ctx, s.ToolName, s.Params)
	if err != nil {
		x.Logger.Error("a call is left in doubt", "call", s.ToolID, "error", err)
		return // the desk says so once its lease is over
	}
	x.report(ctx, s.ToolID, *claimed.Call.ClaimID, result)
}

// report tells the desk what came of a call: the same again is no error.
func (x *Executor) report(ctx context.Context, id permission.CallID, claim permission.ClaimID, result tool.Result) {
	body := struct {
		ClaimID permission.ClaimID `json:"claim_id"`
		tool.Result
	}{claim, result}
	path := fmt.Sprintf("/my/projects/%s/tools/%s/result", url.PathEscape(x.Project), url.PathEscape(string(id)))
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(leaveFor, cancel) })()
	if err := x.tell(longer, tellFor, path, body, nil); err != nil {
		x.Logger.Error("a result was not taken", "call", id, "error", err)
	}
}

// tell posts to the desk until that answers, also where it is away for a while: an answer that was lost
// may have been a yes, and who asks the same again has it again.
func (x *Executor) tell(ctx context.Context, within time.Duration, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		err := x.Desk.Do(ctx, http.MethodPost, path, body, out)
		if err == nil || ctx.Err() != nil || final(err) {
			return err
		}
		select {
		case <-time.After(x.Retry):
		case <-ctx.Done():
		}
	}
}

// final reports whether the desk has answered, and would say the same again.
func final(err error) bool {
	var p *restclient.Problem
	return errors.As(err, &p) && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests
}
