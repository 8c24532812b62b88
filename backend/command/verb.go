package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// verb finds the verb of a program, and gives the words behind it and the row of it.
func (r *reader) verb(p *Part, known *row) ([]shell.Word, *row) {
	at, sure := known.operandAt(p.Words, 0)
	spec := known.below("")
	if at < 0 {
		return nil, spec
	}
	if !p.Words[at].Literal {
		p.Opaque = true
		return p.Words[at+1:], spec
	}
	if !sure { // what looks like the verb may be the value of an option
		for _, w := range p.Words[at:] {
			if v := known.verbs[w.Text]; v != nil && w.Literal {
				p.Effects |= v.effects & (Destroys | Sends | Raises)
			}
		}
	}
	p.Verb = p.Words[at].Text
	words := p.Words[at+1:]
	if !slices.Contains(known.two, p.Verb) && !slices.Contains(known.two, "*") {
		return words, r.verbRow(p, known, p.Verb)
	}
	first := known.verbs[p.Verb]
	next, _ := known.below(p.Verb).operandAt(words, 0)
	switch {
	case next < 0:
		return words, r.verbRow(p, known, p.Verb)
	case !words[next].Literal && first != nil && !first.effects.Has(Runs) && !known.deeper(p.Verb):
		return words, r.verbRow(p, known, p.Verb)
	case !words[next].Literal:
		p.Opaque = true
		return words, known.below(p.Verb)
	}
	level := p.Verb + "." + words[next].Text
	rest := slices.Concat(words[:next], words[next+1:])
	switch {
	case known.verbs[level] != nil:
		p.Verb += " " + words[next].Text
		return rest, r.verbRow(p, known, level)
	case (first == nil || !known.deeper(p.Verb)) && (verbLike.MatchString(words[next].Text) || first != nil && first.effects.Has(Runs)):
		spec := r.verbRow(p, known, p.Verb)
		p.meet(spec, words[next:next+1])
		p.Verb += " " + words[next].Text
		if spec.wrap >= 0 {
			rest = words
		}
		return rest, spec
	}
	return words, r.verbRow(p, known, p.Verb)
}

// verbLike is what an unknown program may have for a verb.
var verbLike = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_:-]{0,31}$`)

// deeper reports whether a verb has verbs of its own in the table.
func (r *row) deeper(verb string) bool {
	for name := range r.verbs {
		if strings.HasPrefix(name, verb+".") {
			return true
		}
	}
	return false
}

// verbRow gives the row of a verb together with what its program has, and its effects in
// place of the program's.
func (r *reader) verbRow(p *Part, known *row, verb string) *row {
	if v := known.verbs[verb]; v != nil && v.declared {
		p.Effects = p.Effects&^known.effects | v.effects
	}
	return known.below(verb)
}

// VerbEffects are what a program of the table does by a verb, or by the two of which the second is given; none where
// the table does not know them.
func VerbEffects(program, verb, second string) Effect {
	known := programs().rows[program]
	if known == nil || known.verbs == nil {
		return 0
	}
	if second != "" {
		if deeper := known.verbs[verb+"."+second]; deeper != nil {
			return deeper.effects
		}
	}
	if v := known.verbs[verb]; v != nil {
		return v.effects
	}
	return 0
}
