package policy

import (
	"path"
	"slices"
	"strings"
)

// word is an argument of a command as far as it can be told.
type word struct {
	text string
	end  string // of an open word, what it ends with
	open bool   // text is only how it begins, and a shell may put anything between that and end
}

// trigger is a word that makes a program run another one. By how it is written it is
//
//   - "-e", a letter: in any bundle of them, and with its value attached (-avesh);
//   - "--rsh", an option: also abbreviated, with its value attached, and with one dash;
//   - "-exec", an option that has no shorter form, with one dash or two;
//   - "^SHELL=", what begins with it;
//   - "*=", what has it anywhere;
//   - "exec", this word.
type trigger string

// triggersOf reads lines of "program program: trigger trigger".
func triggersOf(table string) map[string][]trigger {
	all := map[string][]trigger{}
	for line := range strings.Lines(table) {
		programs, list, _ := strings.Cut(line, ": ")
		for _, program := range strings.Fields(programs) {
			for _, t := range strings.Fields(list) {
				all[program] = append(all[program], trigger(t))
			}
		}
	}
	return all
}

// takes reports whether w is what t names, or may be.
func (t trigger) takes(w word) bool {
	text, at := string(t), strings.TrimLeft(string(t), "-")
	switch dashes := len(text) - len(at); {
	case text[0] == '*':
		return w.open || strings.Contains(w.text, text[1:])
	case text[0] == '^':
		return strings.HasPrefix(w.text, text[1:]) || w.open && strings.HasPrefix(text[1:], w.text)
	case dashes == 0:
		return w.is(text)
	case dashes == 1 && len(at) == 1:
		return w.open && w.text == "" || isBundle(w.text) && (w.open || strings.Contains(w.text, at))
	case dashes == 1:
		return w.option().is(at)
	}
	return w.abbreviates(at)
}

// is reports whether w is this word, or may be.
func (w word) is(text string) bool {
	return w.text == text || w.open && strings.HasPrefix(text, w.text) && strings.HasSuffix(text, w.end)
}

// option is the name of the option that w is, without dashes and value. It is one that
// no option has, if w is none.
func (w word) option() word {
	if !strings.HasPrefix(w.text, "-") && (!w.open || w.text != "") {
		return word{text: "-"}
	}
	name, _, _ := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
	if strings.Contains(w.end, "=") {
		return word{text: name, open: true}
	}
	return word{name, w.end, w.open}
}

// abbreviates reports whether w is the option of this name or begins it, or may. One
// letter after one dash is no long option.
func (w word) abbreviates(name string) bool {
	given := w.option()
	if given.open {
		return strings.HasPrefix(name, given.text) // a value may follow
	}
	long := len(given.text) > 1 || len(given.text) == 1 && !isBundle(w.text)
	return long && strings.HasPrefix(name, given.text)
}

func isBundle(text string) bool {
	return strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--")
}

// maxName is more than any program's name has.
const maxName = 100

// namesIn gives what a program may be known as. Versions and builds of it have longer
// names, so that all of python3.12-dbg, x86_64-linux-gnu-gdb and gtar have a name
// inside; what goes on with a letter is another one.
func namesIn(name string) []string {
	starts := []int{0}
	if name[0] == 'g' { // of GNU, where the system has its own
		starts = append(starts, 1)
	}
	for i, c := range name {
		if c == '-' || c == '_' {
			starts = append(starts, i+1)
		}
	}
	var names []string
	for _, start := range starts {
		for end := start + 1; end <= len(name); end++ {
			if end == len(name) || name[end] < 'a' || name[end] > 'z' {
				names = append(names, name[start:end])
			}
		}
	}
	return names
}

// runsOthers reports whether a command runs a program or code that its arguments
// name, or may do so.
func runsOthers(program string, args []word) bool {
	whole, name := path.Clean(program), strings.ToLower(path.Base(program))
	if len(name) > maxName || strings.HasPrefix(whole, "/proc/") || strings.HasPrefix(whole, "/dev/") { // whatever runs or is open there
		return true
	}
	return slices.ContainsFunc(namesIn(name), func(known string) bool {
		given := args
		if strings.HasSuffix(known, "tar") && len(args) > 0 { // which takes its first bundle without a dash
			given = append([]word{{"-" + args[0].text, args[0].end, args[0].open}}, args...)
		}
		return runners[known] || slices.ContainsFunc(runsWith[known], func(t trigger) bool {
			return slices.ContainsFunc(given, t.takes)
		})
	})
}
