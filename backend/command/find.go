package command

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

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
	Bad    string   // why it cannot be told how the line is read
	Beside bool     // there are members of which it is not known whether they change how it runs
}

// Find gives the line of an input by the members of it, each a key and its JSON. Members
// named by also count as a line too.
func Find(members iter.Seq2[string, []byte], also ...string) (Order, bool) {
	keys := append([]string{"command", "cmd"}, also...)
	var o Order
	var line, args []byte
	var around []named // the other members
	path, odd := false, false
	for key, value := range members {
		switch {
		case slices.Contains(keys, key) && o.Key == "":
			o.Key, line = key, value
		case slices.Contains(keys, key):
			o.Bad = fmt.Sprintf("the input has both %q and %q", o.Key, key)
		case key == "args":
			args = value
		case key == "path":
			path = string(value) != "null"
		default:
			odd = odd || memberOf(key) == lookAlike
			around = append(around, named{key, value})
		}
	}
	switch {
	case odd:
		o.Unread, o.Bad = true, "the input has the name of a command in another spelling"
		return o, true
	case o.Key == "":
		return o, false
	}
	o.read(line, args)
	for _, m := range around {
		o.beside(m.key, m.value)
	}
	o.Editor = path && o.Args == nil && slices.Contains(editorVerbs, o.Text)
	return o, true
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
	if len(line) == 0 || line[0] != '"' || json.Unmarshal(line, &o.Text) != nil {
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
	var list []*string
	if len(raw) == 0 || raw[0] != '[' || len(raw) > MaxArgs || json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) {
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
	return readArgv(append([]string{o.Text}, o.Args...), own || o.List)
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
	if o.Bad == "" && IsForeign(tool, cwd) {
		return ReadForeign(strings.Join(append([]string{o.Text}, o.Args...), " "))
	}
	l := o.Read(own)
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
			units := unitsOf(arg)
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
