package permission

import "strings"

// Short cuts a text to at most so many bytes, and says where.
func Short(text string, atMost int) string {
	if len(text) <= atMost {
		return text
	}
	return strings.ToValidUTF8(text[:atMost], "") + "…"
}
