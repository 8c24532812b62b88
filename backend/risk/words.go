package risk

import (
	"slices"
	"strings"

	"sekisho/backend/spoof"
)

// Words are those of a tool's name as it looks to a reader, in small letters.
func Words(name string) []string { return split(spoof.LooksLike(name)) }

const longestVerb = len("decommissioning")

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

func containsAny(words, some []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
