package notify

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// longest is how many characters of a name are shown.
const longest = 60

// plain makes a name that an agent chose fit to stand in a sentence of the desktop:
// what would not be seen is written as its code point, a long name is cut with a
// mark, and one that is written from right to left turns nothing but itself.
func plain(name string) string {
	var b strings.Builder
	n, turned := 0, false
	for _, r := range name {
		if n++; n > longest {
			b.WriteString("…")
			break
		}
		if hidden(r) {
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
			continue
		}
		class, _ := bidi.LookupRune(r)
		turned = turned || class.Class() == bidi.R || class.Class() == bidi.AL
		b.WriteRune(r)
	}
	if turned {
		return "\u2068" + b.String() + "\u2069"
	}
	return b.String()
}

// hidden reports what a reader would not see, or not as what it is: controls,
// direction marks, blanks that are not the blank, fillers, tags.
func hidden(r rune) bool {
	return r == unicode.ReplacementChar || r == '\u2800' || !unicode.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// escaped is text for a notification service that reads markup.
func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
