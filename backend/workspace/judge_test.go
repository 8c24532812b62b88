package workspace_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/workspace"
)

var here = permission.Server{ID: "w", Transport: permission.TransportWorkspace, Cwd: "/ws", Execution: permission.ExecutionDesk}

func judged(t *testing.T, tool string, input map[string]any, confined bool) workspace.Judgement {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return workspace.Judge(&here, tool, raw, confined)
}

func line(text string) map[string]any {
	words := strings.Fields(text)
	return map[string]any{"command": words[0], "args": words[1:]}
}

// TestLevels holds the table, and what the input itself raises.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		tool  string
		input map[string]any
		want  permission.Risk
		code  permission.RiskCode
		at    string // what of the input is meant
	}{
		{guard.ReadFile, map[string]any{"path": "a.txt"}, "low", "", ""},
		{guard.ReadFile, map[string]any{"path": "./.env"}, "high", permission.RiskSecret, "/path 0 6"},
		{guard.ListDirectory, map[string]any{"path": ".", "recursive": true}, "low", "", ""},
		{guard.WriteFile, map[string]any{"path": "a.md", "content": "x"}, "medium", permission.RiskWrites, "/path 0 4"},
		{guard.WriteFile, map[string]any{"path": "a.rs", "content": "x"}, "high", permission.RiskFileKind, "/path 0 4"},
		{guard.WriteFile, map[string]any{"path": "package.json", "content": "x"}, "high", permission.RiskSteers, "/path 0 12"},
		{guard.WriteFile, map[string]any{"path": "a.md", "content": "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0\n-----END RSA PRIVATE KEY-----\n"}, "high", permission.RiskKeyValue, "*"},
		{guard.ExecuteCommand, line("ls -la"), "low", "", ""},
		{guard.ExecuteCommand, line("grep -rn TODO ."), "low", "", ""},
		{guard.ExecuteCommand, line("cat a.txt .env"), "high", permission.RiskSecret, "/args/1 0 4"},
		{guard.ExecuteCommand, line("git commit -m x"), "medium", permission.RiskChanges, "/command 0 3"},
		{guard.ExecuteCommand, line("git switch -f x"), "high", permission.RiskLosesWork, "*"},
		{guard.ExecuteCommand, line("git status"), "medium", permission.RiskChanges, "*"},
		{guard.ExecuteCommand, line("npm install express"), "medium", "", "*"},
		{guard.ExecuteCommand, line("python x.py"), "medium", permission.RiskRunsProject, "*"},
		{guard.ExecuteCommand, line("make all"), "high", permission.RiskListed, "*"},
	} {
		j := judged(t, c.tool, c.input, true)
		if j.Refused != nil || j.Level != c.want {
			t.Errorf("%s %v is %s (%v), want %s", c.tool, c.input, j.Level, j.Refused, c.want)
			continue
		}
		if (c.want == permission.RiskLow) != (len(j.Reasons) == 0) {
			t.Errorf("%s %v is %s for %v", c.tool, c.input, j.Level, j.Reasons)
		}
		of := slices.IndexFunc(j.Reasons, func(r permission.RiskReason) bool { return r.Code == c.code })
		if c.code != "" && of < 0 {
			t.Errorf("%s %v is %s for %v, want %s", c.tool, c.input, j.Level, j.Reasons, c.code)
		} else if c.code != "" && c.at != "*" && place(j.Reasons[of].At) != c.at {
			t.Errorf("%s %v: %s is said of %s, want %s", c.tool, c.input, c.code, place(j.Reasons[of].At), c.at)
		}
	}
}

func place(p *permission.InputPlace) string {
	if p == nil {
		return ""
	}
	raw, _ := json.Marshal([]int{p.Start, p.End})
	return p.Pointer + " " + strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(raw))
}

// TestWithoutConfinementNothingIsLowButReadAndList: what nothing keeps in the folder asks.
func TestWithoutConfinementNothingIsLowButReadAndList(t *testing.T) {
	for _, l := range []string{"ls", "cat a.txt", "pwd", "echo x", "date", "whoami", "grep x a.txt", "find .", "locate a"} {
		if j := judged(t, guard.ExecuteCommand, line(l), true); j.Level != permission.RiskLow {
			t.Errorf("%s is %s: %v", l, j.Level, j.Reasons)
		}
		j := judged(t, guard.ExecuteCommand, line(l), false)
		if j.Level != permission.RiskMedium || j.Reasons[0].Code != permission.RiskUnconfined {
			t.Errorf("unconfined, %s is %s: %v", l, j.Level, j.Reasons)
		}
	}
	for _, tool := range []string{guard.ReadFile, guard.ListDirectory} {
		if j := judged(t, tool, map[string]any{"path": "a"}, false); j.Level != permission.RiskLow {
			t.Errorf("unconfined, %s is %s", tool, j.Level)
		}
	}
}

func TestWhatRunsCodeIsAnsweredOnce(t *testing.T) {
	for l, want := range map[string]bool{"python x.py": true, "node x.js": true, "make": true, "gcc a.c": true, "npm run x": true,
		"npm test": true, "git status": false, "npm install x": false, "ls": false} {
		if j := judged(t, guard.ExecuteCommand, line(l), true); j.Once != want {
			t.Errorf("%s is answered once: %v", l, j.Once)
		}
	}
}

// TestSharedCommands: nothing that the shared cases refuse passes, and what room risk adds makes no case
// another than it accepts.
func TestSharedCommands(t *testing.T) {
	raw, err := os.ReadFile("../guard/testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Cls string
		Accept  []string
		Command json.RawMessage
		Args    json.RawMessage
		Timeout json.RawMessage
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if strings.Contains(string(r.Args), "link-") || strings.Contains(string(r.Args)+string(r.Command), "$repeat") {
			continue // what the disk tells, and what is too long for this
		}
		input := map[string]json.RawMessage{"command": r.Command}
		if r.Args != nil {
			input["args"] = r.Args
		}
		if r.Timeout != nil {
			input["timeout"] = r.Timeout
		}
		given, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		j := workspace.Judge(&here, guard.ExecuteCommand, given, true)
		got := "allowed-" + string(j.Level)
		if j.Refused != nil {
			got = "refused"
		}
		if !slices.Contains(r.Accept, got) {
			t.Errorf("%s %s: %s is %s, want %v: %v", r.ID, r.Cls, given, got, r.Accept, j.Reasons)
		}
	}
}

func TestRefusals(t *testing.T) {
	j := judged(t, guard.ExecuteCommand, line("rm -rf /"), true)
	if j.Refused == nil || j.Refused.Code != permission.ReasonCommandNotAllowed ||
		!strings.HasPrefix(j.Refused.Reason, "Command not allowed: ") {
		t.Errorf("rm: %+v", j.Refused)
	}
	// Of a client's folder nothing is known: an absolute path is outside of it.
	far := here
	far.Execution = permission.ExecutionClient
	j = workspace.Judge(&far, guard.ReadFile, json.RawMessage(`{"path":"/ws/a.txt"}`), true)
	if j.Refused == nil || j.Refused.Code != permission.ReasonPathOutside {
		t.Errorf("an absolute path at a client: %+v", j.Refused)
	}
	if j = judged(t, guard.ReadFile, map[string]any{"path": "/ws/a.txt"}, true); j.Refused != nil {
		t.Errorf("an absolute path inside: %+v", j.Refused)
	}
}

// TestAClientIsNotConfined: nobody knows how far its commands are.
func TestAClientIsNotConfined(t *testing.T) {
	far := here
	far.Execution = permission.ExecutionClient
	input, err := json.Marshal(line("ls"))
	if err != nil {
		t.Fatal(err)
	}
	if j := workspace.Judge(&far, guard.ExecuteCommand, input, false); j.Level != permission.RiskMedium {
		t.Errorf("ls at a client is %s", j.Level)
	}
}
