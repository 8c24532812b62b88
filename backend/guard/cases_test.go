package guard_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/tooltest"
)

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
	for _, c := range tooltest.Read[tooltest.Command](t, "testdata/commands.json") {
		if strings.Contains(string(c.Args), linked) {
			continue
		}
		raw, _ := json.Marshal(c.Input("/ws"))
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
	for _, c := range tooltest.Read[pathCase](t, "testdata/paths.json") {
		path, _ := tooltest.Expanded(c.Path).(string)
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
