package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// Line is a text taken apart: the set of all that it would run.
type Line struct {
	Text    string
	Parts   []Part
	Opaque  bool     // something of it cannot be known from the text
	Why     string   // what
	Cut     bool     // there is too much of it: not all that it would run is among the parts
	Beside  []Beside // members beside it of which it is not known that they change nothing
	Foreign bool     // it is one of PowerShell or cmd, and not taken apart
}

// Names are the names of the parts, in order.
func (l Line) Names() []string {
	names := make([]string, len(l.Parts))
	for i, p := range l.Parts {
		names[i] = p.Name
	}
	return names
}

// Writes are the files that the parts write by redirection, each once.
func (l Line) Writes() []string {
	var all []string
	for _, p := range l.Parts {
		for _, file := range p.Writes {
			if !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all
}

// eachOther reads texts and programs in each other.
type eachOther struct{}

func (eachOther) text(r *reader, at place, text string, around call) { r.walk(at, text, around) }
func (eachOther) argv(r *reader, c call)                             { r.program(c) }

func newReader(text string) *reader { return &reader{nesting: eachOther{}, relays: namesProxy(text)} }

// Read takes a text apart as bash reads it.
func Read(text string) Line {
	r := newReader(text)
	if words, is := shell.PlainLine(text); is {
		r.source, r.depth, r.work = text, 1, len(text) // as walk has it
		r.argv(call{begin: words[0].Start, end: words[len(words)-1].End, words: words})
	} else {
		r.text(place{}, text, call{})
	}
	return r.line(text)
}

// readArgv takes apart a program and its arguments. Unless it is the desk's own tool that
// starts it as it is, a server may join it for a shell: then a word that a shell acts on makes
// it opaque, and in a list, which hardly anybody joins, an operator or a substitution.
func readArgv(argv []string, own, list bool) Line {
	text := strings.Join(argv, " ")
	if len(text) > shell.MaxText {
		l := opaque(text, "it is longer than 64 KiB")
		l.Cut = true
		return l
	}
	r := newReader(text)
	c := call{place: place{fixed: true}, end: len(text)}
	at := 0
	for i, arg := range argv {
		w := shell.Plain(arg)
		w.Start, w.End = at, at+len(arg)
		w.Inside = at
		at += len(arg) + 1
		if c.words = append(c.words, w); i > 0 && !own && (!list && shell.Acts(arg) || list && joins(argv, i)) {
			r.doubt("an argument means something to a shell")
		}
		if strings.ContainsRune(arg, 0) {
			r.doubt("an argument has a byte in it that ends it")
		}
	}
	c.place = place{}
	r.argv(c)
	return r.line(text)
}

// operators are words of a shell that few programs are given for anything else.
var operators = strings.Fields("&& || ; | & > >> < << <<< |& &>")

// joins reports whether a word of a list would be more than a word in a shell.
func joins(argv []string, i int) bool {
	if strings.Contains(argv[i], "$(") {
		return !isBundle(argv[i-1]) || !strings.HasSuffix(argv[i-1], "c") // what a shell is given is read
	}
	return slices.Contains(operators, argv[i]) && (argv[i] != ";" || path.Base(argv[0]) != "find")
}

// opaque is a line that nobody takes apart.
func opaque(text, why string) Line {
	r := newReader(text)
	r.doubt(why)
	r.parts = []Part{{Opaque: true, Text: text, Span: Span{End: len(text)}}}
	return r.line(text)
}

// windows is a folder of a system that has PowerShell and cmd.
var windows = lazyregexp.New(`^([A-Za-z]:[\\/]|\\\\)`)

// windowsTool is the name of a tool that runs a line of one of these.
var windowsTool = lazyregexp.New(`(?i)(^|[^a-z])(powershell|pwsh|cmd)([^a-z]|$)`)

// IsForeign reports whether a tool's name or a folder says that lines are PowerShell's or
// cmd's.
func IsForeign(tool, cwd string) bool {
	return strings.ContainsAny(tool, "cCpP") && windowsTool.MatchString(tool) || cwd != "" && cwd[0] != '/' && windows.MatchString(cwd)
}

// ReadForeign reads a line of PowerShell or cmd: it is not taken apart, but words of it
// that the table knows as destroying, sending or raising rights are.
func ReadForeign(text string) Line {
	l := opaque(text, "it is not a line of a shell that is taken apart")
	l.Foreign = true
	l.Parts[0].Effects = newReader(text).foreign(text)
	return l
}

// line gives what was read, in the order of the text.
func (r *reader) line(text string) Line {
	l := Line{Text: text, Parts: r.parts, Opaque: r.opaque, Why: r.why, Cut: r.cut}
	if len(l.Parts) == 0 {
		l.Parts = []Part{{Span: Span{End: len(text)}}}
	}
	slices.SortStableFunc(l.Parts, func(a, b Part) int { return a.Start - b.Start })
	units := shell.Units(text)
	for i := range l.Parts {
		p := &l.Parts[i]
		p.End = min(p.End, len(text))
		p.Start = min(p.Start, p.End)
		p.Start16, p.End16 = units(p.Start), units(p.End)
		for n := len(p.Files) - p.redirected; n >= 0 && n < len(p.Files); n++ {
			f := &p.Files[n]
			f.End = min(f.End, len(text))
			f.Start = min(f.Start, f.End)
			f.Start16, f.End16 = units(f.Start), units(f.End)
		}
	}
	return l
}
