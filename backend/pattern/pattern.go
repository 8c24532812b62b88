// Package pattern is the matcher of rules' tool patterns (CONTRACT section 2): the
// whole name must match; "*" stands for any run of characters, also none, but line
// ends (LF, CR, U+2028, U+2029); everything else stands for itself. Letter case is
// ignored as JavaScript's /i without the u flag does, because the rules were first
// written for a matcher that turned "*" into ".*": what looked like "k" there and
// was not (KELVIN SIGN, U+212A) must not begin to match here.
//
// Matching is linear in the name, whatever the pattern: a rule cannot hang the desk.
package pattern

import "strings"

// Pattern is a compiled pattern. The zero Pattern matches the empty name only.
type Pattern struct {
	source string
	star   bool     // without one, prefix is the whole pattern
	prefix string   // before the first star
	middle []string // between stars; none is empty
	suffix string   // after the last star
}

// Compile prepares s, any string at all, for matching.
func Compile(s string) Pattern {
	p := Pattern{source: s}
	parts := strings.Split(Fold(s), "*")
	last := len(parts) - 1
	p.prefix = parts[0]
	if last == 0 {
		return p
	}
	p.star, p.suffix = true, parts[last]
	for _, part := range parts[1:last] {
		if part != "" {
			p.middle = append(p.middle, part)
		}
	}
	return p
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.source }

// Match reports whether the whole name matches.
func (p Pattern) Match(name string) bool { return p.MatchFolded(Fold(name)) }

// MatchFolded is Match for a name that went through Fold already, so that a set of
// rules folds a name once. It allocates nothing.
//
// Each literal part is taken at its leftmost place, without ever going back. That is
// right as long as a run may hold any character, and it stays right although runs
// stop at line ends. Take a full match, and let p be the place of its first literal
// part and q <= p the leftmost one.
//
//   - The part holds a line end. The run before p has none, so the first line end of
//     the rest of the name is the one inside the part at p. The part at q would hold
//     one before that, unless q = p.
//   - The part holds no line end. Move it to q: the run before it becomes shorter, and
//     the run behind it gains only bytes of that run and of the part, none of them a
//     line end. The match still stands.
//
// By induction over the parts, if there is a match then the leftmost places are one.
// And where a run to the leftmost place holds a line end, so does every longer one.
func (p Pattern) MatchFolded(folded string) bool {
	if !p.star {
		return folded == p.prefix
	}
	if len(folded) < len(p.prefix)+len(p.suffix) ||
		!strings.HasPrefix(folded, p.prefix) || !strings.HasSuffix(folded, p.suffix) {
		return false
	}
	rest := folded[len(p.prefix) : len(folded)-len(p.suffix)]
	for _, part := range p.middle {
		at := strings.Index(rest, part)
		if at < 0 || hasLineEnd(rest[:at]) {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !hasLineEnd(rest)
}

// hasLineEnd looks for LF, CR, U+2028 and U+2029.
func hasLineEnd(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '\n', '\r':
			return true
		case "\u2028"[0]:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				return true
			}
		}
	}
	return false
}

// Parts gives the literal parts, folded: before the first star, between stars (none is
// empty), and after the last one. Without a star, prefix is the whole pattern. The
// caller must not write to middle.
func (p Pattern) Parts() (prefix string, middle []string, suffix string, star bool) {
	return p.prefix, p.middle, p.suffix, p.star
}
