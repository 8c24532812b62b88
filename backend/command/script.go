package command

import (
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// script reads the words of an interpreter: a script or a module is its verb, and a text
// on the line or on its input is code.
func (p *Part) script(r *reader, known *row, c call) {
	at, _ := known.operandAt(p.Words, 0)
	module := slices.IndexFunc(p.Words, func(w shell.Word) bool {
		return known.module != "" && w.Literal && strings.HasPrefix(w.Text, known.module)
	})
	if module >= 0 && (at < 0 || module < at) {
		p.runsModule(r, known, module)
		return
	}
	if slices.Contains([]string{"pwsh", "powershell", "cmd"}, p.Program) {
		for _, w := range p.Words {
			p.Effects |= r.foreign(w.Known())
		}
	}
	before := p.Words
	if at >= 0 {
		before = p.Words[:at]
	}
	p.meet(known, before)
	p.sort(known, before)
	own := p.Files[:max(0, len(p.Files)-p.redirected)]
	switch {
	case p.Code:
		var all strings.Builder
		for _, w := range p.Words {
			all.WriteString(w.Text)
			all.WriteByte('\n')
		}
		p.Source = all.String()
	case at < 0 && (p.Program == "source" || p.Program == "."):
	case at < 0, p.Words[at].Literal && (p.Words[at].Text == "-" || ownInput(p.Words[at].Text)):
		if p.Code = true; c.input != nil {
			p.Source = *c.input
		}
	case !p.Words[at].Literal:
		p.Opaque = true
	default:
		p.Verb = p.Words[at].Text
		p.sort(known, p.Words[at+1:])
		p.Files = slices.Concat(own, p.Files)
		return
	}
	p.sort(known, p.Words)
}

// runsModule reads python -m NAME. A module that is a program too does what that does.
func (p *Part) runsModule(r *reader, known *row, at int) {
	name, rest := strings.TrimPrefix(p.Words[at].Text, known.module), p.Words[at+1:]
	if name == "" && len(rest) > 0 {
		if name, rest = rest[0].Text, rest[1:]; name == "" {
			p.Opaque = true
		}
	}
	p.Verb = known.module + " " + name
	p.meet(known, p.Words[:at])
	program := programs().rows[name]
	if p.sort(known, rest); program != nil && program.verbs == nil && program.module == "" {
		p.sort(program, rest)
	}
	switch {
	case slices.Contains(runners, name), program != nil && program.module != "":
		p.Code = true // it runs another one, or what it reads
	case program != nil:
		inner := reader{nesting: r.nesting}
		inner.argv(call{words: append([]shell.Word{shell.Plain(name)}, rest...)})
		for _, as := range inner.parts {
			p.Effects, p.Code, p.Opaque = p.Effects|as.Effects, p.Code || as.Code, p.Opaque || as.Opaque
			if as.Verb != "" {
				p.Verb = known.module + " " + as.Name
			}
		}
	}
}

// runners are modules that run others, or what they read.
var runners = strings.Fields("code pdb cProfile profile trace runpy timeit IPython idlelib asyncio doctest coverage debugpy bdb")
