package risk

import (
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
)

// inside judges the texts of a part that name secrets: files in code, and values that the
// line sets.
func (l *lineJudge) inside(p *command.Part) {
	source := p.Source
	if source == "" && p.Code {
		var words strings.Builder
		for _, w := range p.Words {
			words.WriteString(w.Known())
			words.WriteByte('\n')
		}
		source = words.String()
	}
	if source != "" && len(source) <= maxPath {
		writes := writing.MatchString(source)
		for word := range strings.FieldsFuncSeq(source, func(r rune) bool { return strings.ContainsRune("\"'`()[]{}<>| \t\n,;", r) }) {
			if strings.ContainsAny(word, "./") && secret(word) {
				l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(word)), l.at(p.Span))
			}
			databases := slices.Contains(databases, p.Program)
			if databases && writes && strings.HasPrefix(word, "/") && system(word) {
				l.add(permission.RiskHigh, permission.RiskSystem, permission.Param("path", short(word)), l.at(p.Span))
			}
			if at := resolve(word, p.Folder, l.folder, l.Cwd); writes && strings.ContainsAny(word, "./") && steers(at) {
				l.add(permission.RiskHigh, permission.RiskSteers, permission.Param("path", short(word)), l.at(p.Span))
			}
		}
	}
	for _, a := range p.Assigns {
		l.sets(p, a.Name, a.Value.Text)
	}
	for _, w := range p.Words {
		if name, value, set := strings.Cut(w.Text, "="); set {
			l.sets(p, name, value)
		}
	}
}

// sets judges a value that is given a name.
func (l *lineJudge) sets(p *command.Part, name, value string) {
	random := len(value) >= 16 && strings.ContainsAny(value, "0123456789") && !strings.ContainsAny(value, " ./:$")
	amazon := len(value) == 40 && strings.HasSuffix(name, "SECRET_ACCESS_KEY")
	if len(name) < 64 && (random && secretName.MatchString(name) || amazon) && !placeholder(value) {
		l.add(permission.RiskHigh, permission.RiskKeyValue, permission.Param("kind", short(name)), l.at(p.Span))
	}
}

// writing is what a text that writes a file has in it.
var writing = lazyregexp.New(`(?i)write|append|copy|rename|move|replace|dump|outfile|truncate|create|spew|output|once|backup|save|into|` +
	`>|\\(o|g|gx|w|s)\s|["'][wa]b?\+?["']|\bw\b`)
