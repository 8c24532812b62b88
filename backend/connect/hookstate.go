package connect

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/conftext"
	"sekisho/backend/hookcommand"
)

// HookState is how a client's files stand that are to make it ask about its own tools.
type HookState struct {
	Found  bool     // the client is on this machine
	File   string   // where its hooks belong
	Events []string // that have to have one; "" is that of a plugin
	Hooks  []HookAt
	Policy string // a file that lets tools run without a question, where it is there
	Err    error  // why the file cannot be read
}

// HookAt is a command of a client's file that asks the desk.
type HookAt struct {
	Event   string
	Command hookcommand.Command
	Words   []string       // of a command that no shell reads; nil: Command.Line is a shell's
	Matcher string         // which tools it is started for; "" is all
	Seconds float64        // how long the client waits for it; 0 is the client's own time
	Blocks  bool           // the client takes its failure as a no, where the client can be told so
	Fields  map[string]any // all of it, and of the group that it stands in
}

// Hooks reads the files of a client as they are now.
func Hooks(p Places, client string) (s HookState) {
	set := hooksOf(client)
	targets := set.targets(p)
	if s.Found = len(targets) > 0; !s.Found {
		return s
	}
	s.File = targets[0].path
	for _, t := range targets[1:] {
		if p.exists(t.path) {
			s.Policy = t.path
		}
	}
	if targets[0].style == nil {
		s.Events = []string{""}
		return s.plugin()
	}
	style := targets[0].style
	s.Events = style.events
	c, _ := ClientByID(client)
	f, there := read(c.ofHooks(), s.File, "")
	if s.Err = f.Err; !there || f.Err != nil {
		return s
	}
	doc, err := conftext.Read(string(f.Content), conftext.Dialect{Comments: client == "gemini"})
	if s.Err = err; err != nil {
		return s
	}
	for _, event := range style.events {
		list, _ := conftext.At(doc.Root, []string{"hooks", event}).([]any)
		for _, item := range list {
			s.Hooks = append(s.Hooks, style.hooksIn(event, item, p.GOOS)...)
		}
	}
	return s
}

// hooksIn are our commands in an item of an event's list, as a client on a system reads them.
func (s *hookStyle) hooksIn(event string, item any, goos string) (all []HookAt) {
	table, _ := item.(map[string]any)
	matcher, _ := table["matcher"].(string)
	list := []any{item}
	if s.inner != "" {
		list, _ = table[s.inner].([]any)
	}
	field := s.command[0]
	if goos == "windows" && s.windows != "" {
		field = s.windows
	}
	for _, handler := range list {
		fields, _ := handler.(map[string]any)
		line, _ := fields[field].(string)
		command, ours := hookcommand.Read(line)
		if !ours {
			continue
		}
		at := HookAt{Event: event, Command: command, Matcher: matcher,
			Blocks: fields["onFailure"] == "block" || fields["failClosed"] == true, Fields: maps.Clone(table)}
		maps.Copy(at.Fields, fields)
		for _, field := range []string{"timeout", "timeoutSec"} {
			if number, ok := fields[field].(conftext.Literal); ok {
				at.Seconds, _ = strconv.ParseFloat(string(number), 64)
			}
		}
		if slices.Contains(s.events, "BeforeTool") {
			at.Seconds /= 1000
		}
		all = append(all, at)
	}
	return all
}

// plugin reads the command out of opencode's plugin, if the rest of it is as it is written.
func (s HookState) plugin() HookState {
	raw, err := os.ReadFile(s.File)
	if err != nil {
		return s
	}
	before, after, _ := strings.Cut(opencodePlugin, "= COMMAND")
	text, ok := strings.CutPrefix(string(raw), before+"= ")
	text, same := strings.CutSuffix(text, after)
	var words []string
	if !ok || !same || json.Unmarshal([]byte(text), &words) != nil || len(words) < 2 {
		s.Err = &Obstacle{Code: ownFileChanged}
		return s
	}
	command, ours := hookcommand.Read(hookcommand.Join(words, "linux"))
	if ours {
		s.Hooks = []HookAt{{Command: command, Words: words, Seconds: HookTimeout, Blocks: true}}
	}
	return s
}
