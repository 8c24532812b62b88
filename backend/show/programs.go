package show

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// maxPrograms bounds those that are looked for; the others of a command are left out.
const maxPrograms = 100

// named is what a command says of programs.
type named struct {
	programs  []program
	functions []string // that it declares
	path      bool     // it sets PATH
}

// program is the first word of a simple command. If it is not literal, the shell
// computes it first.
type program struct {
	word    string
	literal bool
}

// builtins are bash's own.
var builtins = strings.Fields(`. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
	echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile nameref popd printf pushd pwd
	read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`)

// Behind these, names may lead elsewhere than they do now.
var (
	renaming = []string{".", "source", "eval", "alias", "hash", "enable"}
	moving   = []string{"cd", "pushd", "popd", ".", "source", "eval"}
)

// searcher finds programs as the one who runs them would.
type searcher struct {
	path  string // PATH
	cwd   string // "" is not known
	shell bool   // a shell looks for them, and has some of its own
}

// searchPath is the PATH of whoever runs a command; ours is the desk's.
func (h home) searchPath(ours string) string {
	if h.server != nil {
		if own, ok := h.server.Env["PATH"]; ok {
			return own
		}
	}
	return ours
}

// all finds each program once.
func (s searcher) all(wait waiter, in named) []permission.Program {
	calls := func(one []string) bool {
		return s.shell && slices.ContainsFunc(in.programs, func(p program) bool { return !p.literal || slices.Contains(one, p.word) })
	}
	if in.path || calls(renaming) {
		s.path = ""
	}
	if calls(moving) {
		s.cwd = ""
	}
	out, files := []permission.Program{}, []int{} // the places of those that are no names of the shell's
	seen := map[program]bool{}
	for _, p := range in.programs {
		if seen[p] || len(out) == maxPrograms {
			continue
		}
		seen[p] = true
		found := permission.Program{Word: p.word}
		switch {
		case !p.literal:
		case s.shell && slices.Contains(in.functions, p.word):
			found.Path = new(permission.ProgramFunction)
		case s.shell && slices.Contains(builtins, p.word):
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
	return out
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
