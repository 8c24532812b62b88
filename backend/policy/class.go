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
//     for find -exec, it is nil with that argument.
//   - There are args beside the command and the command is more than one word, or an
//     argument would mean something to a shell that the tool may use.
//
// Programs with verbs and settings of their own, such as git, npm or make, keep their
// word, although some can be told to run others: who answers for the class of git
// answers for all that git does.
func ClassOf(server *string, tool string, input json.RawMessage) *permission.Class {
	class := permission.Class{ServerID: server, ToolName: tool}
	command, args, err := commandIn(input)
	if err != nil {
		return nil
	}
	if command == nil {
		return &class
	}
	argv, plain := simpleCommand(*command)
	if len(argv) == 0 || len(args) > 0 && len(argv) > 1 {
		return nil
	}
	argv = append(argv, args...)
	if runsOthers(argv, plain) {
		return nil
	}
	class.Command = &argv[0]
	return &class
}

var errNoClass = errors.New("no class")

// commandIn finds the command in an input, and the args beside it. It is nil in an
// input without one; an error says that it cannot be told.
func commandIn(input json.RawMessage) (command *string, args []string, err error) {
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
// would end or extend the command if the tool handed them to a shell.
func argsOf(raw []byte) ([]string, error) {
	if len(raw) > maxCommand {
		return nil, errNoClass
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	args := make([]string, len(list))
	for i, arg := range list {
		if arg == nil || strings.ContainsAny(*arg, ";|&<>`\n\r\x00") || strings.Contains(*arg, "$(") || strings.Contains(*arg, "${") {
			return nil, errNoClass
		}
		args[i] = *arg
	}
	return args, nil
}

// simpleCommand gives the words of one simple command, or none if it is anything
// else. plain says that no word has a variable or a glob in it, so that the words are
// what the program gets.
func simpleCommand(command string) (argv []string, plain bool) {
	first := strings.TrimLeft(command, " \t")
	if i := strings.IndexAny(first, " \t\n"); i >= 0 {
		first = first[:i]
	}
	open := strings.Count(command, "(") + strings.Count(command, "$[") + strings.Count(command, "${")
	if !commandWord(first) || open > maxOpen || strings.ContainsFunc(command, unprintable) {
		return nil, false
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, false
	}
	s := file.Stmts[0]
	if s.Negated || s.Background || s.Coprocess || s.Disown || s.Semicolon.IsValid() || len(s.Redirs) > 0 || len(s.Comments) > 0 {
		return nil, false
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return nil, false
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
func wordsOf(words []*syntax.Word, first string) (argv []string, plain bool) {
	plain = true
	for _, word := range words {
		var b strings.Builder
		if !readParts(&b, word.Parts, false, &plain) {
			return nil, false
		}
		argv = append(argv, b.String())
	}
	if len(argv) == 0 || argv[0] != first {
		return nil, false
	}
	return argv, plain
}

// readParts writes the parts of a word as the program gets them. It is false at
// anything that a shell would run or compute.
func readParts(b *strings.Builder, parts []syntax.WordPart, quoted bool, plain *bool) bool {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i > 0 && strings.HasPrefix(p.Value, "[") && isVariable(parts[i-1]) {
				return false // zsh computes what stands in the brackets
			}
			if strings.ContainsAny(p.Value, `\*?[{~`) && !quoted || strings.Contains(p.Value, `\`) {
				*plain = false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar || !readParts(b, p.Parts, true, plain) {
				return false
			}
		case *syntax.ParamExp:
			if !plainVariable(p) {
				return false
			}
			*plain = false
		default:
			return false
		}
	}
	return true
}

func isVariable(part syntax.WordPart) bool {
	_, is := part.(*syntax.ParamExp)
	return is
}

// plainVariable is $NAME and nothing more. What stands in braces may compute.
func plainVariable(p *syntax.ParamExp) bool { return p.Short && p.Param != nil && p.Index == nil }
