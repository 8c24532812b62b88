// Package hookcommand writes and reads the command lines by which agents' clients start the
// program that asks the desk about a tool call.
package hookcommand

import (
	"path"
	"strings"
)

// Unanswered ends a command of a POSIX shell: whatever keeps the program from answering, also
// that it is gone, is a no with a reason. Codex, Gemini CLI and older versions of Claude Code
// take any exit but 2, and one without a reason, as leave to run the tool.
const Unanswered = ` || { [ $? = 2 ] || echo 'Sekisho gave no answer, so this does not run' >&2; exit 2; }`

// Quote writes a word for the shell that a client starts.
func Quote(word, goos string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:=@%,", r) ||
			goos == "windows" && r == '\\'
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }):
		return word
	case goos == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Command is one that asks the desk.
type Command struct {
	Line    string
	Program string // its path as written
	Door    string // --client
	Agent   string // --agent; "" is left out
	Token   string // --token-file; "" is left out
	Desk    string // --desk; "" is left out
}

// Read takes a command of a client's file for one that asks the desk; false for
// another's.
func Read(line string) (c Command, ours bool) {
	words := splitWords(line)
	if len(words) > 0 && (words[0] == "exec" || words[0] == "&") {
		words = words[1:]
	}
	if len(words) == 0 {
		return c, false
	}
	name := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/"))), ".exe")
	if name != "sekisho-hook" && (len(words) < 2 || words[1] != "hook" || !strings.HasPrefix(name, "sekisho")) {
		return c, false
	}
	c = Command{Line: line, Program: words[0]}
	for flag, value := range map[string]*string{"--client": &c.Door, "--agent": &c.Agent, "--token-file": &c.Token, "--desk": &c.Desk} {
		for i, word := range words[1:] {
			if given, ok := strings.CutPrefix(word, flag+"="); ok {
				*value = given
			}
			if word == flag && i+2 < len(words) {
				*value = words[i+2]
			}
		}
	}
	return c, c.Door != ""
}

// splitWords takes a command apart at blanks outside of quotes. It is no shell: what it
// cannot read is none of the commands that connecting writes.
func splitWords(line string) (words []string) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range strings.ReplaceAll(line, `'\''`, "\x00") {
		switch {
		case r == 0:
			word.WriteByte('\'')
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// Join writes words as one command line.
func Join(words []string, goos string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word, goos)
	}
	return strings.Join(quoted, " ")
}
