package guard

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/shell"
)

// judging is one command that is read.
type judging struct {
	row     *row
	program string
	root    string
	verdict Verdict
	edged   bool // an option stands for the first operand
	told    bool // an option of it only tells something of the program
}

// commandVerdict refuses a command, or gives its level.
func commandVerdict(root string, c Call) (Verdict, *Refusal) {
	j := judging{program: c.Command, root: root, row: rows()[c.Command], verdict: Verdict{Program: c.Command}}
	if j.row == nil || strings.Contains(c.Command, "/") {
		return Verdict{}, refuse(CommandNotAllowed, "%s is no program of the list", strconv.Quote(shortened(c.Command)))
	}
	for _, a := range c.Args {
		if strings.ContainsRune(a, 0) || !utf8.ValidString(a) {
			return Verdict{}, refuse(CommandNotAllowed, "an argument is UTF-8 without NUL")
		}
	}
	args := c.Args
	if j.row.verbs {
		if len(args) == 0 || rows()[c.Command+"/"+args[0]] == nil {
			return Verdict{}, refuse(CommandNotAllowed, "%s needs one of its listed commands as its first argument", c.Command)
		}
		j.verdict.Verb, j.row, args = args[0], rows()[c.Command+"/"+args[0]], args[1:]
	}
	j.verdict.Once, j.verdict.Network = j.row.marks["once"], j.row.marks["net"]
	j.verdict.Level = j.row.level
	if bad := j.words(args); bad != nil {
		return Verdict{}, bad
	}
	j.weigh(c)
	return j.verdict, nil
}

// weigh raises the level for what the command names and for what it does.
func (j *judging) weigh(c Call) {
	v := &j.verdict
	for i, a := range c.Args {
		if namesSecret(a) {
			v.raise(permission.RiskHigh, permission.RiskSecret, i)
		}
		if j.row.grave[a] {
			v.raise(permission.RiskHigh, permission.RiskLosesWork, i)
		}
	}
	switch v.Level {
	case permission.RiskMedium:
		why := permission.RiskChanges
		if j.row.script != "" {
			why = permission.RiskRunsProject
		}
		v.raise(permission.RiskMedium, why, WholeCall)
	case permission.RiskHigh:
		v.raise(permission.RiskHigh, permission.RiskListed, WholeCall)
	case permission.RiskLow:
		if !readsOnly(c) {
			v.raise(permission.RiskMedium, permission.RiskUnknownProgram, WholeCall)
		}
	}
}

// readsOnly reports whether the table of all shell lines takes a command for one that only
// reads, too.
func readsOnly(c Call) bool {
	line := shell.Quote(c.Command)
	for _, a := range c.Args {
		line += " " + shell.Quote(a)
	}
	read := command.Read(line)
	for _, p := range read.Parts {
		if p.Effects != command.Reads || p.Code || p.Opaque || p.Stranger {
			return c.Command == "locate" && p.Stranger
		}
	}
	return !read.Opaque && !read.Cut && len(read.Parts) > 0
}

// words holds every word against the row.
func (j *judging) words(args []string) *Refusal {
	if j.row.marks["text"] {
		return nil
	}
	operands := []string{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			for _, rest := range args[i+1:] {
				if strings.HasPrefix(rest, "-") && !j.row.marks["dashes"] {
					return j.refuse("an argument behind -- begins with a dash: %s", rest)
				}
			}
			operands, i = append(operands, args[i+1:]...), len(args)
		case i == 0 && j.row.marks["bundle"] && isLetters(a):
			n, bad := j.letters("-"+a, args[i+1:], true)
			if bad != nil {
				return bad
			}
			i += n
		case len(a) < 2 || a[0] != '-':
			if operands = append(operands, a); j.row.script != "" {
				operands, i = append(operands, args[i+1:]...), len(args)
			}
		default:
			n, bad := j.option(a, args[i+1:])
			if bad != nil {
				return bad
			}
			i += n
		}
	}
	return j.operands(operands)
}

// option reads one option and gives how many of the next words are its value.
func (j *judging) option(a string, next []string) (int, *Refusal) {
	if j.row.marks["number"] && isNumber(a[1:]) {
		return 0, nil
	}
	if !j.row.marks["whole"] && !strings.HasPrefix(a, "--") {
		return j.letters(a, next, false)
	}
	name, value, given := a, "", false
	if strings.HasPrefix(a, "--") {
		name, value, given = strings.Cut(a, "=")
	}
	o, known := j.row.options[name]
	if !known {
		return j.attached(a)
	}
	j.saw(name, o)
	switch {
	case o.kind == "" && given:
		return 0, j.refuse("%s has no value", name)
	case o.kind == "" || o.optional && !given:
		return 0, nil
	case given:
		return 0, j.value(o.kind, value, name)
	case len(next) == 0:
		return 0, j.refuse("%s needs a value", name)
	}
	return 1, j.separate(o.kind, next[0], name)
}

// attached reads a whole option whose value stands in the same word, as -Iinclude.
func (j *judging) attached(a string) (int, *Refusal) {
	if len(a) > 2 {
		if o, known := j.row.options[a[:2]]; known && o.attached {
			return 0, j.value(o.kind, a[2:], a[:2])
		}
	}
	return 0, j.refuse("the option %s is not in its list", a)
}

// letters reads a run of options of one letter, the last of which may have a value. In a
// bundle without a dash, a value is the next word in any case.
func (j *judging) letters(a string, next []string, bundle bool) (int, *Refusal) {
	for i := 1; i < len(a); i++ {
		name := "-" + a[i:i+1]
		o, known := j.row.options[name]
		if !known {
			return 0, j.refuse("the option %s of %s is not in its list", name, a)
		}
		j.saw(name, o)
		rest := a[i+1:]
		switch {
		case o.kind == "" || o.optional && rest == "":
		case rest != "" && bundle:
			return 0, j.refuse("%s needs its value in the next word", name)
		case rest != "":
			return 0, j.value(o.kind, rest, name)
		case len(next) == 0:
			return 0, j.refuse("%s needs a value", name)
		default:
			return 1, j.separate(o.kind, next[0], name)
		}
	}
	return 0, nil
}

// saw takes note of an option.
func (j *judging) saw(name string, o option) {
	if o.high {
		j.verdict.raise(permission.RiskHigh, permission.RiskLosesWork, WholeCall)
	}
	j.edged = j.edged || j.row.edge[name]
	j.told = j.told || name == "--version" || name == "--help" || name == "-V" || name == "-v" && j.program == "node"
}

// separate judges a value that is a word of its own. One that reads like an option is taken
// only where it can change nothing.
func (j *judging) separate(kind, value, of string) *Refusal {
	if strings.HasPrefix(value, "-") && kind != "size" && (kind != "text" || j.row.level != permission.RiskLow) {
		return j.refuse("the value of %s begins with a dash: %s", of, value)
	}
	return j.value(kind, value, of)
}

// operands judges the words that are no options.
func (j *judging) operands(words []string) *Refusal {
	kinds := j.row.operands
	if j.edged {
		kinds = kinds[1:]
	}
	if len(words) == 0 && !j.told && (j.row.marks["operand"] || j.row.script != "") && !j.edged {
		return j.refuse("%s needs an operand", j.verdict.Program)
	}
	for i, w := range words {
		kind := ""
		switch {
		case i > 0 && j.row.script != "":
			kind = j.row.script
		case i < len(kinds):
			kind = kinds[i]
		case len(kinds) > 0 && strings.HasSuffix(kinds[len(kinds)-1], "*"):
			kind = kinds[len(kinds)-1]
		}
		if kind == "" {
			return j.refuse("%s is one word too many", w)
		}
		if bad := j.value(strings.TrimSuffix(kind, "*"), w, ""); bad != nil {
			return bad
		}
	}
	return nil
}

func (j *judging) refuse(format string, args ...any) *Refusal {
	for i, a := range args {
		if text, is := a.(string); is {
			args[i] = strconv.Quote(shortened(text))
		}
	}
	r := refuse(CommandNotAllowed, format, args...)
	r.Detail = j.program + ": " + r.Detail
	return r
}

func shortened(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}
