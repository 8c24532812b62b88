package connect

import (
	"strings"

	"sekisho/backend/permission"
)

// sides are two contents of a file, with secrets masked.
type sides struct{ from, to string }

// unified writes their difference as diff -u does; "" when there is none.
func (s sides) unified(path string) string { return unified(path, path, s.from, s.to) }

const (
	maxLines = 4000    // lines that a screen is given of a difference
	maxLine  = 8 << 10 // bytes of one of them
)

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
	steps := script(lines(s.from), lines(s.to))
	near := make([]bool, len(steps))
	for i, step := range steps {
		if step.op == ' ' {
			continue
		}
		for j := max(0, i-around); j <= min(len(steps)-1, i+around); j++ {
			near[j] = true
		}
	}
	from, to := 0, 0
	for i, step := range steps {
		if step.op != '+' {
			from++
		}
		if step.op != '-' {
			to++
		}
		d.add(step, near[i], from, to)
	}
	return d
}

// add writes one step, or lets it fall into a gap. from and to are its numbers.
func (d *Difference) add(s step, near bool, from, to int) {
	last := len(d.Lines) - 1
	switch {
	case !near && last >= 0 && d.Lines[last].Kind == permission.LineGap:
		d.Lines[last].Count++
	case len(d.Lines) >= maxLines:
		d.More++
	case !near:
		d.Lines = append(d.Lines, permission.DiffLine{Kind: permission.LineGap, Count: 1})
	default:
		d.Lines = append(d.Lines, d.line(s, from, to))
	}
	switch s.op {
	case '+':
		d.Added++
	case '-':
		d.Removed++
	}
}

func (d *Difference) line(s step, from, to int) permission.DiffLine {
	l := permission.DiffLine{Kind: permission.LineSame, Old: from, New: to}
	switch s.op {
	case '+':
		l.Kind, l.Old = permission.LineAdded, 0
	case '-':
		l.Kind, l.New = permission.LineRemoved, 0
	}
	text, ended := strings.CutSuffix(s.line, "\n")
	if !ended {
		l.Ending = permission.EndingNone
	} else if cut, crlf := strings.CutSuffix(text, "\r"); crlf {
		text, l.Ending = cut, permission.EndingCRLF
	}
	if l.Text = text; len(text) > maxLine {
		l.Text, d.Cut = strings.ToValidUTF8(text[:maxLine], "")+"…", true
	}
	return l
}

// Compare gives what connecting would change.
func (p *Plan) Compare() Difference { return p.sides.compare() }

// Compare gives what disconnecting would change.
func (u *Undo) Compare() Difference { return u.sides.compare() }

// CompareTheirs gives what was changed in entries since connecting, without numbers of
// lines: they would not be the file's.
func (u *Undo) CompareTheirs() (all Difference) {
	for _, s := range u.theirs {
		d := s.compare()
		for i := range d.Lines {
			d.Lines[i].Old, d.Lines[i].New = 0, 0
		}
		all.Lines = append(all.Lines, d.Lines...)
		all.Added, all.Removed, all.More, all.Cut = all.Added+d.Added, all.Removed+d.Removed, all.More+d.More, all.Cut || d.Cut
	}
	return all
}
