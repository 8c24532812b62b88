package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Inner is the text of a word that the shell does not read where it stands: what is in quotes or behind backslashes, with a letter
// in the place of what it computes.
func Inner(w *syntax.Word) string {
	if len(w.Parts) == 1 {
		if lit, is := w.Parts[0].(*syntax.Lit); is && strings.IndexByte(lit.Value, '\\') < 0 {
			return lit.Value
		}
	}
	var text strings.Builder
	innerOf(&text, w.Parts)
	return text.String()
}

func innerOf(text *strings.Builder, parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			escaped := false
			for i := range len(p.Value) {
				if escaped = p.Value[i] == '\\' && !escaped; !escaped {
					text.WriteByte(p.Value[i])
				}
			}
		case *syntax.SglQuoted:
			text.WriteString(single(p))
		case *syntax.DblQuoted:
			innerOf(text, p.Parts)
		default:
			text.WriteByte('x')
		}
	}
}

// single is what bash makes of a text in single quotes.
func single(p *syntax.SglQuoted) string {
	if p.Dollar {
		return decoded(p.Value)
	}
	return p.Value
}

// MaxLikely bounds what is remembered of a variable, and what a word is likely to be.
const MaxLikely = 256

// Likely is what bash most likely makes of a word that only variables keep from being literal, with what value gives for each of
// them: words of it have blanks between. It is "" where that cannot be told.
func Likely(w *syntax.Word, value func(name string) (string, bool)) string {
	l := likely{value: value}
	if l.parts(w.Parts, false); l.lost || l.text.Len() > MaxLikely {
		return ""
	}
	return strings.TrimSpace(l.text.String())
}

// likely reads a word as Likely says.
type likely struct {
	text  strings.Builder
	value func(name string) (string, bool)
	lost  bool
}

func (l *likely) parts(parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			var r wordReader
			r.exact(p.Value, quoted, false)
			l.text.WriteString(r.text.String())
		case *syntax.SglQuoted:
			l.text.WriteString(single(p))
		case *syntax.DblQuoted:
			l.parts(p.Parts, true)
		case *syntax.ParamExp:
			value, known := l.variable(p)
			l.lost = l.lost || !known
			l.text.WriteString(value)
		default:
			l.lost = true
		}
		if l.lost = l.lost || l.text.Len() > MaxLikely; l.lost {
			return
		}
	}
}

// variable is what stands in the place of a plain variable.
func (l *likely) variable(p *syntax.ParamExp) (value string, known bool) {
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Slice == nil && p.Repl == nil && p.Exp == nil && p.Names == 0
	switch {
	case !plain:
		return "", false
	case p.Param.Value == "IFS":
		return " ", true
	case strings.Trim(p.Param.Value, "0123456789") == "" && p.Param.Value != "0", p.Param.Value == "@", p.Param.Value == "*":
		return "", true // a line has no arguments
	}
	return l.value(p.Param.Value)
}

// escapes are those of $'…' that stand for one character.
var escapes = map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// decoded is what bash makes of a text in $'…'.
func decoded(text string) string {
	var all strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			all.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		if plain, is := escapes[c]; is {
			all.WriteByte(plain)
			continue
		}
		size, base, from := 0, rune(16), i+1
		switch {
		case c == 'x':
			size = 2
		case c == 'u':
			size = 4
		case c == 'U':
			size = 8
		case c >= '0' && c <= '7':
			size, base, from = 3, 8, i
		case c == 'c' && i+1 < len(text):
			i++
			all.WriteByte(text[i] & 0x1f)
			continue
		}
		n, end := rune(0), from
		for end < min(len(text), from+size) && digit(text[end]) < base {
			n = n*base + digit(text[end])
			end++
		}
		switch {
		case end == from:
			all.WriteString(text[i-1 : i+1])
			continue
		case c == 'u' || c == 'U':
			all.Write(utf8.AppendRune(nil, n))
		default:
			all.WriteByte(byte(n))
		}
		i = end - 1
	}
	return all.String()
}

// digit is the value of one, or 99.
func digit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 99
}
