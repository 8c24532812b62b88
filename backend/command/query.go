package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
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
	if all := slices.Contains(known.sql, "<operands>"); all || p.Program == "sqlite3" || p.Program == "duckdb" {
		operands := p.Operands
		if !all {
			operands = operands[min(1, len(operands)):] // behind the file
		}
		for _, text := range operands {
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

// sending are the words of a part without those by which curl puts data into the address that it asks for,
// in place of sending them. What may be read from a file stays.
func (p *Part) sending() []shell.Word {
	asks := func(w shell.Word) bool { return w.Literal && getOption.MatchString(w.Text) }
	if p.Program != "curl" || !slices.ContainsFunc(p.Words, asks) {
		return p.Words
	}
	words := make([]shell.Word, 0, len(p.Words))
	for i := 0; i < len(p.Words); i++ {
		name, value, attached := strings.Cut(p.Words[i].Head, "=")
		last := i+1 == len(p.Words)
		switch data := dataOption.MatchString(name); {
		case data && attached && strings.HasPrefix(name, "--") && !readsFile(value):
		case data && !attached && !last && p.Words[i+1].Head != "" && !readsFile(p.Words[i+1].Head):
			if !strings.HasPrefix(name, "--") {
				words = append(words, shell.Plain(strings.TrimSuffix(name, "d")))
			}
			i++
		default:
			words = append(words, p.Words[i])
		}
	}
	return words
}

var (
	getOption  = lazyregexp.New(`^(-[#0-9a-zA-Z]*G[#0-9a-zA-Z]*|--get)$`)
	dataOption = lazyregexp.New(`^(-[#0aBfgGiIjJkLlnNpqRsSvV]*d|--data(-raw|-binary|-ascii|-urlencode)?)$`)
)

// readsFile reports whether curl reads what it is given as data from a file.
func readsFile(data string) bool {
	name, _, named := strings.Cut(data, "=")
	return strings.Contains(name, "@") || !named && strings.Contains(data, "@")
}
