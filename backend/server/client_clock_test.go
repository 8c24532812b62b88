package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/pipetest"
	"sekisho/backend/rest"
)

// bubble is a desk with all its doors inside a bubble of synctest, so that no minute is really waited for. It
// has one workspace that a client executes, an agent, and the token of an executor.
type bubble struct {
	*testing.T
	server          *Server
	web             *http.Transport
	began           time.Time
	agent, executor string
	client          *mcp.ClientSession
	notes           []string // of progress
}

func inBubble(t *testing.T, test func(*bubble)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := pipetest.New()
		b := &bubble{T: t, began: time.Now(), web: &http.Transport{DialContext: p.Dial}}
		b.open(dir, p)
		test(b)
		if b.client != nil {
			b.client.Close()
		}
		b.web.CloseIdleConnections()
		if err := b.server.Close(); err != nil {
			t.Error(err)
		}
	})
}

func (b *bubble) open(dir string, p *pipetest.Listener) {
	b.Helper()
	ctx := b.Context()
	c := Config{Data: dir, DeskFile: dir, Operator: rest.NewOperator("operators-own"), Logger: slog.New(slog.DiscardHandler)}
	b.server = &Server{config: c, URL: "http://localhost", listener: p, deskFile: dir, log: c.Logger, failed: make(chan error, 1)}
	err := b.server.Open(ctx)
	if err != nil {
		b.Fatal(err)
	}
	place := permission.Server{ID: "ws", Transport: permission.TransportWorkspace, Cwd: "/home/ada/web",
		Execution: permission.ExecutionClient, Enabled: true}
	if _, _, err = b.server.Desk.Catalogue.ReplaceServers(ctx, "", []permission.Server{place}); err != nil {
		b.Fatal(err)
	}
	if _, b.agent, err = b.server.Desk.Catalogue.CreateAgent(ctx, "coder"); err != nil {
		b.Fatal(err)
	}
	if _, b.executor, err = b.server.executors.Create(ctx, "laptop", []string{"ws"}); err != nil {
		b.Fatal(err)
	}
}

// after reports how long the test has run, by the bubble's clock.
func (b *bubble) after() time.Duration { return time.Since(b.began) }

// bearing sends requests with a token.
type bearing struct {
	web   *http.Transport
	token string
}

func (t bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+t.token)
	return t.web.RoundTrip(r)
}

// as makes a request with a token, and reads into out what is answered.
func (b *bubble) as(token, row, body string, out any) (status int) {
	b.Helper()
	method, path, _ := strings.Cut(row, " ")
	req, err := http.NewRequestWithContext(b.Context(), method, b.server.URL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := bearing{b.web, token}.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && out != nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		b.Fatalf("%s: %v: %s", row, err, raw)
	}
	return resp.StatusCode
}

// connect connects the official client.
func (b *bubble) connect() {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if len(b.notes) == 0 || b.notes[len(b.notes)-1] != r.Params.Message {
				b.notes = append(b.notes, r.Params.Message)
			}
		}})
	var err error
	b.client, err = client.Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: b.server.URL + "/mcp/ws",
		HTTPClient: &http.Client{Transport: bearing{b.web, b.agent}}, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
}

// heardBack is what the client was told of a call.
type heardBack struct {
	text string
	bad  bool
}

// write asks for a write, over MCP.
func (b *bubble) write(ctx context.Context) <-chan heardBack {
	got := make(chan heardBack, 1)
	p := &mcp.CallToolParams{Name: guard.WriteFile, Arguments: map[string]any{"path": "a.txt", "content": "x"}}
	p.SetProgressToken("p")
	go func() {
		r, err := b.client.CallTool(ctx, p)
		if err != nil {
			got <- heardBack{err.Error(), true}
			return
		}
		got <- heardBack{r.Content[0].(*mcp.TextContent).Text, r.IsError}
	}()
	return got
}

// call is the one call that there is.
func (b *bubble) call() permission.Call {
	b.Helper()
	synctest.Wait()
	calls, _, _, err := b.server.Desk.Calls.List(b.Context(), permission.Operator(), permission.CallFilter{Limit: 2})
	if err != nil || len(calls) != 1 {
		b.Fatalf("%d calls: %v", len(calls), err)
	}
	return calls[0]
}

func (b *bubble) approve() permission.Call {
	b.Helper()
	c := b.call()
	c, _, _, err := b.server.Desk.Calls.Decide(b.Context(), c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// claim claims the call as the executor; "" is that it was not given.
func (b *bubble) claim() (claim string, status int) {
	b.Helper()
	c := b.call()
	var out struct{ Call struct{ ClaimID string } }
	status = b.as(b.executor, "POST /v1/calls/"+string(c.ID)+"/claim",
		fmt.Sprintf(`{"inputHash":%q,"claimant":"x","claimKey":"k"}`, c.InputHash), &out)
	return out.Call.ClaimID, status
}

func (b *bubble) report(claim string) int {
	b.Helper()
	return b.as(b.executor, "POST /my/projects/ws/tools/"+string(b.call().ID)+"/result",
		fmt.Sprintf(`{"claim_id":%q,"success":true,"path":"a.txt","size":1}`, claim), nil)
}

// shown is the call as its agent sees it over REST.
func (b *bubble) shown(wait int) (out struct{ Status, Error string }) {
	b.Helper()
	b.as(b.agent, fmt.Sprintf("GET /my/projects/ws/tools/%s?wait=%d", b.call().ID, wait), "", &out)
	return out
}

// TestACallThatNoClientComesFor expires a minute after the yes. Its client is told PENDING before its patience
// ends, and of what.
func TestACallThatNoClientComesFor(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.connect()
		got := b.write(b.Context())
		time.Sleep(10 * time.Second)
		b.approve()
		if a := <-got; !a.bad || !strings.HasPrefix(a.text, "PENDING") || !strings.Contains(a.text, "no client") || b.after() != 48*time.Second {
			t.Errorf("after %v: %+v", b.after(), a)
		}
		if a := <-b.write(b.Context()); !a.bad || !strings.Contains(a.text, "no client holds this workspace") || b.after() != 70*time.Second {
			t.Errorf("after %v: %+v", b.after(), a)
		}
		if c := b.call(); c.Status != permission.Expired || c.Decision.By != permission.ByClock || c.Decision.Code != permission.ReasonNoClient {
			t.Errorf("the call is %s by %+v", c.Status, c.Decision)
		}
		if s := b.shown(0); s.Status != "rejected" || s.Error != "no client holds this workspace" {
			t.Errorf("over REST: %+v", s)
		}
		if _, status := b.claim(); status != http.StatusConflict {
			t.Errorf("a claim too late: %d", status)
		}
	})
}

// TestWhereACallOfAClientIs: progress says what is true at each step.
func TestWhereACallOfAClientIs(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.connect()
		got := b.write(b.Context())
		time.Sleep(12 * time.Second)
		b.approve()
		time.Sleep(12 * time.Second)
		claim, _ := b.claim()
		time.Sleep(50 * time.Second) // beyond the client's patience: it runs
		if status := b.report(claim); status != http.StatusOK {
			t.Errorf("a result: %d", status)
		}
		if a := <-got; a.bad || !strings.Contains(a.text, `"path":"a.txt"`) {
			t.Errorf("the client is told %+v", a)
		}
		synctest.Wait()
		want := []string{"Waiting for a person at Sekisho (tool_write_file)", "Approved, waiting for a client that holds the files (tool_write_file)",
			"Running at the client that holds the files (tool_write_file)"}
		if !slices.Equal(b.notes, want) {
			t.Errorf("progress:\n%s", strings.Join(b.notes, "\n"))
		}
	})
}

// TestACancelledCallOfAClient is executed by nobody, but where it runs already: then its result is kept.
func TestACancelledCallOfAClient(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.connect()
		ctx, cancel := context.WithCancel(b.Context())
		got := b.write(ctx)
		synctest.Wait()
		b.approve()
		cancel()
		<-got
		if c := b.call(); c.Status != permission.Approved || !c.CallerGone {
			t.Errorf("the call is %s, its caller gone: %v", c.Status, c.CallerGone)
		}
		if _, status := b.claim(); status != http.StatusConflict {
			t.Errorf("a claim of a call that nobody waits for: %d", status)
		}
		ctx, cancel = context.WithCancel(b.Context())
		got = b.write(ctx) // which takes it up again
		synctest.Wait()
		claim, status := b.claim()
		cancel()
		<-got
		if again := b.report(claim); status != http.StatusOK || again != http.StatusOK || b.call().Status != permission.Completed {
			t.Errorf("claim %d, result %d: %s", status, again, b.call().Status)
		}
	})
}

// TestALostExecutor leaves a call in doubt once its lease is over, which is its timeout and 30 s.
func TestALostExecutor(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.connect()
		got := b.write(b.Context())
		synctest.Wait()
		b.approve()
		if _, status := b.claim(); status != http.StatusOK {
			t.Fatalf("claim: %d", status)
		}
		if a := <-got; !a.bad || !strings.Contains(a.text, "not known whether the call ran") || b.after() != time.Minute {
			t.Errorf("after %v: %+v", b.after(), a)
		}
		if s := b.shown(0); s.Status != "failed" || s.Error != "may have run; do not repeat" {
			t.Errorf("over REST: %+v", s)
		}
	})
}

// TestADeadlineIsWarnedOf a minute before it, and then the call expires.
func TestADeadlineIsWarnedOf(t *testing.T) {
	inBubble(t, func(b *bubble) {
		req, err := http.NewRequestWithContext(b.Context(), "GET", b.server.URL+"/my/projects/ws/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := bearing{b.web, "operators-own"}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var heard, said []string
		go func() {
			for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				if name, is := strings.CutPrefix(lines.Text(), "event: "); is {
					heard = append(heard, fmt.Sprintf("%v %s", b.after(), name))
				}
				if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
					said = append(said, data)
				}
			}
		}()
		b.as(b.agent, "POST /my/projects/ws/tools/execute", `{"tool_name":"tool_write_file","tool_params":{"path":"a.txt","content":"x"}}`, nil)
		last := b.shown(50)
		for b.after() < 6*time.Minute && last.Status == "pending" {
			last = b.shown(50)
		}
		if last.Status != "rejected" || last.Error != "Approval timeout" || b.after() != 5*time.Minute {
			t.Errorf("after %v: %+v", b.after(), last)
		}
		synctest.Wait()
		if want := []string{"0s TOOL_APPROVAL_REQUEST", "4m0s TOOL_APPROVAL_WARNING", "5m0s TOOL_RESULT_ACK"}; !slices.Equal(heard, want) {
			t.Errorf("heard %q", heard)
		}
		if len(said) < 2 || said[0] != said[1] || !strings.Contains(said[1], `"timeout_seconds":300`) {
			t.Errorf("the warning is not what the request was:\n%s", strings.Join(said, "\n"))
		}
	})
}
