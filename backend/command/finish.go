package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// asksVersion reports whether the only word of a program asks which one it is, or how it
// is used.
func (p *Part) asksVersion(known *row) bool {
	if len(p.Words) != 1 || !p.Words[0].Literal || programs().rows[p.Program] == nil ||
		slices.ContainsFunc(silentFlags, func(flag string) bool { return known.flags[flag] }) {
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

// silentFlags are those of programs that are not asked which one they are.
var silentFlags = strings.Fields("shell lost opaque foreign neutral")

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
	computed := slices.ContainsFunc(p.Words, func(w shell.Word) bool { return !w.Literal && w.Splits })
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

// finished says what a part does once its words are sorted. All is whether the table knows
// all of them.
func (p Part) finished(spec *row, all bool) Part {
	beyond := spec.max >= 0 && len(p.Operands) > spec.max
	told := p.Program == "curl" || p.Program == "psql" // of which anything that is changed is an output
	if (p.Effects != 0 || told) && slices.ContainsFunc(p.Files, func(f File) bool { return spec.isOutput(f, told) }) {
		p.Effects |= Changes
	}
	if p.Program == "wget" && all && p.printsAll() {
		p.Effects &^= Changes
	}
	if spec.lists != nil && all && !p.Code && slices.ContainsFunc(p.Options, spec.listing) {
		p.Effects, beyond = Reads|p.Effects&Secrets, false
	}
	if strings.HasSuffix(p.Program, "tar") && p.remote() {
		p.Effects |= Fetches
	}
	if all = all && !beyond; p.Effects.Has(Reads) {
		switch {
		case !all, p.Code, spec.flags["sed"] && p.Effects.Has(Changes):
			p.Effects &^= Reads
		case spec.effects == Reads|Changes:
			p.Effects &^= Changes
		}
	}
	if spec.flags["loopback"] && p.Effects.Has(Sends) && p.loopback() {
		p.Effects = p.Effects&^Sends | Changes
	}
	switch {
	case p.Effects.Has(Destroys):
	case spec.flags["into"] && p.comes():
		if p.Effects = p.Effects&^Sends | Fetches; p.Operands[len(p.Operands)-1] != "-" {
			p.Effects |= Changes
		}
	case spec.flags["asks"] && all && !p.Code && p.Effects == Sends|Reads|Fetches:
		p.Effects &^= Sends
	case spec.flags["looks"] && p.looks():
		p.Effects = p.Effects&^Sends | Fetches
	}
	if p.Effects == Reads {
		for i := range max(0, len(p.Files)-p.redirected) {
			p.Files[i].Changed = false
		}
	}
	alone := len(p.Writes)+len(p.Inputs) == 0 && !p.Code && !p.Opaque && p.Effects == Reads
	p.Neutral = alone && (spec.flags["neutral"] || p.Piped && spec.filter >= len(p.Operands))
	return p
}

// isOutput reports whether a file is what an option writes that the row names for that, or whatever does where any is told.
func (r *row) isOutput(f File, told bool) bool {
	if !f.Changed || f.Text == "/dev/null" || f.Text == "-" || len(f.Option) < 2 || told {
		return told && f.Changed && f.Text != "/dev/null" && f.Text != "-"
	}
	letter := len(f.Option) == 2 && strings.Contains(r.out, f.Option[1:])
	return letter || r.writesTo(f.Option) || r.out != "" && outLong.MatchString(f.Option)
}

// remote reports whether tar is told to read an archive of another machine.
func (p *Part) remote() bool {
	return !slices.Contains(p.Options, "--force-local") && slices.ContainsFunc(p.Files, func(f File) bool {
		of := strings.HasPrefix(f.Option, "--f") || isBundle(f.Option) && strings.HasSuffix(f.Option, "f")
		return of && isKind(&shell.Word{Head: f.Text}, "<remote>")
	})
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

// hosts of one's own machine.
var own = lazyregexp.New(`^([a-z]+://)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#].*)?$`)

// looking are words of a program's verbs that ask for something.
var looking = strings.Fields("list ls show describe get status logs log info read whoami help version versions history tail ps")

// lookingAt is how such a word begins where it says what it looks at.
var lookingAt = lazyregexp.New(`^(list|get|describe|head|show|search|lookup|batch-get|filter|validate|check)-`)

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
		return slices.Contains(strings.Fields("cp rsync s3.cp s3.sync storage.cp storage.rsync"), strings.ReplaceAll(w, " ", "."))
	}))
	return copies && !slices.ContainsFunc(operands[1:], func(w string) bool { return w == "" || isKind(&shell.Word{Head: w}, "<remote>") })
}

// relays are options of curl by which another machine is asked than the one that is named.
var relays = lazyregexp.New(`^(-[A-Za-z#0-9]*[xK].*|--(proxy|preproxy|socks|url|connect-to|resolve|config|` +
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
