package command

import (
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// execs are the options behind which a command stands, by the program that has them.
var execs = map[string][]string{"find": strings.Fields("-exec -execdir -ok -okdir"),
	"fd": strings.Fields("-x -X --exec --exec-batch"), "fdfind": strings.Fields("-x -X --exec --exec-batch")}

// parted are the words of a program that runs others, with an option and the program that is attached to it as two.
func parted(program string, words []shell.Word) []shell.Word {
	for i, w := range words {
		name, value, attached := strings.Cut(w.Text, "=")
		if attached && value != "" && slices.Contains(execs[program], name) {
			option, first := w, shell.Plain(value)
			option.Text, first.Start, first.End = name, w.Start, w.End
			return slices.Concat(words[:i], []shell.Word{option, first}, words[i+1:])
		}
	}
	return words
}

// execAt gives the ends of the next command in the words of a program that runs them on what it finds.
func execAt(program string, words []shell.Word, from int) (start, end int) {
	for start = from; start < len(words); start++ {
		if !slices.Contains(execs[program], words[start].Text) {
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

func withoutExecs(program string, words []shell.Word) (rest []shell.Word) {
	from := 0
	for {
		start, end := execAt(program, words, from)
		if start < 0 {
			return append(rest, words[from:]...)
		}
		rest = append(rest, words[from:start]...)
		from = min(end+1, len(words))
	}
}

// execs reads the commands of find or fd, the files of which are not in the text.
func (r *reader) execs(p Part, c call) {
	words := parted(p.Program, p.Words)
	for from := 0; ; {
		start, end := execAt(p.Program, words, from)
		if start < 0 {
			return
		}
		if from = min(end+1, len(words)); end == start+1 {
			r.doubt("it is not known what " + p.Program + " runs")
			return
		}
		inner := computed(words[start+1:end], "{}", "")
		before := r.here
		r.here.lost = r.here.lost || strings.HasSuffix(words[start].Text, "dir")
		r.argv(call{place: c.place, wraps: c.wraps + 1, words: inner, begin: inner[0].Start, end: inner[len(inner)-1].End, loose: true})
		r.here = before
		if from >= len(words) {
			return
		}
	}
}
