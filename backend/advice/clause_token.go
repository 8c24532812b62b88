package advice

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// token is a token of CEL, as it is written.
type token string

// signs are the tokens that are no names, texts or numbers, the longer ones first.
var signs = []string{"&&", "||", "==", "!=", "(", ")", "[", "]", ".", ",", "!", "?", ":", "-", ">"}

// tokensOf takes CEL apart. It is false where there is anything but the names, whole numbers,
// signs and texts that conditions are made of; a text must be written as quote writes it, since
// Go and CEL read other spellings of a text as different ones.
func tokensOf(source string) (tokens []token, ok bool) {
	for i := 0; i < len(source); {
		if strings.IndexByte(" \t\r\n", source[i]) >= 0 {
			i++
			continue
		}
		end := tokenEnd(source, i)
		if end == i {
			return nil, false
		}
		t := token(source[i:end])
		if t[0] == '"' && !t.isText() {
			return nil, false
		}
		tokens, i = append(tokens, t), end
	}
	return tokens, true
}

// tokenEnd is where the token at i ends; it is i where there is none.
func tokenEnd(source string, i int) int {
	end := i
	switch {
	case source[i] == '"':
		for end = i + 1; end < len(source) && source[end] != '"'; end++ {
			if source[end] == '\\' {
				end++
			}
		}
		if end >= len(source) {
			return i
		}
		return end + 1
	case letter(source[i]), digit(source[i]):
		for end < len(source) && (letter(source[end]) || digit(source[end])) {
			end++
		}
		return end
	}
	at := slices.IndexFunc(signs, func(sign string) bool { return strings.HasPrefix(source[i:], sign) })
	if at < 0 {
		return i
	}
	return i + len(signs[at])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// isName reports whether a token may stand behind the dot of a member.
func (t token) isName() bool { return letter(t[0]) && !slices.Contains(taken, string(t)) }

// isText reports whether a token is a text, written as quote writes it.
func (t token) isText() bool {
	if t[0] != '"' {
		return false
	}
	text, err := strconv.Unquote(string(t))
	return err == nil && utf8.ValidString(text) && quote(text) == string(t)
}

// said is the text of a token that is one.
func (t token) said() string {
	text, _ := strconv.Unquote(string(t))
	return text
}
