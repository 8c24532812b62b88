package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// setters are words of what can set a variable without an assignment in front of a command.
var setters = strings.Fields("for select (( let read mapfile getopts set ${")

// steered is a variable that a text sets otherwise than in front of a command, and that
// steers what programs run: by a loop, by arithmetic, by a default, or by what the shell
// reads. It is "set" where the text makes assignments of what looks like arguments.
func steered(text string, file *syntax.File) (name string) {
	if !slices.ContainsFunc(setters, func(word string) bool { return strings.Contains(text, word) }) {
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
		case *syntax.CallExpr:
			name = firstText(name, setBy(n, note))
		}
		return name == ""
	})
	return name
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func noteWord(x syntax.ArithmExpr, note func(string)) {
	if w, ok := x.(*syntax.Word); ok {
		note(w.Lit())
	}
}

// setBy notes what a command of the shell sets by its arguments.
func setBy(call *syntax.CallExpr, note func(string)) string {
	if len(call.Args) < 2 {
		return ""
	}
	args := call.Args[1:]
	switch strings.TrimPrefix(call.Args[0].Lit(), `\`) {
	case "read", "mapfile", "readarray", "getopts", "let":
		for _, arg := range args {
			variable, _, _ := strings.Cut(arg.Lit(), "=")
			note(variable)
		}
	case "set":
		if slices.ContainsFunc(args, func(arg *syntax.Word) bool {
			text := arg.Lit()
			return text == "keyword" || text == "allexport" || len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text, "ka")
		}) {
			return "set"
		}
	}
	return ""
}

// computes reports whether a text has the place of a list element that a shell computes by
// running a command, and something that may take a text for arithmetic: a variable may hold it.
func computes(text string) bool {
	return (strings.Contains(text, "[$(") || strings.Contains(text, "[`")) &&
		slices.ContainsFunc(strings.Fields("(( [[ ${! unset let read declare typeset local test printf"), func(word string) bool {
			return strings.Contains(text, word)
		})
}
