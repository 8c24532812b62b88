package risk

import (
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
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

// expansion is where a shell puts the value of a variable, in an indirect way behind "!": not its
// length, and not another text in the place of it.
var expansion = lazyregexp.New(`\$(?:([A-Za-z_]\w*)|\{(!?)([A-Za-z_]\w*)(\[[^\]]*\])?(?:[^+:\w\[]|:[^+]))`)

// addressName is that of a variable with the address of a database, in which its password stands.
var addressName = lazyregexp.New(`(?i)(database|db|pg|postgres(ql)?|mysql|mongo(db)?|redis|amqp|rabbitmq)_?(url|uri|dsn)\b`)

// looksForKeys is a pattern by which keys are looked for in an environment.
var looksForKeys = lazyregexp.New(`(?i)secret|token|passw|key|cred|auth|aws_`)

// shows judges a part that prints a variable whose name says that it is a secret, unless
// another program gets it.
func (l *lineJudge) shows(i int, parts []command.Part) {
	p := &parts[i]
	show := func(name string) {
		l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(name)), l.at(p.Span))
	}
	handed := i+1 < len(parts) && parts[i+1].Piped && !parts[i+1].Neutral
	if at := strings.Index(p.Text, "<<< "); at >= 0 && p.Effects.Has(command.Reads) && len(p.Writes) == 0 && !handed {
		switch given := p.Text[at+len("<<< "):]; {
		case strings.HasPrefix(given, hereComputed):
			if name := l.expands(); name != "" {
				show(name)
			}
		case !strings.HasPrefix(given, "'"):
			l.carried.each(given, show)
		}
	}
	switch p.Program {
	case "echo", "printf":
		if handed {
			return
		}
		for _, w := range p.Words {
			if !w.Literal {
				l.carried.each(w.Raw, show)
			}
		}
	case "ps":
		if slices.ContainsFunc(p.Operands, withEnvironment.MatchString) {
			show("ps e")
		}
	case "printenv", "env", "set", "export", "declare", "typeset":
		for _, name := range p.Operands {
			if (p.Program == "printenv" || slices.ContainsFunc(p.Options, prints.MatchString)) && namesValue(name) {
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
	notAll   = lazyregexp.New(`^(-|-[0v]*i.*|--(ignore-environment|version|help))$`) // env with no variable of its own
	prints   = lazyregexp.New(`^-[a-zA-Z]*p`)                                        // the one of declare that prints
	listsAll = lazyregexp.New(`^-[px]+$`)                                            // the options of export and declare that list
	// matchesOnly are options with which a filter prints no other line than those that it finds.
	matchesOnly = lazyregexp.New(`^-[cionqwxEF]+$`)
	// plainName is a pattern by which variables are looked for that hold no keys by their names.
	plainName = lazyregexp.New(`^\^?[A-Za-z0-9_]{4,}=?$`)
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

// hereComputed stands for a here-document in which a shell computes something.
const hereComputed = `"$HERE"`

// withEnvironment are letters of ps, without a dash, of which one shows the variables of each process.
var withEnvironment = lazyregexp.New(`^[a-zA-Z]*e[a-zA-Z]*$`)

// namesValue reports whether the name of a variable says that a secret is in it.
func namesValue(name string) bool {
	return secretName.MatchString(name) || addressName.MatchString(name) || strings.HasSuffix(name, "_KEY")
}

// carried are the variables of a line that have got the value of one that is named as a secret, and behind "!"
// those that have its name.
type carried map[string]bool

var (
	// given is a name that a line gives a value: by an assignment, a loop, or a word that reads one.
	given = lazyregexp.New(`(?:^|[\s;&|(])(?:([A-Za-z_]\w*)(?:\[[^\]\s]*\])?\+?=("[^"\n]*"|[^\s;&|)]*)|for\s+([A-Za-z_]\w*)\s+in\s([^;\n]*))`)
	// taken is what a shell keeps of the words of a command before: what a pattern found, and the last word.
	taken = lazyregexp.New(`\[\[[^\n]*=~|\$_|\$\{_|\bread\b[^<\n]*<<<`)
	reads = lazyregexp.New(`\bread((?:\s+[\w-]+)+)\s*<<<`)
)

// carriedIn looks for them in a text.
func carriedIn(text string) carried {
	names := len(text) <= shell.MaxText && strings.Contains(text, "$") && (strings.Contains(text, "_KEY") ||
		secretName.MatchString(text) || addressName.MatchString(text))
	if !names {
		return nil
	}
	var all carried
	secret := func(value string) (found bool) {
		all.each(value, func(string) { found = true })
		return found
	}
	note := func(name string) {
		if all == nil {
			all = carried{}
		}
		all[name] = true
	}
	for _, m := range given.FindAllStringSubmatch(text, -1) {
		name, value := m[1]+m[3], m[2]+m[4]
		if secret(value) {
			note(name)
		}
		for word := range strings.FieldsSeq(strings.Trim(value, `"'`)) {
			if plainWord.MatchString(word) && namesValue(word) {
				note("!" + name)
			}
		}
	}
	if taken.MatchString(text) && secret(text) {
		note("BASH_REMATCH")
		note("_")
		note("REPLY")
		for _, m := range reads.FindAllStringSubmatch(text, -1) {
			for name := range strings.FieldsSeq(m[1]) {
				note(name)
			}
		}
	}
	return all
}

// expands is a variable with a secret whose value a shell puts into something of the line, or "".
func (l *lineJudge) expands() string {
	if !l.looked {
		l.looked = true
		l.carried.each(l.text, func(name string) { l.expanded = name })
	}
	return l.expanded
}

// plainWord is a word with nothing but a name in it.
var plainWord = lazyregexp.New(`^[A-Za-z_]\w*$`)

// each gives the names of the variables whose values a shell puts into a text, and which have secrets.
func (c carried) each(text string, found func(name string)) {
	for _, m := range expansion.FindAllStringSubmatch(text, -1) {
		if name := m[1] + m[3]; namesValue(name) || c[name] || m[2] != "" && c["!"+name] {
			found(name)
		}
	}
}
