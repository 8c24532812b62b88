package rawjson

import (
	"fmt"
	"strconv"
	"strings"
)

// Reason is why bytes are not the JSON that we take.
type Reason string

// The reasons, each enough to refuse the whole input.
const (
	Syntax       Reason = "syntax error"
	DuplicateKey Reason = "duplicate key"
	BadUTF8      Reason = "invalid UTF-8"
	Surrogate    Reason = "lone surrogate escape"
	TooDeep      Reason = "nested too deep"
	TooMany      Reason = "too many members and elements"
	Trailing     Reason = "trailing data"
	NotObject    Reason = "not an object" // of Members, Outline and Skim alone
)

// Error says what is wrong and where. Every error of Check, Canonical, Members,
// Outline and Skim is one.
type Error struct {
	Offset int    // bytes from the start of the input
	Path   string // the value being read, like $.a[3].b; at most about 200 bytes
	Reason Reason
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s (byte %d)", e.Reason, e.Path, e.Offset)
}

// step is one level of the path: a member's key, or an element's index when the
// key is not set.
type step struct {
	key   string
	index int // -1: a member
}

const (
	maxPathKey = 32  // bytes shown of one key
	maxPath    = 160 // bytes after which a path is cut
)

// render writes a path as short ASCII text, since it ends up in logs and answers.
func render(path []step) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, p := range path {
		if b.Len() > maxPath {
			b.WriteString("…")
			break
		}
		switch {
		case p.index >= 0:
			b.WriteString("[" + strconv.Itoa(p.index) + "]")
		case plain(p.key):
			b.WriteString("." + p.key)
		case len(p.key) > maxPathKey:
			b.WriteString("[" + strconv.QuoteToASCII(strings.ToValidUTF8(p.key[:maxPathKey], "")) + "…]")
		default:
			b.WriteString("[" + strconv.QuoteToASCII(p.key) + "]")
		}
	}
	return b.String()
}

// plain reports whether a key can stand in a path without quotes.
func plain(key string) bool {
	if key == "" || len(key) > maxPathKey {
		return false
	}
	for i := range len(key) {
		c := key[i]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
