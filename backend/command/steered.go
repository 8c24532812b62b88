package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// loopWords are words of what can set a variable without a command.
var loopWords = strings.Fields("for select (( let ${")

// steered is a variable that a text sets otherwise than in front of a command, and that
// steers what programs run: by a loop, by arithmetic, by a default, or by what the shell
// reads.
func steered(text string, file *syntax.File) (name string) {
	if !slices.ContainsFunc(loopWords, func(word string) bool { return strings.Contains(text, word) }) {
		return ""
	}
	note := func(variable string) {
		if variable, _, _ = strings.Cut(variable, "["); name == "" && programs().steering(variable) {
			name = variable
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.WordIter:
			note(n.Name.Value)
		case *syntax.BinaryArithm:
			noteWord(n.X, note)
		case *syntax.UnaryArithm:
			noteWord(n.X, note)
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				note(n.Param.Value)
			}
		}
		return name == ""
	})
	return name
}

func noteWord(x syntax.ArithmExpr, note func(string)) {
	if w, ok := x.(*syntax.Word); ok {
		note(w.Lit())
	}
}

// setters are commands of the shell, besides those that declare, which set the variables that
// their arguments name.
var setters = strings.Fields("read mapfile readarray getopts let")

// setsBy reads the arguments of a command of the shell that sets variables: one that steers
// what programs run makes the part code, and what is not known of it the line opaque.
func (r *reader) setsBy(p *Part) {
	if p.Program == "set" && slices.ContainsFunc(p.Words, func(w shell.Word) bool {
		text := w.Known()
		return text == "keyword" || text == "allexport" || len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text, "ka")
	}) {
		r.doubt("it sets set, which steers what programs run")
	}
	r.reckonsBy(p)
	if !slices.Contains(setters, p.Program) && !shell.Declares(p.Program) {
		return
	}
	for _, w := range p.Words {
		name, _, _ := strings.Cut(w.Known(), "=")
		if name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "["); Steers(name) {
			if p.Code = true; !shell.Declares(p.Program) {
				r.doubt("it sets " + name + ", which steers what programs run")
			}
		}
		if shell.Declares(p.Program) && p.Program != "export" && isBundle(name) && strings.Contains(name, "n") {
			r.doubt("it gives a variable another name")
		}
	}
}

func steers(assigns []Assign) bool {
	for _, a := range assigns {
		if programs().steeringSet(a.Name) {
			return true
		}
	}
	return false
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
	r.sums.Computes = true
	r.reckoned()
}

// reckoned makes a line opaque that may run a command as it computes a number.
func (r *reader) reckoned() {
	if r.sums.Runs() {
		r.doubt("a shell computes the place in a list")
	}
}
