package guard_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
)

// commandCase is a row of testdata/commands.json: what a command must come out as.
type commandCase struct {
	ID, Cls         string
	Command         json.RawMessage
	Args            json.RawMessage
	Timeout         json.RawMessage
	Accept          []string
	Verdict, Reason string
}

// expand gives the value of a generator of the shared cases, or the value itself.
func expand(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return expanded(v)
}

func expanded(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = expanded(v[i])
		}
		return v
	case map[string]any:
		if r, is := v["$repeat"].([]any); is {
			return strings.Repeat(r[0].(string), int(r[1].(float64)))
		}
		if r, is := v["$repeatList"].([]any); is {
			var all []any
			for range int(r[1].(float64)) {
				all = append(all, r[0])
			}
			return all
		}
	}
	return v
}

func readCases[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome is the verdict on a call in the words of the shared cases.
func outcome(tool string, input []byte) (string, string) {
	c, bad := guard.Parse("/ws", tool, input)
	if bad != nil {
		return "refused", bad.Error()
	}
	v, bad := guard.Judge("/ws", c)
	if bad != nil {
		return "refused", bad.Error()
	}
	return "allowed-" + string(v.Level), ""
}

// linked are words that only the disk shows to leave the workspace: the room tool refuses them.
const linked = "link-"

func TestSharedCommands(t *testing.T) {
	for _, c := range readCases[commandCase](t, "commands.json") {
		input := map[string]any{"command": expand(t, c.Command)}
		if c.Args != nil {
			input["args"] = expand(t, c.Args)
		}
		if c.Timeout != nil {
			input["timeout"] = expand(t, c.Timeout)
		}
		if strings.Contains(string(c.Args), linked) {
			continue
		}
		raw, _ := json.Marshal(input)
		got, why := outcome(guard.ExecuteCommand, raw)
		if !slices.Contains(c.Accept, got) {
			t.Errorf("%s %s: %.150s is %s (%s), want %v: %s", c.ID, c.Cls, raw, got, why, c.Accept, c.Reason)
		}
	}
}

// pathCase is a row of testdata/paths.json, of which this judge sees the path alone.
type pathCase struct {
	ID, Op string
	Setup  []any
	Path   json.RawMessage
	Level  *string
	Accept []string
	Error  string
}

func TestSharedPaths(t *testing.T) {
	tools := map[string]string{"read": guard.ReadFile, "write": guard.WriteFile, "append": guard.WriteFile, "list": guard.ListDirectory}
	for _, c := range readCases[pathCase](t, "paths.json") {
		path, _ := expand(t, c.Path).(string)
		path = strings.ReplaceAll(strings.ReplaceAll(path, "{W}", "/ws"), "{O}", "/out")
		input := map[string]any{"path": path}
		if tools[c.Op] == guard.WriteFile {
			input["content"] = "x"
		}
		raw, _ := json.Marshal(input)
		got, why := outcome(tools[c.Op], raw)
		lexical := len(c.Setup) == 0 && c.Error == "escape" || strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/ws/")
		switch {
		case lexical && got != "refused":
			t.Errorf("%s %q is %s, and it leaves the workspace", c.ID, path, got)
		case !slices.Contains(c.Accept, "refused") && got == "refused":
			t.Errorf("%s %q is refused: %s", c.ID, path, why)
		case c.Level != nil && got != "refused" && got != "allowed-"+*c.Level:
			t.Errorf("%s %q is %s, want %s", c.ID, path, got, *c.Level)
		}
	}
}
