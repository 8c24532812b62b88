package show

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// operators, longest first, and of these the ones behind which another command begins.
var (
	operators  = []string{";;&", "&&", "||", "|&", ";;", ";&", ";", "|", "&", "(", ")"}
	separators = []string{";;&", "&&", "||", "|&", ";;", ";&", ";", "|", "&"}
	keywords   = []string{"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "in", "esac", "select",
		"function", "time", "coproc", "let", "{", "}", "!", "[[", "]]"}
)

// lines parts the painted text. A line ends behind an operator that parts commands, and
// at an end of line between them.
func (p *painter) lines() [][]permission.CommandPiece {
	lines := [][]permission.CommandPiece{}
	var line []permission.CommandPiece
	parted := false // the next command begins a new line
	for at := 0; at < len(p.text); {
		piece := p.piece(at)
		ends := strings.LastIndexByte(piece.Text, '\n') + 1
		if piece.Kind == permission.PieceBlank && ends > 0 && !p.inner[at] { // what follows is the indentation of the next line
			piece.Text = piece.Text[:ends]
		} else if parted && piece.Kind != permission.PieceBlank && piece.Kind != permission.PieceComment {
			lines, line, parted = append(lines, line), nil, false
		}
		line = append(line, piece)
		switch {
		case p.inner[at]:
		case piece.Kind == permission.PieceBlank && ends > 0:
			lines, line, parted = append(lines, line), nil, false
		case piece.Kind == permission.PieceOperator && slices.Contains(separators, piece.Text):
			parted = true
		}
		at += len(piece.Text)
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// piece is the one that begins at a byte.
func (p *painter) piece(at int) permission.CommandPiece {
	if at >= p.same {
		p.same = at + 1
		for p.same < len(p.text) && p.colour[p.same] == p.colour[at] && p.inner[p.same] == p.inner[at] {
			p.same++
		}
		for p.same < len(p.text) && !utf8.RuneStart(p.text[p.same]) {
			p.same++ // no position is believed that would part a character
		}
	}
	if kind := p.colour[at]; kind != between {
		return permission.CommandPiece{Kind: kind, Text: p.text[at:p.same]}
	}
	return token(p.text[at:p.same])
}

// token is the first one of a text that lies between nodes.
func token(text string) permission.CommandPiece {
	if n := blankLen(text); n > 0 {
		return permission.CommandPiece{Kind: permission.PieceBlank, Text: text[:n]}
	}
	for _, op := range operators {
		if strings.HasPrefix(text, op) {
			return permission.CommandPiece{Kind: permission.PieceOperator, Text: op}
		}
	}
	n := 1
	for n < len(text) && (!utf8.RuneStart(text[n]) || blankLen(text[n:]) == 0 && strings.IndexByte(";|&()", text[n]) < 0) {
		n++
	}
	kind := permission.PieceWord
	switch {
	case slices.Contains(keywords, text[:n]):
		kind = permission.PieceKeyword
	case strings.Trim(text[:n], "<>=!~-+") == "":
		kind = permission.PieceOperator // of a test
	}
	return permission.CommandPiece{Kind: kind, Text: text[:n]}
}

// blankLen is how much white space a text begins with; a line that goes on after its
// end is such, too.
func blankLen(text string) int {
	n := 0
	for n < len(text) {
		switch {
		case strings.IndexByte(" \t\n", text[n]) >= 0:
			n++
		case strings.HasPrefix(text[n:], "\\\n"):
			n += 2
		default:
			return n
		}
	}
	return n
}
