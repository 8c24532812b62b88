package guard

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"sekisho/backend/rawjson"
)

// The names of the workspace tools.
const (
	ReadFile       = "tool_read_file"
	WriteFile      = "tool_write_file"
	ExecuteCommand = "tool_execute_command"
	ListDirectory  = "tool_list_directory"
)

// Tools are the names of the workspace tools.
var Tools = []string{ReadFile, WriteFile, ExecuteCommand, ListDirectory}

// The limits of calls.
const (
	MaxFile        = 104_857_600 // bytes that are read or written
	MaxOutput      = 1_048_576   // bytes of each of a command's two outputs
	MaxEntries     = 1000        // that a list gives
	DefaultTimeout = 30          // seconds
	MaxTimeout     = 300
	maxPath        = 4096
	maxName        = 255
	maxArgs        = 1000
	maxArgsBytes   = 131_072
	maxPattern     = 256
)

// Call is the input of a workspace tool, read.
type Call struct {
	Tool      string
	UserID    string // "" if it is not said
	Path      string // of a file or folder, relative to the workspace and without needless parts
	Content   string
	Append    bool
	Command   string
	Args      []string
	Timeout   int // seconds
	Recursive bool
	Pattern   string
}

// Parse reads the input of a tool. root is the workspace, an absolute path without needless
// parts, or "" where it is not known: then no absolute path is taken.
func Parse(root, tool string, input []byte) (Call, *Refusal) {
	c := Call{Tool: tool, Timeout: DefaultTimeout, Pattern: "*"}
	if takes[tool] == "" {
		return c, refuse(BadInput, "there is no tool of this name")
	}
	members, err := rawjson.Members(input)
	if err != nil {
		return c, refuse(BadInput, "%s", err)
	}
	given := map[string]bool{}
	for _, m := range members {
		given[m.Key] = true
		if bad := c.member(m.Key, m.Value); bad != nil {
			return c, bad
		}
	}
	for _, needed := range needs[tool] {
		if !given[needed] {
			return c, refuse(BadInput, "%s is missing", needed)
		}
	}
	return c.bounded(root)
}

// needs are the members without which a tool is not called.
var needs = map[string][]string{
	ReadFile: {"path"}, WriteFile: {"path", "content"}, ExecuteCommand: {"command"}, ListDirectory: {"path"},
}

// takes are the members of each tool's input.
var takes = map[string]string{
	ReadFile: " path user_id ", WriteFile: " path content mode user_id ",
	ExecuteCommand: " command args timeout user_id ", ListDirectory: " path user_id recursive pattern ",
}

// member reads one member of the input.
func (c *Call) member(key string, value []byte) *Refusal {
	if !strings.Contains(takes[c.Tool], " "+key+" ") {
		return refuse(BadInput, "%s is no input of %s", strconv.Quote(key), c.Tool)
	}
	var mode string
	to := map[string]any{"path": &c.Path, "user_id": &c.UserID, "content": &c.Content, "mode": &mode, "command": &c.Command,
		"recursive": &c.Recursive, "pattern": &c.Pattern}[key]
	switch key {
	case "timeout":
		return c.seconds(value)
	case "args":
		return c.words(value)
	}
	if string(value) == "null" || json.Unmarshal(value, to) != nil {
		return refuse(BadInput, "%s has another type", key)
	}
	if key == "mode" {
		if c.Append = mode == "append"; !c.Append && mode != "write" {
			return refuse(BadInput, "a mode is write or append")
		}
	}
	return nil
}

// words reads the arguments of a command.
func (c *Call) words(value []byte) *Refusal {
	var args []*string
	if json.Unmarshal(value, &args) != nil || args == nil {
		return refuse(BadInput, "args are a list of strings")
	}
	for _, a := range args {
		if a == nil {
			return refuse(BadInput, "args are a list of strings")
		}
		c.Args = append(c.Args, *a)
	}
	return nil
}

// seconds reads a timeout. What is too long is said in the words of the limit.
func (c *Call) seconds(value []byte) *Refusal {
	var n float64
	switch err := json.Unmarshal(value, &n); {
	case err != nil && len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9'):
		return refuse(TimeoutTooLong, "at most %d seconds", MaxTimeout)
	case err != nil || string(value) == "null" || n <= 0 || n != math.Trunc(n):
		return refuse(BadInput, "a timeout is a whole number of seconds, 1 to %d", MaxTimeout)
	case n > MaxTimeout:
		return refuse(TimeoutTooLong, "%s seconds are more than %d", value, MaxTimeout)
	}
	c.Timeout = int(n)
	return nil
}

// bounded holds what was read against the limits of a call.
func (c Call) bounded(root string) (Call, *Refusal) {
	var bad *Refusal
	switch {
	case c.Tool == ExecuteCommand:
		total := 0
		for _, a := range c.Args {
			total += len(a)
		}
		if len(c.Args) > maxArgs || total > maxArgsBytes {
			return c, refuse(CommandNotAllowed, "at most %d arguments of %d bytes together", maxArgs, maxArgsBytes)
		}
		return c, nil
	case len(c.Content) > MaxFile:
		return c, refuse(FileTooLarge, "%d bytes are more than %d", len(c.Content), MaxFile)
	case len(c.Pattern) > maxPattern || strings.ContainsRune(c.Pattern, 0) || !utf8.ValidString(c.Pattern):
		return c, refuse(BadInput, "a pattern has at most %d bytes and no NUL", maxPattern)
	}
	c.Path, bad = inside(root, c.Path, c.Tool == ListDirectory)
	return c, bad
}
