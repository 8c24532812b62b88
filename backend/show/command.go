package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of the work on one command.
const (
	maxCommand = 64 << 10
	maxArgs    = 1 << 20 // of JSON
	maxOpen    = 1000    // brackets: the parser's time grows with their depth, and faster
	maxPieces  = 2000    // lines of a command that is not parsed
)

var (
	commandKeys = []string{"command", "cmd", "script"}
	editorVerbs = []string{"view", "create", "str_replace", "insert", "undo_edit"}
)

// order is a command as an input has it.
type order struct {
	text string
	args []string // nil: a shell reads the text
	bad  string   // why it cannot be told how it is read
}

// orderOf finds the command of an input; nil is an input without one.
func orderOf(members []rawjson.Member) *order {
	named := having(members, commandKeys)
	o := &order{}
	if len(named) == 0 || !text(named[0].Value, &o.text) || has(members, "path") && slices.Contains(editorVerbs, o.text) {
		return nil
	}
	if len(named) > 1 {
		o.bad = fmt.Sprintf("the input has both %s and %s", quoted(named[0].Key), quoted(named[1].Key))
	}
	args := having(members, []string{"args"})
	if len(args) == 0 {
		return o
	}
	if len(args[0].Value) > maxArgs {
		o.bad = fmt.Sprintf("beside the command stand args of more than %d MiB", maxArgs>>20)
		return o
	}
	var list []*string
	if json.Unmarshal(args[0].Value, &list) != nil || slices.Contains(list, nil) {
		o.bad = "beside the command stand args that are not a list of texts"
		return o
	}
	more := strings.ContainsAny(o.text, " \t\r\n;|&<>()$`\\\"'*?[]#~{}!")
	if more && len(list) == 0 {
		return o
	}
	if o.args = []string{}; more {
		o.bad = "beside a command that is more than a name stand args: it is not known whether a shell reads them"
	}
	for _, arg := range list {
		o.args = append(o.args, *arg)
	}
	return o
}

// lookAtCommand parts a command, or gives nil where the input has none.
func lookAtCommand(wait waiter, c *permission.Call, members []rawjson.Member, h home, path string) *permission.CommandLook {
	o := orderOf(members)
	if o == nil {
		return nil
	}
	look := &permission.CommandLook{Text: o.text, Argv: o.args != nil, Programs: []permission.Program{}, Cwd: h.folder(c, members)}
	var in named
	switch {
	case o.bad != "":
		look.Text = strings.Join(append([]string{o.text}, o.args...), " ")
		look.Error, look.Lines = o.bad, plain(look.Text)
	case len(o.args) > maxPieces:
		look.Text = strings.Join(append([]string{o.text}, o.args...), " ")
		look.Error, look.Lines = fmt.Sprintf("it has more than %d arguments", maxPieces), plain(look.Text)
	case look.Argv:
		look.Text, look.Lines = o.argv()
		look.Parsed, in.programs = true, []program{{word: o.text, literal: true}}
	default:
		var err error
		if look.Lines, in, err = parse(o.text); err != nil {
			look.Error, look.Lines = err.Error(), plain(o.text)
		}
		look.Parsed = err == nil
	}
	if h.here {
		s := searcher{cwd: look.Cwd, shell: !look.Argv}
		s.path, look.DeskPath = h.searchPath(path)
		look.Programs, look.More = s.all(wait, in)
	}
	return look
}

// argv writes a program and its arguments, each of them one piece.
func (o *order) argv() (string, [][]permission.CommandPiece) {
	line := []permission.CommandPiece{{Kind: permission.PieceProgram, Text: o.text}}
	for _, arg := range o.args {
		line = append(line, permission.CommandPiece{Kind: permission.PieceBlank, Text: " "}, permission.CommandPiece{Kind: wordKind(arg), Text: arg})
	}
	var text strings.Builder
	for _, p := range line {
		text.WriteString(p.Text)
	}
	return text.String(), [][]permission.CommandPiece{line}
}

// plain is a text that nobody parsed, a piece for each line. The last piece holds what
// is left of one with very many.
func plain(text string) [][]permission.CommandPiece {
	lines := [][]permission.CommandPiece{}
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 || len(lines) == maxPieces-1 {
			end = len(text)
		}
		lines = append(lines, []permission.CommandPiece{{Kind: permission.PieceWord, Text: text[:end]}})
		text = text[end:]
	}
	return lines
}

// parse parts a command as bash reads it, or else as a plain shell does. The error says
// why nobody can be sure how it is read.
func parse(text string) (lines [][]permission.CommandPiece, in named, err error) {
	open := strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") + strings.Count(text, "`")
	switch {
	case len(text) > maxCommand:
		return nil, in, fmt.Errorf("it is longer than %d KiB", maxCommand>>10)
	case open > maxOpen:
		return nil, in, fmt.Errorf("it has more than %d brackets", maxOpen)
	case strings.ContainsFunc(text, unprintable):
		return nil, in, fmt.Errorf("it has control characters in it")
	}
	for _, dialect := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		file, bad := parseAs(text, dialect)
		if bad == nil {
			p := paint(text, file)
			return p.lines(), p.named, nil
		}
		if err == nil {
			err = bad
		}
	}
	return nil, in, err
}

// parseAs takes a panic of the parser as its refusal: what it reads is an agent's.
func parseAs(text string, dialect syntax.LangVariant) (file *syntax.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the parser broke: %v", v)
		}
	}()
	return syntax.NewParser(syntax.Variant(dialect), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
}

// unprintable is what a shell may take for part of a word and a screen for none.
func unprintable(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r >= 0x7F && r < 0xA0 }
