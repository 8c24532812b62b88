package risk

import (
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/shell"
)

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

// addressName is that of a variable with the address of a database, in which its password stands.
var addressName = regexp.MustCompile(`(?i)(database|db|pg|postgres(ql)?|mysql|mongo(db)?|redis|amqp|rabbitmq)_?(url|uri|dsn)\b`)

// looksForKeys is a pattern by which keys are looked for in an environment.
var looksForKeys = regexp.MustCompile(`(?i)secret|token|passw|key|cred|auth|aws_`)

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
				if !w.Literal && (secretName.MatchString(found[1]) || addressName.MatchString(found[1]) || strings.HasSuffix(found[1], "_KEY")) {
					show(found[1])
				}
			}
		}
	case "printenv", "env", "set", "export", "declare", "typeset":
		for _, name := range p.Operands {
			if p.Program == "printenv" && (secretName.MatchString(name) || addressName.MatchString(name)) {
				show(name)
			}
		}
		if showsAll(p) && !narrowed(parts[i+1:]) {
			show(p.Name)
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

// showsAll reports whether a part prints all variables that it has.
func showsAll(p *command.Part) bool {
	switch p.Program {
	case "printenv":
		return len(p.Operands) == 0
	case "env":
		return !slices.ContainsFunc(p.Words, func(w shell.Word) bool { return notAll.MatchString(w.Text) })
	case "set":
		return len(p.Words) == 0
	}
	return !slices.ContainsFunc(p.Words, func(w shell.Word) bool { return !listsAll.MatchString(w.Text) })
}

var (
	notAll   = regexp.MustCompile(`^(-|-[0v]*i.*|--(ignore-environment|version|help))$`) // env with no variable of its own
	listsAll = regexp.MustCompile(`^-[px]+$`)                                            // the options of export and declare that list
	// matchesOnly are options with which a filter prints no other line than those that it finds.
	matchesOnly = regexp.MustCompile(`^-[cionqwxEF]+$`)
	// plainName is a pattern by which variables are looked for that hold no keys by their names.
	plainName = regexp.MustCompile(`^\^?[A-Za-z0-9_]{4,}=?$`)
	// namesAlone is what takes the values off a list of variables.
	namesAlone = []string{"cut -d=-f1", "awk -F={print $1}", "sed s/=.*//", "wc", "wc -l"}
)

// narrowed reports whether what a part prints comes to a filter that lets variables of harmless
// names through, or names alone.
func narrowed(next []command.Part) bool {
	for i := range next {
		p := &next[i]
		if !p.Piped || !p.Neutral {
			return false
		}
		if slices.Contains(namesAlone, strings.TrimSpace(p.Program+" "+strings.Join(append(slices.Clone(p.Options), p.Operands...), ""))) {
			return true
		}
		others := slices.ContainsFunc(p.Options, func(o string) bool { return !matchesOnly.MatchString(o) })
		if slices.Contains(searchers, p.Program) && !others && len(p.Operands) == 1 {
			name := p.Operands[0]
			return plainName.MatchString(name) && !looksForKeys.MatchString(name) && !addressName.MatchString(name)
		}
	}
	return false
}
