package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/filter"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// look reads the strings of code as lines: what one would destroy or send, the code may. Those
// that stand in a list are read as one line too.
func (p *Part) look(r *reader) {
	var list strings.Builder
	last, count := -1, 0
	joined := func() {
		if count > 1 && list.Len() < 4096 {
			p.Effects |= r.gravest(list.String()) & graveCode
		}
	}
	filter.StringsIn(p.Source, func(start, end int) {
		text := strings.TrimLeft(p.Source[start+1:end-1], "| ") // behind a stroke a program may stand
		if count > 0 && strings.Trim(p.Source[last:start], ", \n\t") == "" {
			list.WriteByte(' ')
		} else {
			joined()
			list.Reset()
			count = 0
		}
		if last, count = end, count+1; list.Len() < 4096 {
			list.WriteString(text)
		}
		if len(text) < 4096 {
			p.Effects |= r.gravest(text) & graveCode
		}
		if count&(count-1) == 0 {
			joined()
		}
	})
	joined()
}

// maxBehind bounds the words behind which a program may stand.
const maxBehind = 8

// lookBehind reads the words of a part that runs a program or a text which they name: as a
// line of that program, and each text in them as a line.
func (p *Part) lookBehind(r *reader) {
	for i, w := range p.Words[:min(len(p.Words), maxBehind)] {
		name, _, _ := strings.Cut(path.Base(w.Text), "@")
		if w.Literal && programs().rows[name] != nil && !strings.HasPrefix(w.Text, "-") && r.looks(8*len(p.Words)) {
			r := reader{nesting: r.nesting, plain: true, depth: maxDepth - 1}
			r.argv(call{words: append([]shell.Word{shell.Plain(name)}, p.Words[i+1:]...)})
			for i := range r.parts {
				if p.Code {
					p.may(&r.parts[i])
				}
				p.Effects |= r.parts[i].Effects & graveCode
			}
		}
	}
}

// between are the marks that part the texts of an option, a script or a setting.
const between = "=\"'`!|()[]{}%,;\n\\"

// hands are words that hand a text to a shell.
var hands = lazyregexp.New(`^(-{1,2}[A-Za-z])?[\s:@+.0-9/*-]*((shell|system|spawn|exec|execute|do|call|platform|ext::|e|r|q|w)\s+)*`)

// shellLike are interpreters whose scripts are lines, and unmistakable is how one begins in
// a script of another language, the words of which may be names of programs too.
var (
	shellLike    = strings.Fields("fish csh tcsh nu elvish xonsh pwsh powershell cmd osascript expect")
	unmistakable = lazyregexp.New(`^(rm|git|sudo|curl|wget|dd|mkfs\.\w+|terraform|kubectl|docker|npm|scp|shred) +[a-z-]`)
)

// lookInside reads the texts in the words and the assignments of a part, and of its
// source, as lines.
func (p *Part) lookInside(r *reader) {
	row := programs().rows[p.Program]
	script := row != nil && row.flags["script"] && !slices.Contains(shellLike, p.Program)
	texts := []string{p.Source}
	for _, a := range p.Assigns {
		texts = append(texts, a.Value.Known())
	}
	for _, w := range p.Words {
		texts = append(texts, w.Known())
	}
	marks := between
	if row != nil && row.flags["sed"] {
		marks += "/"
	}
	for _, text := range texts {
		if len(text) > 4096 || !strings.ContainsAny(text, " \t") || !r.looks(len(text)/8-perLook) {
			continue
		}
		p.Effects |= r.gravest(text) & graveCode
		if slices.Contains(handing, p.Program) && r.looks(len(text)) {
			for _, inner := range r.plainly(text) {
				p.may(&inner)
			}
		}
		for fragment := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
			if !strings.Contains(fragment, " ") || !r.looks(perFragment-perLook) {
				continue
			}
			fragment = fragment[len(hands.FindString(fragment)):]
			if strings.Contains(fragment, " ") && (!script || unmistakable.MatchString(fragment)) {
				p.Effects |= r.gravest(fragment) & graveCode
			}
		}
	}
}

// gravest joins what the parts of a text in code would do.
func (r *reader) gravest(text string) (effects Effect) {
	if !mayBeGrave(text) || !r.looks(len(text)) {
		return 0
	}
	for _, inner := range r.plainly(text) {
		effects |= inner.Effects
	}
	if isSQL(text) {
		sql, _ := SQL(text)
		effects |= sql
	}
	return effects
}

// plainly reads a text in code as a line, and looks for no more inside it.
func (r *reader) plainly(text string) []Part {
	plain := reader{nesting: r.nesting, plain: true, depth: maxDepth - 1}
	plain.text(place{}, text, call{})
	r.looked += perLook * max(0, len(plain.parts)-1)
	return plain.parts
}

// handing are programs that hand words of theirs to a shell.
var handing = strings.Fields("watch script parallel tmux screen npx bunx pnpx entr flock watchexec nodemon onchange hyperfine concurrently make gmake")

// mayBeGrave reports whether a text may name a program that destroys, sends, raises rights or
// fetches, or is a statement that destroys.
func mayBeGrave(text string) bool {
	if strings.ContainsAny(text, "\\'\"$`{*?") || strings.Contains(text, "/dev/") || isSQL(text) {
		return true
	}
	from := -1
	for i := range len(text) + 1 {
		word := i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9' || text[i] >= 'A' && text[i] <= 'Z' ||
			text[i] >= 0x80 || strings.IndexByte("-_.+[:", text[i]) >= 0)
		switch {
		case word && from < 0:
			from = i
		case !word && from >= 0:
			if programs().isGrave(text[from:i]) {
				return true
			}
			from = -1
		}
	}
	return false
}

// end adds a part that nothing more is to be said of.
func (r *reader) end(p Part) {
	if p.Name = p.Program; p.Verb != "" {
		p.Name += " " + p.Verb
	}
	if known := programs().rows[p.Program]; known != nil && known.flags["behind"] && !r.plain && !p.Unusual {
		p.lookBehind(r)
	}
	given := p.Piped || p.fed != nil || len(p.Inputs) > 0
	if given && p.Program == "ssh" {
		p.Effects |= Sends
	}
	p.Code = p.Code || given && (p.Program == "ed" || p.Program == "ex")
	if p.Code && p.Source == "" && p.fed != nil {
		p.Source = *p.fed
	}
	if p.Code && !r.plain {
		if r.spends(len(p.Source) + len(p.Text)) {
			p.look(r)
			if p.Source == "" {
				p.lookBehind(r)
			}
			p.lookInside(r)
		} else {
			r.doubt("it has too much code")
		}
	}
	r.add(p)
}
