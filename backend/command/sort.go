package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// sort tells the options among the words from the operands. It is false if there is an
// option that the table does not know.
func (p *Part) sort(spec *row, args []shell.Word) bool {
	p.Options, p.Operands = nil, nil
	redirected := p.Files[max(0, len(p.Files)-p.redirected):]
	var operands []shell.Word
	var values []File
	defer func() {
		if args == nil { // options in front of a verb that is not there
			args = p.Words
		}
		written := spec.outputs(args)
		if spec.flags["tests"] {
			values = tested(args)
		}
		p.Files = together(spec.filesOf(p, operands), values, written, spec.follow(p, written, operands), slices.Clone(redirected))
	}()
	ok := spec.options != nil
	for _, w := range p.Words {
		p.Loose, p.Glob = p.Loose || !w.Literal && !w.Glob && !w.Pipe(), p.Glob || w.Glob
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch kind, following := spec.kindOf(w); {
		case w.Literal && w.Text == "--":
			for _, w := range args[i+1:] {
				p.Operands, operands = append(p.Operands, w.Text), append(operands, w)
			}
			return ok
		case kind == operand:
			p.Operands, operands = append(p.Operands, w.Text), append(operands, w)
		default:
			ok = ok && (kind == option || spec.texts > 0)
			if p.Options == nil {
				p.Options = make([]string, 0, len(args)-i)
			}
			p.Options = append(p.Options, w.Text)
			if name, value, attached := spec.attached(w); attached {
				values = append(values, File{Text: value, Option: name})
			}
			for ; following > 0 && i+1 < len(args); following-- {
				i++
				p.Options = append(p.Options, args[i].Text)
				values = append(values, File{Text: args[i].Shown(), Option: w.Text})
			}
		}
	}
	return ok
}

// together joins lists that nobody else has.
func together(lists ...[]File) (files []File) {
	for _, list := range lists {
		switch {
		case len(list) > 0 && files != nil:
			return slices.Concat(lists...)
		case len(list) > 0:
			files = list
		}
	}
	return files
}

// attached gives the value that stands in the same word as its option.
func (r *row) attached(w shell.Word) (name, value string, ok bool) {
	text := w.Shown()
	if strings.HasPrefix(text, "--") || r.flags["single"] {
		return strings.Cut(text, "=")
	}
	for i := 1; i < len(text)-1; i++ {
		if name := "-" + text[i:i+1]; r.options[name] > bare {
			return name, strings.TrimPrefix(text[i+1:], "="), true
		}
	}
	return "", "", false
}

// patterns are options in the place of which a filter takes an operand for its pattern.
var patterns = lazyregexp.New(`^(-[a-zA-Z0-9]*[ef].*|--regexp.*|--expression.*|--file.*)$`)

// filesOf gives those operands that may name files: not the patterns and programs of
// filters, nor the texts of echo.
func (r *row) filesOf(p *Part, operands []shell.Word) (files []File) {
	texts := max(r.filter, r.texts, 0)
	if texts == 1 && slices.ContainsFunc(p.Options, patterns.MatchString) {
		texts = 0
	}
	for i := range min(texts, len(operands)) {
		if r.texts > 0 && operands[i].Glob {
			files = append(files, File{Text: operands[i].Shown()})
		}
	}
	last, edits := len(operands)-1, r.editsFiles(p.Options)
	if last > 0 && operands[last].Raw == found { // another program may add more words, or none
		last--
	}
	for i := texts; i < len(operands); i++ {
		text := operands[i].Shown()
		copied := r.flags["copies"] && i >= last && !strings.Contains(text, "://") && (p.Verb == "" || !isKind(&operands[i], "<remote>"))
		files = append(files, File{Text: text, Changed: edits || copied})
	}
	return files
}

// wordKind is what a word is to a program.
type wordKind int

const (
	operand wordKind = iota
	option           // that the table knows
	strange          // one that it does not
)

// kindOf says what a word is, and how many words behind it are its value.
func (r *row) kindOf(w shell.Word) (kind wordKind, values int) {
	if !w.Literal {
		name, _, value := strings.Cut(w.Known(), "=")
		switch {
		case value && strings.HasPrefix(name, "--") && r.options[name] > bare:
			return option, 0
		case strings.HasPrefix(w.Known(), "-"):
			return strange, 0
		}
		return operand, 0
	}
	if len(w.Text) < 2 || w.Text[0] != '-' {
		return operand, 0
	}
	if r.options == nil {
		return strange, 0
	}
	if strings.HasPrefix(w.Text, "--") || r.flags["single"] {
		name, _, value := strings.Cut(w.Text, "=")
		switch r.options[name] {
		case required:
			if !value {
				return option, 1
			}
			return option, 0
		case optional:
			return option, 0
		case bare:
			if !value {
				return option, 0
			}
		}
		return strange, 0
	}
	for i := 1; i < len(w.Text); i++ {
		switch r.options["-"+w.Text[i:i+1]] {
		case required:
			if i+1 == len(w.Text) {
				return option, 1
			}
			return option, 0
		case optional:
			return option, 0
		case 0:
			return strange, 0
		}
	}
	return option, 0
}

// operandAt gives the place of the first operand from a word on, or -1. It is not sure
// behind an option that the table does not know.
func (r *row) operandAt(words []shell.Word, from int) (at int, sure bool) {
	sure = true
	for i := from; i < len(words); i++ {
		kind, values := r.kindOf(words[i])
		if words[i].Text == "--" || kind == strange && strings.Contains(words[i].Text, "=") {
			continue
		}
		if kind == operand && !(r.flags["target"] && strings.Contains(words[i].Known(), "=")) {
			return i, sure
		}
		sure = sure && kind == option
		i += values
	}
	return -1, sure
}

// meet adds what the table says of words.
func (p *Part) meet(known *row, words []shell.Word) {
	if strings.HasSuffix(p.Program, "tar") && len(words) > 0 { // which takes its first bundle without a dash
		words = append([]shell.Word{words[0].Dashed()}, words...)
	}
	ends := slices.IndexFunc(words, func(w shell.Word) bool { return w.Literal && w.Text == "--" })
	for i := range words {
		w, next := told(words[i]), &shell.Word{}
		if ends >= 0 && i > ends && strings.HasPrefix(words[i].Known(), "-") {
			continue
		}
		if i+1 < len(words) {
			next = &words[i+1]
		}
		for _, a := range known.adds {
			if slices.ContainsFunc(a.triggers, func(t trigger) bool { return t.hits(&w) || t.metApart(&words[i], next) }) {
				p.Effects, p.Code, p.Chooses = p.Effects|a.effects, p.Code || a.code, p.Chooses || a.chooses
			}
		}
	}
}
