// Package diff is the difference between two texts, line by line: for a screen, and as
// diff -u writes it.
package diff

import (
	"strings"

	"sekisho/backend/permission"
)

const around = 3 // lines shown around a change

// MaxLines bounds the lines of a difference that a screen is given.
const MaxLines = 4000

// Difference is how one text differs from another.
type Difference struct {
	Lines          []permission.DiffLine // where some are left out, the last is a gap that stands for them
	Added, Removed int
	More           int // changed lines that are not in Lines
	Left           int // all lines that are not in Lines

	limit int
}

// Compare gives the difference between two texts. Lines are the same only if they end
// the same way, too.
func Compare(before, after string) Difference {
	d := compare(before, after, MaxLines)
	if d.Left > 0 {
		d.Lines = append(d.Lines, permission.DiffLine{Kind: permission.LineGap, Count: d.Left})
	}
	return d
}

func compare(before, after string, limit int) Difference {
	a, b := cut(before), cut(after)
	d := Difference{Lines: []permission.DiffLine{}, limit: limit}
	at := block{}
	for _, next := range blocks(a, b) {
		d.unchanged(a, at.aEnd, next.a, at.bEnd, at != block{}, true)
		d.changed(permission.LineRemoved, a, next.a, next.aEnd)
		d.changed(permission.LineAdded, b, next.b, next.bEnd)
		at = next
	}
	if at != (block{}) {
		d.unchanged(a, at.aEnd, a.len(), at.bEnd, true, false)
	}
	return d
}

// unchanged writes what lies between two changes: lines behind the first and before
// the second, where there are such, and a gap for those in the middle. other is where
// the lines from on begin in the other text.
func (d *Difference) unchanged(a lines, from, to, other int, behind, before bool) {
	head, tail := from, to
	if behind {
		head = min(from+around, to)
	}
	if before {
		tail = max(head, to-around)
	}
	shift := other - from
	for i := from; i < head; i++ {
		d.add(a.line(permission.LineSame, i, i+1, i+shift+1))
	}
	if head < tail {
		d.add(permission.DiffLine{Kind: permission.LineGap, Old: head + 1, New: head + shift + 1, Count: tail - head})
	}
	for i := tail; i < to; i++ {
		d.add(a.line(permission.LineSame, i, i+1, i+shift+1))
	}
}

// changed writes lines that one text alone has, as many as the answer takes.
func (d *Difference) changed(kind permission.LineKind, text lines, from, to int) {
	before, after, count := 1, 0, &d.Removed
	if kind == permission.LineAdded {
		before, after, count = 0, 1, &d.Added
	}
	*count += to - from
	for ; from < to && !d.full(); from++ {
		d.add(text.line(kind, from, before*(from+1), after*(from+1)))
	}
	d.More, d.Left = d.More+to-from, d.Left+to-from
}

// full reports whether the answer takes no more lines.
func (d *Difference) full() bool { return d.Left > 0 || len(d.Lines) >= d.limit }

// add writes a line that is the same in both texts or stands for such, or a changed one.
func (d *Difference) add(l permission.DiffLine) {
	if d.full() {
		d.Left += max(l.Count, 1)
		return
	}
	d.Lines = append(d.Lines, l)
}

// lines are those of a text, by where they begin; the last of these is the text's end.
type lines struct {
	text  string
	start []int32
}

// cut parts a text of at most 2 GiB into its lines.
func cut(text string) lines {
	l := lines{text, make([]int32, 1, strings.Count(text, "\n")+2)}
	for at := 0; at < len(text); l.start = append(l.start, int32(at)) {
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			at += end + 1
		} else {
			at = len(text)
		}
	}
	return l
}

func (l lines) len() int { return len(l.start) - 1 }

// at gives a line with its end.
func (l lines) at(i int) string { return l.text[l.start[i]:l.start[i+1]] }

// part gives the lines from one to another.
func (l lines) part(from, to int) lines { return lines{l.text, l.start[from : to+1]} }

// line is one of the difference.
func (l lines) line(kind permission.LineKind, i, before, after int) permission.DiffLine {
	text, ended := strings.CutSuffix(l.at(i), "\n")
	ending := permission.EndingNone
	if ended {
		ending = ""
		if short, is := strings.CutSuffix(text, "\r"); is {
			text, ending = short, permission.EndingCRLF
		}
	}
	return permission.DiffLine{Kind: kind, Text: text, Old: before, New: after, Ending: ending}
}
