//lint:file-ignore SA1019 logging is deprecated in 2026-07-28, and bridged as long as it is there.

package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// eraEnv makes the test binary be a server of the SDK that speaks some versions of MCP alone.
const eraEnv = "GATEWAY_ERA_SERVER"

// eras are the two in which clients and servers speak, by a version of each.
var eras = []string{"2025-11-25", "2026-07-28"}

// newEraServer is a server that speaks one era.
func newEraServer(version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "of " + version, Version: "1"}, &mcp.ServerOptions{
		Instructions: "be kind", SupportedProtocolVersions: []string{version},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "!"}}}, nil
		},
	})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "initialize" && version == eras[1] {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no initialize: this server speaks 2026-07-28"}
			}
			return next(ctx, method, r)
		}
	})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "once"}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "book", URI: "era:///book"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "verse"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "a verse"}, nil
	})
	text := func(format string, args ...any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}, nil, nil
	}
	type result = *mcp.CallToolResult
	mcp.AddTool(s, &mcp.Tool{Name: "greet"}, func(ctx context.Context, r *mcp.CallToolRequest, in greeting) (result, any, error) {
		for i := range 3 {
			if token := r.Params.GetProgressToken(); token != nil {
				r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1)})
			}
			r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "working"})
		}
		r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "debug", Data: "too much"})
		return text("hello %s", in.Name)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "asks"}, func(_ context.Context, r *mcp.CallToolRequest, in greeting) (result, any, error) {
		word, said := r.Params.InputResponses["word"].(*mcp.ElicitResult)
		if !said {
			schema := map[string]any{"type": "object", "properties": map[string]any{"w": map[string]any{"type": "string"}}}
			asks := mcp.InputRequestMap{"word": &mcp.ElicitParams{Message: "say a word", RequestedSchema: schema}}
			return &mcp.CallToolResult{InputRequests: asks, RequestState: "state of " + in.Name}, nil, nil
		}
		return text("%s %s %v", in.Name, word.Action, word.Content["w"])
	})
	mcp.AddTool(s, &mcp.Tool{Name: "changes"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ greeting) (result, any, error) {
		s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "era:///book"})
		s.AddPrompt(&mcp.Prompt{Name: "new"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, errors.New("none")
		})
		return text("changed")
	})
	return s
}

// eraEntry puts a server of one era behind the desk, over a transport.
func (h *house) eraEntry(version string, transport permission.ServerTransport) {
	h.desk.servers["era"] = permission.Server{ID: "era", Transport: transport, Command: os.Args[0], Enabled: true,
		Env: map[string]string{eraEnv: version, "GORACE": "atexit_sleep_ms=0"}}
	if transport == permission.TransportHTTP {
		s := newEraServer(version)
		far := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
			Stateless: version == eras[1]}))
		h.t.Cleanup(func() { far.CloseClientConnections(); far.Close() })
		h.desk.servers["era"] = permission.Server{ID: "era", Transport: transport, URL: far.URL, Enabled: true}
	}
	for _, tool := range []string{"greet", "asks", "changes", "era:///book", "verse"} {
		h.desk.allow[tool] = true
	}
}

// eraClient is a client of the SDK that speaks one era, with what it was told.
type eraClient struct {
	*mcp.ClientSession
	mu   sync.Mutex
	told []string
}

func (c *eraClient) tell(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

// has waits until the client was told something so many times.
func (c *eraClient) has(t *testing.T, what string, times int) {
	t.Helper()
	count := func() (n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, said := range c.told {
			if said == what {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(20 * time.Second); count() != times; time.Sleep(beat) {
		if time.Now().After(deadline) {
			t.Errorf("told %q, want %q %d times", c.told, what, times)
			return
		}
	}
}

func (h *house) eraClient(ctx context.Context, path, version string, elicits bool) *eraClient {
	h.t.Helper()
	c := &eraClient{}
	opts := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.tell("progress %v %v", r.Params.ProgressToken, r.Params.Progress)
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			c.tell("log %s %v", r.Params.Level, r.Params.Data)
		},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			c.tell("updated %s", r.Params.URI)
		},
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { c.tell("prompts changed") },
	}
	if elicits {
		opts.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.tell("asked %s", r.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"w": "yes"}}, nil
		}
	}
	var err error
	c.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, opts).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: h.http.URL + path, HTTPClient: &http.Client{Transport: bearer("a")}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	if v := c.InitializeResult().ProtocolVersion; v != version {
		h.t.Fatalf("speaks %s", v)
	}
	return c
}

// TestErasAreBridged is the matrix of client's era, server's era, transport, and what is asked for.
func TestErasAreBridged(t *testing.T) {
	for _, client := range eras {
		for _, server := range eras {
			for _, transport := range []permission.ServerTransport{permission.TransportStdio, permission.TransportHTTP} {
				t.Run(fmt.Sprintf("%s client, %s server, %s", client, server, transport), func(t *testing.T) {
					t.Parallel()
					h := newHouse(t, gateway.Options{Patience: time.Minute})
					h.eraEntry(server, transport)
					h.bridged(client, server, "/mcp/era", "")
				})
				t.Run(fmt.Sprintf("%s client, all servers, one of %s, %s", client, server, transport), func(t *testing.T) {
					t.Parallel()
					h := newHouse(t, gateway.Options{Patience: time.Minute})
					delete(h.desk.servers, fixtureID)
					h.eraEntry(server, transport)
					h.bridged(client, server, "/mcp", "era__")
				})
			}
		}
	}
}

// TestClientsThatCanOtherThings: each is asked what it can answer, whoever of its agent came first.
func TestClientsThatCanOtherThings(t *testing.T) {
	for _, path := range []string{"/mcp/era", "/mcp"} {
		for _, transport := range []permission.ServerTransport{permission.TransportStdio, permission.TransportHTTP} {
			h := newHouse(t, gateway.Options{Patience: time.Minute})
			delete(h.desk.servers, fixtureID)
			h.eraEntry(eras[0], transport)
			tool := map[string]string{"/mcp/era": "asks", "/mcp": "era__asks"}[path]
			for i, elicits := range []bool{false, true, false, true} {
				c := h.eraClient(t.Context(), path, eras[1], elicits)
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: greeting{"you"}})
				if answered := err == nil && !r.IsError; answered != elicits {
					t.Errorf("%s, %s, client %d: %+v, %v", path, transport, i, r, err)
				}
			}
		}
	}
}

// TestErasAreTried: who tries a server before it is saved finds its tools, whatever it speaks.
func TestErasAreTried(t *testing.T) {
	for _, server := range eras {
		for _, transport := range []permission.ServerTransport{permission.TransportStdio, permission.TransportHTTP} {
			h := newHouse(t, gateway.Options{})
			h.eraEntry(server, transport)
			if tools, _, err := h.gate.Try(t.Context(), h.desk.servers["era"]); err != nil || len(tools) != 3 {
				t.Errorf("%s, %s: %v, %v", server, transport, tools, err)
			}
		}
	}
}

// bridged lets a client use all that a server has, whose names begin so at an endpoint.
func (h *house) bridged(client, server, path, joined string) {
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	c := h.eraClient(ctx, path, client, true)
	for _, cell := range []struct {
		what string
		ask  func(t *testing.T)
	}{
		{"introduction", func(t *testing.T) {
			said := c.InitializeResult()
			of, words := "of "+server, "be kind"
			if joined != "" {
				of, words = "sekisho", ""
			}
			if said.Instructions != words || said.ServerInfo == nil || said.ServerInfo.Name != of || said.Capabilities.Tools == nil {
				t.Errorf("got %+v", said)
			}
		}},
		{"tools", func(t *testing.T) {
			list, err := c.ListTools(ctx, nil)
			if err != nil || len(list.Tools) != 3 {
				t.Errorf("list: %v, %v", list, err)
			}
			if said := c.calls(ctx, t, joined+"greet", nil); said != "hello you" {
				t.Errorf("call: %s", said)
			}
			if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "none"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("a tool that is not there: %v", err)
			}
		}},
		{"resources", func(t *testing.T) {
			list, err := c.ListResources(ctx, nil)
			if err != nil || len(list.Resources) != 1 {
				t.Errorf("list: %v, %v", list, err)
			}
			read, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "era:///book"})
			if err != nil || read.Contents[0].Text != "once" {
				t.Errorf("read: %v, %v", read, err)
			}
			if err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: "era:///book"}); err != nil {
				t.Errorf("subscribe: %v", err)
			}
			c.calls(ctx, t, joined+"changes", nil)
			c.has(t, "updated era:///book", 1)
			c.has(t, "prompts changed", 1)
			if err := c.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "era:///book"}); err != nil {
				t.Errorf("unsubscribe: %v", err)
			}
		}},
		{"prompts", func(t *testing.T) {
			list, err := c.ListPrompts(ctx, nil)
			if err != nil || !slices.ContainsFunc(list.Prompts, func(p *mcp.Prompt) bool { return p.Name == joined+"verse" }) {
				t.Errorf("list: %v, %v", list, err)
			}
			verse, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: joined + "verse"})
			if err != nil || verse.Description != "a verse" {
				t.Errorf("get: %v, %v", verse, err)
			}
			completed, err := c.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: joined + "verse"},
				Argument: mcp.CompleteParamsArgument{Name: "a", Value: "b"}})
			if err != nil || completed.Completion.Values[0] != "b!" {
				t.Errorf("complete: %v, %v", completed, err)
			}
		}},
		{"progress", func(t *testing.T) {
			c.calls(ctx, t, joined+"greet", mcp.Meta{"progressToken": "p1"})
			for i := range 3 {
				c.has(t, fmt.Sprintf("progress p1 %d", i+1), 1)
			}
		}},
		{"logging", func(t *testing.T) {
			c.has(t, "log info working", 0)
			meta := mcp.Meta{"io.modelcontextprotocol/logLevel": "info"}
			if client == eras[0] {
				meta = nil
				if err := c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
					t.Errorf("set the level: %v", err)
				}
			}
			c.calls(ctx, t, joined+"greet", meta)
			c.has(t, "log info working", 3)
			c.has(t, "log debug too much", 0)
		}},
		{"elicitation", func(t *testing.T) {
			if said := c.calls(ctx, t, joined+"asks", nil); said != "you accept yes" {
				t.Errorf("got %s", said)
			}
			c.has(t, "asked say a word", 1)
			mute := h.eraClient(ctx, path, client, false)
			r, err := mute.CallTool(ctx, &mcp.CallToolParams{Name: joined + "asks", Arguments: greeting{"you"}})
			if err == nil && !r.IsError && client != server {
				t.Errorf("a client that cannot be asked: %+v", r.Content[0])
			}
		}},
	} {
		h.t.Run(cell.what, cell.ask)
	}
}

// calls calls a tool, and gives the text of its result.
func (c *eraClient) calls(ctx context.Context, t *testing.T, tool string, meta mcp.Meta) string {
	t.Helper()
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: tool, Arguments: greeting{"you"}})
	if err != nil || r.IsError {
		t.Errorf("%s: %+v, %v", tool, r, err)
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}
