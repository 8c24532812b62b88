package advice

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// offer is a rule that may be proposed, without its place among others: what it reaches, and
// its condition.
type offer struct {
	covers    permission.CoverageCode
	params    permission.CoverageParams
	condition string
	sieve
	rank    int  // the highest of those that are offered is offered first
	anyTool bool // it is about all tools of the server, of which the condition says which
}

// sieve says in short which calls a rule cannot match.
type sieve struct {
	names  []string // of parts: no line with a part of another name is matched; nil: any
	folder string   // that lines run in; "" is any
	low    bool     // nothing above low risk is matched
}

// Bounds of a condition that is proposed: a person may read it.
const (
	maxOffers    = 5
	maxCondition = 3000
	maxTerms     = 12
)

// subject is a past call made ready for being spoken about.
type subject struct {
	*permission.PastCall
	call    policy.Call
	cwd     string
	members []rawjson.Member
	order   command.Order
	line    *command.Line  // nil: it has none
	parts   []command.Part // of the line: those that a rule must speak of
}

// subjectOf reads a past call. It is false for one that no rule is proposed for but that of its
// very line: of high risk or of an input that is not known, opaque, or running code.
func subjectOf(c *permission.PastCall) (s *subject, offered bool) {
	s = &subject{PastCall: c, call: callOf(c)}
	if c.Cwd != nil {
		s.cwd = *c.Cwd
	}
	if c.Input == nil || c.Risk.Rank() >= permission.RiskHigh.Rank() || len(c.Input) > policy.MaxInputBytes {
		return s, false
	}
	members, err := rawjson.Members(c.Input)
	if err != nil {
		return s, false
	}
	s.members = members
	_, once := policy.ClassOf(&s.call, nil)
	if !permission.AboutTool(c.Method) {
		return s, once == ""
	}
	order, found := command.Find(rawjson.Values(members))
	s.order = order
	if !found || order.Editor {
		return s, once == ""
	}
	line := order.ReadAs(c.ToolName, s.cwd, false)
	s.line, s.parts = &line, spoken(&line)
	return s, once == "" && !line.Opaque && !line.Foreign
}

func callOf(c *permission.PastCall) policy.Call {
	return policy.Call{ServerID: c.ServerID, Method: c.Method, ToolName: c.ToolName, Input: c.Input, Cwd: c.Cwd, Risk: c.Risk,
		Caller: permission.Caller{AgentID: c.AgentID}}
}

// spoken are the parts of a line that a rule must speak of: those that are not neutral, or
// stand in one that is not, or all where no other is.
func spoken(line *command.Line) []command.Part {
	needs := slices.ContainsFunc(line.Parts, func(p command.Part) bool { return !p.Neutral })
	var parts []command.Part
	for _, p := range line.Parts {
		inside := func(outer command.Part) bool { return !outer.Neutral && runsInside(&outer, &p) }
		if !needs || !p.Neutral || slices.ContainsFunc(line.Parts, inside) {
			parts = append(parts, p)
		}
	}
	return parts
}

// runsInside reports whether a part is run by another one that stands around it.
func runsInside(outer, inner *command.Part) bool {
	return inner.Start > outer.Start && inner.End <= outer.End
}

// offers are rules for a call, from the narrowest to the widest. The rules that are there say
// where the same is allowed already.
func (s *subject) offers(rules *policy.Set, now permission.Time) []offer {
	if s.line != nil {
		return s.lineOffers(rules, now)
	}
	return s.inputOffers(rules, now)
}

// quoted is an absolute path in a condition.
var quoted = regexp.MustCompile(`"/[^"\\]*"`)

// around is the folder above the one that offers are bound to, where the rules allow the same call
// in a folder beside it: who allows something in two projects is asked about all that lie there.
// It is "" where there is none.
func (s *subject) around(folder string, rules *policy.Set, now permission.Time) string {
	parent := path.Dir(folder)
	if folder == "" || rules == nil || wide(parent+"/") || slices.Contains(shared, parent) {
		return ""
	}
	tried := map[string]bool{folder: true}
	for _, r := range rules.Rules() {
		if r.Effect != permission.Allow || !r.Enabled || r.Condition == nil || len(tried) > maxBeside {
			continue
		}
		for _, text := range quoted.FindAllString(*r.Condition, -1) {
			other := text[1 : len(text)-1]
			if path.Dir(other) == parent && !tried[other] {
				if tried[other] = true; rules.Decide(s.movedTo(folder, other), now).Effect == permission.Allow {
					return parent
				}
			}
		}
	}
	return ""
}

// maxBeside bounds the folders beside one that are looked at.
const maxBeside = 16

// movedTo is the call as it would be in another folder.
func (s *subject) movedTo(from, to string) policy.Call {
	c := s.call
	if s.Cwd != nil {
		if rest, inside := strings.CutPrefix(path.Clean(s.cwd)+"/", from+"/"); inside {
			cwd := path.Join(to, rest)
			c.Cwd = &cwd
		}
	}
	c.Input = bytes.ReplaceAll(bytes.ReplaceAll(s.Input, []byte(from+"/"), []byte(to+"/")), []byte(`"`+from+`"`), []byte(`"`+to+`"`))
	return c
}

// shared are folders that hold what belongs to a system or to nobody.
var shared = strings.Fields("/ /etc /usr /var /tmp /bin /sbin /lib /opt /dev /proc /sys /boot /run /var/tmp /usr/local /var/lib")

// risk is the bound of a rule for the call.
func (s *subject) bound() string {
	if s.Risk == permission.RiskLow {
		return `risk == "low"`
	}
	return `risk != "high"`
}

// params are those of what a rule for the call reaches.
func (s *subject) params() permission.CoverageParams {
	return permission.CoverageParams{ServerID: s.ServerID, ToolName: s.ToolName, MaxRisk: s.Risk}
}

// lineOffers are the rules for a call with a line.
func (s *subject) lineOffers(rules *policy.Set, now permission.Time) (list []offer) {
	keys := s.lineKeys()
	if keys == "" {
		return nil
	}
	folder := s.lineFolder()
	if folder == "" {
		return s.linesIn("", keys)
	}
	list = s.linesIn(folder, keys)
	if parent := s.around(folder, rules, now); parent != "" {
		for _, o := range s.linesIn(parent, keys) {
			o.rank += 2
			list = append(list, o)
		}
	}
	return append(list, s.linesIn("", keys)...)
}

// linesIn are the rules for lines in a folder; "" is any.
func (s *subject) linesIn(in, keys string) (list []offer) {
	add := func(code permission.CoverageCode, what string, ts terms, rank int) {
		params := s.params()
		if params.Folder = in; code == permission.CoversLooking {
			params.MaxRisk = permission.RiskMedium
		}
		o := offer{covers: code, params: params, sieve: sieve{folder: in, low: s.Risk == permission.RiskLow}}
		if ts != nil {
			o.params.Parts, o.params.Hosts, o.names = ts.parts(), ts.hosts(), ts.names()
		}
		conditions := []string{s.bound(), what}
		if in != "" {
			conditions, o.rank = append(conditions, `under(".", `+quote(in)+`)`), rank
		}
		o.condition = strings.Join(append(conditions, keys), " && ")
		list = append(list, o)
	}
	terms := s.terms(in)
	if terms != nil {
		add(permission.CoversCommands, terms.condition(s.order.Key), terms, 0)
	}
	if terms == nil || in != "" && wide(in+"/") {
		return list
	}
	if all := s.withFamilies(terms, in); all != nil && s.Risk != permission.RiskLow && in != "" {
		add(permission.CoversCommands, all.condition(s.order.Key), all, 1)
	}
	switch line := "shell(" + field(s.order.Key) + ")"; {
	case s.Risk == permission.RiskLow:
		add(permission.CoversReading, "!"+line+".opaque", nil, 1)
	case s.looks():
		add(permission.CoversLooking, line+looking, nil, 1)
	}
	return list
}

// same is the rule for the very line, in its folder: what is left where nothing else can be said
// of it, since it runs code or words that the shell computes.
func (s *subject) same() (o offer, ok bool) {
	if s.line == nil || s.Cwd == nil || slices.ContainsFunc(s.members, func(m rawjson.Member) bool { return m.Key == "args" }) {
		return o, false
	}
	at := slices.IndexFunc(s.members, func(m rawjson.Member) bool { return m.Key == s.order.Key })
	text, keys := textOf(s.members[at].Value), s.lineKeys()
	if text == "" || keys == "" {
		return o, false
	}
	o.covers, o.params = permission.CoversLine, s.params()
	o.params.Folder = s.cwd
	o.condition = strings.Join([]string{s.bound(), field(s.order.Key) + " == " + quote(text), "cwd == " + quote(s.cwd), keys}, " && ")
	return o, true
}

// addressed are programs whose words say which machine is asked.
var addressed = strings.Fields("curl wget http https xh ssh ftp nc ncat telnet openssl dig drill host nslookup ping mtr traceroute whois")

// looking is what a rule says of the parts of lines that only read or ask the network, not by
// a program that asks any machine that it is told.
var looking = ".parts.all(p, p.effects != [] && p.effects.all(e, e in [\"reads\", \"fetches\"]) && !(p.program in " + quoteAll(addressed) +
	`) && p.operands.all(o, o != "" && !o.contains("://")))`

// looks reports whether that is true of the line.
func (s *subject) looks() bool {
	return !slices.ContainsFunc(s.parts, func(p command.Part) bool {
		return p.Effects == 0 || p.Effects&^(command.Reads|command.Fetches) != 0 || slices.Contains(addressed, p.Program) || len(p.Writes) > 0 ||
			slices.ContainsFunc(p.Operands, func(o string) bool { return o == "" || strings.Contains(o, "://") })
	})
}

// lineFolder is the folder that the line runs in, with all its parts, or "".
func (s *subject) lineFolder() string {
	if s.Cwd == nil || !path.IsAbs(s.cwd) {
		return ""
	}
	folder := path.Clean(s.cwd)
	for _, p := range s.parts {
		if p.Lost || p.Folder != "" && !policy.Under(p.Folder, folder, []string{s.cwd}) {
			return ""
		}
	}
	return folder
}

// besideLine are members beside a line that change nothing of what it does.
var besideLine = strings.Fields("args cwd workdir description timeout timeout_ms run_in_background justification explanation")

// lineKeys bounds what may stand beside a line: what changes nothing, and what stands there
// now. It is "" where that cannot be said.
func (s *subject) lineKeys() string {
	keys, pinned := []string{s.order.Key}, ""
	keys = append(keys, besideLine...)
	for _, m := range s.members {
		if slices.Contains(keys, m.Key) {
			continue
		}
		value := literal(m.Value)
		if value == "" {
			return ""
		}
		keys = append(keys, m.Key)
		pinned += " && " + field(m.Key) + " == " + value
	}
	return "input.all(k, k in " + quoteAll(keys) + ")" + pinned
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// inputOffers are the rules for a call without a line.
func (s *subject) inputOffers(rules *policy.Set, now permission.Time) (list []offer) {
	base, ok := s.inputBound()
	if !ok {
		return nil
	}
	add := func(code permission.CoverageCode, params permission.CoverageParams, conditions ...string) {
		list = append(list, offer{covers: code, params: params, condition: strings.Join(append(conditions, base...), " && ")})
	}
	things, known := s.things()
	if !known {
		return nil
	}
	params := s.params()
	if params.Folder = things.folder; params.Folder != "" {
		in := func(folder string, rank int) {
			params.Folder = folder
			add(permission.CoversFiles, params, things.under(folder))
			if list[len(list)-1].rank = rank; s.readers() != nil {
				all := params
				all.ToolName = strings.Join(s.readers(), ", ")
				add(permission.CoversFiles, all, readersIn(folder, s.readers()))
				list[len(list)-1].rank, list[len(list)-1].anyTool = rank+1, true
			}
		}
		in(params.Folder, 0)
		if parent := s.around(params.Folder, rules, now); parent != "" {
			in(parent, 2)
		}
	}
	params.Folder = ""
	switch {
	case len(things.hosts) > 0 && len(things.files) == 0:
		params.Hosts = things.hosts
		add(permission.CoversHost, params, things.at())
	case len(things.files) > 0 && len(list) == 0:
		params.Path = things.files[0].value
		add(permission.CoversFile, params, things.same())
	case things.none() && s.ServerID == nil && ofTheWeb.MatchString(s.ToolName):
		add(permission.CoversTool, params, s.onlyKeys())
		return list
	case things.none() && s.ServerID == nil && path.IsAbs(s.cwd) && permission.AboutTool(s.Method) && !wide(s.cwd+"/"):
		in := func(folder string) {
			params.Folder = folder
			add(permission.CoversTool, params, `under(".", `+quote(folder)+`)`, s.onlyKeys())
		}
		in(path.Clean(s.cwd))
		if parent := s.around(params.Folder, rules, now); parent != "" {
			in(parent)
			list[1].rank = 2
		}
	}
	if things.none() && s.ServerID != nil && saysReading.MatchString(s.ToolName) && !saysMore.MatchString(s.ToolName) {
		defer func() {
			params := s.params()
			params.ToolName = ""
			add(permission.CoversReadingTools, params,
				"toolName.matches("+quote(saysReading.String())+")", "!toolName.matches("+quote(saysMore.String())+")",
				"!input.exists(k, k in "+quoteAll(objects)+")")
			list[len(list)-1].anyTool, list[len(list)-1].rank = true, 1
		}()
	}
	code := permission.CoversTool
	switch {
	case permission.AboutResource(s.Method):
		code = permission.CoversResource
	case !permission.AboutTool(s.Method):
		code = permission.CoversPrompt
	}
	add(code, s.params())
	return list
}

// readers are the tools by which agent programs, one a list, read files that they name and change
// nothing, and what inputs of theirs have: paths, and other members that say which part of those is meant.
var (
	readers = [][]string{strings.Fields("Grep LS NotebookRead Read"),
		strings.Fields("grep_search list_directory read_file search_file_content")}
	readerPaths = strings.Fields("file_path path absolute_path notebook_path")
	readerWords = strings.Fields("pattern glob type output_mode head_limit offset limit multiline pages -n -i -A -B -C")
)

// readers are the tools of the same program as that of the call, where it is such a tool.
func (s *subject) readers() []string {
	at := slices.IndexFunc(readers, func(of []string) bool { return slices.Contains(of, s.ToolName) })
	if at < 0 || s.ServerID != nil || slices.ContainsFunc(s.members, func(m rawjson.Member) bool {
		return !slices.Contains(readerPaths, m.Key) && !slices.Contains(readerWords, m.Key)
	}) {
		return nil
	}
	return readers[at]
}

// readersIn says that one of such tools reads in a folder.
func readersIn(folder string, readers []string) string {
	return "toolName in " + quoteAll(readers) + ` && under(".", ` + quote(folder) + ") && input.all(k, k in " + quoteAll(readerPaths) +
		" ? under(input[k], " + quote(folder) + ") && " + besideGit("input[k]") + " : k in " + quoteAll(readerWords) + ")"
}

// onlyKeys says that there are no members of other names in the input than now.
func (s *subject) onlyKeys() string {
	var keys []string
	for _, m := range s.members {
		keys = append(keys, m.Key)
	}
	return "input.all(k, k in " + quoteAll(keys) + ")"
}

// ofTheWeb are the names of tools that search the web: what they do is of no folder.
var ofTheWeb = regexp.MustCompile("(?i)^(google_?)?web_?search$")

// saysReading and saysMore tell names of tools that say that they only read, without what may
// be secret or a statement of its own; a run is read only where the name ends with it. A server
// may lie in a name as in what its tool does.
var (
	saysReading = regexp.MustCompile("^(get|list|search|read|find|describe|show|count|view)([_-][A-Za-z0-9_-]*|[A-Z][A-Za-z0-9]*)?$")
	saysMore    = regexp.MustCompile("(?i)secret|token|passw|credential|key|env|sql|query|exec|run([^s]|s.)|[_-](and|or|then)[_-]|(?-i:(And|Or|Then)[A-Z])")
)

// inputBound are the conditions that every rule for a call without a line has. It is false
// for a call that says what is done in a text of its own.
func (s *subject) inputBound() (conditions []string, ok bool) {
	conditions = []string{s.bound()}
	if s.ServerID == nil {
		conditions = append(conditions, "serverId == null")
	}
	if !permission.AboutTool(s.Method) {
		return conditions, true
	}
	lines := append([]string{}, doing...)
	for _, m := range s.members {
		like := func(key string) bool { return strings.EqualFold(key, m.Key) }
		switch {
		case s.order.Editor && m.Key == s.order.Key:
			conditions = append(conditions, field(m.Key)+" == "+literal(m.Value))
			lines = slices.DeleteFunc(lines, func(key string) bool { return key == m.Key })
		case slices.ContainsFunc(doing, like), slices.ContainsFunc(code, like) && holdsCode(m.Value):
			return nil, false
		case isQuery(m):
			effects := policy.SQLEffects(textOf(m.Value))
			if slices.ContainsFunc(effects, func(e string) bool { return e != "reads" && e != "fetches" }) {
				return nil, false
			}
			conditions = append(conditions, "sql("+field(m.Key)+") == "+quoteAll(effects))
		}
	}
	return append(conditions, "!input.exists(k, k in "+quoteAll(lines)+")"), true
}

// isQuery reports whether a member is a statement for a database.
func isQuery(m rawjson.Member) bool {
	words := keyWords(m.Key)
	if len(words) == 0 || !slices.Contains([]string{"sql", "query", "queries", "statement", "statements"}, words[len(words)-1]) {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimLeft(textOf(m.Value), " \t\r\n(;"), " ")
	return slices.Contains(words, "sql") || slices.Contains(sqlVerbs, strings.ToUpper(strings.TrimSpace(first)))
}

var sqlVerbs = strings.Fields("SELECT WITH INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE MERGE REPLACE CALL DO EXEC EXECUTE EXPLAIN SHOW DESCRIBE " +
	"PRAGMA VALUES GRANT REVOKE SET VACUUM COPY")

// textOf is a value of JSON that is a text, or "".
func textOf(raw []byte) (text string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// thing is a member of an input that names a file, or something beside one.
type thing struct{ key, value string }

// things are what an input is about.
type things struct {
	files  []thing
	beside []thing // names beside a file, which are pinned
	sites  []thing
	hosts  []string
	folder string // that all files lie in: the call's, or else their own
	cwd    string
}

func (t *things) none() bool { return len(t.files)+len(t.sites)+len(t.beside) == 0 }

// things are the files and hosts that an input names. They are not known where a member is
// no text, or spelled as some programs read it as another one.
func (s *subject) things() (t things, known bool) {
	t.cwd = s.cwd
	about := slices.ContainsFunc(s.members, func(m rawjson.Member) bool { return slices.Contains(objects, m.Key) })
	for _, m := range s.members {
		object := slices.Contains(objects, m.Key)
		switch like := func(key string) bool { return strings.EqualFold(key, m.Key) }; {
		case !object && slices.ContainsFunc(objects, like):
			return t, false
		case !about || !object && !target(m.Key):
			continue
		}
		value := textOf(m.Value)
		switch host := policy.HostOf(value); {
		case value == "":
			return t, false
		case host != "":
			t.sites = append(t.sites, thing{m.Key, value})
			if !slices.Contains(t.hosts, host) {
				t.hosts = append(t.hosts, host)
			}
		case schemed(value):
			return t, false
		case object || strings.ContainsAny(value, "/~"):
			t.files = append(t.files, thing{m.Key, value})
		default:
			t.beside = append(t.beside, thing{m.Key, value})
		}
	}
	t.find()
	return t, true
}

// find gives the folder that all files lie in: the call's, or else their own.
func (t *things) find() {
	if len(t.files) == 0 {
		return
	}
	first := t.files[0].value
	if !path.IsAbs(first) {
		first = path.Join(t.cwd, first)
	}
	for _, folder := range []string{path.Clean(t.cwd), path.Dir(path.Clean(first))} {
		outside := func(f thing) bool { return !policy.Under(f.value, folder, []string{t.cwd}) }
		if t.folder == "" && path.IsAbs(folder) && !wide(folder+"/") && !slices.ContainsFunc(t.files, outside) {
			t.folder = folder
		}
	}
}

func (t *things) under(folder string) string {
	var conditions []string
	for _, f := range t.files {
		conditions = append(conditions, "under("+field(f.key)+", "+quote(folder)+")")
		if !ofGit.MatchString(f.value) {
			conditions = append(conditions, besideGit(field(f.key)))
		}
	}
	return strings.Join(append(conditions, t.others()...), " && ")
}

// same pins the files to what they are.
func (t *things) same() string {
	var conditions []string
	for _, f := range t.files {
		conditions = append(conditions, field(f.key)+" == "+quote(f.value))
		if !path.IsAbs(f.value) && t.cwd != "" {
			conditions = append(conditions, "cwd == "+quote(t.cwd))
		}
	}
	return strings.Join(append(conditions, t.others()...), " && ")
}

func (t *things) at() string { return strings.Join(t.others(), " && ") }

// others pin the names beside files, and the hosts.
func (t *things) others() (conditions []string) {
	for _, f := range t.beside {
		conditions = append(conditions, field(f.key)+" == "+quote(f.value))
	}
	for _, f := range t.sites {
		conditions = append(conditions, "host("+field(f.key)+") in "+quoteAll(t.hosts))
	}
	return conditions
}
