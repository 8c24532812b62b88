package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// RunsOthers reports whether a command runs a program or code that its arguments name, or
// may do so, whatever else is known of it: a class of answers would be one to everything.
func RunsOthers(program string, args []shell.Word) bool { return programs().runsOthers(program, args) }

// runsOthers is RunsOthers.
func (t *table) runsOthers(program string, args []shell.Word) bool {
	whole, name := path.Clean(program), strings.ToLower(path.Base(program))
	if len(name) > maxName || strings.HasPrefix(whole, "/proc/") || strings.HasPrefix(whole, "/dev/") { // whatever runs or is open there
		return true
	}
	return slices.ContainsFunc(namesIn(name), func(known string) bool {
		given := args
		if strings.HasSuffix(known, "tar") && len(args) > 0 { // which takes its first bundle without a dash
			given = append([]shell.Word{args[0].Dashed()}, args...)
		}
		return t.once[known] || slices.ContainsFunc(t.ends[known], func(end trigger) bool {
			return slices.ContainsFunc(given, func(w shell.Word) bool { return end.takes(&w) })
		})
	})
}

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

// maxName is more than any program's name has.
const maxName = 100
