package shell

import "strings"

// maxPlain bounds the lines that are read without a parser.
const maxPlain = 4096

// PlainLine gives the words of a line that is one simple command of words which every shell
// takes as they are, as most lines of agents are: no parser is needed for it.
func PlainLine(text string) (words []Word, is bool) {
	if len(text) > maxPlain {
		return nil, false
	}
	count, between := 0, true
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			between = true
		case !plainChars[c]:
			return nil, false
		case between:
			count++
			between = false
		}
	}
	if count == 0 {
		return nil, false
	}
	words = make([]Word, 0, count)
	for at := 0; at < len(text); at++ {
		if text[at] == ' ' {
			continue
		}
		end := at + 1
		for end < len(text) && text[end] != ' ' {
			end++
		}
		word := text[at:end]
		words = append(words, Word{Text: word, Literal: true, Raw: word, Start: at, End: end, Head: word, Inside: at})
		at = end
	}
	first := words[0].Text
	return words, strings.IndexByte(first, '=') < 0 && strings.IndexByte(first, '+') < 0 &&
		!IsReserved(first) && !Declares(first) && first != "nameref"
}

// plainChars are those that mean themselves to every shell, wherever they stand.
var plainChars = func() (plain [256]bool) {
	for c := range len(plain) {
		plain[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./,:@%+=", byte(c)) >= 0
	}
	return plain
}()
