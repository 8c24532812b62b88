package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// anyRun stands in a witness for the run of a star. It is no letter of any folded
// name, since those are valid UTF-8, and so of no pattern's literal parts either.
const anyRun = "\xff"

// Witness is one string that stands for all names that p matches: q matches them all
// exactly when q.MatchFolded(p.Witness()). For a pattern without a star it is the one
// folded name; else it has, for every star, a letter that is in no pattern.
//
// That one string is enough. If q matches every name of p, it matches the one with a
// letter of its own for every star, taken from the many that q does not have. And if q
// matches that one, only q's stars can have taken those letters; put any run without a
// line end in the place of each, and q's stars take it too.
//
// For the same reason several patterns together match all that p matches only if one
// of them does so alone.
func (p Pattern) Witness() string { return p.join(anyRun) }

// Meaning is the folded pattern with one star for each run of stars. Two patterns
// match the same names exactly when their Meanings are equal.
func (p Pattern) Meaning() string { return p.join("*") }

func (p Pattern) join(run string) string {
	if !p.star {
		return p.prefix
	}
	var b strings.Builder
	b.WriteString(p.prefix)
	for _, part := range p.middle {
		b.WriteString(run)
		b.WriteString(part)
	}
	b.WriteString(run)
	b.WriteString(p.suffix)
	return b.String()
}

// Covers reports whether strong matches every name that weak matches. It is exact, as
// long as there is a character that strong does not have.
func Covers(strong, weak Pattern) bool { return strong.MatchFolded(weak.Witness()) }

// Meets reports whether some name matches both patterns.
func Meets(a, b Pattern) bool {
	_, ok := Common(a, b)
	return ok
}

// Common gives a folded name that both patterns match, if there is one.
//
// Since stars stop at line ends, all names of a pattern have the same line ends, those
// that are written in it, and each line has to match on its own. Within a line two
// patterns with stars have a name in common if one's beginning begins the other's, and
// the ends likewise: the longer ones of both, with all that is between stars in
// between. No run has to go anywhere else.
func Common(a, b Pattern) (name string, ok bool) {
	switch {
	case !a.star:
		return a.prefix, b.MatchFolded(a.prefix)
	case !b.star:
		return b.prefix, a.MatchFolded(b.prefix)
	case !nested(a.prefix, b.prefix, strings.HasPrefix) || !nested(a.suffix, b.suffix, strings.HasSuffix):
		return "", false
	}
	textA, textB := a.Meaning(), b.Meaning()
	if !hasLineEnd(textA) && !hasLineEnd(textB) {
		middle := strings.Join(a.middle, "") + strings.Join(b.middle, "")
		return longer(a.prefix, b.prefix) + middle + longer(a.suffix, b.suffix), true
	}
	return commonLines(textA, textB)
}

// commonLines is Common line by line.
func commonLines(a, b string) (name string, ok bool) {
	var all strings.Builder
	for {
		endA, lenA := lineEnd(a)
		endB, lenB := lineEnd(b)
		if a[endA:endA+lenA] != b[endB:endB+lenB] {
			return "", false
		}
		line, ok := Common(Compile(a[:endA]), Compile(b[:endB]))
		if !ok {
			return "", false
		}
		all.WriteString(line)
		if lenA == 0 {
			return all.String(), true
		}
		all.WriteString(a[endA : endA+lenA])
		a, b = a[endA+lenA:], b[endB+lenB:]
	}
}

// lineEnd finds the first line end: where it is, and how many bytes long. Without one
// it is the end of s, and of length 0.
func lineEnd(s string) (at, size int) {
	at = strings.IndexAny(s, "\n\r\u2028\u2029")
	if at < 0 {
		return len(s), 0
	}
	_, size = utf8.DecodeRuneInString(s[at:])
	return at, size
}

// nested reports whether the shorter of two strings lies in the longer as has says.
func nested(a, b string, has func(s, part string) bool) bool { return has(a, b) || has(b, a) }

func longer(a, b string) string {
	if len(a) < len(b) {
		return b
	}
	return a
}

// Spellings counts the names that p matches, but no further than limit, which is 1 or
// more. A pattern without a star has several where it holds letters of two cases.
func (p Pattern) Spellings(limit int) int {
	if p.star {
		return limit
	}
	n := 1
	for _, r := range p.prefix {
		each := spellings(r, limit)
		if n > limit/each {
			return limit
		}
		n *= each
	}
	return min(n, limit)
}

// spellings counts what folds to r, which is folded itself. Characters that fold
// together are on one orbit of Unicode's simple folding (a test walks them all), but
// not all of an orbit folds together. Any byte that is not UTF-8 folds to U+FFFD.
func spellings(r rune, limit int) int {
	if r == utf8.RuneError {
		return limit
	}
	n := 1
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		if foldRune(o) == r {
			n++
		}
	}
	return n
}
