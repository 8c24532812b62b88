package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rolePermissions are the permissions of some tools of the real file server: one of each kind. The
// other tools of the server are not registered.
var rolePermissions = map[string]string{
	"read_text_file": "unauthenticated", "list_directory": "coordinator_only", "create_directory": "manager_only",
	"list_allowed_directories": "worker_only", "get_file_info": "authenticated", "search_files": "chat_only", "directory_tree": "task_only",
}

// roleTable is the contract's: what each caller is told who uses a tool of a permission; "" is nothing.
var roleTable = map[string]map[string]string{
	"unauthenticated":  {},
	"coordinator_only": {"no session": "C", "manager task": "C", "manager chat": "C", "worker task": "C", "worker chat": "C"},
	"manager_only":     {"no session": "A", "worker task": "M", "worker chat": "M"},
	"worker_only":      {"no session": "A", "coordinator": "W", "manager task": "W", "manager chat": "W"},
	"authenticated":    {"no session": "A", "coordinator": "A"},
	"chat_only":        {"no session": "A", "coordinator": "A", "manager task": "chat", "worker task": "chat"},
	"task_only":        {"no session": "A", "coordinator": "A", "manager chat": "task", "worker chat": "task"},
	"":                 {"": "R"},
}

var roleSentences = map[string]string{
	"A":    "Tool 'X' requires authentication. Call 'authenticate' first.",
	"C":    "Tool 'X' requires coordinator privilege.",
	"M":    "Tool 'X' requires manager privilege.",
	"W":    "Tool 'X' requires worker privilege.",
	"R":    "Tool 'X' is not registered.",
	"chat": "Tool 'X' requires a chat session. Current session purpose is 'task'.",
	"task": "Tool 'X' requires a task session. Current session purpose is 'chat'.",
}

// toldOf is what a caller is told who uses a tool; "" is nothing.
func toldOf(caller, tool string) string {
	short := roleTable[rolePermissions[tool]][caller]
	if rolePermissions[tool] == "" {
		short = "R"
	}
	return strings.Replace(roleSentences[short], "X", tool, 1)
}

// staff is a desk with a caller of each kind before the real file server, which has a table, and
// of which a rule allows everything.
type staff struct {
	*party
	op     visitor
	tokens map[string]string // of the callers
	ids    map[string]string // of their agents
	ended  map[string]string // their sessions
	folder string
}

func newStaff(t *testing.T) *staff {
	s := &staff{party: newParty(t), tokens: map[string]string{}, ids: map[string]string{}, ended: map[string]string{}}
	s.op = s.party.op
	s.folder = s.fileServer()
	s.op.do(201, "POST /v1/rules", fields{"serverId": "filesystem", "effect": "allow", "priority": 5})
	s.table(rolePermissions)
	for _, caller := range []string{"no session", "coordinator", "manager task", "manager chat", "worker task", "worker chat"} {
		made := s.op.do(201, "POST /v1/agents", fields{"name": unique("agent")})
		s.ids[caller], s.tokens[caller] = made.text("agent.id"), made.text("token")
		switch role, purpose, in := strings.Cut(caller, " "); {
		case caller == "coordinator":
			s.op.do(200, "PATCH /v1/agents/"+s.ids[caller], fields{"role": "coordinator"}).has("agent.role", "coordinator")
		case in && role != "no":
			s.tokens[caller], s.ended[caller] = s.session(s.op.visitor(s.tokens[caller]), s.ids[caller], role, purpose)
		}
	}
	return s
}

// table gives the file server a table; nil is none.
func (s *staff) table(of any) {
	s.Helper()
	listed := s.op.do(200, "GET /v1/servers", nil)
	entry := listed.list("servers")[0].(fields)
	entry["toolPermissions"] = of
	s.op.do(200, "PUT /v1/servers", fields{"servers": []any{entry}})
}

// session begins one for an agent, and gives its token and its id.
func (s *staff) session(agent visitor, id, role, purpose string) (token, session string) {
	s.Helper()
	passkey, session := s.passkey(id, role, purpose, nil)
	begun := agent.do(200, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
	begun.has("role", role, "purpose", purpose, "agentId", id, "projectId", "p1")
	return begun.text("sessionToken"), session
}

func (s *staff) passkey(id, role, purpose string, more fields) (passkey, session string) {
	s.Helper()
	body := fields{"agentId": id, "role": role, "purpose": purpose, "projectId": "p1"}
	for key, value := range more {
		body[key] = value
	}
	made := s.op.do(201, "POST /v1/sessions", body)
	made.has("session.agentId", id, "session.role", role, "session.purpose", purpose, "session.projectId", "p1", "session.state", "working")
	return made.text("passkey"), made.text("session.id")
}

func (s *staff) as(caller string) visitor { return s.op.visitor(s.tokens[caller]) }

// input is a good one of a tool of the file server.
func (s *staff) input(tool string) fields {
	switch tool {
	case "search_files":
		return fields{"path": s.folder, "pattern": "x"}
	case "list_allowed_directories":
		return fields{}
	case "read_text_file":
		return fields{"path": filepath.Join(s.folder, "a.txt")}
	case "create_directory":
		return fields{"path": filepath.Join(s.folder, "made")}
	}
	return fields{"path": s.folder}
}

// tools are those of the table and some that are in no table.
func (s *staff) tools() []string {
	all := []string{"write_file", "no_such_tool"}
	for tool := range rolePermissions {
		all = append(all, tool)
	}
	slices.Sort(all)
	return all
}

// usable are those that a caller may use.
func (s *staff) usable(caller string) (tools []string) {
	for _, tool := range s.tools() {
		if toldOf(caller, tool) == "" {
			tools = append(tools, tool)
		}
	}
	return tools
}

// TestContractRolesOverREST: each cell of the table is a call that is denied with its sentence, or
// not, and evaluate and the list of OPA say the same.
func TestContractRolesOverREST(t *testing.T) {
	s := newStaff(t)
	s.op.do(200, "POST /v1/hold", fields{"on": true})
	for caller := range s.tokens {
		v := s.as(caller)
		for _, tool := range s.tools() {
			want := toldOf(caller, tool)
			c := v.ask(201, fields{"serverId": "filesystem", "toolName": tool, "input": s.input(tool)})
			e := v.do(200, "POST /v1/evaluate", fields{"serverId": "filesystem", "toolName": tool, "input": s.input(tool)})
			tried := s.op.do(200, "POST /v1/evaluate", fields{"serverId": "filesystem", "toolName": tool, "input": s.input(tool),
				"agentId": s.ids[caller], "sessionId": s.ended[caller]})
			if want == "" {
				c.has("call.status", "pending", "call.why.code", "hold")
				e.has("decision", "ask", "code", "hold")
				tried.has("decision", "ask", "code", "hold")
				continue
			}
			c.has("call.status", "denied", "call.decision.by", "guard", "call.decision.approved", false, "call.decision.reason", want,
				"call.decision.ruleId", nil, "call.why.reason", want, "call.why.code", c.at("call.decision.code"))
			e.has("decision", "deny", "reason", want, "rule", nil)
			tried.has("decision", "deny", "reason", want, "rule", nil)
			s.op.refused(409, "denied", "POST /v1/calls/"+c.id()+"/decision",
				fields{"approved": true, "inputHash": c.text("call.inputHash"), "rev": c.at("call.rev")})
			v.refused(409, "denied", "POST /v1/calls/"+c.id()+"/claim",
				fields{"inputHash": c.text("call.inputHash"), "claimant": "t", "claimKey": "k"})
		}
		got := v.do(200, "POST /v1/data/sekisho/tools", fields{"input": fields{"serverId": "filesystem", "tools": s.tools()}})
		var listed []string
		for _, tool := range got.list("result") {
			listed = append(listed, fmt.Sprint(tool))
		}
		if want := s.usable(caller); !slices.Equal(listed, want) {
			t.Errorf("%s: OPA's list has %q, want %q", caller, listed, want)
		}
	}
}

// stateless posts one request of the era without sessions.
func (v visitor) stateless(path, method, name string, params fields) reply {
	v.Helper()
	params["_meta"] = fields{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": fields{},
		"io.modelcontextprotocol/clientInfo": fields{"name": "test", "version": "1"}}
	headers := []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	r := v.send("POST "+path, fields{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers...)
	if r.body == nil { // an event stream
		_, data, _ := bytes.Cut(r.raw, []byte("data: "))
		line, _, _ := bytes.Cut(data, []byte("\n"))
		r.body = v.decode(line)
	}
	return r
}

// TestContractRolesOverMCP: the list of tools has what the caller may use and nothing else, and each
// cell is an answer with the sentence, or the server's: in both eras, at the server and joined.
func TestContractRolesOverMCP(t *testing.T) {
	s := newStaff(t)
	if err := os.WriteFile(filepath.Join(s.folder, "a.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for caller, token := range s.tokens {
		want := slices.Sorted(slices.Values(append(s.usable(caller), "help")))
		doors := map[string]string{"/mcp/filesystem": ""}
		if caller == "no session" || caller == "worker chat" {
			doors["/mcp"] = "filesystem__"
		}
		for door, prefix := range doors {
			at := fmt.Sprintf("%s at %s", caller, door)
			client := s.client(token, door)
			names := s.listed(client, prefix)
			if !slices.Equal(names, want) {
				t.Errorf("%s: the list has %q, want %q", at, names, want)
			}
			modern := s.as(caller).stateless(door, "tools/list", "", fields{})
			for _, tool := range s.tools() {
				if listed := strings.Contains(string(modern.raw), `"`+prefix+tool+`"`); listed != slices.Contains(want, tool) {
					t.Errorf("%s, without sessions: %s is listed: %v", at, tool, listed)
				}
				told := toldOf(caller, tool)
				got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: prefix + tool, Arguments: s.input(tool)})
				if err != nil {
					t.Errorf("%s: %s: %v", at, tool, err)
					continue
				}
				r := s.as(caller).stateless(door, "tools/call", prefix+tool, fields{"name": prefix + tool, "arguments": s.input(tool)})
				if told == "" {
					if got.IsError || !strings.Contains(string(r.raw), `"result":`) || strings.Contains(string(r.raw), `"isError":true`) {
						t.Errorf("%s: %s: %s; %s", at, tool, answer{result: got}.text(), r.raw)
					}
					continue
				}
				if text := (answer{result: got}).text(); !got.IsError || text != told {
					t.Errorf("%s: %s: %q, want %q", at, tool, text, told)
				}
				if r.at("result.isError") != true || r.text("result.content.0.text") != told {
					t.Errorf("%s, without sessions: %s: %s, want %q", at, tool, r.raw, told)
				}
			}
			client.Close()
		}
	}
	s.table(nil)
	client := s.client(s.tokens["no session"], "/mcp/filesystem")
	if list, err := client.ListTools(t.Context(), nil); err != nil || len(list.Tools) < 10 {
		t.Errorf("without a table: %v %v", list, err)
	}
	got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_allowed_directories"})
	if err != nil || got.IsError {
		t.Errorf("without a table: %+v %v", got, err)
	}
}

// listed are the names in a client's list, which at the joined endpoint comes when the server is there.
func (s *staff) listed(client *mcp.ClientSession, prefix string) (names []string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); len(names) < 2 && time.Now().Before(deadline); {
		list, err := client.ListTools(s.Context(), nil)
		if err != nil {
			s.Fatal(err)
		}
		names = nil
		for _, tool := range list.Tools {
			names = append(names, strings.TrimPrefix(tool.Name, prefix))
		}
	}
	slices.Sort(names)
	return names
}

// client connects the official client to a door.
func (s *staff) client(token, door string, heard ...func()) *mcp.ClientSession {
	s.Helper()
	opts := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		for _, hear := range heard {
			hear()
		}
	}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(s.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.URL + door, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		s.Fatalf("connect: %v\n%s", err, s.stderr)
	}
	s.Cleanup(func() { session.Close() })
	return session
}

// TestContractRoleThreats: what an agent must not come to, by any means.
func TestContractRoleThreats(t *testing.T) {
	s := newStaff(t)
	worker, id := s.as("worker task"), s.ids["worker task"]
	own := s.as("no session")
	for _, v := range []visitor{worker, own, s.as("coordinator")} { // no agent makes sessions or roles
		for line, body := range map[string]fields{
			"PATCH /v1/agents/" + id: {"role": "coordinator"},
			"PUT /v1/projects/p1":    {"members": fields{id: "manager"}},
			"GET /v1/projects":       nil,
			"GET /v1/sessions":       nil,
			"POST /v1/sessions":      {"agentId": id, "role": "manager", "purpose": "chat", "projectId": "p1"},
			"PUT /v1/servers":        {"servers": []any{}},
		} {
			var sent any
			if body != nil {
				sent = body
			}
			v.refused(403, "forbidden", line, sent)
		}
	}
	// A worker names the session of a manager, and stays what it is.
	for _, session := range []string{s.ended["manager task"], s.ended["worker chat"], "another"} {
		body := fields{"runId": "r", "toolCallId": unique("call"), "serverId": "filesystem", "toolName": "create_directory", "sessionId": session}
		worker.refused(422, "invalid", "POST /v1/calls", body).has("field", "sessionId")
		worker.refused(422, "invalid", "POST /v1/evaluate", fields{"serverId": "filesystem", "toolName": "x", "sessionId": session})
	}
	worker.ask(201, fields{"sessionId": s.ended["worker task"]}).has("call.sessionId", s.ended["worker task"])
	// An agent without the token of its session is not in it, by a run of that name neither.
	bare := s.op.do(201, "POST /v1/agents", fields{"name": unique("agent")})
	agent := s.op.visitor(bare.text("token"))
	token, session := s.session(agent, bare.text("agent.id"), "manager", "task")
	agent.refused(422, "invalid", "POST /v1/calls", fields{"runId": "r", "toolCallId": "1", "sessionId": session, "toolName": "x"})
	agent.refused(422, "invalid", "POST /v1/calls", fields{"runId": session, "toolCallId": "1", "toolName": "x"})
	agent.refused(422, "invalid", "POST /v1/evaluate", fields{"sessionId": session, "toolName": "x"})
	// A call of the session is not claimed without its token.
	c := agent.visitor(token).ask(201, fields{"serverId": "filesystem", "toolName": "create_directory"})
	c.has("call.status", "approved", "call.sessionId", session)
	claim := fields{"inputHash": c.text("call.inputHash"), "claimant": "t", "claimKey": "k"}
	agent.refused(404, "not_found", "POST /v1/calls/"+c.id()+"/claim", claim)
	other, _ := s.session(agent, bare.text("agent.id"), "worker", "task")
	agent.visitor(other).refused(404, "not_found", "POST /v1/calls/"+c.id()+"/claim", claim)
	agent.visitor(token).do(200, "POST /v1/calls/"+c.id()+"/claim", claim)
	// Passkeys: another agent's, of another project, twice, and by a session.
	passkey, _ := s.passkey(bare.text("agent.id"), "manager", "chat", nil)
	good := fields{"agentId": bare.text("agent.id"), "passkey": passkey, "projectId": "p1"}
	refusal := own.refused(403, "forbidden", "POST /v1/sessions/authenticate", good).raw
	for _, try := range []reply{
		own.do(403, "POST /v1/sessions/authenticate", fields{"agentId": s.ids["no session"], "passkey": passkey, "projectId": "p1"}),
		agent.do(403, "POST /v1/sessions/authenticate", fields{"agentId": bare.text("agent.id"), "passkey": passkey, "projectId": "p2"}),
		agent.do(403, "POST /v1/sessions/authenticate", fields{"agentId": bare.text("agent.id"), "passkey": "skp_no", "projectId": "p1"}),
		agent.visitor(token).do(403, "POST /v1/sessions/authenticate", good),
	} {
		if !bytes.Equal(try.raw, refusal) {
			t.Errorf("a refusal says more: %s", try.raw)
		}
	}
	var won sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { won.Store(i, agent.send("POST /v1/sessions/authenticate", good).status) })
	}
	all.Wait()
	count := map[any]int{}
	won.Range(func(_, status any) bool { count[status]++; return true })
	if count[200] != 1 || count[403] != 7 {
		t.Errorf("tried at once: %v", count)
	}
}

// TestContractVoidSessionTokens: ended, expired and forged ones get the same bytes, and an end
// withdraws calls.
func TestContractVoidSessionTokens(t *testing.T) {
	s := newStaff(t)
	s.op.do(200, "POST /v1/hold", fields{"on": true})
	id, agent := s.ids["no session"], s.as("no session")
	ended, session := s.session(agent, id, "worker", "task")
	waits := s.op.visitor(ended).ask(201, nil)
	client := s.client(ended, "/mcp/filesystem")
	s.op.do(200, "POST /v1/sessions/"+session+"/end", fields{}).has("cancelled", 1)
	s.op.do(200, "GET /v1/calls/"+waits.id(), nil).has("call.status", "cancelled")
	passkey, _ := s.passkey(id, "worker", "task", fields{"ttlSeconds": 0.05})
	short := agent.do(200, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
	over := short.time("expiresAt").Add(10 * time.Millisecond)
	s.op.until("the token expires", "GET /healthz", func(reply) bool { return time.Now().After(over) })
	var said []byte
	for _, token := range []string{ended, short.text("sessionToken"), "sks_" + strings.Repeat("A", 43), "sks_", strings.ToUpper(ended)} {
		for _, line := range []string{"GET /v1/calls", "POST /mcp/filesystem", "POST /v1/hooks/claude"} {
			got := s.op.visitor(token).send(line, nil)
			if said == nil {
				said = got.raw
			}
			if got.status != 401 || !bytes.Equal(got.raw, said) {
				t.Errorf("%s with %.8s: %d %s", line, token, got.status, got.raw)
			}
		}
	}
	if _, err := client.ListTools(t.Context(), nil); err == nil {
		t.Error("a connection by the token of an ended session goes on")
	}
	got := s.op.do(200, "GET /v1/sessions", nil)
	for _, one := range got.list("sessions") {
		if one := one.(fields); one["id"] == session && (one["state"] != "ended" || one["role"] != "worker" || one["projectId"] != "p1") {
			t.Errorf("the ended session: %v", one)
		}
	}
}

// TestContractChangedTable: a table that is put judges what waits, and clients hear of their lists.
func TestContractChangedTable(t *testing.T) {
	s := newStaff(t)
	s.op.do(200, "POST /v1/hold", fields{"on": true})
	heard := make(chan bool, 100)
	client := s.client(s.tokens["worker task"], "/mcp/filesystem", func() { heard <- true })
	if _, err := client.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	waits := s.as("worker task").ask(201, fields{"serverId": "filesystem", "toolName": "directory_tree"})
	waits.has("call.status", "pending")
	s.table(fields{"*": "chat_only"})
	s.op.do(200, "GET /v1/calls/"+waits.id(), nil).has("call.status", "denied", "call.decision.by", "guard", "call.decision.reason",
		"Tool 'directory_tree' requires a chat session. Current session purpose is 'task'.")
	select {
	case <-heard:
	case <-time.After(time.Minute):
		t.Error("the client does not hear that its list is another")
	}
	list, err := client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "help" {
		t.Errorf("%v %v", list, err)
	}
	said := fmt.Sprint(s.op.journal())
	if !strings.Contains(said, "chat_only") || !strings.Contains(said, "session_began") {
		t.Error("the journal does not say what changed")
	}
	long := strings.Repeat("x", 257)
	for _, bad := range []any{fields{"x": "everybody"}, fields{"": "authenticated"}, fields{long: "authenticated"}, []any{}} {
		entry := s.op.do(200, "GET /v1/servers", nil).list("servers")[0].(fields)
		entry["toolPermissions"] = bad
		s.op.refused(422, "invalid", "PUT /v1/servers", fields{"servers": []any{entry}})
	}
}

// TestContractSessionsOutliveKill: a passkey and a token are as good after kill -9 as before.
func TestContractSessionsOutliveKill(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	op := first.visit(t, "operator", operator)
	made := op.do(201, "POST /v1/agents", fields{"name": "a"})
	id, agent := made.text("agent.id"), op.visitor(made.text("token"))
	begin := func(passkey string) (string, int) {
		r := agent.send("POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
		return fmt.Sprint(r.at("sessionToken")), r.status
	}
	wanted := fields{"agentId": id, "role": "worker", "purpose": "task", "projectId": "p1"}
	used, unused := op.do(201, "POST /v1/sessions", wanted).text("passkey"), op.do(201, "POST /v1/sessions", wanted).text("passkey")
	token, _ := begin(used)
	first.kill()
	second := start(t, dir)
	op, agent = second.visit(t, "operator", operator), second.visit(t, "agent", made.text("token"))
	op.visitor(token).do(200, "GET /v1/calls", nil)
	if _, status := begin(used); status != 403 {
		t.Errorf("a passkey that was changed before: %d", status)
	}
	if _, status := begin(unused); status != 200 {
		t.Errorf("a passkey that was not: %d", status)
	}
	if difference := op.do(200, "GET /v1/differences", nil); len(difference.list("differences")) != 0 {
		t.Errorf("the tables differ from the journal: %s", difference.raw)
	}
}

// TestContractSecretsOfSessionsAreNowhere: 20 passkeys and their tokens are in no file, no log and no
// answer.
func TestContractSecretsOfSessionsAreNowhere(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	s := &staff{party: &party{daemon: d}, op: d.visit(t, "operator", operator)}
	made := s.op.do(201, "POST /v1/agents", fields{"name": "a"})
	id, agent := made.text("agent.id"), s.op.visitor(made.text("token"))
	var secrets []string
	for i := range 20 {
		passkey, session := s.passkey(id, []string{"manager", "worker"}[i%2], []string{"task", "chat"}[i/2%2], nil)
		begun := agent.do(200, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
		token := begun.text("sessionToken")
		secrets = append(secrets, strings.TrimPrefix(passkey, "skp_"), strings.TrimPrefix(token, "sks_"))
		v := s.op.visitor(token)
		v.ask(201, nil)
		if i%3 == 0 {
			s.op.do(200, "POST /v1/sessions/"+session+"/end", fields{})
			v.do(401, "GET /v1/calls", nil)
		}
		agent.do(403, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
	}
	shown := d.stderr.String()
	for _, path := range []string{"/v1/calls", "/v1/sessions", "/v1/agents", "/v1/projects", "/v1/grants", "/v1/servers", "/v1/differences",
		"/v1/journal?limit=1000", "/v1/settings", "/v1/rules", "/v1/connections"} {
		shown += string(s.op.do(200, "GET "+path, nil).raw)
	}
	shown += string(agent.do(200, "GET /v1/calls", nil).raw)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		shown += string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(shown, secret) {
			t.Errorf("%.6s… is kept or shown", secret)
		}
	}
	if !strings.Contains(shown, "session_made") {
		t.Error("nothing was looked at")
	}
}
