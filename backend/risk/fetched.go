package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
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

// asks are programs that put their words into what they send to a host of the net.
var asks = strings.Fields("curl wget http https xh nslookup dig host ping ping6 whois traceroute lynx w3m aria2c")

// tells are programs that print what files, or the environment, hold.
var (
	tells        = strings.Fields("cat head tail grep egrep sed awk base64 base32 xxd od hexdump gzip tar strings sort tac jq yq nl paste")
	contents     = strings.Fields("diff show cat-file archive grep")
	environments = strings.Fields("env printenv set export declare history")
)

// carries judges a part that puts what a file holds into an address or a name that it asks
// the net for.
func (l *lineJudge) carries(p *command.Part, parts []command.Part) {
	if !p.Loose || !slices.Contains(asks, p.Program) || !p.Effects.Has(command.Fetches|command.Sends) {
		return
	}
	for i := range parts {
		inner := &parts[i]
		if inner == p || inner.Start <= p.Start || inner.End > p.End {
			continue
		}
		if len(inner.Inputs) > 0 || slices.Contains(tells, inner.Program) && !inner.Neutral && len(inner.Files) > 0 ||
			slices.Contains(environments, inner.Program) || inner.Program == "git" && slices.Contains(contents, inner.Verb) {
			l.add(permission.RiskHigh, permission.RiskSendsData, permission.Param("name", short(p.Name)), l.at(p.Span))
		}
	}
}

// secretVariable is a word that the shell puts the value of a variable of such a name into.
var secretVariable = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)([^A-Za-z0-9_+:]|:-|$)`)

// looksForKeys is a pattern by which keys are looked for in an environment.
var looksForKeys = regexp.MustCompile(`(?i)secret|token|passw|key|cred|auth`)

// shows judges a part that prints a variable whose name says that it is a secret, unless
// another program gets it.
func (l *lineJudge) shows(i int, parts []command.Part) {
	p := &parts[i]
	show := func(name string) {
		l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(name)), l.at(p.Span))
	}
	switch p.Program {
	case "echo", "printf":
		if i+1 < len(parts) && parts[i+1].Piped && !parts[i+1].Neutral {
			return
		}
		for _, w := range p.Words {
			for _, found := range secretVariable.FindAllStringSubmatch(w.Raw, -1) {
				if !w.Literal && (secretName.MatchString(found[1]) || strings.HasSuffix(found[1], "_KEY")) {
					show(found[1])
				}
			}
		}
	case "printenv":
		for _, name := range p.Operands {
			if secretName.MatchString(name) {
				show(name)
			}
		}
	case "grep", "egrep", "rg", "awk":
		if l.takesNames && p.Piped && len(p.Operands) > 0 && secretPattern(strings.Trim(p.Operands[0], `^$\`)) {
			show(p.Operands[0])
		}
		printed := i > 0 && p.Piped && slices.Contains(environments, parts[i-1].Program)
		if printed && len(p.Operands) > 0 && looksForKeys.MatchString(p.Operands[0]) {
			show(p.Operands[0])
		}
	}
}
