package rawjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// hexEscape reads the code unit of the \uXXXX that s begins with.
func hexEscape(s string) (unit rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		unit <<= 4
		switch c := s[i]; {
		case isDigit(c):
			unit |= rune(c - '0')
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			unit |= rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return unit, true
}

// unquote gives the text of a string literal that the scanner has passed.
func unquote(literal string) string {
	s := literal[1 : len(literal)-1]
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; at >= 0; at = strings.IndexByte(s, '\\') {
		b.WriteString(s[:at])
		r, size := unescape(s[at:])
		b.WriteRune(r)
		s = s[at+size:]
	}
	b.WriteString(s)
	return b.String()
}

// unescape reads the escape, or pair of them, that s begins with. Half a pair is U+FFFD.
func unescape(s string) (r rune, size int) {
	switch c := s[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r, _ = hexEscape(s)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, _ := hexEscape(s[6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return r, 6
	}
	return r, 12
}

// AppendString appends s to dst as a canonical JSON string. A byte that is not UTF-8
// is written as U+FFFD, as encoding/json does it.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return appendString(dst, s)
}

// appendString writes s as RFC 8785 section 3.2.2.2 says: only quote, backslash
// and the controls below U+0020 are escaped.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		if c >= ' ' {
			dst = append(dst, '\\', c)
		} else if at := strings.IndexByte("\b\t\n\f\r", c); at >= 0 {
			dst = append(dst, '\\', "btnfr"[at])
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// compareUTF16 orders two valid UTF-8 strings by their UTF-16 code units. That is
// the order of their bytes, except that a character beyond the BMP (first byte F0
// to F4; its first code unit a surrogate) comes before U+E000 to U+FFFF (EE, EF).
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
