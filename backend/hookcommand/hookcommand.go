// Package hookcommand writes and reads the command lines by which agents' clients start the
// program that asks the desk about a tool call.
package hookcommand

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Unanswered ends a command of a POSIX shell: whatever keeps the program from answering, also
// that it is gone, is a no with a reason. Codex, Gemini CLI and older versions of Claude Code
// take any exit but 2, and one without a reason, as leave to run the tool.
const Unanswered = ` || { [ $? = 2 ] || echo 'Sekisho gave no answer, so this does not run' >&2; exit 2; }`

// What stands around a command for PowerShell, which else takes a quoted program for a text
// and any exit code for 1.
const call, exit = "& ", "; exit $LASTEXITCODE"

// PowerShell writes a command line for it.
func PowerShell(line string) string { return call + line + exit }

// plain reports whether a character means nothing but itself to the shell that a client starts.
func plain(r rune, goos string) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:=@%,", r) ||
		goos == "windows" && r == '\\'
}

// Quote writes a word for the shell that a client starts.
func Quote(word, goos string) string {
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r, goos) }):
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

// small is the name of the program that does nothing else.
const small = "sekisho-hook"

// Small is where that program lies when it is there: beside sekisho.
func Small(sekisho string) string {
	return sekisho[:strings.LastIndexAny(sekisho, `/\`)+1] + small + path.Ext(sekisho)
}

// nameOf is what a program is called, on any system.
func nameOf(program string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/"))), ".exe")
}

// Words are those of the command as connecting writes them.
func (c *Command) Words() []string {
	words := []string{c.Program}
	if nameOf(c.Program) != small {
		words = append(words, "hook")
	}
	for _, arg := range [][2]string{{"--client", c.Door}, {"--agent", c.Agent}, {"--token-file", c.Token}, {"--desk", c.Desk}} {
		if arg[1] != "" {
			words = append(words, arg[0], arg[1])
		}
	}
	return words
}

// Exact reports whether the line is byte for byte one that is written of these words, so that
// a shell of that system starts the program with them and does nothing else.
func (c *Command) Exact(goos string) bool {
	words := c.Words()
	line := Join(words, goos)
	if goos != "windows" {
		return c.Line == line || c.Line == line+Unanswered
	}
	return (c.Line == line || c.Line == PowerShell(line)) && !slices.ContainsFunc(words, expands)
}

// expands reports whether a word has what cmd or PowerShell read within quotes too.
func expands(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return r == '%' || !plain(r, "windows") && !strings.ContainsRune(" _()'~#", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Alike reports whether a line that is not exact has nothing but a command's words in it,
// written by hand: in another order, with other quotes, or with a flag that is not written.
func (c *Command) Alike(goos string) bool {
	line := bare(c.Line)
	words := program(line)
	if strings.ContainsFunc(line, func(r rune) bool { return !plain(r, goos) && !strings.ContainsRune(" '\"", r) }) || len(words) == 0 {
		return false
	}
	if words = words[1:]; nameOf(c.Program) != small && len(words) > 0 {
		words = words[1:]
	}
	for len(words) > 0 {
		flag, _, whole := strings.Cut(words[0], "=")
		if !slices.Contains([]string{"--client", "--agent", "--token-file", "--desk", "--defer"}, flag) || !whole && len(words) == 1 {
			return false
		}
		if words = words[1:]; !whole {
			words = words[1:]
		}
	}
	return true
}

// bare is a line without what is written around its words.
func bare(line string) string {
	if shell, ok := strings.CutSuffix(line, exit); ok {
		return strings.TrimPrefix(shell, call)
	}
	return strings.TrimSuffix(line, Unanswered)
}

// program are the words of a line from the program on.
func program(line string) []string {
	words := splitWords(line)
	if len(words) > 0 && (words[0] == "exec" || words[0] == "&") {
		words = words[1:]
	}
	return words
}

// Read takes a command of a client's file for one that asks the desk; false for
// another's.
func Read(line string) (c Command, ours bool) {
	words := program(bare(line))
	if len(words) == 0 {
		return c, false
	}
	if name := nameOf(words[0]); name != small && (len(words) < 2 || words[1] != "hook" || !strings.HasPrefix(name, "sekisho")) {
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
