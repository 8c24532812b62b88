package risk

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
)

// taint notes what a part may have brought from the net, and where it, or a part that
// handles it further, has put it.
func (l *lineJudge) taint(p *command.Part) {
	asks := p.Effects.Has(command.Fetches|command.Sends) && !slices.Contains(launchers, p.Program) ||
		p.Stranger && strings.Contains(p.Text, "://")
	l.flows = asks || l.flows && p.Piped
	took := l.flows || slices.ContainsFunc(p.Files, func(f command.File) bool { return l.isFetched(f.Text) })
	if took && slices.Contains(openers, p.Program) {
		l.unpacks = true
	}
	if p.Program == "git" && p.Verb == "clone" && len(p.Operands) > 0 {
		folder := strings.TrimSuffix(path.Base(p.Operands[len(p.Operands)-1]), ".git")
		l.cloned = append(l.cloned, folder)
	}
	if !asks && !took {
		return
	}
	l.fetches = true
	for _, f := range p.Files {
		l.fetched = append(l.fetched, path.Base(f.Text))
	}
}

func (l *lineJudge) isFetched(word string) bool {
	return word != "" && slices.Contains(l.fetched, path.Base(word))
}

// openers take an archive apart.
var openers = strings.Fields("tar bsdtar unzip 7z 7za gunzip bunzip2 unxz cpio")

// scripts are interpreters whose verb is a file.
var scripts = append(strings.Fields("source . python pypy node nodejs deno bun tsx ts-node ruby perl php lua osascript"), shells...)

// runsFetched reports whether a part runs a file that a part before may have fetched: one
// that it has put there by its name, or one of an archive or repository of the net.
func (l *lineJudge) runsFetched(p *command.Part) bool {
	script := p.Verb
	switch {
	case p.Unusual:
		script = p.Path
	case !p.Effects.Has(command.Runs):
		return false
	}
	named := script != "" && !strings.HasPrefix(script, "-")
	file := p.Unusual || named && slices.Contains(scripts, strings.TrimRight(p.Program, "0123456789."))
	if l.fetches && (l.isFetched(script) || l.unpacks && file && !strings.HasPrefix(script, "/")) {
		return true
	}
	return file && slices.ContainsFunc(l.cloned, func(folder string) bool {
		return under(path.Join(p.Folder, script), folder) || path.Base(p.Folder) == folder || strings.Contains(script, "/"+folder+"/")
	})
}

// runsFromNet reports whether a part runs code that comes from the net, or may.
func (l *lineJudge) runsFromNet(p *command.Part) bool {
	named := p.Verb
	if p.Program == "npm" || p.Program == "pnpm" {
		named = launches.ReplaceAllString(named, "")
	}
	verb := strings.Contains(p.Verb, "://") || hosted.MatchString(named) && slices.Contains(launchers, p.Program)
	address := verb && p.Effects.Has(command.Runs) ||
		p.Code && p.Stranger && strings.Contains(p.Text, "://")
	unknown := p.Code && p.Effects.Has(command.Runs) && (p.Piped || p.Loose || p.Source == "")
	return p.Effects.Has(command.Remote) || address || unknown && l.network || l.runsFetched(p)
}

// launches are verbs by which package managers run a package.
var launches = lazyregexp.New(`^(exec|x|dlx) `)

// hosted is a package by the owner and the name of its repository.
var hosted = lazyregexp.New(`^[A-Za-z0-9][\w.-]*/[\w.-]+(#.*)?$`)

var shells = strings.Fields("sh bash dash zsh ksh mksh ash rbash posh yash fish csh tcsh nu elvish xonsh pwsh powershell")

var launchers = strings.Fields("npx bunx pnpx uvx pipx npm pnpm yarn bun deno")
