package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Arithmetic is what a line has of the two things with which bash runs a command as it computes a number: a text with a
// substitution in the place of a list element, as 'a[0+$(id)]', and something that takes a text or a variable for arithmetic.
type Arithmetic struct {
	place    bool // a text has a substitution in the place of an element
	list     bool // a text begins the place of an element, and does not end it
	hidden   bool // a text has a substitution that the shell does not read where it stands
	Computes bool // something is taken for arithmetic
}

// Read adds what a text has of them.
func (a *Arithmetic) Read(text string, file *syntax.File) {
	hides := strings.ContainsAny(text, "[$`")
	if !hides && !strings.Contains(text, "((") && !strings.Contains(text, "let") {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Word:
			if hides {
				a.note(Inner(n))
			}
		case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop:
			a.Computes = true
		case *syntax.BinaryTest:
			a.Computes = a.Computes || n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
		case *syntax.UnaryTest:
			a.Computes = a.Computes || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
		case *syntax.ParamExp:
			a.Computes = a.Computes || n.Excl && n.Names == 0
			a.at(n.Index)
			if n.Slice != nil {
				a.at(n.Slice.Offset)
				a.at(n.Slice.Length)
			}
		case *syntax.Assign:
			a.at(n.Index)
		case *syntax.ArrayElem:
			a.at(n.Index)
		}
		return true
	})
}

// Runs reports whether there are both, so that what is computed may run a command.
func (a *Arithmetic) Runs() bool { return a.Computes && (a.place || a.list && a.hidden) }

// at notes the place of a list element, or of a letter, that is more than a number or all of them.
func (a *Arithmetic) at(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		a.at(x.X)
	case *syntax.ParenArithm:
		a.at(x.X)
	case *syntax.BinaryArithm:
		a.Computes = true
		a.at(x.X)
		a.at(x.Y)
	case *syntax.Word:
		text := Inner(x)
		a.Computes = a.Computes || text != "@" && text != "*" && strings.Trim(text, "0123456789") != ""
		a.place = a.place || substitutes(text)
	case *syntax.FlagsArithm:
		a.Computes = true
	}
}

// note notes what a word is to a program.
func (a *Arithmetic) note(text string) {
	hidden := substitutes(text)
	a.hidden = a.hidden || hidden
	for at := strings.IndexByte(text, '['); at >= 0; {
		rest := text[at+1:]
		end := closing(rest)
		a.list = a.list || end < 0 && at > 0 && nameByte(text[at-1])
		if end < 0 {
			end = len(rest)
		}
		a.place = a.place || hidden && substitutes(rest[:end])
		next := strings.IndexByte(rest[end:], '[')
		if next < 0 {
			return
		}
		at += 1 + end + next
	}
}

// closing is where the place of a list element ends, or -1. With quotes in it that is not known.
func closing(text string) int {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '"', '\'', '\\', '{':
			return -1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func substitutes(text string) bool {
	return strings.Contains(text, "$(") || strings.IndexByte(text, '`') >= 0
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
