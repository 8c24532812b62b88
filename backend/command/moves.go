package command

import (
	"strings"

	"sekisho/backend/shell"
)

// moves follows cd, and the options that name another folder.
func (r *reader) moves(p *Part, known *row) {
	switch p.Program {
	case "cd":
		to := ""
		if len(p.Operands) == 1 {
			to = p.Operands[0]
		}
		r.here = r.here.goes(to)
	case "pushd", "popd":
		r.here = folder{lost: true}
	}
	words := p.Words
	if p.Program == "git" { // of which verbs have the same options for something else
		at, _ := known.operandAt(words, 0)
		if at >= 0 {
			words = words[:at]
		}
		p.steersGit(words)
	}
	p.leads(known, words)
}

// leads follows the options among some words that name another folder for a program: a letter also among others.
func (p *Part) leads(known *row, words []shell.Word) {
	for i, w := range words {
		for _, option := range known.folder {
			value, at := strings.CutPrefix(w.Text, option)
			if !at && len(option) == 2 && isBundle(w.Text) && !known.flags["single"] {
				value, at = known.behindLetter(w.Text, option[1])
			}
			switch {
			case !w.Literal || !at:
			case value == "" && i+1 < len(words):
				p.goes(words[i+1].Text)
			case value != "" && strings.HasPrefix(option, "--") && value[0] == '=', value != "" && !strings.HasPrefix(option, "--"):
				p.goes(strings.TrimPrefix(value, "="))
			}
		}
	}
}

// behindLetter gives what stands in a bundle behind a letter, unless it is in the value of another one.
func (r *row) behindLetter(bundle string, letter byte) (value string, found bool) {
	for i := 1; i < len(bundle); i++ {
		if bundle[i] == letter {
			return bundle[i+1:], true
		}
		if r.options["-"+bundle[i:i+1]] > bare {
			return "", false
		}
	}
	return "", false
}

func (p *Part) goes(to string) {
	f := folder{p.Folder, p.Lost}.goes(to)
	p.Folder, p.Lost = f.path, f.lost
}
