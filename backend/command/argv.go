package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// program reads a program and its arguments, and also as they likely are.
func (r *reader) program(c call) {
	if r.cut && len(r.parts) > 0 {
		return
	}
	at := len(r.parts)
	r.asWritten(c)
	if at < len(r.parts) && slices.ContainsFunc(c.words, func(w shell.Word) bool { return w.Likely != "" }) {
		r.guess(at, c)
	}
}

// asWritten reads a program and its arguments.
func (r *reader) asWritten(c call) {
	first := c.words[0]
	p := r.part(c)
	p.Words, p.fed = c.words[1:], c.input
	p.Code = steers(c.assigns)
	if p.Text = r.rebuilt(c); c.wraps > maxWraps || !first.Literal || first.Text == "" {
		p.Opaque = true
		p.sort(&row{}, p.Words)
		r.add(p)
		return
	}
	p.named(first.Text)
	known := programs().program(p.Program)
	if known == nil || p.Unusual {
		r.stranger(p)
		return
	}
	r.known(p, known, c)
}

// rebuilt is the text of a part, unless there is too much of it.
func (r *reader) rebuilt(c call) string {
	work := 0
	for _, w := range c.words {
		work += len(w.Text) + len(w.Raw)
	}
	for _, redirect := range c.redirects {
		work += len(redirect)
	}
	if !r.spends(work/2 + perWord*len(c.words)) {
		r.stops("its parts are too long")
		return ""
	}
	return rebuild(c.assigns, c.words, c.redirects)
}

// stranger reads a program that is not in the table.
func (r *reader) stranger(p Part) {
	p.Stranger = true
	p.sort(&row{}, p.Words)
	name := strings.ToLower(path.Base(p.Program))
	switch {
	case r.funcs[p.Path]: // its parts are there already
		p.Effects, p.Neutral = p.Effects|Reads, len(p.Writes) == 0 && !p.Code
	case len(name) > maxName || strings.HasPrefix(p.Path, "/proc/") || strings.HasPrefix(p.Path, "/dev/"):
		p.Opaque = true
	case slices.ContainsFunc(namesIn(name), func(known string) bool { return programs().once[known] }):
		p.Code = true // it runs what its arguments name, and which of them is not known
	}
	at := slices.IndexFunc(p.Words, func(w shell.Word) bool { return !strings.HasPrefix(w.Known(), "-") })
	if at >= 0 && verbLike.MatchString(p.Words[at].Text) {
		p.Verb = p.Words[at].Text
		p.sort(&row{}, slices.Delete(slices.Clone(p.Words), at, at+1))
	}
	r.end(p)
}

// known reads a program of the table.
func (r *reader) known(p Part, known *row, c call) {
	p.Effects |= known.effects
	if c.loose && (p.Program == "rm" || p.Program == "truncate") { // of all files that another program finds
		p.Effects |= Destroys
	}
	p.Opaque = known.flags["opaque"]
	if p.asksVersion(known) {
		p.Effects = Reads
		p.Options = []string{p.Words[0].Text}
		r.end(p.finished(known, true))
		return
	}
	args := p.Words
	spec := known
	if known.flags["verbs"] {
		args, spec = r.verb(&p, known)
	}
	switch {
	case known.flags["foreign"]: // nothing is known of it here
		p.Effects, p.Stranger, p.Code = 0, true, p.Code || programs().once[p.Program]
	case spec.wrap >= 0:
		r.wrapped(p, spec, args, c)
		return
	}
	switch {
	case execs[p.Program] != nil:
		args = withoutExecs(p.Program, parted(p.Program, args))
	case strings.HasSuffix(p.Program, "tar") && len(args) > 0: // takes its first bundle without a dash
		args = append([]shell.Word{args[0].Dashed()}, args[1:]...)
	}
	ok := p.sort(spec, args)
	if known.flags["verbs"] {
		_, sure := known.operandAt(p.Words, 0)
		ok = ok && sure
	}
	p.Chooses = p.Chooses || known.flags["target"] && len(p.Operands) > 0 // further targets
	if r.moves(&p, known); !known.flags["script"] {
		p.meet(known, p.sending())
	}
	if spec != known {
		p.meet(spec, args)
	}
	r.setsBy(&p)
	switch {
	case p.Program == "su":
		r.user(p, c)
		return
	case known.flags["shell"]:
		r.shell(p, c)
		return
	case known.flags["script"]:
		p.script(r, known, c)
	case spec.sql != nil:
		p.query(spec, c)
	case known.sql != nil:
		p.query(known, c)
	case known.flags["awk"], known.flags["sed"]:
		p.filterText(known)
	case known.flags["jq"]:
		p.loads()
	case p.Program == "git" && strings.HasPrefix(p.Verb, "config"):
		p.setsGit()
	case p.Program == "git" && p.keeps():
		p.Effects &^= Destroys
	}
	if p.prints() {
		p.Loose = c.loose
	}
	if p = p.finished(spec, ok); len(args) > 0 && len(p.Options) > 0 && p.Options[0] == "-"+p.Words[0].Text {
		p.Options[0] = p.Words[0].Text // the letters of tar, as they are written
	}
	r.end(p)
	r.here.lost = r.here.lost || known.flags["lost"]
	switch {
	case execs[p.Program] != nil:
		r.execs(p, c)
	case p.Program == "trap":
		r.traps(p, c)
	}
}

// usual are the folders where programs lie.
var usual = strings.Fields("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin")

// named sets what a part's program is called: its base name, or all of it where that would
// be the name of another one.
func (p *Part) named(word string) {
	base := path.Base(word)
	p.Path, p.Program = word, word
	elsewhere := base != word && !slices.Contains(usual, path.Dir(word)) || strings.Contains(word, "/..")
	p.Unusual = elsewhere || strings.ContainsAny(word, " \t\n\\")
	if !p.Unusual {
		p.Program = base
	}
}

// rebuild writes a part from its words, quotes and backslashes read: reading it again
// gives this part.
func rebuild(assigns []Assign, words []shell.Word, redirects []string) string {
	size := 0
	for _, w := range words {
		size += len(w.Text) + 3
	}
	var all strings.Builder
	all.Grow(size)
	add := func(name, text string) {
		if all.Len() > 0 {
			all.WriteByte(' ')
		}
		all.WriteString(name)
		all.WriteString(text)
	}
	for _, a := range assigns {
		add(a.Name+"=", a.Value.Written())
	}
	for i, w := range words {
		text := w.Written()
		if i == 0 && len(text) > 0 && w.Literal && text == w.Text && (shell.IsReserved(text) || strings.Contains(text, "=")) {
			text = "'" + text + "'"
		}
		add("", text)
	}
	for _, text := range redirects {
		add("", text)
	}
	return all.String()
}
