package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Line is a text taken apart: the set of all that it would run.
type Line struct {
	Text    string
	Parts   []Part
	Opaque  bool   // something of it cannot be known from the text
	Why     string // what
	Cut     bool   // there is too much of it: not all that it would run is among the parts
	Foreign bool   // it is one of PowerShell or cmd, and not taken apart
}

// Part is a simple command of a line.
type Part struct {
	Program  string   // its base name, or its path if Unusual; "" where the shell computes it, or where there is none
	Verb     string   // as "push" of git, "compose up" of docker, a script, a module
	Name     string   // "git push"
	Path     string   // the program as it is written
	Stranger bool     // the table does not know the program
	Unusual  bool     // it lies in a folder where programs usually do not: what it is is not known
	Assigns  []Assign // in front
	Words    []Word   // behind the program
	Options  []string // as written, values of those that the table knows included; "" is computed
	Operands []string // the other words behind the verb
	Writes   []string // files that it writes by redirection; "" is computed
	Inputs   []string // files that it reads by redirection
	Files    []File   // the words that may name files, those of redirections last
	Text     string   // rebuilt from its words, so that reading it gives this part again
	Source   string   // the text that it runs, where the line has it
	Effects  Effect
	Neutral  bool // it needs no rule beside another part
	Code     bool // it runs a text of the line or of its input, or a word makes it run another program
	Chooses  bool // its words choose what its verb runs, as another makefile or project: a class of answers does not carry
	Opaque   bool // what it runs cannot be known from the text
	Piped    bool // it reads a pipe
	Loose    bool // some of its words are not in the text
	Glob     bool // files are put in the place of some of its words
	Folder   string
	Lost     bool // it runs in a folder that cannot be told; else in Folder, "" being the call's own
	Span

	relayed    bool    // a proxy may stand between it and its own machine
	redirected int     // how many of its files are of redirections
	fed        *string // its input, where the line has it
}

// File is a word of a part that may name a file.
type File struct {
	Text    string // quotes read; what the shell computes is as it is written
	Option  string // whose value it is; "" for operands and redirections
	Written bool   // by redirection
	Changed bool   // by the program, which changes all files that it names or this one of them
	Span           // of a redirection, where the file stands in the line; else nothing
}

// Assign is an assignment in front of a part.
type Assign struct {
	Name  string
	Value Word
}

// Span is where a part stands in the line: in bytes, and in the UTF-16 units of a page.
type Span struct{ Start, End, Start16, End16 int }

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

// Read takes a text apart as bash reads it.
func Read(text string) Line {
	r := &reader{funcs: map[string]bool{}}
	r.text(place{}, text, call{})
	return r.line(text)
}

// readArgv takes apart a program and its arguments. Unless it is started as it is, a
// server may join it for a shell: then a word that a shell acts on makes it opaque.
func readArgv(argv []string, exact bool) Line {
	text := strings.Join(argv, " ")
	if len(text) > MaxText {
		l := opaque(text, "it is longer than 64 KiB")
		l.Cut = true
		return l
	}
	r := &reader{funcs: map[string]bool{}}
	c := call{place: place{fixed: true}, end: len(text)}
	at := 0
	for i, arg := range argv {
		w := plainWord(arg)
		w.Start, w.End = at, at+len(arg)
		w.inside = at
		at += len(arg) + 1
		if c.words = append(c.words, w); i > 0 && !exact && actedOn(arg) {
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

// actedOn reports whether a shell makes something else of a word, or more.
func actedOn(arg string) bool {
	return strings.ContainsAny(arg, ";|&<>()$`\\\"'*?[\n\r\x00") || strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, "#") ||
		strings.Contains(arg, "{") && !lone(arg[strings.IndexByte(arg, '{'):])
}

// opaque is a line that nobody takes apart.
func opaque(text, why string) Line {
	r := &reader{}
	r.doubt(why)
	r.parts = []Part{{Opaque: true, Text: text, Span: Span{End: len(text)}}}
	return r.line(text)
}

// windows is a folder of a system that has PowerShell and cmd.
var windows = regexp.MustCompile(`^[A-Za-z]:[\\/]|^\\\\`)

// windowsTool is the name of a tool that runs a line of one of these.
var windowsTool = regexp.MustCompile(`(?i)(^|[^a-z])(powershell|pwsh|cmd)([^a-z]|$)`)

// IsForeign reports whether a tool's name or a folder says that lines are PowerShell's or
// cmd's.
func IsForeign(tool, cwd string) bool {
	return windowsTool.MatchString(tool) || windows.MatchString(cwd)
}

// ReadForeign reads a line of PowerShell or cmd: it is not taken apart, but words of it
// that the table knows as destroying, sending or raising rights are.
func ReadForeign(text string) Line {
	l := opaque(text, "it is not a line of a shell that is taken apart")
	l.Foreign = true
	const grave = Destroys | Sends | Raises
	between := func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&(){}\"'`=,", r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), between) {
		name := strings.TrimSuffix(word[strings.LastIndexAny(word, `\/`)+1:], ".exe")
		if r := programs().rows[name]; r != nil {
			l.Parts[0].Effects |= r.effects & grave
		}
	}
	for _, p := range Read(text).Parts { // cmd and PowerShell know some programs as any shell does
		l.Parts[0].Effects |= p.Effects & grave
	}
	return l
}

// line gives what was read, in the order of the text.
func (r *reader) line(text string) Line {
	l := Line{Text: text, Parts: r.parts, Opaque: r.opaque, Why: r.why, Cut: r.cut}
	if len(l.Parts) == 0 {
		l.Parts = []Part{{Span: Span{End: len(text)}}}
	}
	slices.SortStableFunc(l.Parts, func(a, b Part) int { return a.Start - b.Start })
	units := unitsOf(text)
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

// unitsOf counts the UTF-16 units before a byte of a text.
func unitsOf(text string) func(int) int {
	ascii := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 })
	if ascii < 0 {
		return func(at int) int { return at }
	}
	before := make([]int, len(text)+1)
	units, next := 0, 0
	for i, r := range text {
		for ; next <= i; next++ {
			before[next] = units
		}
		units += utf16.RuneLen(r)
	}
	for ; next <= len(text); next++ {
		before[next] = units
	}
	return func(at int) int { return before[at] }
}

// usual are the folders where programs lie.
var usual = strings.Fields("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin")

// named sets what a part's program is called: its base name, or all of it where that would
// be the name of another one.
func (p *Part) named(word string) {
	base := path.Base(word)
	p.Path, p.Program = word, word
	elsewhere := base != word && !slices.Contains(usual, path.Dir(word)) || strings.Contains(word, "/..")
	p.Unusual = elsewhere || strings.ContainsAny(word, " \t\n\\")
	if !p.Unusual {
		p.Program = base
	}
}
