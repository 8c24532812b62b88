package shell

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// continued is a comment with a backslash at the end of its line: the next line is no part of
// it for a shell, and is for the parser.
var continued = regexp.MustCompile("(?:^|[\\s;&|(){}`<>])#[^\\n]*\\\\\\n")

// misread says why a shell may read a text in another way than the parser did: nil is no reason.
func misread(text string, file *syntax.File) (why error) {
	if !strings.ContainsAny(text, "#<$(`") {
		return nil
	}
	type stretch struct{ from, to int }
	var bodies []stretch
	quotes := 0 // depth of double quotes, and of here-documents
	var stack []syntax.Node
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			switch stack[len(stack)-1].(type) {
			case *syntax.DblQuoted:
				quotes--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := node.(type) {
		case *syntax.Redirect:
			if n.Hdoc != nil {
				from, to := int(n.Hdoc.Pos().Offset()), int(n.Hdoc.End().Offset())
				bodies = append(bodies, stretch{from, to})
				if to <= len(text) && endsEarlier(text[from:to], n) {
					why = errors.New("a shell may end its here-document earlier")
				}
			}
		case *syntax.SglQuoted:
			if n.Dollar && strings.Contains(n.Value, `\'`) {
				why = errors.New("a plain shell ends a quoted text earlier")
			}
		case *syntax.DblQuoted:
			quotes++
		case *syntax.ParamExp:
			from, to := int(n.Pos().Offset()), int(n.End().Offset())
			if quotes > 0 && n.Exp != nil && to <= len(text) && strings.Contains(text[from:to], "'") {
				why = errors.New("a plain shell ends a quoted text later")
			}
		case *syntax.ExtGlob:
			if !within(stack) {
				why = errors.New("a shell may take a pattern for code")
			}
		}
		stack = append(stack, node)
		return true
	})
	for _, at := range continued.FindAllStringIndex(text, -1) {
		inBody := false
		for _, b := range bodies {
			inBody = inBody || b.from-1 <= at[0] && at[1] <= b.to
		}
		if !inBody {
			why = errors.New("a comment ends in a backslash")
		}
	}
	return why
}

// within reports whether a node stands in [[ ]] or in case, where patterns match texts.
func within(stack []syntax.Node) bool {
	for _, node := range stack {
		switch node.(type) {
		case *syntax.TestClause, *syntax.CaseItem:
			return true
		}
	}
	return false
}

// endsEarlier reports whether a line of a here-document, as the parser took it, begins like its
// end: shells differ in where one ends that stands in a substitution, holds an open expansion,
// or has its lines joined by backslashes.
func endsEarlier(body string, n *syntax.Redirect) bool {
	end, quoted := "", false
	for _, part := range n.Word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			end += strings.ReplaceAll(p.Value, `\`, "")
			quoted = quoted || strings.Contains(p.Value, `\`)
		case *syntax.SglQuoted:
			end, quoted = end+p.Value, true
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if lit, is := inner.(*syntax.Lit); is {
					end += lit.Value
				}
			}
			quoted = true
		}
	}
	if !quoted {
		body = strings.ReplaceAll(body, "\\\n", "")
	}
	lines := strings.Split(body, "\n")
	for _, line := range lines[:len(lines)-1] { // the last is the end itself
		if strings.HasPrefix(strings.TrimLeft(line, "\t"), end) && (line != "" || end == "") {
			return true
		}
	}
	return false
}
