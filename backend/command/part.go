package command

import (
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// Part is a simple command of a line.
type Part struct {
	Program  string       // its base name, or its path if Unusual; "" where the shell computes it, or where there is none
	Verb     string       // as "push" of git, "compose up" of docker, a script, a module
	Name     string       // "git push"
	Path     string       // the program as it is written
	Stranger bool         // the table does not know the program
	Unusual  bool         // it lies in a folder where programs usually do not: what it is is not known
	Assigns  []Assign     // in front
	Words    []shell.Word // behind the program
	Options  []string     // as written, values of those that the table knows included; "" is computed
	Operands []string     // the other words behind the verb
	Writes   []string     // files that it writes by redirection; "" is computed
	Inputs   []string     // files that it reads by redirection
	Files    []File       // the words that may name files, those of redirections last
	Text     string       // rebuilt from its words, so that reading it gives this part again
	Source   string       // the text that it runs, where the line has it
	Effects  Effect
	Neutral  bool // it needs no rule beside another part
	Code     bool // it runs a text of the line or of its input, or a word makes it run another program
	Chooses  bool // its words choose what its verb runs, as another makefile or project; see Chosen
	Opaque   bool // what it runs cannot be known from the text
	Piped    bool // it reads a pipe
	Loose    bool // some of its words are not in the text
	Glob     bool // files are put in the place of some of its words
	Folder   string
	Lost     bool // it runs in a folder that cannot be told; else in Folder, "" being the call's own
	Span

	relayed    bool    // a proxy may stand between it and its own machine
	redirected int     // how many of its files are of redirections
	fed        *string // its input, where the line has it
}

// Said are all options as they are written: those in front of the verb, with what stands
// between them, and then Options. "" is computed.
func (p *Part) Said() []string {
	var front []string
	verb := strings.Fields(p.Verb)
	switch {
	case len(verb) == 0 && len(p.Options)+len(p.Operands) > 0:
		return p.Options
	case len(verb) > 0 && !slices.ContainsFunc(p.Words, func(w shell.Word) bool { return w.Text == verb[0] }):
		return p.Options // as python -mname, where the verb is a part of a word
	}
	for _, w := range p.Words {
		if len(verb) > 0 && w.Text == verb[0] {
			if verb = verb[1:]; len(verb) == 0 {
				break
			}
			continue
		}
		front = append(front, w.Text)
	}
	if len(front) <= len(p.Options) && slices.Equal(p.Options[:len(front)], front) {
		return p.Options
	}
	return append(front, p.Options...)
}

// File is a word of a part that may name a file.
type File struct {
	Text    string // quotes read; what the shell computes is as it is written
	Option  string // whose value it is; "" for operands and redirections
	Written bool   // by redirection
	Changed bool   // by the program, which changes all files that it names or this one of them
	Span           // of a redirection, where the file stands in the line; else nothing
}

// Changes are the files that a part changes by its words; what the shell computes is as it is written.
func (p *Part) Changes() (files []string) {
	for _, f := range p.Files[:max(0, len(p.Files)-p.redirected)] {
		if f.Changed {
			files = append(files, f.Text)
		}
	}
	return files
}

// Assign is an assignment in front of a part.
type Assign struct {
	Name  string
	Value shell.Word
}

// Span is where a part stands in the line: in bytes, and in the UTF-16 units of a page.
type Span struct{ Start, End, Start16, End16 int }
