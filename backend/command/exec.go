package command

import (
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// execs are the options of find behind which a command stands.
var execs = []string{"-exec", "-execdir", "-ok", "-okdir"}

// execAt gives the ends of the next command in the words of find.
func execAt(words []shell.Word, from int) (start, end int) {
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

func withoutExecs(words []shell.Word) (rest []shell.Word) {
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
