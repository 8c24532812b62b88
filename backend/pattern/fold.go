package pattern

import (
	"strings"
	"unicode"
)

// Fold maps names that differ only in letter case to one string, by the
// Canonicalize of ECMAScript (section 22.2.2.7.3) for a regular expression with i and
// without u. A byte that is not UTF-8 becomes U+FFFD, as a JavaScript program would
// have read it, so that a folded string is always valid UTF-8. Lower-case ASCII stays
// as it is and costs nothing.
func Fold(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return name[:i] + strings.Map(foldRune, name[i:])
		}
	}
	return name
}

// foldRune is Canonicalize of one character, except that ASCII letters become small
// instead of capital. Both have the same classes, since no other character ever
// becomes an ASCII one.
func foldRune(r rune) rune {
	switch {
	case r < 0x80:
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	case r > 0xFFFF: // two code units, neither of which has a case
		return r
	case upperIsLonger(r):
		return r
	}
	if u := unicode.ToUpper(r); u >= 0x80 {
		return u
	}
	return r
}

// upperIsLonger names the characters whose capital form is two characters by
// SpecialCasing although a simple mapping to one exists, and which therefore do not
// fold: Greek small letters with iota subscript. For all others with a longer capital
// form (ß, ﬁ, ŉ …) unicode.ToUpper changes nothing.
func upperIsLonger(r rune) bool {
	switch {
	case r >= 0x1F80 && r <= 0x1FAF:
		return true
	case r == 0x1FB3, r == 0x1FC3, r == 0x1FF3:
		return true
	}
	return false
}
