package command

import "strings"

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
	for i, w := range words {
		for _, option := range known.folder {
			value, attached := strings.CutPrefix(w.Text, option)
			switch {
			case !w.Literal || !attached:
			case value == "" && i+1 < len(words):
				p.goes(words[i+1].Text)
			case value != "" && strings.HasPrefix(option, "--") && value[0] == '=', value != "" && !strings.HasPrefix(option, "--"):
				p.goes(strings.TrimPrefix(value, "="))
			}
		}
	}
}

func (p *Part) goes(to string) {
	f := folder{p.Folder, p.Lost}.goes(to)
	p.Folder, p.Lost = f.path, f.lost
}
