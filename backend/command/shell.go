package command

import (
	"slices"
	"strings"
)

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
		switch value, attached := strings.CutPrefix(w.Known(), "--command="); {
		case attached && w.Literal:
			at := place{fixed: true}
			at.start, at.end = c.at(w.Start, w.End)
			r.apart(true, func() { r.text(at, value, c.around()) })
		case (w.Known() == "--command" || isBundle(w.Known()) && strings.HasSuffix(w.Known(), "c")) && i+1 < len(p.Words) && p.Words[i+1].Literal:
			r.apart(true, func() { r.nested(p.Words[i+1], c) })
		case attached || strings.HasPrefix(w.Known(), "--c") || isBundle(w.Known()) && strings.Contains(w.Known(), "c"):
			r.doubt("it is not known what su runs")
		}
	}
}

// ownInput reports whether a file is the input of the program that is given it.
func ownInput(file string) bool {
	return slices.Contains([]string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, file)
}

// traps reads the text that trap has run later.
func (r *reader) traps(p Part, c call) {
	words := p.Words
	if len(words) > 0 && words[0].Known() == "--" {
		words = words[1:]
	}
	switch {
	case len(words) < 2 || words[0].Known() == "-" || strings.HasPrefix(words[0].Known(), "-l"):
	case words[0].Literal:
		r.apart(false, func() { r.nested(words[0], c) })
	default:
		r.doubt("it is not known what trap runs")
	}
}

// taken reads what stands in the place of a part; a text that runs nothing leaves it there.
func (r *reader) taken(p Part, read func()) {
	before := len(r.parts)
	if r.apart(true, read); len(r.parts) == before {
		r.end(p)
	}
}
