package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// HereDoc is a here-document, if a shell computes nothing in it.
func HereDoc(n *syntax.Redirect) Word {
	if n.Hdoc == nil {
		return Plain("")
	}
	text := ""
	for _, part := range n.Hdoc.Parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			return Word{Raw: `"$HERE"`}
		}
		text += lit.Value
	}
	quoted := len(n.Word.Parts) > 1
	if lit, is := n.Word.Parts[0].(*syntax.Lit); !quoted {
		quoted = !is || strings.Contains(lit.Value, `\`)
	}
	if !quoted && strings.Contains(text, `\`) {
		return Word{Raw: `"$HERE"`}
	}
	return Plain(text)
}
