package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestContractAClientRunsCallsOverMCP: an executor runs what an MCP client asks for, as it runs calls over REST.
func TestContractAClientRunsCallsOverMCP(t *testing.T) {
	p := newProject(t, "client")
	if err := os.WriteFile(filepath.Join(p.folder, "README.md"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	session, tools := p.listed()
	call := func(name string, input map[string]any) (*mcp.CallToolResult, error) {
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: input})
	}
	read, err := call("tool_read_file", map[string]any{"path": "README.md"})
	if given, _ := read.StructuredContent.(map[string]any); err != nil || read.IsError || given["content"] != "hello" {
		t.Fatalf("read: %+v %v\n%s", read, err, p.stderr)
	}
	if _, err := call("tool_read_file", map[string]any{"path": "README.md", "user_id": "bob"}); err == nil ||
		!strings.Contains(err.Error(), "this is another user") {
		t.Errorf("as another user: %v", err)
	}
	type answered struct {
		result *mcp.CallToolResult
		err    error
	}
	done := make(chan answered, 1)
	go func() {
		r, err := call("tool_write_file", map[string]any{"path": "new.txt", "content": "text"})
		done <- answered{r, err}
	}()
	var page struct {
		Calls []struct {
			ID, InputHash string
			Rev           int64
		}
	}
	for len(page.Calls) == 0 && t.Context().Err() == nil {
		p.operate("GET", "/v1/calls?status=pending", "", &page)
	}
	waits := page.Calls[0]
	p.say(toolAnswer{ApprovalID: waits.ID, InputHash: waits.InputHash, Rev: waits.Rev}, "approve")
	if a := <-done; a.err != nil || a.result.IsError {
		t.Errorf("written: %+v %v", a.result, a.err)
	}
	content(t, filepath.Join(p.folder, "new.txt"), "text")
	p.workspace("desk", "[]")
	if _, here := p.listed(); here != tools {
		t.Errorf("the desk lists\n%s\nand for a client\n%s", here, tools)
	}
}

// TestContractAnExecutorOutlivesTheDesk: a call that an executor runs when the desk is killed runs on for the
// next process of the desk, which takes its result, also where the workspace was switched off meanwhile.
func TestContractAnExecutorOutlivesTheDesk(t *testing.T) {
	p := newProject(t, "client")
	_ = p.process.Process.Kill()
	_ = p.process.Wait() // from here on the test is the executor
	call := p.ask("lives", "tool_write_file", `{"path":"new.txt","content":"text"}`, 0)
	p.say(call, "approve")
	var claimed struct {
		Call struct{ ClaimID string }
	}
	p.as(p.executor, "POST", "/v1/calls/"+call.ToolID+"/claim",
		fmt.Sprintf(`{"inputHash":%q,"claimant":"test","claimKey":"k"}`, call.InputHash), &claimed)
	p.daemon.kill()
	p.boot(t)
	path := "/my/projects/site/tools/" + call.ToolID
	var now toolAnswer
	if p.as(p.agentToken, "GET", path, "", &now); now.Status != "executing" {
		t.Fatalf("with the next desk it is %s", now.Status)
	}
	p.operate("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"site","transport":"workspace","cwd":%q,"execution":"client","users":[],`+
		`"enabled":false}]}`, p.folder), nil)
	result := fmt.Sprintf(`{"claim_id":%q,"success":true,"path":"new.txt","size":4}`, claimed.Call.ClaimID)
	if status := p.as(p.executor, "POST", "/my/projects/other/tools/"+call.ToolID+"/result", result, nil); status != 404 {
		t.Errorf("its result in another project: %d", status)
	}
	status := p.as(p.executor, "POST", path+"/result", result, nil)
	var kept struct {
		Call struct{ Status string }
	}
	if p.operate("GET", "/v1/calls/"+call.ToolID, "", &kept); status != 200 || kept.Call.Status != "completed" {
		t.Errorf("its result: %d, it is %s", status, kept.Call.Status)
	}
}

// listed connects the agent to its workspace, and gives the tools that it is offered there.
func (p *project) listed() (session *mcp.ClientSession, tools string) {
	p.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(p.Context(),
		&mcp.StreamableClientTransport{Endpoint: p.URL + "/mcp/site", HTTPClient: &http.Client{Transport: bearer(p.agentToken)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		p.Fatalf("connect: %v\n%s", err, p.stderr)
	}
	p.Cleanup(func() { session.Close() })
	list, err := session.ListTools(p.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		p.Fatalf("tools: %v %v\n%s", list, err, p.stderr)
	}
	slices.SortFunc(list.Tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		p.Fatal(err)
	}
	return session, string(raw)
}
