package command

import (
	"slices"
	"strings"

	"sekisho/backend/filter"
	"sekisho/backend/shell"
)

// filterText reads the program of sed or awk: one that does more than print is code.
func (p *Part) filterText(known *row) {
	texts := []shell.Word{}
	if known.flags["sed"] {
		texts = p.expressions(known)
	}
	if len(texts) == 0 && len(p.Operands) > 0 {
		texts = append(texts, shell.Word{Text: p.Operands[0], Literal: p.Operands[0] != ""})
	}
	for _, w := range texts {
		prints := w.Literal && filter.SedPrints(w.Text)
		if known.flags["awk"] {
			prints = w.Literal && filter.AwkPrints(w.Text)
		}
		if !prints {
			p.Code, p.Source = true, p.Source+w.Text+"\n"
		}
	}
	p.Code = p.Code || len(texts) == 0 || known.flags["awk"] && fedProgram(p.Options)
}

// fedProgram reports whether options of awk name its input for the file that its program is in.
func fedProgram(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		return o == "-" || o == "-f-" || o == "--file=-" || strings.Contains(o, "/dev/") || strings.Contains(o, "/proc/")
	})
}

// expressions are the scripts that options give sed: the letter of that one may stand behind others, with its script attached.
func (p *Part) expressions(known *row) (texts []shell.Word) {
	for i := 0; i < len(p.Words); i++ {
		w := p.Words[i]
		text, letter := w.Known(), -1
		switch name, value, attached := strings.Cut(text, "="); {
		case len(name) > 2 && strings.HasPrefix("--expression", name) && attached:
			texts = append(texts, shell.Word{Text: value, Literal: w.Literal})
		case len(name) > 2 && strings.HasPrefix("--expression", name):
			letter = len(text) - 1
		case isBundle(text):
			letter = strings.IndexAny(text, sedValues)
		}
		switch {
		case letter < 0 || text[letter] == 'i': // the rest of the bundle is the ending of a copy
		case letter+1 < len(text) && text[letter] == 'e':
			texts = append(texts, shell.Word{Text: text[letter+1:], Literal: w.Literal})
		case letter+1 < len(text):
		case i+1 < len(p.Words):
			if i++; text[letter] != 'f' && text[letter] != 'l' {
				texts = append(texts, p.Words[i])
			}
		}
	}
	return texts
}

// sedValues are the letters of sed that have a value.
const sedValues = "efli"

// evaluates are words by which yq is told to do what it does without them.
var evaluates = strings.Fields("eval e eval-all ea")

// loads reads the program of jq or yq: one that reads more than its input is code.
func (p *Part) loads() {
	for i, w := range p.Operands {
		if i == 0 && slices.Contains(evaluates, w) {
			continue
		}
		if filter.JqLoads(w) {
			p.Code, p.Source = true, p.Source+w+"\n"
			return
		}
	}
}
