package shell

import "strings"

// Bounds of the lines that are read without a parser. One with quotes is shorter, since the parser
// bounds the brackets in them.
const (
	maxPlain  = 4096
	maxQuoted = MaxOpen
)

// PlainLine gives the words of a line that is one simple command of words which every shell
// takes as they are, or as they stand in quotes, as most lines of agents are: no parser is needed
// for it.
func PlainLine(text string) (words []Word, is bool) {
	if len(text) > maxPlain {
		return nil, false
	}
	count := 0
	for at := 0; at < len(text); {
		if text[at] == ' ' {
			at++
			continue
		}
		if at = plainEnd(text, at); at < 0 {
			return nil, false
		}
		count++
	}
	if count == 0 {
		return nil, false
	}
	words = make([]Word, 0, count)
	for at := 0; at < len(text); {
		if text[at] == ' ' {
			at++
			continue
		}
		end := plainEnd(text, at)
		words = append(words, plainWord(text, at, end))
		at = end
	}
	first := words[0].Raw
	return words, first[0] != '\'' && first[0] != '"' && strings.IndexByte(first, '=') < 0 && strings.IndexByte(first, '+') < 0 &&
		!IsReserved(first) && !Declares(first) && first != "nameref"
}

// plainEnd is where a word ends that begins at a place: one of plain characters, or one that stands
// in quotes as a whole. It is -1 for another one, which the parser reads.
func plainEnd(text string, at int) int {
	if quote := text[at]; quote == '\'' || quote == '"' {
		return quotedEnd(text, at, quote)
	}
	for at < len(text) && text[at] != ' ' {
		if !plainChars[text[at]] {
			return -1
		}
		at++
	}
	return at
}

// quotedEnd is where a word in quotes ends, or -1 where something in them might be computed, by
// this shell or by a command that takes a text for a number.
func quotedEnd(text string, at int, quote byte) int {
	if len(text) > maxQuoted {
		return -1
	}
	for at++; at < len(text); at++ {
		switch c := text[at]; {
		case c == quote && at+1 < len(text) && text[at+1] != ' ':
			return -1
		case c == quote:
			return at + 1
		case c < ' ', c >= 0x7F, c == '$', c == '`', c == '[', c == '\\' && quote == '"':
			return -1
		}
	}
	return -1
}

// plainWord is the word that stands between two places.
func plainWord(text string, start, end int) Word {
	raw := text[start:end]
	if raw[0] != '\'' && raw[0] != '"' {
		return Word{Text: raw, Literal: true, Raw: raw, Start: start, End: end, Head: raw, Inside: start}
	}
	inner := raw[1 : len(raw)-1]
	return Word{Text: inner, Literal: true, Raw: raw, Start: start, End: end, Head: inner, Inside: start + min(len(inner), 1)}
}

// plainChars are those that mean themselves to every shell, wherever they stand.
var plainChars = charsOf("-_./,:@%+=")

// charsOf is the set of the letters, the digits and some other characters.
func charsOf(others string) (set [256]bool) {
	for c := range len(set) {
		set[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(others, byte(c)) >= 0
	}
	return set
}
