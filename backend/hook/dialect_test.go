package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded are the events of real clients, by file.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = raw
	}
	return all
}

func readAs(client string, raw []byte, entries ...Entry) (question, error) {
	f, err := readFields(raw)
	if err != nil {
		return question{}, err
	}
	return clients[client].read(f, func() servers { return entries })
}

// TestRecordedEvents: what real clients wrote is read, and others' events are refused.
func TestRecordedEvents(t *testing.T) {
	tools := map[string]string{
		"claude-PreToolUse-Bash":                               "<nil> Bash toolu_scripteds0i0",
		"claude-prompted-PreToolUse-mcp__files__touch":         "files touch toolu_scripteds0i0",
		"claude-PermissionRequest-Bash":                        "<nil> Bash ",
		"codex-PreToolUse-Bash":                                "<nil> Bash call_scripteds0i0",
		"codex-PreToolUse-mcp__files__touch":                   "files touch call_scripteds0i0",
		"codex-served-PermissionRequest-Bash":                  "<nil> Bash ",
		"copilot-preToolUse-bash":                              "<nil> bash ",
		"copilot-preToolUse-files-touch":                       "files touch ",
		"copilot-permissionRequest-files_touch":                "files touch ",
		"copilot-pascal-PreToolUse-Bash":                       "<nil> Bash ",
		"gemini-BeforeTool-run_shell_command":                  "<nil> run_shell_command ",
		"gemini-BeforeTool-mcp_files_touch":                    "files touch ",
		"opencode-tool.execute.before-bash":                    "<nil> bash call_scripteds0i0",
		"opencode-tool.execute.before-files_touch":             "files touch call_scripteds0i0",
		"claude-2.1.197-prompted-PreToolUse-mcp__files__touch": "files touch toolu_scripteds0i0",
	}
	for name, raw := range recorded(t) {
		client, _, _ := strings.Cut(name, "-")
		q, err := readAs(client, raw, Entry{Name: "files"})
		if strings.HasPrefix(name, "opencode-permission") {
			if err == nil {
				t.Errorf("%s: our plugin does not hand that on", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		server := "<nil>"
		if q.server != nil {
			server = *q.server
		}
		if want, ok := tools[name]; ok && server+" "+q.tool+" "+q.id != want {
			t.Errorf("%s: %s %s %s, want %s", name, server, q.tool, q.id, want)
		}
		delete(tools, name)
		if !json.Valid(q.input) || q.session == "" {
			t.Errorf("%s: %+v", name, q)
		}
		for _, other := range []string{"claude", "gemini", "cursor", "opencode"} {
			if _, err := readAs(other, raw); err == nil && other != client && !(other == "claude" && strings.Contains(name, "PreToolUse")) &&
				!(other == "claude" && strings.Contains(name, "PermissionRequest")) {
				t.Errorf("%s was read as an event of %s", name, other)
			}
		}
	}
	for name := range tools {
		t.Errorf("%s was not recorded", name)
	}
}

// documented are events as documents of clients have them; no client has written them.
var documented = map[string][3]string{
	"vscode tool": {"vscode", `{"timestamp":"t","cwd":"/w","sessionId":"s","hookEventName":"PreToolUse","tool_name":"editFiles","tool_input":{"files":[]},"tool_use_id":"i"}`, "editFiles"},
	"cursor line": {"cursor", `{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"ls","cwd":"/w"}`, "Shell"},
	"cursor file": {"cursor", `{"hook_event_name":"beforeReadFile","conversation_id":"s","file_path":"/w/a","content":"x"}`, "Read"},
	"cursor mcp":  {"cursor", `{"hook_event_name":"beforeMCPExecution","conversation_id":"s","tool_name":"touch","tool_input":"{\"a\":1}","command":"node s.js"}`, "touch"},
	"cursor tool": {"cursor", `{"hook_event_name":"preToolUse","conversation_id":"s","tool_name":"Write","tool_input":{"a":1},"tool_use_id":"i","cwd":"/w"}`, "Write"},
}

func TestDocumentedEvents(t *testing.T) {
	for name, c := range documented {
		q, err := readAs(c[0], []byte(c[1]))
		if err != nil || q.tool != c[2] || q.session != "s" || !json.Valid(q.input) {
			t.Errorf("%s: %+v %v", name, q, err)
		}
	}
}

// TestAnswers: a yes and a no of each client for each of its events, in words that it knows.
func TestAnswers(t *testing.T) {
	edited := []byte(`{"a":2}`)
	for name, c := range map[string]struct {
		client, event  string
		yes, edit, ask string // edit "" is none, ask "" is none
		no             Answer
	}{
		"claude": {"claude", preToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":2}}}`, `"ask"`, Answer{2, "", "why\n"}},
		"claude asks": {"claude", permissionRequest,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"a":2}}}}`, `{}`,
			Answer{0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"why"}}}`, ""}},
		"codex": {"codex", preToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":2}}}`, "", Answer{2, "", "why\n"}},
		"codex asks": {"codex", permissionRequest,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "", `{}`, Answer{2, "", "why\n"}},
		"gemini": {"gemini", "BeforeTool", `{"decision":"allow"}`,
			`{"decision":"allow","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a":2}}}`, "", Answer{2, "", "why\n"}},
		"copilot": {"copilot", copilotBefore, `{"permissionDecision":"allow"}`, `{"permissionDecision":"allow","modifiedArgs":{"a":2}}`, `"ask"`,
			Answer{2, `{"permissionDecision":"deny","permissionDecisionReason":"why"}`, "why\n"}},
		"copilot as claude": {"copilot", preToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, "", `"ask"`,
			Answer{2, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}`, "why\n"}},
		"copilot asks": {"copilot", copilotRequest, `{"behavior":"allow"}`, "", `{}`, Answer{0, `{"behavior":"deny","message":"why"}`, ""}},
		"cursor":       {"cursor", "beforeShellExecution", `{"permission":"allow"}`, "", `"ask"`, Answer{2, "", "why\n"}},
		"opencode":     {"opencode", "tool.execute.before", `{}`, "", "", Answer{2, "", "why\n"}},
	} {
		d, q := clients[c.client], &question{event: c.event}
		a := &attempt{dialect: d, q: *q}
		if got := a.yes(nil); got != (Answer{0, c.yes, ""}) {
			t.Errorf("%s: yes %+v", name, got)
		}
		if stdout, ok := d.allow(q, edited); ok != (c.edit != "") || ok && stdout != c.edit {
			t.Errorf("%s: edited %s %v", name, stdout, ok)
		}
		if a.no("why"); a.said != c.no {
			t.Errorf("%s: no %+v", name, a.said)
		}
		if a.no(" "); a.said.Stdout == c.no.Stdout && a.said.Stderr == c.no.Stderr || strings.Contains(a.said.Stdout, `":""`) {
			t.Errorf("%s: a no without a reason: %+v", name, a.said)
		}
		ask := ""
		if d.ask != nil {
			ask = d.ask(q)
		}
		if (ask == "") != (c.ask == "") || !strings.Contains(ask, c.ask) {
			t.Errorf("%s: asks by %s", name, ask)
		}
	}
}

// TestUnreadEvent: an event that cannot be read is exit code 2 with a reason in every dialect;
// Copilot CLI, which passes nothing of stderr on, has the reason in its own JSON too.
func TestUnreadEvent(t *testing.T) {
	door := New(&refusing{}, Options{})
	defer door.Close()
	for client, d := range clients {
		got := door.answer(t.Context(), &attempt{door: door, dialect: d, client: client}, []byte(`{"hookName":"permissionRequest"}`))
		if got.Exit != 2 || !strings.Contains(got.Stderr, "could not read") {
			t.Errorf("%s: %+v", client, got)
		}
		if tells := strings.Contains(got.Stdout, "could not read"); tells != (client == "copilot") {
			t.Errorf("%s: stdout %s", client, got.Stdout)
		}
	}
}

// TestEntries: what a client joins of names is taken apart by its servers, and a call is left
// to the gateway only where its entry leads there.
func TestEntries(t *testing.T) {
	known := servers{{Name: "a", Server: "desk-a"}, {Name: "a__b", Server: "desk-b"}, {Name: "all", Joined: true}, {Name: "elsewhere"},
		{Name: "my files", Server: "files"}}
	for joined, want := range map[string]string{
		"a__x": "a x desk-a x true", "a__b__x": "a__b x desk-b x true", "all__s__x": "all s__x s x true", "elsewhere__x": "elsewhere x  x false",
		"unknown__x": "unknown x   false", "my_files__x": "my files x files x true",
	} {
		server, tool, _ := known.split(joined, "__")
		q := question{server: &server, tool: tool}
		to, name, ok := known.leads(&q)
		if got := strings.Join([]string{server, tool, to, name, map[bool]string{true: "true", false: "false"}[ok]}, " "); got != want {
			t.Errorf("%s: %q, want %q", joined, got, want)
		}
	}
}

// TestAnEntryThatMayBeAnotherLeadsNowhere: two names that are written alike inside of a tool's,
// and an entry from elsewhere than the client says.
func TestAnEntryThatMayBeAnotherLeadsNowhere(t *testing.T) {
	known := servers{{Name: "my.files", Server: "files", Source: "user"}, {Name: "my_files", Source: "project"},
		{Name: "b", Server: "b", Source: "user"}}
	for server, want := range map[string][3]bool{
		"my.files": {false, true, false}, "my_files": {false, true, false}, "b": {true, true, false}, "c": {}} {
		for i, source := range []string{"", "user", "project"} {
			if _, _, ok := known.leads(&question{server: &server, tool: "x", source: source}); ok != want[i] {
				t.Errorf("%s from %q: %v", server, source, ok)
			}
		}
	}
}

// FuzzEvents: no event is a yes by itself, and whatever is read has what a row needs.
func FuzzEvents(f *testing.F) {
	for name, raw := range recorded(f) {
		client, _, _ := strings.Cut(name, "-")
		f.Add(client, raw)
	}
	for _, c := range documented {
		f.Add(c[0], []byte(c[1]))
	}
	f.Fuzz(func(t *testing.T, client string, raw []byte) {
		d := clients[client]
		if d == nil {
			return
		}
		desk := &refusing{}
		door := New(desk, Options{})
		defer door.Close()
		got := door.answer(t.Context(), &attempt{door: door, dialect: d, client: client}, raw)
		q, err := readAs(client, raw)
		switch {
		case got.Exit == 0 && (err != nil || !q.ours && !saysNo(got.Stdout)):
			t.Errorf("%s: %+v to %s", client, got, raw)
		case got.Exit != 0 && (got.Exit != 2 || strings.TrimSpace(got.Stderr) == "" || got.Stdout != "" && !saysNo(got.Stdout)):
			t.Errorf("%s: %+v to %s", client, got, raw)
		}
	})
}

// saysNo reports whether JSON is the no of a client that reads one.
func saysNo(stdout string) bool {
	return strings.Contains(stdout, `"behavior":"deny","message":"`) || strings.Contains(stdout, `"permissionDecision":"deny","permissionDecisionReason":"`)
}
