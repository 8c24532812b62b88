package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sekisho/backend/beside"
	"sekisho/backend/shell"
)

// MaxArgs bounds the JSON of a list of arguments.
const MaxArgs = 1 << 20

// editorVerbs are what an editor's tool has under the name command, beside a path.
var editorVerbs = []string{"view", "create", "str_replace", "insert", "undo_edit", "delete", "rename"}

// Order is a line as an input has it: a text that a shell reads, or a program with its
// arguments.
type Order struct {
	Key    string   // the member that has it
	Text   string   // the text, or the program of an argv
	Args   []string // nil: a shell reads the text
	List   bool     // the member is itself the argv, so that no tool joins it for a shell
	Editor bool     // the text is an editor's word, and no line
	Unread bool     // the member is of another type or spelled in another way: there is no text
	Beside []Beside // members beside it of which it is not known that they change nothing
	Bad    string   // why it cannot be told how the line is read
}

// Beside is a member beside a line that may change where or how it runs.
type Beside struct {
	Key     string
	Machine bool // it names another machine
}

// finder gathers the members of an input.
type finder struct {
	Order
	line, args []byte
	around     []named // the other members
	path, odd  bool
}

// Find gives the line of an input by the members of it, each a key and its JSON. Members
// named by also count as a line too.
func Find(members iter.Seq2[string, []byte], also ...string) (Order, bool) {
	var f finder
	for key, value := range members {
		f.member(key, value, also)
	}
	switch {
	case f.odd:
		f.Unread, f.Bad = true, "the input has the name of a command in another spelling"
		return f.Order, true
	case f.Key == "":
		return f.Order, false
	}
	f.read(f.line, f.args)
	if f.Editor = f.path && f.Args == nil && slices.Contains(editorVerbs, f.Text); f.Editor {
		return f.Order, true
	}
	for _, m := range f.around {
		f.beside(m.key, m.value)
	}
	if f.path {
		f.Beside = append(f.Beside, Beside{Key: "path"})
	}
	return f.Order, true
}

func (f *finder) member(key string, value []byte, also []string) {
	switch line := key == "command" || key == "cmd" || slices.Contains(also, key); {
	case line && f.Key == "":
		f.Key, f.line = key, value
	case line:
		f.Bad = fmt.Sprintf("the input has both %q and %q", f.Key, key)
	case key == "args":
		f.args = value
	case key == "path":
		f.path = string(value) != "null"
	default:
		f.odd = f.odd || beside.Named(key) == beside.LookAlike
		f.around = append(f.around, named{key, value})
	}
}

// named is a member of an input.
type named struct {
	key   string
	value []byte
}

// harmlessVariables reports whether variables beside a command are none that steer what programs run.
func harmlessVariables(raw []byte) bool {
	var variables map[string]json.RawMessage
	if json.Unmarshal(raw, &variables) != nil {
		return false
	}
	for name := range variables {
		if Steers(name) {
			return false
		}
	}
	return true
}

// read takes the line's own member and the args beside it.
func (o *Order) read(line, args []byte) {
	if list, ok := textsOf(line); ok && len(list) > 0 {
		o.Text, o.Args, o.List = list[0], list[1:], true
		return
	}
	if len(line) > 1 && line[0] == '"' && bytes.IndexByte(line, '\\') < 0 && utf8.Valid(line) {
		o.Text = string(line[1 : len(line)-1])
	} else if len(line) == 0 || line[0] != '"' || json.Unmarshal(line, &o.Text) != nil {
		o.Unread, o.Bad = true, "the command is neither a text nor a list of texts"
		return
	}
	if len(args) == 0 || string(args) == "null" {
		return
	}
	if len(args) > MaxArgs {
		o.Bad = fmt.Sprintf("beside the command stand args of more than %d MiB", MaxArgs>>20)
		return
	}
	list, ok := textsOf(args)
	if !ok {
		o.Bad = "beside the command stand args that are not a list of texts"
		return
	}
	more := strings.ContainsAny(o.Text, " \t\r\n;|&<>()$`\\\"'*?[]#~{}!")
	if more && len(list) == 0 {
		return
	}
	if o.Args = list; more {
		o.Bad = "beside a command that is more than a name stand args: it is not known whether a shell reads them"
	}
}

// textsOf reads a list of texts and of nothing else.
func textsOf(raw []byte) ([]string, bool) {
	if len(raw) == 0 || raw[0] != '[' || len(raw) > MaxArgs {
		return nil, false
	}
	var list []*string
	if json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) {
		return nil, false
	}
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = *text
	}
	return texts, true
}

// Read takes the line apart. Own says that the tool is the desk's own and starts an argv
// as it is; another one may join it for a shell.
func (o Order) Read(own bool) Line {
	if o.Bad != "" {
		return opaque(strings.Join(append([]string{o.Text}, o.Args...), " "), o.Bad)
	}
	if o.Args == nil {
		return Read(o.Text)
	}
	return readArgv(append([]string{o.Text}, o.Args...), own, o.List)
}

// Of reads the line of a call's input, by the members of it, as its tool and folder say
// that it is to be read. There is none in an input that has no such member, or an editor's
// word in it. Own says that the tool is the desk's own.
func Of(members iter.Seq2[string, []byte], tool, cwd string, own bool) (Line, bool) {
	o, found := Find(members)
	if !found || o.Editor {
		return Line{}, false
	}
	return o.ReadAs(tool, cwd, own), true
}

// ReadAs is Read as the call's tool and folder say that it is to be read.
func (o Order) ReadAs(tool, cwd string, own bool) Line {
	var l Line
	if o.Bad == "" && IsForeign(tool, cwd) {
		l = ReadForeign(strings.Join(append([]string{o.Text}, o.Args...), " "))
	} else {
		l = o.Read(own)
	}
	l.Beside = o.Beside
	return l
}

// Place finds a stretch of the line in the input: a JSON Pointer to the text that it
// stands in, and its UTF-16 offsets there. Of a stretch over several arguments it is the
// first one.
func (o Order) Place(s Span) (pointer string, start, end int) {
	pointer = "/" + o.Key
	if o.Args == nil {
		return pointer, s.Start16, s.End16
	}
	from := 0
	for i, arg := range append([]string{o.Text}, o.Args...) {
		if to := from + len(arg); s.Start <= to {
			start, end = max(s.Start-from, 0), min(s.End, to)-from
			units := shell.Units(arg)
			switch {
			case o.List:
				pointer += "/" + strconv.Itoa(i)
			case i > 0:
				pointer = "/args/" + strconv.Itoa(i-1)
			}
			return pointer, units(start), units(max(end, start))
		}
		from += len(arg) + 1
	}
	return pointer, 0, 0
}

// beside notes a member that stands beside the line.
func (o *Order) beside(key string, value []byte) {
	kind := beside.Of(key)
	switch {
	case kind == beside.Unknown && slices.Contains(beside.WordsOf(key), "sandbox"):
		if string(value) == "true" {
			return
		}
		kind = beside.Changing
	case beside.Off(value):
		return
	}
	switch kind {
	case beside.Harmless, beside.InFolder:
		return
	case beside.Variables:
		if harmlessVariables(value) {
			return
		}
	case beside.Unknown, beside.Machine, beside.Boxed:
		o.Beside = append(o.Beside, Beside{Key: key, Machine: kind == beside.Machine && !beside.IsLocal(value)})
		return
	default:
		if key == "shell" && shells[string(value)] || string(value) == `"use_default"` {
			return
		}
	}
	o.Bad = fmt.Sprintf("%q beside the command changes how it runs", key)
}

// shells are values of a member that say by which shell a line is read as it is read here.
var shells = map[string]bool{"true": true, `"bash"`: true, `"/bin/bash"`: true, `"/usr/bin/bash"`: true, `"sh"`: true, `"/bin/sh"`: true,
	`"zsh"`: true, `"/bin/zsh"`: true, `"/usr/bin/zsh"`: true}

// IsFolder reports whether a member of an input says in which folder its line runs.
func IsFolder(key string) bool { return beside.Named(key) == beside.InFolder }
