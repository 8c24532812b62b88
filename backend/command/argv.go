package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// argv reads a program and its arguments.
func (r *reader) argv(c call) {
	if r.cut && len(r.parts) > 0 {
		return
	}
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

// verbLike is what an unknown program may have for a verb.
var verbLike = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_:-]{0,31}$`)

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
	at := slices.IndexFunc(p.Words, func(w Word) bool { return !strings.HasPrefix(w.known(), "-") })
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
	case known.flags["foreign"]:
		p.Effects = 0
	case spec.wrap >= 0:
		r.wrapped(p, spec, args, c)
		return
	}
	switch {
	case p.Program == "find":
		args = withoutExecs(args)
	case strings.HasSuffix(p.Program, "tar") && len(args) > 0: // takes its first bundle without a dash
		args = append([]Word{args[0].dashed()}, args[1:]...)
	}
	ok := p.sort(spec, args)
	if known.flags["verbs"] {
		_, sure := known.operandAt(p.Words, 0)
		ok = ok && sure
	}
	p.Chooses = p.Chooses || known.flags["target"] && len(p.Operands) > 0 // further targets
	if r.moves(&p, known); !known.flags["script"] {
		p.meet(known, p.Words)
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
		p.script(known, c)
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
	case p.Program == "find":
		r.execs(p, c)
	case p.Program == "trap":
		r.traps(p, c)
	}
}

// traps reads the text that trap has run later.
func (r *reader) traps(p Part, c call) {
	words := p.Words
	if len(words) > 0 && words[0].known() == "--" {
		words = words[1:]
	}
	switch {
	case len(words) < 2 || words[0].known() == "-" || strings.HasPrefix(words[0].known(), "-l"):
	case words[0].Literal:
		r.apart(false, func() { r.nested(words[0], c) })
	default:
		r.doubt("it is not known what trap runs")
	}
}

// asksVersion reports whether the only word of a program asks which one it is, or how it
// is used.
func (p *Part) asksVersion(known *row) bool {
	other := programs().rows[p.Program] == nil ||
		slices.ContainsFunc(strings.Fields("shell lost opaque foreign neutral"), func(flag string) bool { return known.flags[flag] })
	if len(p.Words) != 1 || !p.Words[0].Literal || other {
		return false
	}
	tools := known.flags["verbs"] || known.flags["script"] || known.effects.Has(Runs)
	switch text := p.Words[0].Text; text {
	case "--version", "--help":
		return tools || !known.effects.Has(Destroys|Raises|Sends)
	case "version":
		return known.flags["verbs"] && known.effects == 0 && known.verbs[text] == nil
	default:
		return slices.Contains(versionWords[text], p.Program)
	}
}

// versionWords are the words that ask a program which one it is, and the programs to which
// they mean that and nothing else.
var versionWords = map[string][]string{
	"-v": strings.Fields("node nodejs ruby perl php fish npm pnpm yarn docker git eslint tsc prettier jest vitest cypress stylelint make gcc g++ cc clang"),
	"-V": strings.Fields("python python2 python3 pypy pypy3 perl cargo rustc just playwright curl ssh wget pytest uv pip pip3 ruff black mypy"),
	"-h": strings.Fields("node nodejs python python2 python3 pypy pypy3 ruby perl php"), "-version": strings.Fields("terraform tofu ant gcc clang"),
}

// prints reports whether a part only prints or compares its words, whatever the shell puts
// into them.
func (p *Part) prints() bool {
	computed := slices.ContainsFunc(p.Words, func(w Word) bool { return !w.Literal && w.cut })
	switch p.Program {
	case "echo":
		return true
	case "printf":
		return len(p.Words) > 0 && p.Words[0].Literal && !isBundle(p.Words[0].Text)
	case "test", "[":
		return !computed && !slices.ContainsFunc(p.Options, func(o string) bool { return o == "-v" || o == "-R" })
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

// finished says what a part does once its words are sorted. All is whether the table knows
// all of them.
func (p Part) finished(spec *row, all bool) Part {
	beyond := spec.max >= 0 && len(p.Operands) > spec.max
	told := p.Program == "curl" || p.Program == "psql"
	if told && slices.ContainsFunc(p.Files, func(f File) bool { return f.Changed && f.Text != "/dev/null" && f.Text != "-" }) {
		p.Effects |= Changes
	}
	if p.Program == "wget" && all && p.printsAll() {
		p.Effects &^= Changes
	}
	if spec.lists != nil && all && !p.Code && slices.ContainsFunc(p.Options, spec.listing) {
		p.Effects, beyond = Reads, false
	}
	if all = all && !beyond; p.Effects.Has(Reads) {
		switch {
		case !all, p.Code:
			p.Effects &^= Reads
		case spec.effects == Reads|Changes:
			p.Effects &^= Changes
		}
	}
	if spec.flags["loopback"] && p.Effects.Has(Sends) && p.loopback() {
		p.Effects = p.Effects&^Sends | Changes
	}
	if !p.Effects.Has(Destroys) && (spec.flags["looks"] && p.looks() || spec.flags["into"] && p.comes()) {
		p.Effects = p.Effects&^Sends | Fetches
	}
	alone := len(p.Writes) == 0 && !p.Code && !p.Opaque && p.Effects == Reads
	p.Neutral = alone && spec.flags["neutral"] || alone && p.Piped && spec.filter >= len(p.Operands) && len(p.Inputs) == 0
	return p
}

// printsAll reports whether a part names where its output goes, and prints all of it.
func (p *Part) printsAll() bool {
	printed := 0
	for _, f := range p.Files[:max(0, len(p.Files)-p.redirected)] {
		switch {
		case f.Changed && f.Text == "-":
			printed++
		case f.Changed:
			return false
		}
	}
	return printed > 0
}

// meet adds what the table says of words.
func (p *Part) meet(known *row, words []Word) {
	if strings.HasSuffix(p.Program, "tar") && len(words) > 0 { // which takes its first bundle without a dash
		words = append([]Word{words[0].dashed()}, words...)
	}
	ends := slices.IndexFunc(words, func(w Word) bool { return w.Literal && w.Text == "--" })
	for _, a := range known.adds {
		for i, w := range words {
			if ends >= 0 && i > ends && strings.HasPrefix(w.known(), "-") {
				continue
			}
			next := Word{}
			if i+1 < len(words) {
				next = words[i+1]
			}
			if slices.ContainsFunc(a.triggers, func(t trigger) bool { return t.met(w) || t.metApart(w, next) }) {
				p.Effects, p.Code, p.Chooses = p.Effects|a.effects, p.Code || a.code, p.Chooses || a.chooses
				break
			}
		}
	}
}

// sort tells the options among the words from the operands. It is false if there is an
// option that the table does not know.
func (p *Part) sort(spec *row, args []Word) bool {
	p.Options, p.Operands = nil, nil
	redirected := p.Files[max(0, len(p.Files)-p.redirected):]
	var operands []Word
	var values []File
	defer func() {
		written := spec.outputs(args)
		p.Files = slices.Concat(spec.filesOf(p, operands), values, written, spec.follow(p, written, operands), redirected)
	}()
	ok := spec.options != nil
	for _, w := range p.Words {
		p.Loose, p.Glob = p.Loose || !w.Literal && !w.Glob, p.Glob || w.Glob
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch kind, following := spec.kindOf(w); {
		case w.Literal && w.Text == "--":
			for _, w := range args[i+1:] {
				p.Operands, operands = append(p.Operands, w.Text), append(operands, w)
			}
			return ok
		case kind == operand:
			p.Operands, operands = append(p.Operands, w.Text), append(operands, w)
		default:
			ok = ok && (kind == option || spec.texts > 0)
			p.Options = append(p.Options, w.Text)
			if name, value, attached := spec.attached(w); attached {
				values = append(values, File{Text: value, Option: name})
			}
			for ; following > 0 && i+1 < len(args); following-- {
				i++
				p.Options = append(p.Options, args[i].Text)
				values = append(values, File{Text: args[i].shown(), Option: w.Text})
			}
		}
	}
	return ok
}

// attached gives the value that stands in the same word as its option.
func (r *row) attached(w Word) (name, value string, ok bool) {
	text := w.shown()
	if strings.HasPrefix(text, "--") || r.flags["single"] {
		return strings.Cut(text, "=")
	}
	for i := 1; i < len(text)-1; i++ {
		if name := "-" + text[i:i+1]; r.options[name] > bare {
			return name, strings.TrimPrefix(text[i+1:], "="), true
		}
	}
	return "", "", false
}

// patterns are options in the place of which a filter takes an operand for its pattern.
var patterns = regexp.MustCompile(`^(-[a-zA-Z0-9]*[ef].*|--regexp.*|--expression.*|--file.*)$`)

// filesOf gives those operands that may name files: not the patterns and programs of
// filters, nor the texts of echo.
func (r *row) filesOf(p *Part, operands []Word) (files []File) {
	texts := max(r.filter, r.texts, 0)
	if texts == 1 && slices.ContainsFunc(p.Options, patterns.MatchString) {
		texts = 0
	}
	for i := texts; i < len(operands); i++ {
		last := i == len(operands)-1
		files = append(files, File{Text: operands[i].shown(), Changed: r.flags["edits"] || r.flags["copies"] && last})
	}
	return files
}

// wordKind is what a word is to a program.
type wordKind int

const (
	operand wordKind = iota
	option           // that the table knows
	strange          // one that it does not
)

// kindOf says what a word is, and how many words behind it are its value.
func (r *row) kindOf(w Word) (kind wordKind, values int) {
	if !w.Literal {
		name, _, value := strings.Cut(w.known(), "=")
		switch {
		case value && strings.HasPrefix(name, "--") && r.options[name] > bare:
			return option, 0
		case strings.HasPrefix(w.known(), "-"):
			return strange, 0
		}
		return operand, 0
	}
	if len(w.Text) < 2 || w.Text[0] != '-' {
		return operand, 0
	}
	if r.options == nil {
		return strange, 0
	}
	if strings.HasPrefix(w.Text, "--") || r.flags["single"] {
		name, _, value := strings.Cut(w.Text, "=")
		switch r.options[name] {
		case required:
			if !value {
				return option, 1
			}
			return option, 0
		case optional:
			return option, 0
		case bare:
			if !value {
				return option, 0
			}
		}
		return strange, 0
	}
	for i := 1; i < len(w.Text); i++ {
		switch r.options["-"+w.Text[i:i+1]] {
		case required:
			if i+1 == len(w.Text) {
				return option, 1
			}
			return option, 0
		case optional:
			return option, 0
		case 0:
			return strange, 0
		}
	}
	return option, 0
}

// verb finds the verb of a program, and gives the words behind it and the row of it.
func (r *reader) verb(p *Part, known *row) ([]Word, *row) {
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
		p.Verb += " " + words[next].Text
		if spec.wrap >= 0 {
			rest = words
		}
		return rest, spec
	}
	return words, r.verbRow(p, known, p.Verb)
}

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

// operandAt gives the place of the first operand from a word on, or -1. It is not sure
// behind an option that the table does not know.
func (r *row) operandAt(words []Word, from int) (at int, sure bool) {
	sure = true
	for i := from; i < len(words); i++ {
		kind, values := r.kindOf(words[i])
		if words[i].Text == "--" || kind == strange && strings.Contains(words[i].Text, "=") {
			continue
		}
		if kind == operand && !(r.flags["target"] && strings.Contains(words[i].known(), "=")) {
			return i, sure
		}
		sure = sure && kind == option
		i += values
	}
	return -1, sure
}

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

// hosts of one's own machine.
var own = regexp.MustCompile(`^([a-z]+://)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#].*)?$`)

// looking are words of a program's verbs that ask for something.
var looking = strings.Fields("list ls show describe get status logs log info read whoami help version versions history tail ps")

// lookingAt is how such a word begins where it says what it looks at.
var lookingAt = regexp.MustCompile(`^(list|get|describe|head|show|search|lookup|batch-get|filter|validate|check)-`)

// looks reports whether a word of a part that acts on another machine says that it only
// asks for something.
func (p *Part) looks() bool {
	words := []string{p.Verb[strings.LastIndexByte(p.Verb, ' ')+1:]}
	if len(p.Operands) > 0 {
		words = append(words, p.Operands[0])
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(looking, w) || lookingAt.MatchString(w) })
}

// comes reports whether a part that copies between machines copies to its own.
func (p *Part) comes() bool {
	operands := p.Operands
	if len(operands) > 0 && slices.Contains(strings.Fields("cp rsync sync mv"), operands[0]) {
		operands = operands[1:]
	}
	n := len(operands)
	copies := n >= 2 && (p.Program == "rsync" || slices.ContainsFunc(append([]string{p.Verb}, p.Operands[0]), func(w string) bool {
		return w == "cp" || w == "s3 cp" || w == "s3 sync" || w == "rsync"
	}))
	return copies && !slices.ContainsFunc(operands[1:], func(w string) bool { return w == "" || plainWord(w).kind("<remote>") })
}

// relays are options of curl by which another machine is asked than the one that is named.
var relays = regexp.MustCompile(`^(-[A-Za-z#0-9]*[xK].*|--(proxy|preproxy|socks|url|connect-to|resolve|config|` +
	`doh-url|dns|haproxy|unix-socket|abstract|next).*)$`)

// loopback reports whether a part that sends does so to its own machine alone.
func (p *Part) loopback() bool {
	if p.relayed {
		return false
	}
	for _, w := range p.Options {
		if w == "" || relays.MatchString(w) {
			return false
		}
	}
	var hosts int
	for _, f := range p.Files[:max(0, len(p.Files)-p.redirected)] {
		switch host := strings.ToLower(f.Text); {
		case f.Option != "" || strings.Trim(host, "0123456789") == "":
		case !own.MatchString(host):
			return false
		default:
			hosts++
		}
	}
	return hosts > 0
}
