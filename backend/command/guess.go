package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// valueOf gives what the line says of a variable: all that it gives it, with blanks between.
func (r *reader) valueOf(name string) (string, bool) {
	value, known := r.values[name]
	return value, known
}

// remembers notes what a variable may hold.
func (r *reader) remembers(name string, words ...*syntax.Word) {
	for _, w := range words {
		text := shell.Likely(w, r.valueOf)
		if before := r.values[name]; text != "" && len(before)+len(text) < shell.MaxLikely {
			if r.values == nil {
				r.values = map[string]string{}
			}
			r.values[name] = strings.TrimSpace(before + " " + text)
		}
	}
}

// maxGuesses bounds the words of a line that are read as they likely are.
const maxGuesses = 256

// guess reads a part as it likely is: what that would do and name, the part may.
func (r *reader) guess(at int, c call) {
	var words []shell.Word
	for _, w := range c.words {
		if w.Likely == "" {
			words = append(words, w)
		}
		for text := range strings.FieldsSeq(w.Likely) {
			words = append(words, shell.Plain(text))
		}
		if r.guesses+len(words) > maxGuesses {
			return
		}
	}
	if r.guesses += len(words); len(words) == 0 {
		return
	}
	likely := reader{nesting: r.nesting, plain: true, depth: maxDepth - 1, here: r.here}
	likely.argv(call{words: words, wraps: c.wraps})
	for i := range likely.parts {
		r.parts[at].may(&likely.parts[i])
	}
}

// may adds to a part what another one does and names that stands in it.
func (p *Part) may(other *Part) {
	p.Effects |= other.Effects & (graveCode | Secrets)
	named := len(p.Files) - p.redirected
	p.Files = slices.Insert(slices.Clip(p.Files), named, other.Files...)
}

// tested are the words that operators of test look at as files.
func tested(words []shell.Word) (files []File) {
	for i, w := range words {
		switch {
		case slices.Contains(fileTests, w.Text) && i+1 < len(words):
			files = append(files, File{Text: words[i+1].Shown(), Option: w.Text})
		case slices.Contains(fileComparisons, w.Text) && i > 0 && i+1 < len(words):
			files = append(files, File{Text: words[i-1].Shown(), Option: w.Text}, File{Text: words[i+1].Shown(), Option: w.Text})
		}
	}
	return files
}

// Operators of test about one file, and about two.
var (
	fileTests       = strings.Fields("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S")
	fileComparisons = strings.Fields("-nt -ot -ef")
)

// tested adds a part for each file beyond the folder that [[ ]] looks at.
func (r *reader) tested(cmd syntax.Command, c call) {
	syntax.Walk(cmd, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.UnaryTest:
			if w, is := n.X.(*syntax.Word); is && slices.Contains(fileTests, n.Op.String()) {
				r.test(c, n, shell.Plain(n.Op.String()), shell.ReadWord(r.source, w))
			}
		case *syntax.BinaryTest:
			x, is := n.X.(*syntax.Word)
			y, both := n.Y.(*syntax.Word)
			if is && both && slices.Contains(fileComparisons, n.Op.String()) {
				r.test(c, n, shell.ReadWord(r.source, x), shell.Plain(n.Op.String()), shell.ReadWord(r.source, y))
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return true
	})
}

// test adds a part that looks at files, if one of them is beyond the folder.
func (r *reader) test(c call, n syntax.Node, words ...shell.Word) {
	if !slices.ContainsFunc(words, isBeyond) {
		return
	}
	at := call{place: c.place, words: append([]shell.Word{shell.Plain("test")}, words...)}
	at.begin, at.end = shell.Bounds(r.source, n.Pos(), n.End())
	r.argv(at)
}

// isBeyond reports whether a word may name something that is not in the folder.
func isBeyond(w shell.Word) bool {
	text := w.Shown()
	return strings.Contains(text, "..") ||
		slices.ContainsFunc([]string{"/", "~", "$HOME", "${HOME}"}, func(begins string) bool { return strings.HasPrefix(text, begins) })
}

// namesBeyond adds a part for the words in the place of which names of files beyond the folder are put.
func (r *reader) namesBeyond(list []*syntax.Word, c call) {
	at := call{place: c.place, words: []shell.Word{shell.Plain(":")}}
	for _, w := range list {
		word := shell.ReadWord(r.source, w)
		if !word.Glob || !isBeyond(word) {
			continue
		}
		if len(at.words) == 1 {
			at.begin = word.Start
		}
		at.words, at.end = append(at.words, word), word.End
	}
	if len(at.words) > 1 {
		r.argv(at)
	}
}

// elements reads the words of a list that is set.
func (r *reader) elements(a *syntax.Assign, c call) {
	if a.Array == nil {
		return
	}
	var words []*syntax.Word
	for _, e := range a.Array.Elems {
		if e.Value != nil {
			words = append(words, e.Value)
		}
	}
	if a.Name != nil {
		r.remembers(a.Name.Value, words...)
	}
	r.namesBeyond(words, c)
}
