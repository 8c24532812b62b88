package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// nested reads a word as a text for a shell.
func (r *reader) nested(w Word, c call) {
	var at place
	if w.inside >= 0 && !c.fixed {
		at.from = c.from + w.inside
	} else {
		at.fixed = true
		at.start, at.end = c.at(w.Start, w.End)
	}
	r.text(at, w.Text, c.around())
}

// around is what of a call stands around the commands that it runs.
func (c call) around() call {
	c.place, c.begin, c.end = place{}, 0, 0
	c.assigns, c.words = nil, nil
	return c
}

// assignment is a word that env and sudo take for one.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// behind finds what a program runs behind its own options and operands. It is not ok if an
// option is not known.
func (r *row) behind(args []Word, assigns bool) (at int, set []Assign, ok bool) {
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
		case assigns && assignment.MatchString(w.known()):
			if !w.Literal {
				name, _, _ = strings.Cut(w.known(), "=")
			}
			set = append(set, Assign{name, Word{Text: value, Literal: w.Literal, Raw: w.Raw[strings.IndexByte(w.Raw, '=')+1:], inside: -1}})
			at++
		default:
			return at, set, true
		}
	}
	return len(args), set, true
}

// wrapped reads a program that runs what follows in its arguments.
func (r *reader) wrapped(p Part, spec *row, args []Word, c call) {
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
		inner = fromInput(p.Options, inner)
		c.loose = true
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
		moved := *r
		moved.moves(&p, spec)
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
func fromInput(options []string, words []Word) []Word {
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
	return append(computed(words, place), Word{Raw: `"$@"`, Start: end, End: end, open: true, inside: -1})
}

// computed are words in which a program puts something in the place of a text.
func computed(words []Word, place string) []Word {
	words = slices.Clone(words)
	for i, w := range words {
		if at := strings.Index(w.Text, place); at >= 0 && place != "" {
			words[i] = Word{Raw: `"$@"`, Start: w.Start, End: w.End, begin: w.Text[:at], open: true, inside: -1}
			if at > 0 {
				words[i].Raw = quote(w.Text[:at]) + `"$@"`
			}
		}
	}
	return words
}

// execs are the options of find behind which a command stands.
var execs = []string{"-exec", "-execdir", "-ok", "-okdir"}

// execAt gives the ends of the next command in the words of find.
func execAt(words []Word, from int) (start, end int) {
	for start = from; start < len(words); start++ {
		if !slices.Contains(execs, words[start].Text) {
			continue
		}
		for end = start + 1; end < len(words); end++ {
			if w := words[end]; w.Text == ";" || w.Text == "+" && words[end-1].Text == "{}" {
				return start, end
			}
		}
		return start, end
	}
	return -1, -1
}

func withoutExecs(words []Word) (rest []Word) {
	from := 0
	for {
		start, end := execAt(words, from)
		if start < 0 {
			return append(rest, words[from:]...)
		}
		rest = append(rest, words[from:start]...)
		from = min(end+1, len(words))
	}
}

// execs reads the commands of find, the files of which are not in the text.
func (r *reader) execs(p Part, c call) {
	for from := 0; ; {
		start, end := execAt(p.Words, from)
		if start < 0 {
			return
		}
		if from = min(end+1, len(p.Words)); end == start+1 {
			r.doubt("it is not known what find runs")
			return
		}
		inner := computed(p.Words[start+1:end], "{}")
		before := r.here
		r.here.lost = r.here.lost || strings.HasSuffix(p.Words[start].Text, "dir")
		r.argv(call{place: c.place, wraps: c.wraps + 1, words: inner, begin: inner[0].Start, end: inner[len(inner)-1].End, loose: true})
		r.here = before
		if from >= len(p.Words) {
			return
		}
	}
}

// shellOptions are long options of shells that run nothing.
var shellOptions = strings.Fields("--login --norc --noprofile --posix --verbose --noediting --restricted --help --version")

// shell reads what a shell is told to run. Where that is in the text, it is taken apart in
// the place of the shell.
func (r *reader) shell(p Part, c call) {
	at, command, stdin := p.shellWords()
	rest := p.Words[at:]
	switch {
	case len(rest) > 0 && !rest[0].Literal, len(rest) == 0 && command:
		p.Opaque = true
	case command:
		if p.Code || p.Opaque {
			r.end(p)
		}
		r.taken(p, func() { r.nested(rest[0], c) })
		return
	case len(rest) > 0 && !stdin && !ownInput(rest[0].Text):
		p.Verb = rest[0].Text
		p.sort(&row{}, rest[1:])
	case slices.Contains(p.Options, "--version") || slices.Contains(p.Options, "--help"):
		p.Effects = Reads
	case c.input != nil && !p.Code:
		if c.piped && !c.fed {
			p.Code = true
			r.end(p)
		}
		at := place{fixed: true}
		at.start, at.end = c.at(c.begin, c.end)
		r.taken(p, func() { r.text(at, *c.input, call{writes: c.writes, inputs: c.inputs, files: c.files}) })
		return
	default:
		p.Code = true
	}
	r.end(p)
}

// taken reads what stands in the place of a part; a text that runs nothing leaves it there.
func (r *reader) taken(p Part, read func()) {
	before := len(r.parts)
	if r.apart(true, read); len(r.parts) == before {
		r.end(p)
	}
}

// shellWords reads the options of a shell: where its operands begin, and whether it reads
// a command from them or its input.
func (p *Part) shellWords() (at int, command, stdin bool) {
	for at < len(p.Words) {
		text := p.Words[at].Text
		switch {
		case !p.Words[at].Literal:
			return at, command, stdin
		case text == "-" || text == "--":
			return at + 1, command, stdin
		case text == "--rcfile" || text == "--init-file":
			at++
		case strings.HasPrefix(text, "--"):
			p.Opaque = p.Opaque || !slices.Contains(shellOptions, text)
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			command, stdin = command || strings.Contains(text, "c"), stdin || strings.Contains(text, "s")
			if strings.ContainsAny(text[len(text)-1:], "oO") {
				at++
			}
		default:
			return at, command, stdin
		}
		at++
	}
	return len(p.Words), command, stdin
}

// user reads the text that su hands to a shell.
func (r *reader) user(p Part, c call) {
	r.end(p)
	for i, w := range p.Words {
		switch value, attached := strings.CutPrefix(w.known(), "--command="); {
		case attached && w.Literal:
			at := place{fixed: true}
			at.start, at.end = c.at(w.Start, w.End)
			r.apart(true, func() { r.text(at, value, c.around()) })
		case (w.known() == "--command" || isBundle(w.known()) && strings.HasSuffix(w.known(), "c")) && i+1 < len(p.Words) && p.Words[i+1].Literal:
			r.apart(true, func() { r.nested(p.Words[i+1], c) })
		case attached || strings.HasPrefix(w.known(), "--c") || isBundle(w.known()) && strings.Contains(w.known(), "c"):
			r.doubt("it is not known what su runs")
		}
	}
}

// ownInput reports whether a file is the input of the program that is given it.
func ownInput(file string) bool {
	return slices.Contains([]string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, file)
}
