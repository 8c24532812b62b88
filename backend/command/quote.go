package command

import (
	"slices"
	"strings"
)

// rebuild writes a part from its words, quotes and backslashes read: reading it again
// gives this part.
func rebuild(assigns []Assign, words []Word, redirects []string) string {
	size := 0
	for _, w := range words {
		size += len(w.Text) + 3
	}
	var all strings.Builder
	all.Grow(size)
	add := func(name, text string) {
		if all.Len() > 0 {
			all.WriteByte(' ')
		}
		all.WriteString(name)
		all.WriteString(text)
	}
	for _, a := range assigns {
		add(a.Name+"=", a.Value.written())
	}
	for i, w := range words {
		text := w.written()
		if i == 0 && len(text) > 0 && w.Literal && text == w.Text && (slices.Contains(reserved, text) || strings.Contains(text, "=")) {
			text = "'" + text + "'"
		}
		add("", text)
	}
	for _, text := range redirects {
		add("", text)
	}
	return all.String()
}

// reserved are words that a shell takes for something else than a program.
var reserved = strings.Fields("if then else elif fi for while until do done case esac in function select time coproc { } ! [[ ]] let")

// written is the word as a shell reads it: as it is where it can stand so, else in quotes.
func (w Word) written() string {
	if !w.Literal {
		return w.Raw
	}
	return quote(w.Text)
}

func quote(text string) string {
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0xA0 || strings.ContainsRune("-_./:,+@%=^]!", r))
	})
	if plain || text == "{}" || text == "[" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
