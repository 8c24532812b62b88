package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// assignment is a word that env and sudo take for one.
var assignment = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// behind finds what a program runs behind its own options and operands. It is not ok if an
// option is not known.
func (r *row) behind(args []shell.Word, assigns bool) (at int, set []Assign, ok bool) {
	operands := r.wrap
	for at < len(args) {
		w := args[at]
		kind, values := r.kindOf(w)
		name, value, _ := strings.Cut(w.Text, "=")
		switch {
		case w.Literal && w.Text == "--":
			if at++; operands == 0 {
				return at, set, true
			}
		case kind == strange:
			return at, set, false
		case kind == option:
			at += 1 + values
		case operands > 0:
			operands--
			at++
		case assigns && assignment.MatchString(w.Known()):
			if !w.Literal {
				name, _, _ = strings.Cut(w.Known(), "=")
			}
			set = append(set, Assign{name, shell.Word{Text: value, Literal: w.Literal, Raw: w.Raw[strings.IndexByte(w.Raw, '=')+1:], Inside: -1}})
			at++
		default:
			return at, set, true
		}
	}
	return len(args), set, true
}

// wrapped reads a program that runs what follows in its arguments.
func (r *reader) wrapped(p Part, spec *row, args []shell.Word, c call) {
	at, set, ok := spec.behind(args, p.Program == "env" || p.Program == "sudo" || p.Program == "doas")
	at = min(at, len(args))
	inner := slices.Clone(args[at:])
	p.sort(spec, args[:at])
	if p.meet(spec, args[:at]); !ok {
		p.meet(spec, args[at:])
	}
	if p.Verb != "" {
		p.meet(programs().rows[p.Program], args[:at])
	}
	own := p.Words[:len(p.Words)-len(inner)]
	if p.leads(spec, own); p.Verb != "" {
		p.leads(programs().rows[p.Program], own)
	}
	if p.Program == "env" && p.Code && ok && len(inner) > 0 { // without PATH programs are looked for where the line runs
		p.Code = false
		set = append(set, Assign{"PATH", shell.Plain("")})
	}
	beside := spec.flags["beside"]
	lookup := p.Program == "command" && slices.ContainsFunc(p.Options, func(o string) bool { return o == "-v" || o == "-V" })
	if lookup || ok && len(inner) == 0 {
		if !beside { // it says what it would run
			p.Effects |= Reads
		}
		r.end(p)
		return
	}
	if !ok {
		p.Code, p.Opaque = true, p.Opaque || !spec.flags["own"]
	}
	if beside || !ok || p.Code {
		r.end(p)
	}
	if !ok {
		return
	}
	if spec.flags["loose"] {
		inner = fromInput(p.Options, inner, c.input)
		c.loose = true
		c = c.fedBy(own, spec)
	}
	if beside {
		start := inner[0].Start
		c = call{place: c.place, begin: start, end: max(start, inner[len(inner)-1].End), input: c.input, fed: c.fed, piped: c.piped,
			loose: c.loose, wraps: c.wraps}
	}
	c.wraps++
	c.assigns = slices.Concat(c.assigns, set)
	c.words = inner
	r.inner(p, spec, c)
}

// inner reads what a program runs.
func (r *reader) inner(p Part, spec *row, c call) {
	switch first := c.words[0]; {
	case spec.flags["joined"]:
		r.joined(c)
	case spec.flags["own"] && first.Literal && programs().program(path.Base(first.Text)) == nil && !programs().once[path.Base(first.Text)]:
		// a command of the project, which the verb has named
	default:
		before := r.here
		if here := (folder{p.Folder, p.Lost}); here != before {
			r.here = here
			r.argv(c)
			r.here = before
			return
		}
		r.argv(c)
	}
}

// joined reads words that a shell of another machine gets as one text.
func (r *reader) joined(c call) {
	if len(c.words) == 1 && c.words[0].Literal {
		r.apart(true, func() { r.nested(c.words[0], c) })
		return
	}
	texts := make([]string, len(c.words))
	for i, w := range c.words {
		if texts[i] = w.Text; !w.Literal {
			p := r.part(c)
			p.Opaque = true
			r.end(p)
			return
		}
	}
	at := place{fixed: true}
	at.start, at.end = c.at(c.begin, c.end)
	r.apart(true, func() { r.text(at, strings.Join(texts, " "), c.around()) })
}

// fromInput are the words of xargs with those that it puts in or adds.
func fromInput(options []string, words []shell.Word, input *string) []shell.Word {
	place := "{}"
	for i, option := range options {
		switch value, attached := strings.CutPrefix(option, "-I"); {
		case attached && value != "":
			place = value
		case attached && i+1 < len(options):
			place = options[i+1]
		case strings.HasPrefix(option, "--replace="):
			place = strings.TrimPrefix(option, "--replace=")
		}
	}
	end := words[len(words)-1].End
	likely := ""
	if input != nil && len(*input) <= shell.MaxLikely {
		likely = strings.TrimSpace(*input)
	}
	return append(computed(words, place, likely), shell.Word{Raw: found, Start: end, End: end, Open: true, Inside: -1, Likely: likely})
}

// fedBy adds the files that options of xargs name, which it reads in the place of its input.
func (c call) fedBy(words []shell.Word, spec *row) call {
	c.inputs, c.redirects, c.files = slices.Clip(c.inputs), slices.Clip(c.redirects), slices.Clip(c.files)
	for i, w := range words {
		value, attached := strings.CutPrefix(w.Shown(), "--arg-file=")
		if isBundle(w.Known()) {
			value, attached = spec.behindLetter(w.Shown(), 'a')
		} else if w.Known() == "--arg-file" {
			value, attached = "", true
		}
		if attached && value == "" && i+1 < len(words) {
			w = words[i+1]
			value = w.Shown()
		}
		if attached {
			c.input = nil
			c.inputs = append(c.inputs, value)
			c.redirects = append(c.redirects, "< "+shell.Quote(value))
			c.files = append(c.files, File{Text: value, Span: c.span(w)})
		}
	}
	return c
}

// found stands for words that another program adds.
const found = `"$@"`

// computed are words in which a program puts something in the place of a text, and what that likely is.
func computed(words []shell.Word, place, likely string) []shell.Word {
	words = slices.Clone(words)
	for i, w := range words {
		if at := strings.Index(w.Text, place); at >= 0 && place != "" {
			words[i] = shell.Word{Raw: `"$@"`, Start: w.Start, End: w.End, Head: w.Text[:at], Open: true, Inside: -1}
			if likely != "" {
				words[i].Likely = strings.ReplaceAll(w.Text, place, likely)
			}
			if at > 0 {
				words[i].Raw = shell.Quote(w.Text[:at]) + `"$@"`
			}
		}
	}
	return words
}
