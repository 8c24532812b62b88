package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/coordination"
)

// getters are the paths of all GET rows that answer at once, with the values of what stands in braces.
func getters(t *testing.T, values map[string]string) (paths []string) {
	t.Helper()
	raw, err := os.ReadFile("../../../frontend/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	braces := regexp.MustCompile(`\{[^}]*\}`)
	for path, rows := range doc.Paths {
		if rows["get"] == nil || path == "/v1/events" {
			continue
		}
		kind := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")[0]
		paths = append(paths, braces.ReplaceAllStringFunc(path, func(name string) string {
			if value := values[kind+" "+name]; value != "" {
				return value
			}
			return values[kind]
		}))
	}
	return paths
}

// TestContractPlantedSecretsAreNowhere: 20 passkeys and their tokens, changed over both eras of MCP, joined
// too, and over REST, and said as arguments of every tool of coordination, are in no file, no log, no
// error, no answer of a GET row, no export and nothing that "sekisho logs" shows.
func TestContractPlantedSecretsAreNowhere(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	s := &staff{party: &party{daemon: d}, op: d.visit(t, "operator", operator)}
	s.op.do(200, "PATCH /v1/coordination", fields{"on": true})
	made := s.op.do(201, "POST /v1/agents", fields{"name": "a"})
	id, agent := made.text("agent.id"), s.op.visitor(made.text("token"))
	s.op.do(200, "PUT /v1/projects/p1", fields{"members": fields{id: "worker"}})
	var secrets []string
	var shown strings.Builder
	var row string
	says := func(on *mcp.ClientSession, tool string, args map[string]any) string {
		result, err := on.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return err.Error()
		}
		return answer{result: result}.text()
	}
	tokenIn := func(text string) string {
		token := regexp.MustCompile(`sks_[A-Za-z0-9_-]+`).FindString(text)
		if token == "" {
			t.Fatalf("no token: %s", text)
		}
		return token
	}
	for i := range 20 {
		purpose := []string{"task", "chat"}[i/4%2]
		passkey, session := s.passkey(id, "worker", purpose, nil)
		pass := fields{"agent_id": id, "passkey": passkey, "project_id": "p1"}
		kept := agent.do(201, "POST /v1/calls", fields{"runId": "r", "toolCallId": unique("call"), "serverId": "coordination",
			"toolName": "authenticate", "input": fields{"passkey": passkey, "Session_Token": passkey, "agent_id": id}})
		kept.has("call.input", fields{"agent_id": id})
		row = kept.id()
		agent.refused(422, "invalid", "POST /v1/calls", fields{"runId": "r", "toolCallId": unique("call"), "serverId": "coordination",
			"toolName": "authenticate", "input": fields{"passkey": []any{passkey}}}).has("field", "input.passkey")
		var token string
		switch i % 4 {
		case 0:
			on := s.client(agent.token, "/mcp/coordination")
			token = tokenIn(says(on, "authenticate", pass))
			shown.WriteString(says(on, "authenticate", pass) + says(on, "help", fields{})) // it is bound
			on.Close()
		case 1:
			enter := func() []byte {
				params := fields{"name": "authenticate", "arguments": pass}
				return agent.stateless("/mcp/coordination", "tools/call", "authenticate", params).raw
			}
			token = tokenIn(string(enter()))
			shown.Write(enter())
		case 2:
			on := s.client(agent.token, "/mcp")
			token = tokenIn(says(on, "coordination__authenticate", pass))
			if bound := says(on, "coordination__help", fields{}); !strings.Contains(bound, `"session_purpose":"`+purpose) {
				t.Errorf("the joined connection is not bound: %s", bound)
			}
			on.Close()
		default:
			begun := agent.do(200, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"})
			token = begun.text("sessionToken")
		}
		secrets = append(secrets, strings.TrimPrefix(passkey, "skp_"), strings.TrimPrefix(token, "sks_"))
		shown.Write(agent.do(403, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": passkey, "projectId": "p1"}).raw)
		in := s.op.visitor(token)
		if i%4 == 0 && i < 8 { // of each purpose one
			on := s.client(token, "/mcp/coordination")
			for _, tool := range coordination.Tools {
				for _, args := range []fields{{"session_token": token}, {"SESSION_TOKEN": token, "passkey": passkey}, {"session_token": passkey},
					{"session_token": []any{token}}, {"passkey": fields{"x": token}}} {
					shown.WriteString(says(on, tool.Name, args))
				}
			}
			on.Close()
		}
		in.ask(201, nil)
		if i%3 == 0 {
			s.op.do(200, "POST /v1/sessions/"+session+"/end", fields{})
		}
		if i%3 == 0 {
			shown.Write(in.do(401, "GET /v1/calls", nil).raw)
			shown.Write(s.op.visitor("sks_"+strings.Repeat("A", 43)).do(401, "GET /v1/calls", nil).raw)
		}
	}
	for _, path := range getters(t, map[string]string{"calls": row, "agents": id, "projects": "p1", "rules": "coordination",
		"servers": "coordination", "servers {name}": "authenticate"}) {
		for _, v := range []visitor{s.op, agent} {
			shown.Write(v.send("GET "+path, nil).raw)
		}
	}
	program, err := cli()
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"logs --limit 1000", "logs --json", "journal export", "rules export", "servers", "doctor", "status"} {
		cmd := exec.CommandContext(t.Context(), program, append([]string{"--desk", d.URL}, strings.Fields(words)...)...)
		cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+operator, "HOME="+t.TempDir())
		out, _ := cmd.CombinedOutput() // a word that it does not know is an answer, too
		shown.Write(out)
	}
	shown.WriteString(d.stderr.String())
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		shown.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := shown.String()
	for _, secret := range secrets {
		if at := strings.Index(all, secret); at >= 0 {
			t.Errorf("%.6s… is kept or shown: %q", secret, all[max(0, at-120):at])
		}
	}
	for _, word := range []string{"session_began", "session_made", "not that of the session in force", "coordination", "caller_type"} {
		if !strings.Contains(all, word) {
			t.Errorf("nothing has %s: this shows nothing", word)
		}
	}
}

// TestContractTheTableOfCoordinationStays: an edit of the list of servers that leaves the tables out takes away
// those of a person's servers, as the journal says, and not that of the desk's own tools.
func TestContractTheTableOfCoordinationStays(t *testing.T) {
	s := newStaff(t)
	s.op.do(200, "PATCH /v1/coordination", fields{"on": true})
	listed := s.op.do(200, "GET /v1/servers", nil).list("servers")
	for _, one := range listed {
		delete(one.(fields), "toolPermissions")
	}
	s.op.do(200, "PUT /v1/servers", fields{"servers": listed})
	for _, one := range s.op.do(200, "GET /v1/servers", nil).list("servers") {
		one := one.(fields)
		if none := one["toolPermissions"] == nil; none != (one["id"] == "filesystem") {
			t.Errorf("%v has the table %v", one["id"], one["toolPermissions"])
		}
	}
	refused := s.as("no session").ask(201, fields{"serverId": "coordination", "toolName": "get_agent_action"})
	refused.has("call.status", "denied", "call.decision.by", "guard")
	s.as("no session").ask(201, fields{"serverId": "filesystem", "toolName": "write_file"}).has("call.status", "approved")
	var last any
	for _, entry := range s.op.journal() {
		if one := at(entry, "kind"); one == "servers.changed" {
			last = at(entry, "data.tables")
		}
	}
	if list, _ := last.([]any); len(list) != 1 || list[0] != "filesystem" {
		t.Errorf("the journal names %v", last)
	}
}
