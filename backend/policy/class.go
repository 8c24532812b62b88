package policy

import (
	"encoding/json"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of the work on one command.
const (
	maxCommand = 64 << 10
	maxOpen    = 100 // brackets: the parser's time grows with their depth, and faster
)

// ClassOf gives what an answer of scope class to a call covers (CONTRACT section 3),
// or nil if it can be answered once only. It is the same server and tool and, where
// the input has a command, the same command word. A nil Class is covered by no grant,
// so every doubt ends in nil:
//
//   - The input is not the JSON that we take, or its command is not a string, or is
//     spelled "Command": some programs read that as the same member.
//   - The command is not one simple command: several, a pipe, a redirection, a
//     substitution, an assignment in front, a background job, a comment, a glob for a
//     name; or nothing at all. A plain $NAME among the arguments is no substitution.
//   - The command word is not plain ASCII. /usr/bin/rm is a word of its own, other
//     than rm; ./rm and bin/rm are whatever file is there by then, and so nil.
//   - The word only runs another program or code that its arguments name (see runners):
//     a yes to it would be a yes to everything. Where that depends on an argument, as
//     for find -exec, it is nil with that argument, however that is abbreviated, and
//     with one that a shell may turn into it.
//   - There are args beside the command and the command is more than one word, or an
//     argument would mean something to a shell that the tool may use.
//
// Programs with verbs of their own, such as git, npm or make, keep their word for all
// else, although a project's files can tell them to run others: who answers for the
// class of make answers for what the makefile says.
func ClassOf(server *string, tool string, input json.RawMessage) *permission.Class {
	class := permission.Class{ServerID: server, ToolName: tool}
	command, args, err := commandIn(input)
	if err != nil {
		return nil
	}
	if command == nil {
		return &class
	}
	program, words := simpleCommand(*command)
	if program == "" || len(args) > 0 && len(words) > 0 {
		return nil
	}
	if runsOthers(program, append(words, args...)) {
		return nil
	}
	class.Command = &program
	return &class
}

var errNoClass = errors.New("no class")

// commandIn finds the command in an input, and the args beside it. It is nil in an
// input without one; an error says that it cannot be told.
func commandIn(input json.RawMessage) (command *string, args []word, err error) {
	if len(input) == 0 {
		return nil, nil, nil
	}
	members, err := rawjson.Members(input)
	if bad := (*rawjson.Error)(nil); errors.As(err, &bad) && bad.Reason == rawjson.NotObject {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	var rawArgs []byte
	for _, m := range members {
		switch {
		case m.Key == "command":
			if command, err = jsonText(m.Value); err != nil {
				return nil, nil, err
			}
		case strings.EqualFold(m.Key, "command"):
			return nil, nil, errNoClass
		case m.Key == "args":
			rawArgs = m.Value
		}
	}
	if command != nil && rawArgs != nil {
		args, err = argsOf(rawArgs)
	}
	return command, args, err
}

// jsonText reads a string of JSON, and refuses all else.
func jsonText(raw []byte) (*string, error) {
	if len(raw) > maxCommand || len(raw) == 0 || raw[0] != '"' {
		return nil, errNoClass
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// argsOf reads the array beside a command. Its elements are strings without what
// would end or extend the command if the tool handed them to a shell, and are cut
// into words as there. What a program would get without one begins in the same way.
func argsOf(raw []byte) ([]word, error) {
	if len(raw) > maxCommand {
		return nil, errNoClass
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	args := make([]word, 0, len(list))
	for _, arg := range list {
		if arg == nil || strings.ContainsAny(*arg, ";|&<>`\n\r\x00") || strings.Contains(*arg, "$(") || strings.Contains(*arg, "${") {
			return nil, errNoClass
		}
		for _, field := range strings.Fields(*arg) {
			args = append(args, shellWord(field))
		}
	}
	return args, nil
}

func shellWord(field string) word {
	var r wordReader
	r.literal(field, special+`"'$`)
	r.cut = strings.Contains(field, "$")
	return r.word()
}

// special is what a shell may make other characters of.
const special = `\*?[{`

// simpleCommand gives the name and the arguments of one simple command, or "" if it is
// anything else.
func simpleCommand(command string) (program string, args []word) {
	first := strings.TrimLeft(command, " \t")
	if i := strings.IndexAny(first, " \t\n"); i >= 0 {
		first = first[:i]
	}
	open := strings.Count(command, "(") + strings.Count(command, "$[") + strings.Count(command, "${")
	if !commandWord(first) || open > maxOpen || strings.ContainsFunc(command, unprintable) {
		return "", nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return "", nil
	}
	s := file.Stmts[0]
	if s.Negated || s.Background || s.Coprocess || s.Disown || s.Semicolon.IsValid() || len(s.Redirs) > 0 || len(s.Comments) > 0 {
		return "", nil
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return "", nil
	}
	return wordsOf(call.Args, first)
}

// unprintable is what no command on one screen has: not even a shell means anything by
// it, but a terminal may.
func unprintable(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7F }

// commandWord reports whether a word is what every shell takes for the name of a
// program as it is written.
func commandWord(word string) bool {
	for i := range len(word) {
		c := word[i]
		alnum := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !alnum && c != '_' && c != '/' && (i == 0 || !strings.ContainsRune(".+-", rune(c))) {
			return false
		}
	}
	return word != "" && (!strings.Contains(word, "/") || word[0] == '/' && !strings.Contains(word, "/.."))
}

// wordsOf reads the words of a call, the first of which is known already.
func wordsOf(words []*syntax.Word, first string) (program string, args []word) {
	for i, w := range words {
		var r wordReader
		switch {
		case !r.read(w.Parts, false), i == 0 && (r.open || r.begin.String() != first):
			return "", nil
		case i == 0:
		default:
			args = append(args, r.word())
		}
	}
	if len(words) == 0 {
		return "", nil
	}
	return first, args
}

// wordReader reads a word as the program gets it, as far as that can be told.
type wordReader struct {
	begin, end strings.Builder
	open       bool // a shell has a say in what is between
	cut        bool // and may make several words of it
}

func (r *wordReader) word() word {
	if r.cut {
		return word{open: true}
	}
	return word{r.begin.String(), r.end.String(), r.open}
}

// read adds the parts of a word. It is false at anything that a shell would run or
// compute.
func (r *wordReader) read(parts []syntax.WordPart, quoted bool) bool {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i > 0 && strings.HasPrefix(p.Value, "[") && isVariable(parts[i-1]) {
				return false // zsh computes what stands in the brackets
			}
			if quoted {
				r.literal(p.Value, `\`)
			} else {
				r.literal(p.Value, special)
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			r.add(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar || !r.read(p.Parts, true) {
				return false
			}
		case *syntax.ParamExp:
			if !plainVariable(p) {
				return false
			}
			r.open, r.cut = true, r.cut || !quoted
			r.end.Reset()
		default:
			return false
		}
	}
	return true
}

// literal adds text of which some characters are special.
func (r *wordReader) literal(text, special string) {
	first, last := strings.IndexAny(text, special), strings.LastIndexAny(text, special+"]},")
	if first >= 0 {
		r.add(text[:first])
		r.open = true
	}
	if r.open && last >= 0 {
		r.end.Reset()
		text = text[last+1:]
	}
	r.add(text)
}

// add adds text that means itself.
func (r *wordReader) add(text string) {
	if r.open {
		r.end.WriteString(text)
	} else {
		r.begin.WriteString(text)
	}
}

func isVariable(part syntax.WordPart) bool {
	_, is := part.(*syntax.ParamExp)
	return is
}

// plainVariable is $NAME and nothing more. What stands in braces may compute.
func plainVariable(p *syntax.ParamExp) bool { return p.Short && p.Param != nil && p.Index == nil }
