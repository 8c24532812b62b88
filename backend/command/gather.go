package command

import (
	"path"

	"sekisho/backend/shell"
)

// Bounds of the work on one line.
const (
	maxDepth = 8 // texts for a shell inside texts for a shell
	maxParts = 256
	maxPath  = 4096
	maxWraps = 20        // programs that run each other
	maxWork  = 384 << 10 // bytes of texts inside the line, read or written
	perWord  = 40        // such bytes for a word of a part
)

// reader gathers the parts of a line.
type reader struct {
	nesting nesting
	parts   []Part
	opaque  bool
	why     string
	cut     bool
	funcs   map[string]bool // that the line declared
	source  string          // the text that is being walked over
	depth   int
	here    folder
	work    int
	braces  int               // words that they made
	looked  int               // work on the strings of code
	values  map[string]string // of variables, as far as the line says; see valueOf
	guesses int               // words that were read as they likely are
	sums    shell.Arithmetic
	plain   bool // what stands in code is not looked at
	relays  bool // the text names a variable that sets a proxy
}

// folder is where the next part runs.
type folder struct {
	path string // "" is the call's own
	lost bool
}

// place is where a text stands in the line: a text whose letters are not the line's own
// counts as the word that it was made of.
type place struct {
	from       int
	fixed      bool
	start, end int
}

func (p place) at(start, end int) (int, int) {
	if p.fixed {
		return p.start, p.end
	}
	return p.from + start, p.from + end
}

// call is a simple command before it is known what it does, with what stands around it.
type call struct {
	place
	assigns    []Assign
	words      []shell.Word
	begin, end int      // in the text
	writes     []string // by redirection, also around it
	files      []File   // of redirections
	inputs     []string
	redirects  []string // as they are written
	piped      bool
	input      *string // a here-document or here-string, where all of it is known
	fed        bool    // there is one
	loose      bool
	sends      bool // by a file that is a socket
	wraps      int  // programs around it that run what follows them
}

// nesting reads what may stand in each other: a text for a shell holds programs, and the arguments
// of a program may hold texts and further programs.
type nesting interface {
	text(r *reader, at place, text string, around call)
	argv(r *reader, c call)
}

// text reads a text for a shell.
func (r *reader) text(at place, text string, around call) { r.nesting.text(r, at, text, around) }

// argv reads a program and its arguments.
func (r *reader) argv(c call) { r.nesting.argv(r, c) }

// doubt makes the line opaque.
func (r *reader) doubt(why string) {
	if !r.opaque {
		r.opaque, r.why = true, why
	}
}

// stops is doubt where there is too much of the line.
func (r *reader) stops(why string) {
	r.doubt(why)
	r.cut = true
}

// spends counts work, and is false when there is too much of it.
func (r *reader) spends(work int) bool {
	r.work += work
	return r.work <= maxWork
}

// maxLooked bounds what is read of the strings of code, in bytes, each of them counted as some more.
const (
	maxLooked   = 64 << 10
	perLook     = 128
	perFragment = 32
)

// looks counts the reading of a text that code has in it, and is false when there is too much.
func (r *reader) looks(bytes int) bool {
	if r.looked += bytes + perLook; r.looked > maxLooked {
		r.doubt("it has too much code")
		return false
	}
	return true
}

// apart reads what may not happen, or happens in a process of its own: where it goes, the
// parts behind it do not follow for sure.
func (r *reader) apart(forked bool, read func()) {
	before := r.here
	read()
	if after := r.here; forked {
		r.here = before
	} else if after != before {
		r.here = folder{lost: true}
	}
}

// part begins a part of a call.
func (r *reader) part(c call) Part {
	p := Part{relayed: r.relays, Assigns: c.assigns, Writes: c.writes, Inputs: c.inputs, Files: c.files, Piped: c.piped && !c.fed,
		Loose: c.loose, redirected: len(c.files)}
	p.Folder, p.Lost = r.here.path, r.here.lost
	p.Start, p.End = c.at(c.begin, c.end)
	if c.sends {
		p.Effects |= Sends
	}
	return p
}

func (r *reader) add(p Part) {
	if len(r.parts) >= maxParts {
		r.stops("it has too many parts")
		return
	}
	if p.Opaque {
		r.doubt("it is not known what runs")
	}
	r.parts = append(r.parts, p)
}

// goes follows a change of the folder.
func (f folder) goes(to string) folder {
	switch {
	case path.IsAbs(to):
		return folder{path: path.Clean(to)}
	case to == "" || to == "-" || len(f.path)+len(to) > maxPath:
		return folder{lost: true}
	case f.lost:
		return f
	}
	return folder{path: path.Join(f.path, to)}
}

// around is what of a call stands around the commands that it runs.
func (c call) around() call {
	c.place, c.begin, c.end = place{}, 0, 0
	c.assigns, c.words = nil, nil
	return c
}

// span is where a word stands in the line.
func (c call) span(w shell.Word) Span {
	start, end := c.at(w.Start, w.End)
	return Span{Start: start, End: end}
}

// nested reads a word as a text for a shell.
func (r *reader) nested(w shell.Word, c call) {
	var at place
	if w.Inside >= 0 && !c.fixed {
		at.from = c.from + w.Inside
	} else {
		at.fixed = true
		at.start, at.end = c.at(w.Start, w.End)
	}
	r.text(at, w.Text, c.around())
}
