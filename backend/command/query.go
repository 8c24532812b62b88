package command

import (
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// query reads what a client of a database is told.
func (p *Part) query(known *row, c call) {
	var texts []shell.Word
	for i, w := range p.Words {
		kind, values := known.kindOf(w)
		for _, name := range known.sql {
			bundle := isBundle(w.Known()) && len(name) == 2 && len(w.Known()) > 2 && strings.HasSuffix(w.Known(), name[1:])
			switch value, attached := strings.CutPrefix(w.Known(), name); {
			case (w.Known() == name || bundle && kind == option && values == 1) && i+1 < len(p.Words):
				texts = append(texts, p.Words[i+1])
			case attached && value != "" && (len(name) == 2 && !known.flags["single"] || value[0] == '='):
				texts = append(texts, shell.Word{Text: strings.TrimPrefix(value, "="), Literal: w.Literal})
			}
		}
	}
	if p.Program == "sqlite3" || p.Program == "duckdb" {
		for _, text := range p.Operands[min(1, len(p.Operands)):] {
			texts = append(texts, shell.Word{Text: text, Literal: text != ""})
		}
	}
	p.Code = p.Code || slices.ContainsFunc(p.Files, func(f File) bool { return f.Changed && strings.HasPrefix(f.Text, "|") })
	switch {
	case c.input != nil:
		texts = append(texts, shell.Plain(*c.input))
	case len(texts) == 0 && (c.piped || c.fed):
		p.Code = true
	case len(c.inputs) > 0:
		p.Effects |= Runs
	}
	for _, w := range texts {
		if !w.Literal {
			p.Code = true
			continue
		}
		effects, code := SQL(w.Text)
		p.Effects, p.Code = p.Effects|effects, p.Code || code
		p.Source += w.Text + "\n"
	}
}
