package risk

import (
	"cmp"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/spoof"
)

// names judges the names of a call, and what its server says of the tool: a name that
// could be taken for another one, and unless a person set the level, the verbs of the
// tool's name as it looks to a reader.
func (j *judge) names() {
	for _, name := range []string{j.Tool, j.Server} {
		if deceivingName(name) || j.Tool == "" {
			j.add(permission.RiskHigh, permission.RiskDeceivingName, permission.Param("name", short(name)), nil)
		}
	}
	if j.Level != nil {
		return
	}
	if j.Hint {
		j.add(permission.RiskHigh, permission.RiskHint, "", nil)
	}
	words := split(spoof.LooksLike(j.Tool))
	for i, word := range words {
		verb, known := verbs[word]
		if known && !harmless(verb, words, i) {
			j.add(permission.RiskHigh, permission.RiskNameDestroys, permission.Param("verb", verb), nil)
		}
		if verb, known := outwardVerbs[word]; known && outgoing(verb, words, i) || slices.Contains(talks, word) && begun(words, i) {
			j.add(permission.RiskHigh, permission.RiskNameSends, permission.Param("verb", cmp.Or(verb, words[0])), nil)
		}
	}
}

// deceivingName reports whether a name has characters that nobody sees or that pass for
// others, or outer blanks.
func deceivingName(name string) bool {
	return strings.TrimSpace(name) != name || name == "." || name == ".." || len(name) > permission.MaxNameBytes ||
		len(spoof.HiddenInName(name)) > 0 || len(spoof.LookAlikesInName(name)) > 0
}

// split cuts a name into small words: at everything in ASCII that is neither letter
// nor digit, between letters and digits, and where a capital begins a word ("rmDir",
// "HTTPDelete"). Letters beyond ASCII are letters without case. A word longer than any
// verb is left out, and "" stands for it, so that a huge name costs little.
func split(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		switch n := end - start; {
		case n > longestVerb:
			words = append(words, "")
		case n > 0:
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := range len(name) {
		switch kind := kindOf(name[i]); {
		case kind == separator:
			cut(i)
			start = i + 1
		case i > start && border(name, i, kind):
			cut(i)
		}
	}
	cut(len(name))
	return words
}

// kind is what a byte is to the splitting of words.
type kind int

const (
	separator kind = iota
	digit
	small // and all beyond ASCII
	capital
)

func kindOf(c byte) kind {
	switch {
	case c >= '0' && c <= '9':
		return digit
	case c >= 'A' && c <= 'Z':
		return capital
	case c >= 'a' && c <= 'z' || c >= 0x80:
		return small
	}
	return separator
}

// border reports whether a word ends before the byte at i, which is not its first.
func border(name string, i int, here kind) bool {
	before := kindOf(name[i-1])
	switch {
	case (before == digit) != (here == digit):
		return true
	case here != capital:
		return false
	case before == small:
		return true
	}
	return i+1 < len(name) && kindOf(name[i+1]) == small // the D of HTTPDelete
}
