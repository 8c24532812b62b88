package show

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/shell"
)

// maxPieces bounds the lines of a command that is not parsed, and the arguments of an argv.
const maxPieces = 2000

// lookAtCommand parts a command, or gives nil where the input has none.
func lookAtCommand(wait waiter, c *permission.Call, members []rawjson.Member, h home, path string) *permission.CommandLook {
	o, found := command.Find(rawjson.Values(slices.DeleteFunc(slices.Clone(members), isNull)), "script")
	if !found || o.Unread || o.Editor {
		return nil
	}
	look := &permission.CommandLook{Text: o.Text, Argv: o.Args != nil, Parts: []permission.CommandPart{},
		Programs: []permission.Program{}, Cwd: h.folder(c, members)}
	var in named
	var err error
	switch whole := strings.Join(append([]string{o.Text}, o.Args...), " "); {
	case o.Bad != "":
		look.Text, err = whole, errors.New(o.Bad)
	case len(o.Args) > maxPieces:
		look.Text, err = whole, fmt.Errorf("it has more than %d arguments", maxPieces)
	case look.Argv:
		look.Text, look.Lines = whole, argv(o)
		in.programs = []program{{word: o.Text, literal: true}}
	default:
		look.Lines, in, err = parse(o.Text)
	}
	if look.Parsed = err == nil; err != nil {
		look.Error, look.Lines = err.Error(), plain(look.Text)
	}
	if line := o.ReadAs(c.ToolName, folderText(c), false); o.Key != "script" && !line.Foreign && !line.Cut {
		look.Parts = partsOf(&line)
	}
	if h.here {
		s := searcher{cwd: look.Cwd, shell: !look.Argv}
		s.path, look.DeskPath = h.searchPath(path)
		look.Programs, look.More = s.all(wait, in)
	}
	return look
}

// isNull reports whether a member says nothing.
func isNull(m rawjson.Member) bool { return string(m.Value) == "null" }

// argv writes a program and its arguments, each of them one piece.
func argv(o command.Order) [][]permission.CommandPiece {
	line := []permission.CommandPiece{{Kind: permission.PieceProgram, Text: o.Text}}
	for _, arg := range o.Args {
		line = append(line, permission.CommandPiece{Kind: permission.PieceBlank, Text: " "},
			permission.CommandPiece{Kind: wordKind(arg), Text: arg})
	}
	return [][]permission.CommandPiece{line}
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

// parse parts a command. The error says why nobody can be sure how it is read; that only a
// plain shell reads it, is no reason to show less of it.
func parse(text string) ([][]permission.CommandPiece, named, error) {
	file, err := shell.Parse(text)
	if file == nil {
		return nil, named{}, err
	}
	p := paint(text, file)
	return p.lines(), p.named, nil
}
