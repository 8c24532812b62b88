package advice

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// term is what a rule says of a part: its name, what it does as far as the table knows, and
// a bound of its words.
type term struct {
	name    string
	text    string   // of a part that is pinned word for word
	effects []string // nil: the risk of the call says it
	bound   string   // in CEL, of the part p
	at      []string // hosts
	bind    bool     // it has these options only, in any order
	options []string
}

type terms []term

// terms are what a rule in a folder ("" is any) says of the parts of the line, or nil where
// a part cannot be spoken of.
func (s *subject) terms(folder string) terms {
	var list terms
	for i := range s.parts {
		t, ok := s.term(&s.parts[i], folder)
		if !ok {
			return nil
		}
		list, _ = list.with(t)
	}
	if len(list) > maxTerms {
		return nil
	}
	return list
}

// with adds a term, and says where it stands: one that differs in its options alone takes them too.
func (ts terms) with(t term) (terms, int) {
	at := slices.IndexFunc(ts, func(other term) bool {
		return other.key() == t.key() && (!t.bind || len(unite(other.options, t.options)) <= maxListed || subset(t.options, other.options))
	})
	if at < 0 {
		return append(ts, t), len(ts)
	}
	ts[at].options = unite(ts[at].options, t.options)
	return ts, at
}

// unite gives the words of both lists, each once.
func unite(a, b []string) []string {
	list := slices.Clone(a)
	for _, word := range b {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

func subset(a, of []string) bool { return len(unite(of, a)) == len(of) }

// limits are what the term says beside its name and effects.
func (t *term) limits() string {
	switch {
	case !t.bind:
		return t.bound
	case len(t.options) == 0:
		return and(t.bound, "p.options == []")
	}
	return and(t.bound, "p.options.all(o, o in "+quoteAll(t.options)+")")
}

// key tells terms apart that differ in more than their options.
func (t *term) key() string { return t.name + "\x00" + strings.Join(t.effects, " ") + "\x00" + t.bound }

// term says how a part is spoken of. What only reads, in a line of low risk, goes by its
// name; of what asks the network or changes files, where or in which folder is bound; what
// nothing is known of, or what asks a database to change, is pinned word for word. What runs the
// code of a project, and verbs that change something, are held to the words that say which code
// runs and to options that the desk knows; other programs that change files to the options of the
// call, since one may name a file, too.
func (s *subject) term(p *command.Part, folder string) (t term, ok bool) {
	if p.Name == "" {
		return t, false
	}
	t.name = p.Name
	if s.Risk == permission.RiskLow {
		return t, true
	}
	t.effects = p.Effects.Names()
	switch {
	case s.carries(p):
		if t, ok = s.chosen(t, p, folder); !ok {
			t, ok = s.exactly(t, p, folder)
		}
		t.bound = and(t.bound, "shell("+field(s.order.Key)+").parts.size() > 1") // alone it may wait for what to run
		return t, ok
	case pinned(p):
		return s.exactly(t, p, folder)
	case p.Effects.Has(command.Runs), p.Effects.Has(command.Changes) && (p.Verb != "" || p.Program == "sed") && !namesNoFiles(p):
		return s.chosen(t, p, folder)
	}
	if p.Effects&^(command.Reads|command.Fetches) != 0 {
		if t.bind, t.options = true, unite(nil, p.Said()); slices.Contains(t.options, "") {
			return t, false
		}
	}
	switch {
	case slices.ContainsFunc(p.Operands, func(o string) bool { return strings.Contains(o, "://") }):
		return s.hosted(t, p, folder)
	case p.Effects.Has(command.Changes) && namesNoFiles(p):
		return s.exactly(t, p, folder)
	case p.Effects.Has(command.Fetches) && slices.Contains(addressed[:5], p.Program):
		return s.exactly(t, p, folder)
	case p.Effects.Has(command.Changes):
		t.bound = s.inside("p.operands", p.Operands, folder)
	case p.Effects == command.Reads:
		t.bound = s.inside("p.operands", p.Operands, folder)
	}
	return s.written(t, p, folder)
}

// written bounds the files that a part writes by redirection, beside what bounds it already:
// "-" is what cannot be said.
func (s *subject) written(t term, p *command.Part, folder string) (term, bool) {
	if t.bound == "-" {
		return s.exactly(t, p, folder)
	}
	if len(p.Writes) == 0 && !p.Effects.Has(command.Runs) {
		return t, true // what runs a project's code may write there anyway
	}
	writes := s.inside("p.writes", p.Writes, folder)
	t.bound = and(t.bound, writes)
	return t, writes != "-"
}

// chosen holds a part to the words that say which code it runs, to options that the desk knows,
// and to files in the folder.
func (s *subject) chosen(t term, p *command.Part, folder string) (term, bool) {
	words, known := p.Unlisted()
	if !known || len(words) > maxListed {
		return t, false
	}
	t.bound = "p.chosen == " + quoteAll(words)
	for _, held := range []struct {
		member string
		files  []string
	}{{"p.operands", p.Operands}, {"p.changes", p.Changes()}} {
		if held.member == "p.operands" && (p.Effects.Has(command.Runs) || p.Program == "sed") {
			continue // they are among the words that are chosen, or name files in the folder, or are what the desk reads
		}
		in := s.inside(held.member, held.files, folder)
		if in == "-" {
			return t, false
		}
		t.bound = and(t.bound, in)
	}
	return s.written(t, p, folder)
}

// pathless are programs that change what their operands name, which are no files.
var pathless = []string{"kill", "killall", "killall5", "pkill", "skill", "xkill", "renice", "ionice", "chrt", "taskset", "systemctl",
	"service", "loginctl", "launchctl", "docker", "podman", "nerdctl", "crontab", "at", "atrm", "ip", "ifconfig", "sysctl", "hostnamectl",
	"git config", "tmux", "screen", "fuser"}

func namesNoFiles(p *command.Part) bool {
	return slices.Contains(pathless, p.Program) || slices.Contains(pathless, p.Name)
}

// pinned reports whether the words of a part say more of what it does than its name.
func pinned(p *command.Part) bool {
	switch {
	case p.Effects == 0 || p.Effects.Has(command.Remote) || slices.Contains(databases, p.Program) && p.Effects.Has(command.Runs):
		return true
	case p.Effects.Has(command.Changes):
		return p.Source != "" || p.Verb == "" && p.Effects.Has(command.Fetches)
	}
	return false
}

// databases are programs that run files of statements where their options say.
var databases = strings.Fields("psql mysql mariadb sqlite3 duckdb clickhouse clickhouse-client mongosh mongo redis-cli cqlsh sqlcmd bq snowsql cockroach")

// carries reports whether a part runs others of the line.
func (s *subject) carries(p *command.Part) bool {
	return slices.ContainsFunc(s.parts, func(inner command.Part) bool { return runsInside(p, &inner) })
}

// exactly pins the words of a part, but for paths inside the folder.
func (s *subject) exactly(t term, p *command.Part, folder string) (term, bool) {
	if p.Loose || len(p.Writes) > 0 || slices.Contains(p.Said(), "") || slices.Contains(p.Operands, "") {
		return t, false
	}
	options := p.Said()
	t.bind, t.options = false, nil // all of them are in the bound
	t.text = strings.Join(append(append([]string{p.Name}, options...), p.Operands...), " ")
	var words []string
	for _, o := range p.Operands {
		if folder == "" || !strings.Contains(o, "/") || path.IsAbs(o) || !policy.Under(o, folder, []string{s.cwd}) || ofGit.MatchString(o) {
			words = append(words, o)
		}
	}
	t.bound = "p.options == " + quoteAll(options) + " && p.operands == " + quoteAll(p.Operands)
	if len(words) < len(p.Operands) {
		t.bound = "p.options == " + quoteAll(options) + " && p.operands.filter(o, !(o.contains(\"/\") && under(o, " + quote(folder) + ") && " +
			besideGit("o") + ")) == " + quoteAll(words)
	}
	return t, true
}

// bucket is an address of a store of objects.
var bucket = regexp.MustCompile(`^(s3|gs|az|r2)://[a-z0-9][a-z0-9._-]*`)

// hosted bounds the addresses of a part to their hosts, and to their buckets where it only asks
// a store of objects.
func (s *subject) hosted(t term, p *command.Part, folder string) (term, bool) {
	var buckets []string
	for _, o := range p.Operands {
		host := policy.HostOf(o)
		if in := bucket.FindString(o); in != "" && p.Effects == command.Fetches {
			host = in
			if one := "o.matches(" + quote("^"+regexp.QuoteMeta(in)+"(/|$)") + ")"; !slices.Contains(buckets, one) {
				buckets = append(buckets, one)
			}
		}
		if host == "" {
			return s.exactly(t, p, folder)
		}
		if !slices.Contains(t.at, host) {
			t.at = append(t.at, host)
		}
	}
	switch {
	case len(buckets) == 0:
		t.bound = "p.operands.all(o, host(o) in " + quoteAll(t.at) + ")"
	case len(buckets) == len(t.at):
		t.bound = "p.operands.all(o, " + strings.Join(buckets, " || ") + ")"
	default:
		return s.exactly(t, p, folder)
	}
	return t, len(p.Writes) == 0
}

// inside bounds the files of a member of a part to a folder ("" is the call's), and to the folders outside it that
// they lie in now. It is "-" where that cannot be said.
func (s *subject) inside(member string, files []string, folder string) string {
	from := []string{s.cwd}
	in := quote(folder)
	if folder == "" {
		if folder, in = s.cwd, "cwd"; s.Cwd == nil {
			if len(files) > 0 {
				return "-"
			}
			return member + " == []"
		}
	}
	alternatives := []string{"under(o, " + in + ")"}
	for _, o := range files {
		if o == "" {
			return "-"
		}
		if policy.Under(o, folder, from) {
			continue
		}
		outer := path.Dir(path.Clean(o))
		if !path.IsAbs(outer) || wide(outer+"/") || !policy.Under(o, outer, from) {
			return "-"
		}
		if also := "under(o, " + quote(outer) + ")"; !slices.Contains(alternatives, also) {
			alternatives = append(alternatives, also)
		}
	}
	bound := strings.Join(alternatives, " || ")
	if slices.ContainsFunc(files, ofGit.MatchString) {
		return member + ".all(o, " + bound + ")"
	}
	if len(alternatives) > 1 {
		bound = "(" + bound + ")"
	}
	return member + ".all(o, " + bound + " && " + besideGit("o") + ")"
}

// ofGit are the paths of what git keeps in a folder: a change there is none of the files of it.
var ofGit = regexp.MustCompile(`(?i)(^|/)\.git(/|$)`)

// besideGit says in CEL that a path is none of those.
func besideGit(value string) string { return "!" + value + ".matches(" + quote(ofGit.String()) + ")" }

func and(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(conditions, func(c string) bool { return c == "" }), " && ")
}

// condition is what a rule says of a line under a member of the input.
func (ts terms) condition(key string) string {
	line := "shell(" + field(key) + ")"
	if ts[0].effects == nil {
		return line + ".names.all(n, n in " + quoteAll(ts.names()) + ")"
	}
	var alternatives []string
	for i, t := range ts {
		alike := func(other term) bool {
			return slices.Equal(other.effects, t.effects) && other.limits() == t.limits()
		}
		if slices.ContainsFunc(ts[:i], alike) {
			continue
		}
		var names []string
		for _, other := range ts {
			if alike(other) {
				names = append(names, other.name)
			}
		}
		alternatives = append(alternatives, "("+and("p.name in "+quoteAll(names), "p.effects == "+quoteAll(t.effects), t.limits())+")")
	}
	if len(alternatives) == 1 {
		return line + ".parts.all(p, " + alternatives[0][1:len(alternatives[0])-1] + ")"
	}
	return line + ".parts.all(p, " + strings.Join(alternatives, " || ") + ")"
}

func (ts terms) names() (names []string) {
	for _, t := range ts {
		if !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	return names
}

// parts are the terms as an answer's class has them.
func (ts terms) parts() (parts []permission.ClassPart) {
	for _, t := range ts {
		part := permission.ClassPart{Name: t.name}
		if t.text != "" {
			part.Name = t.text
		}
		if !slices.ContainsFunc(parts, func(other permission.ClassPart) bool { return part.Same(&other) }) {
			parts = append(parts, part)
		}
	}
	return parts
}

func (ts terms) hosts() (hosts []string) {
	for _, t := range ts {
		for _, host := range t.at {
			if !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}
