package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// sdkEnv makes the test binary be a server made with the SDK.
const sdkEnv = "GATEWAY_SDK_SERVER"

type greeting struct {
	Name string `json:"name"`
}

// serveSDK offers greet, which reports progress and logs before it answers, and
// asks, which asks its client for a word; a resource of which greet brings news, a
// template and a prompt.
func serveSDK() {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Ref.Name + r.Params.Ref.URI}}}, nil
		},
	})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "of " + os.Getenv(sdkEnv)}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "book", URI: "sdk:///book"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "page", URITemplate: "sdk:///page/{n}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "verse"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "of " + os.Getenv(sdkEnv)}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "greet", Description: "greets"},
		func(ctx context.Context, r *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				for i := range 3 {
					r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)})
				}
			}
			s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "sdk:///book"})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + in.Name}}}, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "asks"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		// With sessions the SDK asks while the call runs, without them by a second round.
		word, said := r.Params.InputResponses["word"].(*mcp.ElicitResult)
		if !said {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"word": &mcp.ElicitParams{Message: "say a word"}}}, nil, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you " + word.Action}}}, nil, nil
	})
	s.Run(context.Background(), &mcp.StdioTransport{})
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestSDK: the SDK's client before the SDK's server, in both eras.
func TestSDK(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { speakSDK(t, version) })
	}
}

func speakSDK(t *testing.T, version string) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: 10 * time.Second})
	h.desk.servers["sdk"] = permission.Server{ID: "sdk", Command: os.Args[0], Enabled: true,
		Env: map[string]string{sdkEnv: "1", "GORACE": "atexit_sleep_ms=0"}}
	h.desk.allow["asks"] = true
	var reports, disorder atomic.Int64
	var before float64 // the SDK calls its handlers one after the other
	agent := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if reports.Add(1); r.Params.Progress <= before {
				disorder.Add(1)
			}
			before = r.Params.Progress
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	session, err := agent.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: h.url("sdk"),
		HTTPClient: &http.Client{Transport: bearer("a")}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if v := session.InitializeResult().ProtocolVersion; v != version {
		t.Errorf("protocol version %s", v)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 2 {
		t.Fatalf("tools: %v, %v", tools, err)
	}
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "asks"})
	if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != "you decline" {
		t.Errorf("asks: %+v, %v", r, err)
	}
	params := &mcp.CallToolParams{Name: "greet", Arguments: greeting{"you"}}
	params.SetProgressToken("p")
	go func() {
		waiting := h.desk.awaitStatus(t, permission.Pending)
		for reports.Load() < 4 { // of the gateway's own; the server's come after them
			time.Sleep(beat)
		}
		h.desk.decide(waiting.ID, permission.Approved, "")
	}()
	r, err = session.CallTool(ctx, params)
	for deadline := time.Now().Add(5 * time.Second); reports.Load() < 6 && time.Now().Before(deadline); time.Sleep(beat) {
		continue // the SDK's client hands notifications on by another way than answers
	}
	if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != "hello you" || reports.Load() < 6 || disorder.Load() > 0 {
		t.Errorf("greet: %+v, %v, %d reports, %d in disorder", r, err, reports.Load(), disorder.Load())
	}
	impatient, giveUp := context.WithTimeout(ctx, 5*beat)
	defer giveUp()
	if _, err := session.CallTool(impatient, params); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	if left := h.desk.awaitGone(t); left.Status != permission.Pending {
		t.Errorf("the call is %s", left.Status)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if _, err := agent.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: h.url("nowhere"),
		HTTPClient: &http.Client{Transport: bearer("a")}}, nil); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("a server that is not there: %v", err)
	}
}
