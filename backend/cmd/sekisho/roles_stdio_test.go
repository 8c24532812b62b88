package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// The tools of the server of canaries: one of each permission, and one that its table does not name.
// A word that is in nothing else stands in the schema of each, and another in its description.
var canaryTools = map[string]string{
	"of_everybody": "unauthenticated", "of_coordinators": "coordinator_only", "of_managers": "manager_only", "of_workers": "worker_only",
	"of_sessions": "authenticated", "of_chats": "chat_only", "of_tasks": "task_only", "of_nobody": "",
}

// The words of a tool: of its schema, and of its description.
func schemaWord(tool string) string { return "Canary" + strings.ReplaceAll(tool, "_", "") + "Schema" }
func aboutWord(tool string) string  { return "Canary" + strings.ReplaceAll(tool, "_", "") + "About" }

// serveCanaries is the server of them.
func serveCanaries() {
	s := mcp.NewServer(&mcp.Implementation{Name: "canaries", Version: "1"}, nil)
	for tool := range canaryTools {
		word := schemaWord(tool)
		schema := fmt.Sprintf(`{"type":"object","title":"%[1]sTitle","properties":{"%[1]sParameter":{"type":"string","enum":["%[1]sEnum"],`+
			`"description":"%[1]sWords","default":"%[1]sEnum","x-mcp-header":"%[1]sHeader"}},"required":["%[1]sParameter"],`+
			`"examples":[{"%[1]sParameter":"%[1]sExample"}]}`, word)
		s.AddTool(&mcp.Tool{Name: tool, Title: aboutWord(tool), Description: "About " + aboutWord(tool), InputSchema: json.RawMessage(schema),
			OutputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"%sOut":{"type":"string"}}}`, word)),
			Annotations:  &mcp.ToolAnnotations{Title: aboutWord(tool)}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ran " + tool}}}, nil
			})
	}
	s.AddPrompt(&mcp.Prompt{Name: "plain", Arguments: []*mcp.PromptArgument{{Name: "a"}}},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
	s.AddResource(&mcp.Resource{URI: "plain://a", Name: "a"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "plain://a", Text: "a"}}}, nil
		})
	s.Run(context.Background(), &mcp.StdioTransport{})
}

// tableOfRoles is the contract's: what each caller lacks for a permission; what is not there it may use.
var tableOfRoles = map[string]map[string]string{
	"unauthenticated":  {},
	"coordinator_only": {"no session": "C", "manager task": "C", "manager chat": "C", "worker task": "C", "worker chat": "C"},
	"manager_only":     {"no session": "A", "worker task": "M", "worker chat": "M"},
	"worker_only":      {"no session": "A", "coordinator": "W", "manager task": "W", "manager chat": "W"},
	"authenticated":    {"no session": "A", "coordinator": "A"},
	"chat_only":        {"no session": "A", "coordinator": "A", "manager task": "H", "worker task": "H"},
	"task_only":        {"no session": "A", "coordinator": "A", "manager chat": "T", "worker chat": "T"},
}

// toldTo is the sentence that a caller gets who calls a tool; "" is none.
func toldTo(caller, tool string) string {
	needs := canaryTools[tool]
	if needs == "" {
		return "Tool '" + tool + "' is not registered."
	}
	words := map[string]string{
		"": "", "A": "requires authentication. Call 'authenticate' first.", "C": "requires coordinator privilege.",
		"M": "requires manager privilege.", "W": "requires worker privilege.",
		"H": "requires a chat session. Current session purpose is 'task'.", "T": "requires a task session. Current session purpose is 'chat'.",
	}[tableOfRoles[needs][caller]]
	if words == "" {
		return ""
	}
	return "Tool '" + tool + "' " + words
}

// visitors is a desk in this process with the server of canaries, and a caller of each kind.
type visitors struct {
	*testing.T
	url    string
	op     *client
	tokens map[string]string // of the callers
}

func newVisitors(t *testing.T) *visitors {
	t.Helper()
	desk, err := server.Open(t.Context(), server.Config{Data: filepath.Join(t.TempDir(), "desk"), Listen: "127.0.0.1:0",
		Operator: rest.NewOperator(operatorToken)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	v := &visitors{T: t, url: desk.URL, op: newClient(desk.URL, operatorToken), tokens: map[string]string{}}
	table := map[string]string{}
	for tool, needs := range canaryTools {
		if needs != "" {
			table[tool] = needs
		}
	}
	v.operate(http.MethodPut, "/v1/servers", map[string]any{"servers": []any{map[string]any{"id": "canaries", "command": os.Args[0],
		"env": map[string]string{roleEnv: "canaries", "GORACE": "atexit_sleep_ms=0"}, "toolPermissions": table}}}, nil)
	v.operate(http.MethodPost, "/v1/rules", map[string]any{"serverId": "canaries", "effect": "allow", "priority": 5}, nil)
	v.operate(http.MethodPost, "/v1/rules", map[string]any{"effect": "deny"}, nil) // nothing waits for a person
	for _, caller := range []string{"no session", "coordinator", "manager task", "manager chat", "worker task", "worker chat"} {
		var made struct {
			Agent permission.Agent
			Token string
		}
		v.operate(http.MethodPost, "/v1/agents", map[string]string{"name": caller}, &made)
		v.tokens[caller] = made.Token
		role, purpose, _ := strings.Cut(caller, " ")
		switch {
		case caller == "coordinator":
			v.operate(http.MethodPatch, "/v1/agents/"+string(made.Agent.ID), map[string]string{"role": "coordinator"}, nil)
		case purpose != "session":
			var session struct{ Passkey string }
			v.operate(http.MethodPost, "/v1/sessions", map[string]string{"agentId": string(made.Agent.ID), "role": role, "purpose": purpose,
				"projectId": "p"}, &session)
			var begun struct{ SessionToken string }
			if err := newClient(desk.URL, made.Token).Do(t.Context(), http.MethodPost, "/v1/sessions/authenticate", map[string]string{
				"agentId": string(made.Agent.ID), "passkey": session.Passkey, "projectId": "p"}, &begun); err != nil {
				t.Fatal(err)
			}
			v.tokens[caller] = begun.SessionToken
		}
	}
	return v
}

func (v *visitors) operate(method, path string, body, out any) {
	v.Helper()
	if err := v.op.Do(v.Context(), method, path, body, out); err != nil {
		v.Fatal(err)
	}
}

// heard is all that a caller is told.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

// String is what came, without what the caller wrote.
func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all strings.Builder
	for line := range strings.Lines(h.text.String()) {
		if !strings.HasPrefix(line, "write: ") {
			all.WriteString(line)
		}
	}
	return all.String()
}

// bridge starts "sekisho mcp" for a caller, and a client that notes what it reads.
func (v *visitors) bridge(caller, era string, to *heard, args ...string) *mcp.ClientSession {
	v.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp", "--desk", v.url}, args...)...)
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "SEKISHO_TOKEN="+v.tokens[caller], "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = to
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(v.Context(),
		&mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: cmd}, Writer: to}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { session.Close() })
	return session
}

// bearing is a transport of HTTP with the token of a caller.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects the official client to an endpoint of the desk, and notes what it reads.
func (v *visitors) connect(caller, era string, to *heard, path string) *mcp.ClientSession {
	v.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(v.Context(), &mcp.LoggingTransport{Writer: to,
		Transport: &mcp.StreamableClientTransport{Endpoint: v.url + path, HTTPClient: &http.Client{Transport: bearing(v.tokens[caller])},
			MaxRetries: -1, DisableStandaloneSSE: true}}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { session.Close() })
	return session
}

// badArguments are what a caller tries that does not know the parameters of a tool.
var badArguments = []map[string]any{{}, {"x": 1}, {"parameter": []any{nil}}, {"Canary": "x", "": ""}}

// nearMisses are names that are almost that of a tool.
var nearMisses = []string{"Of_Tasks", "of_tasks ", "of_task", "of_tаsks", "*", "of_nobody", "canaries__of_tasks", "of_tasks\x00"}

// tries calls each tool as a caller, and holds each cell of the table to its sentence.
func (v *visitors) tries(at, caller, prefix string, on *mcp.ClientSession) {
	v.Helper()
	for tool := range canaryTools {
		guess := map[string]any{schemaWord(tool) + "Parameter": "guessed"}
		for _, args := range append(slices.Clone(badArguments), guess) {
			got, err := on.CallTool(v.Context(), &mcp.CallToolParams{Name: prefix + tool, Arguments: args})
			told := toldTo(caller, tool)
			if told == "" {
				continue // it is its server's to say what is wrong with the arguments
			}
			if err != nil || !got.IsError || len(got.Content) != 1 || got.Content[0].(*mcp.TextContent).Text != told {
				v.Errorf("%s: %s: %+v %v, want %q", at, tool, got, err, told)
			}
		}
		if toldTo(caller, tool) == "" {
			word := schemaWord(tool)
			good := map[string]any{word + "Parameter": word + "Enum"}
			got, err := on.CallTool(v.Context(), &mcp.CallToolParams{Name: prefix + tool, Arguments: good})
			if err != nil || got.IsError || got.Content[0].(*mcp.TextContent).Text != "ran "+tool {
				v.Errorf("%s: %s: %+v %v", at, tool, got, err)
			}
		}
	}
	for _, name := range nearMisses {
		got, err := on.CallTool(v.Context(), &mcp.CallToolParams{Name: prefix + name, Arguments: map[string]any{}})
		if err == nil && !got.IsError {
			v.Errorf("%s: %q runs", at, name)
		}
	}
}

// looks asks for all else that could tell of a tool, whatever the answers are.
func (v *visitors) looks(at, caller, prefix string, on *mcp.ClientSession) {
	v.Helper()
	var want, listed []string
	for tool := range canaryTools {
		if toldTo(caller, tool) == "" {
			want = append(want, tool)
		}
	}
	want = append(want, "help")
	list, err := on.ListTools(v.Context(), nil)
	for err == nil && len(list.Tools) < 2 { // joined, it comes when the server is there
		list, err = on.ListTools(v.Context(), nil)
	}
	if err != nil {
		v.Fatalf("%s: %v", at, err)
	}
	for _, tool := range list.Tools {
		listed = append(listed, strings.TrimPrefix(tool.Name, prefix))
	}
	slices.Sort(want)
	if slices.Sort(listed); !slices.Equal(listed, want) {
		v.Errorf("%s: the list has %q, want %q", at, listed, want)
	}
	ctx := v.Context()
	_, _ = on.ListPrompts(ctx, nil)
	_, _ = on.ListResources(ctx, nil)
	_, _ = on.ListResourceTemplates(ctx, nil)
	for tool := range canaryTools {
		_, _ = on.GetPrompt(ctx, &mcp.GetPromptParams{Name: prefix + tool})
		_, _ = on.ReadResource(ctx, &mcp.ReadResourceParams{URI: "tool://" + tool})
		for _, ref := range []*mcp.CompleteReference{{Type: "ref/prompt", Name: prefix + tool}, {Type: "ref/resource", URI: tool}} {
			_, _ = on.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "a", Value: ""}})
		}
	}
	_, _ = on.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: prefix + "plain"},
		Argument: mcp.CompleteParamsArgument{Name: "a", Value: "Canary"}})
}

// helps asks for help about everything.
func (v *visitors) helps(prefix string, on *mcp.ClientSession) {
	v.Helper()
	all := slices.Clone(nearMisses)
	for tool := range canaryTools {
		all = append(all, tool, prefix+tool)
	}
	for _, name := range append(all, "help", "") {
		got, err := on.CallTool(v.Context(), &mcp.CallToolParams{Name: prefix + "help", Arguments: map[string]any{"tool_name": name}})
		if err != nil || got.IsError {
			v.Errorf("help about %q: %+v %v", name, got, err)
		}
	}
	for _, args := range []map[string]any{{}, {"tool_name": 7}, {"tool_name": nil}, {"toolName": "of_tasks"}} {
		_, _ = on.CallTool(v.Context(), &mcp.CallToolParams{Name: prefix + "help", Arguments: args})
	}
}

// silent holds what a caller was told to what it may know. about says that descriptions are for
// everybody there, as in help.
func (v *visitors) silent(at, caller, text string, about bool) {
	v.Helper()
	for tool := range canaryTools {
		may := toldTo(caller, tool) == ""
		if word := schemaWord(tool); !may && strings.Contains(text, word) {
			i := strings.Index(text, word)
			v.Errorf("%s is told of the schema of %s: …%s…", at, tool, text[max(0, i-200):min(len(text), i+80)])
		}
		if word := aboutWord(tool); !may && (!about || canaryTools[tool] == "") && strings.Contains(text, word) {
			i := strings.Index(text, word)
			v.Errorf("%s is told what %s is for: …%s…", at, tool, text[max(0, i-200):min(len(text), i+80)])
		}
		if may && about && !strings.Contains(text, schemaWord(tool)+"Parameter") {
			v.Errorf("%s is not told of the parameters of %s: this shows nothing", at, tool)
		}
	}
}

// TestNobodyIsToldOfToolsThatAreNotForThem: over stdio, in both eras, at the server and joined, each
// cell of the table is its sentence, byte for byte, and whatever a caller asks, no parameter, enum or
// example of a tool that it may not use is in the answers. One process serves a caller.
func TestNobodyIsToldOfToolsThatAreNotForThem(t *testing.T) {
	v := newVisitors(t)
	for caller := range v.tokens { // before its own guesses are in its rows
		v.silent(caller+", REST", caller, v.rest(caller), false)
	}
	for _, era := range eras {
		for caller := range v.tokens {
			ways := map[string]func(*heard) *mcp.ClientSession{
				"stdio": func(to *heard) *mcp.ClientSession { return v.bridge(caller, era, to, "--server", "canaries") },
			}
			if caller == "no session" || caller == "worker chat" {
				ways["stdio, joined"] = func(to *heard) *mcp.ClientSession { return v.bridge(caller, era, to) }
				ways["HTTP"] = func(to *heard) *mcp.ClientSession { return v.connect(caller, era, to, "/mcp/canaries") }
				ways["HTTP, joined"] = func(to *heard) *mcp.ClientSession { return v.connect(caller, era, to, "/mcp") }
			}
			for way, begin := range ways {
				prefix := ""
				if strings.HasSuffix(way, "joined") {
					prefix = "canaries__"
				}
				at := fmt.Sprintf("%s, %s, %s", caller, way, era)
				plain, help := &heard{}, &heard{}
				on := begin(plain)
				v.looks(at, caller, prefix, on)
				v.tries(at, caller, prefix, on)
				on.Close()
				on = begin(help)
				v.helps(prefix, on)
				on.Close()
				v.silent(at, caller, plain.String(), false)
				v.silent(at+", help", caller, help.String(), true)
			}
		}
	}
}

// rest is all that a caller is told over REST, with the events of what it does.
func (v *visitors) rest(caller string) string {
	v.Helper()
	ctx, cancel := context.WithCancel(v.Context())
	defer cancel()
	events, begun := &heard{}, make(chan bool)
	go func() {
		resp, err := v.send(ctx, caller, "GET", "/v1/events", "")
		close(begun)
		if err == nil {
			_, _ = io.Copy(events, resp.Body)
			resp.Body.Close()
		}
	}()
	<-begun
	var all strings.Builder
	ask := func(method, path, body string) {
		resp, err := v.send(ctx, caller, method, path, body)
		if err != nil {
			v.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			v.Fatal(err)
		}
		fmt.Fprintf(&all, "%s %v\n%s\n", resp.Status, resp.Header, raw)
	}
	var names []string
	for tool := range canaryTools {
		names = append(names, tool)
	}
	for i, tool := range append(slices.Clone(names), nearMisses...) {
		name, _ := json.Marshal(tool)
		for j, args := range badArguments {
			input, _ := json.Marshal(args)
			ask("POST", "/v1/calls", fmt.Sprintf(`{"runId":"r","toolCallId":"%d-%d","serverId":"canaries","toolName":%s,"input":%s}`,
				i, j, name, input))
			ask("POST", "/v1/evaluate", fmt.Sprintf(`{"serverId":"canaries","toolName":%s,"input":%s}`, name, input))
			ask("POST", "/v1/data/sekisho/decision", fmt.Sprintf(`{"input":{"serverId":"canaries","tool":{"name":%s},"args":%s}}`, name, input))
			ask("POST", "/v1/hooks/claude", fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_use_id":"u%d-%d",`+
				`"tool_name":"mcp__canaries__%s","tool_input":%s}`, i, j, strings.Trim(string(name), `"`), input))
		}
		ask("GET", "/v1/servers/canaries/tools/"+strings.Trim(string(name), `"`), "")
	}
	list, _ := json.Marshal(names)
	ask("POST", "/v1/data/sekisho/tools", fmt.Sprintf(`{"input":{"serverId":"canaries","tools":%s}}`, list))
	for _, path := range []string{"/v1/calls?limit=200", "/v1/servers", "/v1/rules", "/v1/journal", "/v1/agents", "/v1/sessions",
		"/v1/projects", "/v1/settings", "/openapi.json"} {
		ask("GET", path, "")
	}
	ask("POST", "/v1/data/sekisho/tools", `{"input":{"serverId":"canaries"}}`)
	cancel()
	return all.String() + events.String()
}

func (v *visitors) send(ctx context.Context, caller, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, v.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+v.tokens[caller])
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}
