package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// toolAnswer is a call as the door of projects tells of it.
type toolAnswer struct {
	ToolID     string `json:"tool_id"`
	ApprovalID string `json:"approval_id"`
	Status     string `json:"status"`
	InputHash  string `json:"input_hash"`
	Rev        int64  `json:"rev"`
	Risk       string `json:"risk_level"`
	Timeout    float64
	Result     map[string]any
	Error      *string
}

// project is a desk with one workspace, its agent, and an executor where a client executes.
type project struct {
	*daemon
	dir, folder, execution string
	agentToken, executor   string
	program                string
	process                *exec.Cmd
	prepare                []func(*exec.Cmd) // of the desk and the executor, before they start
}

// newProject starts a desk that finds the program of the tools in its PATH.
func newProject(t *testing.T, execution string, prepare ...func(*exec.Cmd)) *project {
	t.Helper()
	path, err := cli()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(t.TempDir(), "sekisho")
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Symlink(path, beside)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &project{dir: t.TempDir(), folder: folder, execution: execution, program: beside, prepare: prepare}
	p.boot(t)
	p.workspace(execution, "[]")
	p.agentToken = p.agent("coder")
	if execution == "client" {
		var made struct{ Token string }
		p.operate("POST", "/v1/executors", `{"name":"laptop","projectIds":["site"]}`, &made)
		p.executor = made.Token
		p.execute()
	}
	return p
}

// boot starts the desk.
func (p *project) boot(t *testing.T) {
	cmd := daemonCommand(p.dir, "--operator-token-file", "/dev/fd/3")
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(p.program)+":"+os.Getenv("PATH"))
	for _, prepare := range p.prepare {
		prepare(cmd)
	}
	p.daemon = launch(t, cmd)
}

func (p *project) workspace(execution, users string) {
	p.Helper()
	p.operate("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"site","transport":"workspace","cwd":%q,"execution":%q,"users":%s}]}`,
		p.folder, execution, users), nil)
}

// execute starts the executor.
func (p *project) execute() {
	p.Helper()
	p.process = exec.Command(p.program, "--desk", p.URL, "executor", "--root", p.folder)
	p.process.Env = append(os.Environ(), "SEKISHO_TOKEN="+p.executor)
	for _, prepare := range p.prepare {
		prepare(p.process)
	}
	if err := p.process.Start(); err != nil {
		p.Fatal(err)
	}
	process := p.process
	p.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
}

// ask asks for a tool.
func (p *project) ask(key, tool, params string, wait int) (a toolAnswer) {
	p.Helper()
	body := fmt.Sprintf(`{"tool_name":%q,"tool_params":%s,"session_id":"s-%s","wait":%d}`, tool, params, key, wait)
	p.as(p.agentToken, "POST", "/my/projects/site/tools/execute", body, &a)
	return a
}

func (p *project) wait(id string) (a toolAnswer) {
	p.Helper()
	p.as(p.agentToken, "GET", "/my/projects/site/tools/"+id+"?wait=30", "", &a)
	return a
}

func (p *project) say(a toolAnswer, verb string) (out toolAnswer) {
	p.Helper()
	p.operate("POST", "/my/projects/site/approvals/"+a.ApprovalID+"/"+verb,
		fmt.Sprintf(`{"input_hash":%q,"rev":%d}`, a.InputHash, a.Rev), &out)
	return out
}

// TestContractAWorkspaceWithATable lists to an agent what it may use alone, and to a person all.
func TestContractAWorkspaceWithATable(t *testing.T) {
	p := newProject(t, "desk")
	p.operate("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"site","transport":"workspace","cwd":%q,"execution":"desk","users":[],`+
		`"toolPermissions":{"tool_read_file":"unauthenticated","tool_write_file":"worker_only"}}]}`, p.folder), nil)
	for who, c := range map[string]struct {
		token string
		tools string
	}{"an agent": {p.agentToken, "[tool_read_file]"}, "the person": {operator, ""}} {
		var got struct {
			Tools []struct{ Name string }
		}
		if status := p.as(c.token, "GET", "/my/projects/site/tools/available", "", &got); status != 200 {
			t.Fatalf("%s: %d", who, status)
		}
		var names []string
		for _, tool := range got.Tools {
			names = append(names, tool.Name)
		}
		if said := fmt.Sprint(names); c.tools != "" && said != c.tools || c.tools == "" && len(names) != 4 {
			t.Errorf("%s: %s", who, said)
		}
	}
	p.operate("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"site","transport":"workspace","cwd":%q,"execution":"desk","users":[],`+
		`"toolPermissions":{}}]}`, p.folder), nil)
	var none map[string]any
	p.as(p.agentToken, "GET", "/my/projects/site/tools/available", "", &none)
	if list, is := none["tools"].([]any); !is || len(list) != 0 {
		t.Errorf("a table that names no tool: %v", none)
	}
}

// TestContractProjects plays the scenarios of brief 4 from end to end, at the desk and at a client.
func TestContractProjects(t *testing.T) {
	for _, execution := range []string{"desk", "client"} {
		t.Run(execution, func(t *testing.T) {
			p := newProject(t, execution)
			if err := os.WriteFile(filepath.Join(p.folder, "README.md"), []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
			read := p.ask("a", "tool_read_file", `{"path":"README.md"}`, 30)
			if read.Status != "completed" || read.Result["content"] != "hello" || read.Risk != "low" || read.ToolID != read.ApprovalID {
				t.Fatalf("read: %+v\n%s", read, p.stderr)
			}

			file := filepath.Join(p.folder, "config.json")
			write := p.ask("b", "tool_write_file", `{"path":"config.json","content":"{}"}`, 0)
			if write.Status != "pending" || write.Result != nil {
				t.Fatalf("write: %+v", write)
			}
			absent(t, file, 100*time.Millisecond)
			self := p.as(p.agentToken, "POST", "/my/projects/site/approvals/"+write.ToolID+"/approve", "not read", nil)
			if self != 403 {
				t.Errorf("the agent approves: %d", self)
			}
			p.say(write, "approve")
			if done := p.wait(write.ToolID); done.Status != "completed" || done.Result["success"] != true {
				t.Errorf("written: %+v\n%s", done, p.stderr)
			}
			content(t, file, "{}")

			command := p.ask("c", "tool_execute_command", `{"command":"git","args":["status"]}`, 0)
			if command.Status != "pending" || command.Risk != "medium" {
				t.Errorf("command: %+v", command)
			}
			p.say(command, "reject")
			if no := p.wait(command.ToolID); no.Status != "rejected" || no.Result != nil {
				t.Errorf("rejected: %+v", no)
			}
			again := p.ask("d", "tool_execute_command", `{"command":"git","args":["--version"]}`, 0)
			if again.Status == "pending" {
				p.say(again, "approve")
			}

			danger := p.ask("e", "tool_execute_command", `{"command":"rm","args":["-rf","/"]}`, 0)
			if danger.Status != "rejected" || danger.Error == nil || !strings.HasPrefix(*danger.Error, "Command not allowed: ") {
				t.Errorf("rm: %+v", danger)
			}
		})
	}
}

// TestContractProjectsAreAsTheyWereShown: what a person approved over REST writes over no other file than
// the one that was shown, and in the folder that the workspace has when it runs.
func TestContractProjectsAreAsTheyWereShown(t *testing.T) {
	p := newProject(t, "desk")
	file := filepath.Join(p.folder, "a.txt")
	for _, c := range []struct{ then, want, holds string }{{"one", "completed", "new"}, {"another", "failed", "another"}} {
		if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
			t.Fatal(err)
		}
		write := p.ask("shown "+c.then, "tool_write_file", `{"path":"a.txt","content":"new"}`, 0)
		var look struct {
			File struct{ Version string }
		}
		p.operate("GET", "/v1/calls/"+write.ToolID+"/look", "", &look)
		if look.File.Version == "" {
			t.Fatalf("no version is shown: %+v", write)
		}
		if err := os.WriteFile(file, []byte(c.then), 0o600); err != nil {
			t.Fatal(err)
		}
		p.operate("POST", "/v1/calls/"+write.ToolID+"/decision", fmt.Sprintf(`{"approved":true,"inputHash":%q,"rev":%d,"fileVersion":%q}`,
			write.InputHash, write.Rev, look.File.Version), nil)
		done := p.wait(write.ToolID)
		if done.Status != c.want || c.want == "failed" && (done.Error == nil || !strings.HasPrefix(*done.Error, "changed")) {
			t.Errorf("over %q: %+v", c.then, done)
		}
		content(t, file, c.holds)
	}

	write := p.ask("moved", "tool_write_file", `{"path":"moved.txt","content":"x"}`, 0)
	before := p.folder
	p.folder, _ = filepath.EvalSymlinks(t.TempDir())
	p.workspace("desk", "[]")
	answer := fmt.Sprintf(`{"input_hash":%q,"rev":%d}`, write.InputHash, write.Rev)
	if s := p.as(operator, "POST", "/my/projects/site/approvals/"+write.ToolID+"/approve", answer, nil); s != 409 {
		t.Errorf("a yes to what was shown before the folder changed: %d", s)
	}
	p.as(p.agentToken, "GET", "/my/projects/site/tools/"+write.ToolID, "", &write)
	p.say(write, "approve")
	p.wait(write.ToolID)
	absent(t, filepath.Join(before, "moved.txt"), 100*time.Millisecond)
	content(t, filepath.Join(p.folder, "moved.txt"), "x")
}

// TestContractUsersApart: a workspace of one user is to agents of another as one that never was.
func TestContractUsersApart(t *testing.T) {
	p := newProject(t, "desk")
	p.workspace("desk", `["ada"]`)
	var ada struct {
		Token string
		Agent struct{ UserID string }
	}
	p.operate("POST", "/v1/agents", `{"name":"hers","userId":"ada"}`, &ada)
	body := `{"tool_name":"tool_list_directory","tool_params":{"path":"."},"wait":30}`
	var mine toolAnswer
	var other, none struct{ Code, Detail string }
	s := p.as(ada.Token, "POST", "/my/projects/site/tools/execute", body, &mine)
	if s != 200 || mine.Status != "completed" || ada.Agent.UserID != "ada" {
		t.Errorf("hers: %d %+v", s, mine)
	}
	one := p.as(p.agentToken, "POST", "/my/projects/site/tools/execute", body, &other)
	two := p.as(p.agentToken, "POST", "/my/projects/nope/tools/execute", body, &none)
	if one != 404 || two != 404 || other != none || other.Code != "not_found" {
		t.Errorf("another's: %d, none: %d", one, two)
	}
	var listed, own struct{ Projects []any }
	p.as(p.agentToken, "GET", "/my/projects", "", &listed)
	p.as(ada.Token, "GET", "/my/projects", "", &own)
	if len(listed.Projects) != 0 || len(own.Projects) != 1 {
		t.Errorf("listed: %v and %v", listed, own)
	}
	for _, door := range []string{"/v1/evaluate", "/v1/calls"} {
		body := `{"serverId":"site","runId":"r","toolCallId":"t","toolName":"tool_list_directory","input":{"path":"."}}`
		if door == "/v1/evaluate" {
			body = `{"serverId":"site","toolName":"tool_list_directory","input":{"path":"."}}`
		}
		var refused struct{ Code string }
		s, well := p.as(p.agentToken, "POST", door, body, &refused), p.as(ada.Token, "POST", door, body, nil)
		if s != 404 || refused.Code != "not_found" || well >= 300 {
			t.Errorf("%s: another's %d %s, hers %d", door, s, refused.Code, well)
		}
	}
	body = `{"tool_name":"tool_list_directory","tool_params":{"path":".","user_id":"bob"}}`
	if s := p.as(ada.Token, "POST", "/my/projects/site/tools/execute", body, nil); s != 403 {
		t.Errorf("as another user: %d", s)
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for token, want := range map[string]int{p.agentToken: 404, ada.Token: 200} {
		req, err := http.NewRequest("POST", p.URL+"/mcp/site", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("over MCP: %d, want %d", resp.StatusCode, want)
		}
	}
}

// TestContractExecutors: one claims, and no result is taken but its own, once.
func TestContractExecutors(t *testing.T) {
	p := newProject(t, "client")
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
	var second struct{ Token string }
	p.operate("POST", "/v1/executors", `{"name":"desktop","projectIds":["site"]}`, &second)
	call := p.ask("a", "tool_execute_command", `{"command":"git","args":["status"],"timeout":10}`, 0)
	result := "/my/projects/site/tools/" + call.ToolID + "/result"
	if s := p.as(p.executor, "POST", result, `{"claim_id":"x","success":true}`, nil); s != 409 {
		t.Errorf("a result before a claim: %d", s)
	}
	if list := p.ask("ls", "tool_execute_command", `{"command":"ls"}`, 0); list.Status != "pending" || list.Risk != "medium" {
		t.Errorf("a command where nobody knows of a confinement: %+v", list)
	}
	if s := p.as(p.agentToken, "POST", "/v1/calls", `{"runId":"r","toolCallId":"u","serverId":"site","toolName":"tool_read_file",`+
		`"input":{"path":"a","user_id":"somebody"}}`, nil); s != 403 {
		t.Errorf("another user's name in a call: %d", s)
	}
	p.say(call, "approve")
	claim := func(token string) (status int, id string, lease time.Duration) {
		var got struct {
			Call struct {
				ClaimID        string
				LeaseExpiresAt time.Time
			}
		}
		status = p.as(token, "POST", "/v1/calls/"+call.ToolID+"/claim",
			fmt.Sprintf(`{"inputHash":%q,"claimant":"c","claimKey":"k","leaseSeconds":3600}`, call.InputHash), &got)
		return status, got.Call.ClaimID, time.Until(got.Call.LeaseExpiresAt)
	}
	status, id, lease := claim(p.executor)
	if status != 200 || lease > 41*time.Second {
		t.Errorf("claim: %d, its lease is %v", status, lease)
	}
	if other, _, _ := claim(second.Token); other != 409 {
		t.Errorf("a second executor: %d", other)
	}
	own := "/v1/calls/" + call.ToolID
	if s := p.as(p.agentToken, "POST", own+"/result", fmt.Sprintf(`{"claimId":%q,"ok":true,"output":{}}`, id), nil); s != 409 {
		t.Errorf("the agent reports what an executor runs: %d", s)
	}
	if s := p.as(p.agentToken, "POST", own+"/claim",
		fmt.Sprintf(`{"inputHash":%q,"claimant":"c","claimKey":"executor:k"}`, call.InputHash), nil); s != 422 {
		t.Errorf("the agent claims as an executor: %d", s)
	}
	good := fmt.Sprintf(`{"claim_id":%q,"success":true,"stdout":"ok","exit_code":0}`, id)
	for _, step := range []struct {
		token, body string
		want        int
	}{{second.Token, good, 409}, {p.executor, good, 200}, {p.executor, good, 200},
		{p.executor, fmt.Sprintf(`{"claim_id":%q,"success":false,"error":"no"}`, id), 409}} {
		if s := p.as(step.token, "POST", result, step.body, nil); s != step.want {
			t.Errorf("%s: %d, want %d", step.body, s, step.want)
		}
	}
	if done := p.wait(call.ToolID); done.Status != "completed" || done.Result["stdout"] != "ok" {
		t.Errorf("done: %+v", done)
	}
	var listed struct{ Executors []struct{ ID, Name string } }
	p.operate("GET", "/v1/executors", "", &listed)
	for _, x := range listed.Executors {
		p.operate("DELETE", "/v1/executors/"+x.ID, "", nil)
	}
	if s := p.as(p.executor, "GET", "/my/projects", "", nil); s != 401 || len(listed.Executors) != 2 {
		t.Errorf("an executor that was ended: %d of %v", s, listed)
	}
}
