// Package tooltest is what tests of the workspace tools share: the shared cases of commands and paths,
// the folders that those are about, and a machine that allows less than this one.
package tooltest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Command is a case of a command: what it must come out as.
type Command struct {
	ID, Cls         string
	Command         json.RawMessage
	Args            json.RawMessage
	Timeout         json.RawMessage
	Accept          []string // of refused, allowed-low, allowed-medium, allowed-high
	Verdict, Reason string
}

// Input is the case as the input of a tool, in a workspace.
func (c *Command) Input(workspace string) map[string]any {
	input := map[string]any{"command": Expanded(c.Command)}
	if c.Args != nil {
		input["args"] = Expanded(c.Args)
	}
	if c.Timeout != nil {
		input["timeout"] = Expanded(c.Timeout)
	}
	return at(workspace, input).(map[string]any)
}

// workspaceOfCases is the folder in the words of the cases of commands.
const workspaceOfCases = "/ws"

// at puts a folder in the place of that of the cases.
func at(workspace string, v any) any {
	switch v := v.(type) {
	case string:
		if v == workspaceOfCases || strings.HasPrefix(v, workspaceOfCases+"/") {
			return workspace + strings.TrimPrefix(v, workspaceOfCases)
		}
	case []any:
		for i := range v {
			v[i] = at(workspace, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = at(workspace, v[key])
		}
	}
	return v
}

// Path is a case of a path: what an operation on it must come out as.
type Path struct {
	ID, Op, Cls  string // Op is read, write, append or list
	Setup        [][]any
	Path         json.RawMessage
	Pattern      json.RawMessage
	Recursive    bool
	ContentSize  int    `json:"content_size"`
	MaxEntries   int    `json:"max_entries"`
	MustList     string `json:"must_list"`
	MustNotList  string `json:"must_not_list"`
	Level        *string
	Accept       []string // of ok, refused
	MustNotExist string   `json:"must_not_exist"`
}

// Tool is the tool of the case's operation.
func (c *Path) Tool() string {
	return map[string]string{"read": "tool_read_file", "list": "tool_list_directory"}[c.Op] +
		map[string]string{"write": "tool_write_file", "append": "tool_write_file"}[c.Op]
}

// Input is the case as the input of its tool, in a yard.
func (c *Path) Input(y *Yard) map[string]any {
	path, _ := Expanded(c.Path).(string)
	input := map[string]any{"path": y.Expand(path)}
	switch c.Op {
	case "write", "append":
		input["content"], input["mode"] = strings.Repeat("x", max(1, c.ContentSize)), c.Op
	case "list":
		if c.Recursive {
			input["recursive"] = true
		}
		if c.Pattern != nil {
			input["pattern"] = Expanded(c.Pattern)
		}
	}
	return input
}

// Read reads the cases of a file.
func Read[T any](t testing.TB, file string) (all []T) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Expanded is a value of a case, with what its generators make of it.
func Expanded(raw json.RawMessage) any {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return generated(v)
}

func generated(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = generated(v[i])
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
