package shell

import (
	"slices"
	"strings"
)

// IsReserved reports whether a shell takes a word for something else than a program.
func IsReserved(word string) bool { return slices.Contains(reserved, word) }

// Declares reports whether a command of the shell sets the variables which its arguments name.
func Declares(program string) bool { return slices.Contains(declaring, program) }

var declaring = strings.Fields("export declare local typeset readonly")

var reserved = strings.Fields("if then else elif fi for while until do done case esac in function select time coproc { } ! [[ ]] let")

// Written is the word as a shell reads it: as it is where it can stand so, else in quotes.
func (w Word) Written() string {
	if !w.Literal {
		return w.Raw
	}
	return Quote(w.Text)
}

// Quote writes a text as a word of a shell.
func Quote(text string) string {
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < 0xA0 && !unquotedChars[r] })
	if plain || text == "{}" || text == "[" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// unquotedChars are those of ASCII that stand without quotes.
var unquotedChars = charsOf("-_./:,+@%=^]!")

// Acts reports whether a shell makes something else of a word, or more.
func Acts(arg string) bool {
	return strings.ContainsAny(arg, ";|&<>()$`\\\"'*?[\n\r\x00") || strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, "#") ||
		strings.Contains(arg, "{") && !Lone(arg[strings.IndexByte(arg, '{'):])
}
