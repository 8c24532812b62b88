package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
)

// played is what came of a tool, by whichever door.
type played struct {
	success bool
	error   string
	result  map[string]any
}

// askBy asks for a tool by a door of the desk, and waits for what comes of it.
type askBy func(tool string, params fields) <-chan played

// overREST asks in the words of brief 4.
func (p *project) overREST() askBy {
	n := 0
	return func(tool string, params fields) <-chan played {
		p.Helper()
		n++
		a := p.ask(fmt.Sprint("scenario ", n), tool, p.written(params), 0)
		got := make(chan played, 1)
		go func() {
			for a.Status == "pending" || a.Status == "approved" || a.Status == "executing" {
				a = p.wait(a.ToolID)
			}
			out := played{success: a.Status == "completed", result: a.Result}
			if a.Error != nil {
				out.error = *a.Error
			}
			got <- out
		}()
		return got
	}
}

// written are the parameters of a tool as JSON.
func (p *project) written(params fields) string {
	p.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		p.Fatal(err)
	}
	return string(raw)
}

// overMCP asks as the official client does.
func (p *project) overMCP() askBy {
	session, _ := p.listed()
	return func(tool string, params fields) <-chan played {
		got := make(chan played, 1)
		go func() {
			r, err := session.CallTool(p.Context(), &mcp.CallToolParams{Name: tool, Arguments: params})
			if err != nil {
				got <- played{error: err.Error()}
				return
			}
			out := played{success: !r.IsError}
			out.result, _ = r.StructuredContent.(map[string]any) // a refusal has none
			if said, is := r.Content[0].(*mcp.TextContent); is && r.IsError {
				out.error = said.Text
			}
			got <- out
		}()
		return got
	}
}

// answers lets a person answer the one call that waits, which is as it should be.
func (p *project) answers(verb string, risk permission.Risk, within time.Duration) permission.Call {
	p.Helper()
	c := p.pending(1)[0]
	if waits := c.ExpiresAt.Std().Sub(c.CreatedAt.Std()); c.Risk != risk || waits != within {
		p.Errorf("%s %s waits at risk %s for %s, want %s and %s", c.ToolName, c.Input, c.Risk, waits, risk, within)
	}
	p.say(toolAnswer{ApprovalID: string(c.ID), InputHash: c.InputHash, Rev: c.Rev}, verb)
	return c
}

// heard are the events that a person, or an executor, was told, as "NAME tool", and the members of each.
type heard struct {
	mu      sync.Mutex
	all     []string
	members map[string][]string
}

// audience is who hears of a workspace: a person, and an executor where there is one.
type audience struct{ person, executor *heard }

// eventForm finds an event and its members in the document of the API.
var eventForm = regexp.MustCompile(`(TOOL_[A-Z_]+) \{([a-z_, ]+)\}`)

// asDocumented holds the members of the events that were heard against the document of the API.
func (a audience) asDocumented(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(committedDocument)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, found := range eventForm.FindAllStringSubmatch(string(raw), -1) {
		known[found[1]] = slices.Sorted(slices.Values(strings.Split(found[2], ", ")))
	}
	for _, h := range []*heard{a.person, a.executor} {
		if h == nil {
			continue
		}
		h.mu.Lock()
		for name, members := range h.members {
			if !slices.Equal(members, known[name]) {
				t.Errorf("%s has %q, and in the document %q", name, members, known[name])
			}
		}
		h.mu.Unlock()
	}
}

// hear streams the events of the workspace until the test ends.
func (p *project) hear(token string) *heard {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), "GET", p.URL+"/my/projects/site/events", nil)
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 200 {
		p.Fatalf("events: %+v %v", resp, err)
	}
	p.Cleanup(func() { resp.Body.Close() })
	h := &heard{members: map[string][]string{}}
	lines := bufio.NewScanner(resp.Body)
	lines.Scan() // the greeting: what happens from here on is told
	go func() {
		name := ""
		for lines.Scan() {
			if kind, is := strings.CutPrefix(lines.Text(), "event: "); is {
				name = kind
			}
			raw, is := strings.CutPrefix(lines.Text(), "data: ")
			if !is {
				continue
			}
			var data struct {
				ID     string `json:"tool_id"`
				About  string `json:"approval_id"`
				Status string
			}
			var members fields
			if err := errors.Join(json.Unmarshal([]byte(raw), &data), json.Unmarshal([]byte(raw), &members)); err != nil {
				p.Errorf("%s: %v in %s", name, err, raw)
			}
			h.mu.Lock()
			h.members[name] = slices.Sorted(maps.Keys(members))
			h.all = append(h.all, strings.TrimSpace(name+" "+data.ID+data.About+" "+data.Status))
			h.mu.Unlock()
		}
	}()
	return h
}

// wants waits until these are all that was heard of a call.
func (h *heard) wants(t *testing.T, id permission.CallID, want ...string) {
	t.Helper()
	var of []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		of = nil
		for _, e := range h.all {
			if name, status, is := strings.Cut(e, " "+string(id)); is {
				of = append(of, name+status)
			}
		}
		h.mu.Unlock()
		if slices.Equal(slices.Compact(of), want) {
			return
		}
	}
	t.Errorf("heard of %s: %q, want %q", id, of, want)
}

// TestContractScenarios plays the four scenarios of brief 4 from end to end, over REST and by the official MCP
// client, with tools that the desk runs and tools that an executor runs.
func TestContractScenarios(t *testing.T) {
	for _, execution := range []string{"desk", "client"} {
		p := newProject(t, execution)
		told := audience{person: p.hear(operator)}
		if execution == "client" {
			told.executor = p.hear(p.executor)
		}
		for _, by := range []struct {
			name string
			door askBy
		}{{"REST", p.overREST()}, {"MCP", p.overMCP()}} {
			t.Run(execution+" "+by.name, func(t *testing.T) {
				was := p.daemon.T
				p.daemon.T = t
				defer func() { p.daemon.T = was }()
				p.play(by.door, told)
			})
		}
		told.asDocumented(t)
		p.operate("DELETE", "/v1/rules/site-low", "", nil)
		for _, ask := range []askBy{p.overREST(), p.overMCP()} {
			got := ask("tool_read_file", fields{"path": "README.md"})
			p.answers("approve", permission.RiskLow, 5*time.Minute)
			if r := <-got; !r.success || r.result["content"] != "hello" {
				t.Errorf("%s: a read without the rule: %+v", execution, r)
			}
		}
	}
}

// installed reports whether a program is where workspaces look for them.
func installed(name string) bool {
	for _, folder := range []string{"/usr/bin", "/bin", "/usr/local/bin"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}

// signal sends a signal to the executor.
func (p *project) signal(what syscall.Signal) {
	p.Helper()
	if err := p.process.Process.Signal(what); err != nil {
		p.Fatal(err)
	}
}

func (p *project) put(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// play plays the scenarios by one door.
func (p *project) play(ask askBy, told audience) {
	p.put("README.md", "hello")
	p.put("package.json", `{"name":"site","version":"1.0.0"}`)
	config := filepath.Join(p.folder, "config.json")
	if err := os.RemoveAll(config); err != nil {
		p.Fatal(err)
	}

	// An agent reads a file: nobody is asked.
	if r := <-ask("tool_read_file", fields{"path": "README.md"}); !r.success || r.result["content"] != "hello" || r.result["success"] != true {
		p.Errorf("read: %+v\n%s", r, p.stderr)
	}

	// An agent changes a file: a person is asked, and nothing is there before.
	got := ask("tool_write_file", fields{"path": "config.json", "content": `{"a":1}`})
	p.pending(1)
	absent(p.daemon.T, config, 50*time.Millisecond)
	if told.executor != nil {
		p.signal(syscall.SIGSTOP) // nobody is told of a call that it has claimed already
	}
	c := p.answers("approve", permission.RiskMedium, 5*time.Minute)
	if told.executor != nil {
		told.executor.wants(p.daemon.T, c.ID, "TOOL_EXECUTION_SIGNAL")
		p.signal(syscall.SIGCONT)
	}
	if r := <-got; !r.success || r.result["path"] != "config.json" || r.result["size"] != 7.0 {
		p.Errorf("write: %+v\n%s", r, p.stderr)
	}
	content(p.daemon.T, config, `{"a":1}`)
	told.person.wants(p.daemon.T, c.ID, "TOOL_APPROVAL_REQUEST", "TOOL_RESULT_ACK completed")

	// An agent runs a command: a person says yes to one, and no to another.
	run, other := fields{"command": "npm", "args": []string{"install", "--no-audit", "--no-fund"}, "timeout": 300}, fields{"command": "npm",
		"args": []string{"ls"}}
	if !installed("npm") {
		run, other = fields{"command": "git", "args": []string{"--version"}}, fields{"command": "git", "args": []string{"status"}}
	}
	got = ask("tool_execute_command", run)
	p.answers("approve", permission.RiskMedium, 5*time.Minute)
	if r := <-got; !r.success || r.result["exit_code"] != 0.0 || r.result["stdout"] == "" || r.result["stderr"] == nil {
		p.Errorf("a command: %+v\n%s", r, p.stderr)
	}
	got = ask("tool_execute_command", other)
	c = p.answers("reject", permission.RiskMedium, 5*time.Minute)
	if r := <-got; r.success || r.result != nil || !strings.Contains(strings.ToLower(r.error), "declined") {
		p.Errorf("a command that was rejected: %+v", r)
	}
	told.person.wants(p.daemon.T, c.ID, "TOOL_APPROVAL_REQUEST", "TOOL_RESULT_ACK rejected")

	// An agent tries what is dangerous: it is refused at once, and nobody is asked.
	if r := <-ask("tool_execute_command", fields{"command": "rm", "args": []string{"-rf", "/"}}); r.success ||
		!strings.Contains(r.error, "Command not allowed: ") {
		p.Errorf("rm: %+v", r)
	}
}
