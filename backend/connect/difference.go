package connect

import (
	"strings"

	"sekisho/backend/diff"
	"sekisho/backend/permission"
)

// sides are two contents of a file, with secrets masked.
type sides struct{ from, to string }

// unified writes their difference as diff -u does; "" when there is none.
func (s sides) unified(path string) string { return diff.Unified(path, path, s.from, s.to) }

// changed counts the lines that differ.
func (s sides) changed() int {
	d := diff.Compare(s.from, s.to)
	return d.Added + d.Removed
}

const maxLine = 8 << 10 // bytes of a line that a screen is given

// Difference is what a screen shows of how two contents of a file differ.
type Difference struct {
	Lines          []permission.DiffLine
	Added, Removed int
	More           int  // lines that are left out at the end
	Cut            bool // a line is longer than what is shown of it
}

// compare gives the difference for a screen.
func (s sides) compare() (d Difference) {
	if s.from == s.to {
		return d
	}
	all := diff.Compare(s.from, s.to)
	d = Difference{Lines: all.Lines, Added: all.Added, Removed: all.Removed, More: all.Left}
	if d.More > 0 { // the last line stands for them
		d.Lines = d.Lines[:len(d.Lines)-1]
	}
	for i := range d.Lines {
		l := &d.Lines[i]
		if l.Kind == permission.LineGap {
			l.Old, l.New = 0, 0
		}
		if len(l.Text) > maxLine {
			l.Text, d.Cut = strings.ToValidUTF8(l.Text[:maxLine], "")+"…", true
		}
	}
	return d
}
