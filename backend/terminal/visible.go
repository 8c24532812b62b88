package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/width"

	"sekisho/backend/spoof"
)

// maxMarks is how many marks may stand over one letter: more would reach into other lines.
const maxMarks = 4

// Visible writes what a terminal would hide or obey as its code point.
func Visible(s string) string {
	var b strings.Builder
	marks := 0
	for _, r := range s {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if seen(r) && marks <= maxMarks {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "⟦U+%04X⟧", r)
	}
	return b.String()
}

// Complaint is an error as a program prints it. What others wrote of it, as a desk or the name of a
// file, begins no line of its own, and a terminal obeys none of it.
func Complaint(program string, err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return Letters(program + ": " + strings.Join(lines, "\n  ") + "\n")
}

// seen reports whether a terminal shows a character, and only that.
func seen(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !spoof.Hidden(r) }

// escaped is the same JSON, with what a terminal would hide or obey as escapes: outside of
// strings there are only line ends of that.
func escaped(document string) string {
	var b strings.Builder
	for _, r := range document {
		if r == '\n' || seen(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Quoted gives an agent's text with a mark before each of its lines: none of them looks
// like one of ours.
func Quoted(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "  | %s\n", Visible(line))
	}
	return b.String()
}

// goesOn begins each part but the first of a line that is too long for the terminal. No
// text of an agent begins a line, so that none of them is taken for a line of ours.
const goesOn = "  ¦ "

const tabStop = 8

// folded parts lines that are wider than a terminal before the terminal does, which would
// begin the next line with whatever an agent wrote there. columns is 0 where there is no
// terminal.
func folded(text string, columns int) string {
	if columns == 0 {
		return text
	}
	goesOn := Letters(goesOn)
	columns = max(columns, 2*len(goesOn))
	var b strings.Builder
	at := 0
	for _, r := range Letters(text) {
		w := wide(r)
		if r == '\t' {
			w = tabStop - at%tabStop
		}
		switch {
		case r == '\n':
			at = 0
			b.WriteRune(r)
			continue
		case at+w > columns:
			b.WriteString("\n" + goesOn)
			at = len([]rune(goesOn))
		}
		b.WriteRune(r)
		at += w
	}
	return b.String()
}

// wide is how many columns a character takes at most.
func wide(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth, width.EastAsianAmbiguous:
		return 2
	}
	return 1
}
