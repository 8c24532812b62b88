package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Simple gives the program and the arguments of an order that is one simple command to
// every shell: nothing before it, behind it or computed in it but a plain $NAME, and its
// program written as every shell takes it.
func (o Order) Simple() (program string, words []Word, ok bool) {
	if o.Bad != "" || o.List {
		return "", nil, false
	}
	program, words, ok = simple(o.Text)
	if !ok || len(o.Args) > 0 && len(words) > 0 {
		return "", nil, false
	}
	for _, arg := range o.Args {
		if strings.ContainsAny(arg, ";|&<>`\n\r\x00") || strings.Contains(arg, "$(") || strings.Contains(arg, "${") {
			return "", nil, false
		}
		for field := range strings.FieldsSeq(arg) {
			words = append(words, fieldWord(field))
		}
	}
	return program, words, true
}

func simple(text string) (program string, words []Word, ok bool) {
	file, err := Parse(text)
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return "", nil, false
	}
	s := file.Stmts[0]
	call, is := s.Cmd.(*syntax.CallExpr)
	marked := s.Negated || s.Background || s.Coprocess || s.Disown || s.Semicolon.IsValid()
	if !is || marked || len(call.Assigns)+len(s.Redirs)+len(s.Comments) > 0 {
		return "", nil, false
	}
	for _, w := range call.Args {
		word := readWord(text, w)
		if word.hard {
			return "", nil, false
		}
		words = append(words, word)
	}
	first := words[0]
	return first.Raw, words[1:], commandWord(first.Raw)
}

// commandWord reports whether a word is what every shell takes for the name of a
// program as it is written.
func commandWord(word string) bool {
	for i := range len(word) {
		c := word[i]
		alnum := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !alnum && c != '_' && c != '/' && (i == 0 || !strings.ContainsRune(".+-", rune(c))) {
			return false
		}
	}
	return word != "" && (!strings.Contains(word, "/") || word[0] == '/' && !strings.Contains(word, "/.."))
}
