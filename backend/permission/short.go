package permission

import (
	"strconv"
	"strings"
)

// Short cuts a text to at most so many bytes, and says where.
func Short(text string, atMost int) string {
	if len(text) <= atMost {
		return text
	}
	return strings.ToValidUTF8(text[:atMost], "") + "…"
}

// Show quotes a name that could pass for something else in a sentence: one with
// blanks, with marks of direction or with letters of any script but ours.
func Show(name string) string {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7F || c == '"' {
			return strconv.QuoteToASCII(name)
		}
	}
	return name
}
