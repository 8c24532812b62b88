package show

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// maxPrograms bounds those that are looked for; the others of a command are counted.
const maxPrograms = 100

// named is what a command says of programs.
type named struct {
	programs  []program
	functions []string // that it declares, wherever that stands
	path      bool     // it may set PATH
}

// program is the first word of a simple command. If it is not literal, the shell
// computes it first.
type program struct {
	word     string
	literal  bool
	declared bool // a function of this name was declared before, whatever way the command took
}

// Behind these, names may lead elsewhere than they do now.
var (
	renaming = []string{".", "source", "eval", "alias", "hash", "enable", "builtin", "command", "trap"}
	moving   = []string{"cd", "pushd", "popd", ".", "source", "eval", "builtin", "command", "trap"}
)

// setting are builtins that set the variables which they are told the names of.
var setting = []string{"read", "mapfile", "readarray", "getopts", "printf", "declare", "typeset", "local", "export", "readonly"}

// searcher finds programs as the one who runs them would.
type searcher struct {
	path  string // PATH
	cwd   string // "" is not known
	shell bool   // a shell looks for them, and has some of its own
}

// searchPath is the PATH of whoever runs a command; ours is the desk's. A server has the
// desk's if it is not given one. The one of an agent's program is not known: the desk's
// stands for it, and foreign says so.
func (h home) searchPath(ours string) (path string, foreign bool) {
	switch {
	case h.server == nil:
		return ours, true
	case h.server.IsWorkspace():
		return programPath(h.server), false
	}
	if own, ok := h.server.Env["PATH"]; ok {
		return own, false
	}
	return ours, false
}

// all finds each program once, and counts those that it leaves out.
func (s searcher) all(wait waiter, in named) (out []permission.Program, more int) {
	calls := func(one []string) bool {
		return s.shell && slices.ContainsFunc(in.programs, func(p program) bool { return !p.literal || slices.Contains(one, p.word) })
	}
	if in.path || calls(renaming) {
		s.path = ""
	}
	if calls(moving) {
		s.cwd = ""
	}
	out = []permission.Program{}
	forgets := calls([]string{"unset"})
	files := []int{} // the places of those that are no names of the shell's
	seen := map[program]bool{}
	for _, p := range in.programs {
		if seen[p] {
			continue
		}
		seen[p] = true
		if len(out) == maxPrograms {
			more++
			continue
		}
		found := permission.Program{Word: p.word}
		switch {
		case !p.literal:
		case s.shell && slices.Contains(in.functions, p.word):
			if p.declared && !forgets {
				found.Path = new(permission.ProgramFunction)
			}
		case s.shell && command.Builtin(p.word):
			found.Path = new(permission.ProgramBuiltin)
		default:
			files = append(files, len(out))
		}
		out = append(out, found)
	}
	paths, _ := patiently(wait, func() map[int]*string { return s.findEach(out, files) })
	for at, path := range paths {
		out[at].Path = path
	}
	return out, more
}

// findEach looks for the programs at some places of a list.
func (s searcher) findEach(list []permission.Program, places []int) map[int]*string {
	paths := make(map[int]*string, len(places))
	for _, at := range places {
		paths[at] = s.find(list[at].Word)
	}
	return paths
}

// find gives the file that a word leads to, or nil.
func (s searcher) find(word string) *string {
	switch {
	case filepath.IsAbs(word):
		return executable(word)
	case word == "":
		return nil
	case strings.ContainsRune(word, '/') || strings.ContainsRune(word, filepath.Separator):
		return s.below(word)
	}
	for _, dir := range filepath.SplitList(s.path) {
		file := filepath.Join(dir, word)
		if !filepath.IsAbs(dir) {
			if s.cwd == "" {
				return nil // the folder is not known, and it comes before the others
			}
			file = filepath.Join(s.cwd, dir, word)
		}
		if found := executable(file); found != nil {
			return found
		}
	}
	return nil
}

// below finds a program by its path from the folder on.
func (s searcher) below(word string) *string {
	if s.cwd == "" {
		return nil
	}
	return executable(s.cwd + string(filepath.Separator) + word)
}

// executable gives the file that runs when path is started, links followed.
func executable(path string) *string {
	file, err := exec.LookPath(path)
	if err != nil {
		return nil
	}
	at := follow(file)
	if at.err != nil || at.doubt.code != "" || at.missing {
		return nil
	}
	return &at.path
}
