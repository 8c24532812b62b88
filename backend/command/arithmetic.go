package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// arithmetic is what a line has of the two things with which bash runs a command as it computes a number: a text with a
// substitution in the place of a list element, as 'a[0+$(id)]', and something that takes a text or a variable for arithmetic.
type arithmetic struct {
	place    bool // a text has a substitution in the place of an element
	list     bool // a text begins the place of an element, and does not end it
	hidden   bool // a text has a substitution that the shell does not read where it stands
	computes bool // something is taken for arithmetic
}

// reckons notes what a text for a shell has of arithmetic.
func (r *reader) reckons(text string, file *syntax.File) {
	hides := strings.ContainsAny(text, "[$`")
	if !hides && !strings.Contains(text, "((") && !strings.Contains(text, "let") {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Word:
			if hides {
				r.sums.note(shell.Inner(n))
			}
		case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop:
			r.sums.computes = true
		case *syntax.BinaryTest:
			r.sums.computes = r.sums.computes || n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
		case *syntax.UnaryTest:
			r.sums.computes = r.sums.computes || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
		case *syntax.ParamExp:
			r.sums.computes = r.sums.computes || n.Excl && n.Names == 0
			r.sums.at(n.Index)
			if n.Slice != nil {
				r.sums.at(n.Slice.Offset)
				r.sums.at(n.Slice.Length)
			}
		case *syntax.Assign:
			r.sums.at(n.Index)
		case *syntax.ArrayElem:
			r.sums.at(n.Index)
		}
		return true
	})
	r.reckoned()
}

// reckoned makes the line opaque once it has both.
func (r *reader) reckoned() {
	if r.sums.computes && (r.sums.place || r.sums.list && r.sums.hidden) {
		r.doubt("a shell computes the place in a list")
	}
}

// at notes the place of a list element, or of a letter, that is more than a number or all of them.
func (a *arithmetic) at(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		a.at(x.X)
	case *syntax.ParenArithm:
		a.at(x.X)
	case *syntax.BinaryArithm:
		a.computes = true
		a.at(x.X)
		a.at(x.Y)
	case *syntax.Word:
		text := shell.Inner(x)
		a.computes = a.computes || text != "@" && text != "*" && strings.Trim(text, "0123456789") != ""
		a.place = a.place || substitutes(text)
	case *syntax.FlagsArithm:
		a.computes = true
	}
}

// note notes what a word is to a program.
func (a *arithmetic) note(text string) {
	hidden := substitutes(text)
	a.hidden = a.hidden || hidden
	for at := strings.IndexByte(text, '['); at >= 0; {
		rest := text[at+1:]
		end := closing(rest)
		a.list = a.list || end < 0 && at > 0 && isName(text[at-1])
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

// reckonsBy notes a command of the shell that takes its words for the names of variables, in which the place of an element is
// arithmetic.
func (r *reader) reckonsBy(p *Part) {
	has := func(letters string) bool {
		return slices.ContainsFunc(p.Words, func(w shell.Word) bool {
			return isBundle(w.Known()) && strings.ContainsAny(w.Known(), letters)
		})
	}
	switch p.Program {
	case "read", "mapfile", "readarray", "getopts", "let", "unset":
	case "printf":
		if !has("v") {
			return
		}
	case "test", "[":
		if !has("vR") {
			return
		}
	case "wait":
		if !has("p") {
			return
		}
	default:
		named := func(w shell.Word) bool { return !w.Literal || strings.Contains(w.Text, "[") }
		if !shell.Declares(p.Program) || !has("i") && !slices.ContainsFunc(p.Words, named) {
			return
		}
	}
	r.sums.computes = true
	r.reckoned()
}
