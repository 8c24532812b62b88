package upstream

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// minVeiled is the shortest value that is looked for, in bytes: shorter ones stand in
// words that are no secret.
const minVeiled = 8

// Redactor hides secrets, however JSON writes them: an escape is read as what it stands for.
type Redactor []string

// NewRedactor is a cover over the secrets that are long enough, the longest first; nil where
// there is nothing to hide.
func NewRedactor(secrets []string) (c Redactor) {
	for _, secret := range secrets {
		if len(secret) >= minVeiled && !slices.Contains(c, secret) {
			c = append(c, secret)
		}
	}
	slices.SortFunc(c, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return c
}

// Text puts the mask in the place of the secrets in a text of any kind, which may be JSON,
// or repeat some.
func (c Redactor) Text(text string) string {
	return c.escaped(c.literal(text))
}

// JSON puts the mask in the place of the secrets in the strings of a JSON text, which stays
// one.
func (c Redactor) JSON(text string) string {
	var out strings.Builder
	for {
		begin := strings.IndexByte(text, '"') + 1
		if begin == 0 {
			break
		}
		end := begin
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(text))
		out.WriteString(text[:begin])
		if inside := text[begin:end]; strings.Contains(inside, `\`) {
			out.WriteString(c.escaped(inside))
		} else {
			out.WriteString(c.literal(inside))
		}
		out.WriteString(text[end:min(end+1, len(text))])
		text = text[min(end+1, len(text)):]
	}
	out.WriteString(text)
	return out.String()
}

// literal hides the secrets that stand in a text as they are.
func (c Redactor) literal(text string) string {
	return masked(text, c.spans(text), func(i int) int { return i })
}

// escaped hides the secrets that stand in a text when its escapes are read.
func (c Redactor) escaped(text string) string {
	if len(c) == 0 || !strings.Contains(text, `\`) {
		return text
	}
	reads, at := unescaped(text)
	return masked(text, c.spans(reads), func(i int) int { return int(at[i]) })
}

// stretch is a part of a text, from its first byte to the one after it.
type stretch struct{ from, to int }

// spans are where secrets stand in a text, in order; those that overlap are one.
func (c Redactor) spans(text string) (spans []stretch) {
	for _, secret := range c {
		for from := 0; ; {
			i := strings.Index(text[from:], secret)
			if i < 0 {
				break
			}
			from += i + len(secret)
			spans = append(spans, stretch{from - len(secret), from})
		}
	}
	slices.SortFunc(spans, func(a, b stretch) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var apart []stretch
	for _, s := range spans {
		if last := len(apart) - 1; last >= 0 && s.from < apart[last].to {
			apart[last].to = max(apart[last].to, s.to)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// masked puts the mask in the place of spans; at is where a byte of what they are of stands
// in the text.
func masked(text string, spans []stretch, at func(int) int) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, s := range spans {
		out.WriteString(text[done:max(done, at(s.from))])
		out.WriteString(permission.Mask)
		done = at(s.to)
	}
	out.WriteString(text[done:])
	return out.String()
}

// unescaped reads the escapes of JSON in a text. at is where each byte of it, and its end,
// stands in the text.
func unescaped(text string) (reads string, at []int32) {
	plain := make([]byte, 0, len(text))
	at = make([]int32, 0, len(text)+1)
	for i := 0; i < len(text); {
		size := 1
		before := len(plain)
		if text[i] != '\\' {
			plain = append(plain, text[i])
		} else {
			plain, size = appendEscape(plain, text[i:])
		}
		for range len(plain) - before {
			at = append(at, int32(i))
		}
		i += size
	}
	return string(plain), append(at, int32(len(text)))
}

// appendEscape adds what the escape that a text begins with stands for. What is none stays.
func appendEscape(plain []byte, text string) (_ []byte, size int) {
	if len(text) < 2 {
		return append(plain, text...), len(text)
	}
	if i := strings.IndexByte(`"\/bfnrt`, text[1]); i >= 0 {
		return append(plain, "\"\\/\b\f\n\r\t"[i]), 2
	}
	high, ok := codeUnit(text)
	if !ok {
		return append(plain, text[0]), 1
	}
	if low, ok := codeUnit(text[6:]); ok && utf16.IsSurrogate(high) {
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return utf8.AppendRune(plain, r), 12
		}
	}
	return utf8.AppendRune(plain, high), 6
}

// codeUnit reads the \uXXXX that a text begins with.
func codeUnit(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(unit), err == nil
}
