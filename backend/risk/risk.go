// Package risk judges how careful to be with a call: medium where nothing is known,
// high where the tool may destroy, or where a file is named that runs when somebody
// opens it. What servers say of their tools is a hint that can only raise the risk: a
// tool that calls itself harmless is not believed. Nor is anything in the input.
package risk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

const hinted = "the server says that this tool may destroy"

// Judge gives the risk of a call and why it is higher than medium. destructive is the
// server's own hint. The reasons are never nil, and each verb is named once.
func Judge(toolName string, destructive bool, input json.RawMessage) (permission.Risk, []string) {
	reasons := []string{}
	if destructive {
		reasons = append(reasons, hinted)
	}
	words, said := split(toolName), []string{}
	for i, word := range words {
		verb, known := verbs[word]
		if known && !slices.Contains(said, verb) && !harmless(verb, words, i) {
			said = append(said, verb)
			reasons = append(reasons, fmt.Sprintf("the tool's name has the verb %q", verb))
		}
	}
	if ending := opensFile(words, input); ending != "" {
		reasons = append(reasons, fmt.Sprintf("the input names a file that runs when it is opened (.%s)", ending))
	}
	if len(reasons) > 0 {
		return permission.RiskHigh, reasons
	}
	return permission.RiskMedium, reasons
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
