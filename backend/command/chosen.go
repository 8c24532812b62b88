package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// Chosen are the words that say which code a part runs, beside its program and verb: a yes to
// make test is none to make test CC=x. They are not known where a shell computes one of them,
// or one stands for the part's input.
//
// Of a part that runs the code of a project, or that the table does not know, these are the
// options that its row does not have, and the operands and values of such options that neither
// name something inside the folder nor are numbers. Of any part these are the words that make it run something or choose what it runs,
// and the statements that change a database.
func (p *Part) Chosen() (words []string, known bool) { return p.chosen(false) }

// Unlisted are the words that a rule for a part must hold: those of Chosen, and of what does more
// than read or ask the network the options that the row of its verb does not have.
func (p *Part) Unlisted() (words []string, known bool) {
	return p.chosen(p.Effects&^(Reads|Fetches) != 0)
}

func (p *Part) chosen(options bool) (words []string, known bool) {
	c := chooser{part: p, known: true, options: options}
	row := programs().program(p.Program)
	switch {
	case row == nil || p.Unusual:
		c.strict, c.paths = true, true
		c.read(&empty, p.behindVerb())
	case row.flags["script"], row.flags["shell"]:
		c.strict = true
		c.script(row)
	case shell.Declares(p.Program):
		c.all(p.Words)
	default:
		c.ofRow(row)
	}
	if c.strict {
		c.around()
	}
	return c.words, c.known
}

// chooser gathers the words that say which code a part runs.
type chooser struct {
	part    *Part
	adds    []add
	strict  bool // it runs code
	options bool // an option that its row does not have is taken, whatever it runs
	inside  bool // an operand inside the folder names nothing that it does not run without
	paths   bool // so does one that is written as a path
	words   []string
	known   bool
}

// empty is the row of a program of which nothing is known.
var empty row

// ofRow reads a part of a program that the table knows.
func (c *chooser) ofRow(row *row) {
	p, spec := c.part, row.of(c.part.Verb)
	read := row.sql != nil || row.flags["awk"] || row.flags["sed"] // the texts for these are read
	c.strict = p.Effects == 0 || p.Effects.Has(Runs|Remote) || spec.flags["beside"] ||
		RunsOthers(p.Path, nil) && !read && (spec == row || !spec.declared)
	c.inside, c.paths = spec.flags["inside"], spec.flags["paths"]
	if row.sql != nil && p.Effects&^(Reads|Fetches) != 0 && p.Source != "" {
		c.take(shell.Plain(p.Source)) // one change of a database is not another
	}
	if spec.flags["beside"] { // the other words are another part's
		for _, text := range slices.Concat(p.Options, p.Operands) {
			c.take(shell.Plain(text))
			c.known = c.known && text != ""
		}
		return
	}
	c.adds = append(c.adds, row.adds...)
	if spec != row {
		c.adds = append(c.adds, spec.adds...)
	}
	at := slices.IndexFunc(p.Words, func(w shell.Word) bool { return w.Literal && w.Text == p.Verb })
	if programs().rows[p.Verb] == nil || !row.flags["behind"] || at < 0 {
		c.read(spec, p.behindVerb())
		return
	}
	c.read(spec, p.Words[:at])
	c.as(Part{Program: p.Verb, Path: p.Verb, Words: p.Words[at+1:], Effects: p.Effects})
}

// as takes what a part chooses that this one is another name of.
func (c *chooser) as(p Part) {
	words, known := p.chosen(c.options)
	c.words, c.known = append(c.words, words...), c.known && known
}

// of is the row of a verb as a part has it.
func (r *row) of(verb string) *row {
	if r.verbs == nil {
		return r
	}
	first, _, _ := strings.Cut(verb, " ")
	if level := strings.ReplaceAll(verb, " ", "."); r.verbs[level] != nil {
		return r.below(level)
	}
	return r.below(first)
}

// behindVerb are the words of a part without those of its verb.
func (p *Part) behindVerb() []shell.Word {
	words := slices.Clone(p.Words)
	for verb := range strings.FieldsSeq(p.Verb) {
		if at := slices.IndexFunc(words, func(w shell.Word) bool { return w.Literal && w.Text == verb }); at >= 0 {
			words = slices.Delete(words, at, at+1)
		}
	}
	return words
}

// take takes a word that says which code runs.
func (c *chooser) take(w shell.Word) {
	c.words, c.known = append(c.words, w.Text), c.known && w.Literal
}

func (c *chooser) all(words []shell.Word) {
	for _, w := range words {
		c.take(w)
	}
}

// read reads words by a row.
func (c *chooser) read(spec *row, words []shell.Word) {
	ends := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		kind, values := operand, 0
		if !ends {
			if ends = w.Literal && w.Text == "--"; ends {
				continue
			}
			kind, values = spec.kindOf(w)
		}
		named := c.meets(w)
		chooses := named || (c.strict || c.options) && kind == strange || c.strict && kind == operand && !c.free(w)
		if kind == strange && chooses && !strings.Contains(w.Known(), "=") {
			values = 1 // or it has none
		}
		switch name, value, attached := strings.Cut(w.Text, "="); {
		case chooses && !named && kind == strange && attached && c.free(shell.Plain(value)):
			c.take(shell.Plain(name + "="))
		case chooses:
			c.take(w)
		}
		for ; values > 0 && i+1 < len(words); values-- {
			value := words[i+1]
			if kind == strange && strings.HasPrefix(value.Known(), "-") {
				break
			}
			if i++; named || c.meets(value) || chooses && !c.free(value) {
				c.take(value)
			}
		}
	}
}

// meets reports whether the table says that a word makes a program run something, or chooses
// what it runs.
func (c *chooser) meets(w shell.Word) bool {
	return slices.ContainsFunc(c.adds, func(a add) bool {
		return (a.code || a.chooses || a.effects.Has(Runs|Remote)) && slices.ContainsFunc(a.triggers, func(t trigger) bool { return t.met(w) })
	})
}

// plainPath is what a path inside a folder is written with; numbers and days choose no code.
var (
	number    = lazyregexp.New(`^\d+([.-]\d+)*$`)
	plainPath = lazyregexp.New(`^[\w\p{L}.][\w\p{L}./+,-]*(::[\w.\[\]-]+)*$`)
	pathLike  = lazyregexp.New(`/|\.[A-Za-z]\w{0,4}$|^\.{1,2}$|::`)
	globbed   = strings.NewReplacer("*", "x", "?", "x")
)

// free reports whether an operand says nothing of which code runs.
func (c *chooser) free(w shell.Word) bool {
	text := w.Text
	if !w.Literal {
		if !w.Glob {
			return false
		}
		if text = globbed.Replace(w.Raw); text[0] != w.Raw[0] {
			return false
		}
	}
	switch {
	case !c.inside && !c.paths, !plainPath.MatchString(text), path.Clean(text) == "..", strings.HasPrefix(path.Clean(text), "../"):
		return false
	case number.MatchString(text):
		return true
	}
	return c.inside || pathLike.MatchString(text)
}

// script reads the words of an interpreter or a shell. What stands before its script, and the
// options of the script, say what runs.
func (c *chooser) script(known *row) {
	p := c.part
	module, is := strings.CutPrefix(p.Verb, known.module+" ")
	is = is && known.module != ""
	at := slices.IndexFunc(p.Words, func(w shell.Word) bool {
		return w.Literal && (p.Verb != "" && w.Text == p.Verb || is && strings.HasPrefix(w.Text, known.module))
	})
	if at < 0 {
		c.all(p.Words)
		return
	}
	c.all(p.Words[:at])
	rest := p.Words[at+1:]
	if !is {
		c.paths = true
		c.read(&empty, rest)
		return
	}
	name, verb, _ := strings.Cut(module, " ")
	if p.Words[at].Text == known.module {
		rest = rest[min(1, len(rest)):]
	}
	c.as(Part{Program: name, Path: name, Verb: verb, Words: rest, Effects: p.Effects})
}

// quiet are variables that choose no code.
var quiet = strings.Fields("NODE_ENV CI DEBUG LANG LC_ALL TZ FORCE_COLOR NO_COLOR TERM COLUMNS RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED " +
	"LOG_LEVEL VERBOSE PORT PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE APP_ENV RAILS_ENV RACK_ENV")

// around reads what stands around a part that runs code: assignments, and files of its input.
// What a word for its input holds is not known.
func (c *chooser) around() {
	for _, a := range c.part.Assigns {
		counts := number.MatchString(a.Value.Text) && !Steers(a.Name)
		if !counts && !slices.Contains(quiet, a.Name) {
			c.take(shell.Word{Text: a.Name + "=" + a.Value.Text, Literal: a.Value.Literal})
		}
	}
	for _, file := range c.part.Inputs {
		c.take(shell.Word{Text: "< " + file, Literal: file != ""})
	}
	c.known = c.known && !slices.ContainsFunc(c.part.Words, func(w shell.Word) bool {
		text := w.Known()
		return text != "--" && strings.HasSuffix(text, "-") || strings.Contains(text, "/dev/") || strings.Contains(text, "/proc/")
	})
}
