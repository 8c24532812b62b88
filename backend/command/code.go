package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// script reads the words of an interpreter: a script or a module is its verb, and a text
// on the line or on its input is code.
func (p *Part) script(known *row, c call) {
	at, _ := known.operandAt(p.Words, 0)
	module := slices.IndexFunc(p.Words, func(w Word) bool {
		return known.module != "" && w.Literal && strings.HasPrefix(w.Text, known.module)
	})
	if module >= 0 && (at < 0 || module < at) {
		p.runsModule(known, module)
		return
	}
	if slices.Contains([]string{"pwsh", "powershell", "cmd"}, p.Program) {
		for _, w := range p.Words {
			p.Effects |= ReadForeign(w.known()).Parts[0].Effects
		}
	}
	before := p.Words
	if at >= 0 {
		before = p.Words[:at]
	}
	p.meet(known, before)
	p.sort(known, before)
	own := p.Files[:max(0, len(p.Files)-p.redirected)]
	switch {
	case p.Code:
		var all strings.Builder
		for _, w := range p.Words {
			all.WriteString(w.Text)
			all.WriteByte('\n')
		}
		p.Source = all.String()
	case at < 0 && (p.Program == "source" || p.Program == "."):
	case at < 0, p.Words[at].Literal && (p.Words[at].Text == "-" || ownInput(p.Words[at].Text)):
		if p.Code = true; c.input != nil {
			p.Source = *c.input
		}
	case !p.Words[at].Literal:
		p.Opaque = true
	default:
		p.Verb = p.Words[at].Text
		p.sort(known, p.Words[at+1:])
		p.Files = slices.Concat(own, p.Files)
		return
	}
	p.sort(known, p.Words)
}

// runsModule reads python -m NAME. A module that is a program too does what that does.
func (p *Part) runsModule(known *row, at int) {
	name, rest := strings.TrimPrefix(p.Words[at].Text, known.module), p.Words[at+1:]
	if name == "" && len(rest) > 0 {
		if name, rest = rest[0].Text, rest[1:]; name == "" {
			p.Opaque = true
		}
	}
	p.Verb = known.module + " " + name
	p.meet(known, p.Words[:at])
	p.sort(known, rest)
	switch program := programs().rows[name]; {
	case slices.Contains(runners, name), program != nil && program.module != "":
		p.Code = true // it runs another one, or what it reads
	case program != nil:
		var r reader
		r.argv(call{words: append([]Word{plainWord(name)}, rest...)})
		for _, as := range r.parts {
			p.Effects, p.Code, p.Opaque = p.Effects|as.Effects, p.Code || as.Code, p.Opaque || as.Opaque
			if as.Verb != "" {
				p.Verb = known.module + " " + as.Name
			}
		}
	}
}

// runners are modules that run others, or what they read.
var runners = strings.Fields("code pdb cProfile profile trace runpy timeit IPython idlelib asyncio doctest coverage debugpy bdb")

// query reads what a client of a database is told.
func (p *Part) query(known *row, c call) {
	var texts []Word
	for i, w := range p.Words {
		kind, values := known.kindOf(w)
		for _, name := range known.sql {
			bundle := isBundle(w.known()) && len(name) == 2 && len(w.known()) > 2 && strings.HasSuffix(w.known(), name[1:])
			switch value, attached := strings.CutPrefix(w.known(), name); {
			case (w.known() == name || bundle && kind == option && values == 1) && i+1 < len(p.Words):
				texts = append(texts, p.Words[i+1])
			case attached && value != "" && (len(name) == 2 && !known.flags["single"] || value[0] == '='):
				texts = append(texts, Word{Text: strings.TrimPrefix(value, "="), Literal: w.Literal})
			}
		}
	}
	if p.Program == "sqlite3" || p.Program == "duckdb" {
		for _, text := range p.Operands[min(1, len(p.Operands)):] {
			texts = append(texts, Word{Text: text, Literal: text != ""})
		}
	}
	p.Code = p.Code || slices.ContainsFunc(p.Files, func(f File) bool { return f.Changed && strings.HasPrefix(f.Text, "|") })
	switch {
	case c.input != nil:
		texts = append(texts, plainWord(*c.input))
	case len(texts) == 0 && (c.piped || c.fed):
		p.Code = true
	case len(c.inputs) > 0:
		p.Effects |= Runs
	}
	for _, w := range texts {
		if !w.Literal {
			p.Code = true
			continue
		}
		effects, code := readSQL(w.Text)
		p.Effects, p.Code = p.Effects|effects, p.Code || code
		p.Source += w.Text + "\n"
	}
}

var (
	sqlRemarks = regexp.MustCompile(`(?s)--[^\n]*|/\*[^!].*?\*/|'(?:[^']|'')*'`)
	// sqlOdd are quotes and remarks that databases read in different ways: what stands in them
	// counts, too.
	sqlOdd   = regexp.MustCompile("--|/\\*|[\"`#\\[]|\\$\\w*\\$|\\\\'")
	sqlShell = regexp.MustCompile(`(?im)\\[!P]|\\(o|g|gx|w|s|copy|watch)[^\n]*\||\\copy[^\n]*program|\\set\s[^\n]*` + "`" + `|` +
		`\bcopy\b[^;]*\bprogram\b|^\s*(system|pager|tee|edit|source)\b|\b(load_extension|writefile|fts3_tokenizer|edit|xp_cmdshell)\s*\(|` +
		`\bxp_cmdshell\b|\bsys_(eval|exec)\b|\binto\s+(out|dump)file\b|\bcreate\s+(or\s+replace\s+)?(trusted\s+)?language\b|^\s*(install|load)\s|` +
		`\bpl(python\d?u|perlu|tclu|sh)\b`)
	sqlMeta = regexp.MustCompile(`(^|\s)\\([a-zA-Z]+|[^\sa-zA-Z])`)
	sqlAsks = regexp.MustCompile(`^(d\w*|l|z|t|x|a|pset|timing|conninfo|q|h|H|echo|encoding|sf|sv|qecho|if|elif|else|endif|` +
		`s|g|gx|r|p|o|i|ir|f|T|c|copy|G|[?])$`)
	sqlDot  = regexp.MustCompile(`(?m)^\s*\.([a-zA-Z]+)([^\n]*)`)
	dotRuns = regexp.MustCompile(`\||\s-+[ex]\b`)
	dotsAsk = setOf("tables schema headers header mode width indexes indices databases dump fullschema show stats timer echo changes explain " +
		"eqp help separator nullvalue print quit exit bail limit lint dbinfo parameter prompt version")
	dotsChange = setOf("output once import read backup save open clone restore log cd trace recover archive ar")
	sqlWord    = regexp.MustCompile(`[A-Za-z_]+`)
)

// Functions of databases that do more than give a value: those behind which something is
// gone, and others.
var (
	sqlDestroys = regexp.MustCompile(`^(PG_DROP_\w+|PG_TERMINATE_BACKEND|LO_UNLINK|PG_WAL_REPLAY_\w+|PG_PROMOTE)$`)
	sqlActs     = regexp.MustCompile(`^(PG_CANCEL_BACKEND|PG_RELOAD_CONF|PG_ROTATE_\w+|PG_CREATE_\w+|PG_SWITCH_\w+|PG_FILE_\w+|SETVAL|NEXTVAL|LO_\w+|` +
		`SET_CONFIG|DBLINK\w*|PG_LOGICAL_\w+|PG_REPLICATION_\w+|PG_STAT_RESET\w*)$`)
)

// SQL says what statements do, and whether they run a program.
func SQL(text string) (effects Effect, code bool) { return readSQL(text) }

// readSQL says what statements do, and whether they run a program.
func readSQL(text string) (effects Effect, code bool) {
	if len(text) > maxSQL {
		return longSQL(text), true
	}
	code = sqlShell.MatchString(text)
	for _, dot := range sqlDot.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(dot[1])
		code = code || !dotsAsk[name] && (!dotsChange[name] || dotRuns.MatchString(dot[2]))
		if effects |= Reads | Fetches; dotsChange[name] {
			effects |= Changes
		}
	}
	if len(text) > 0 && sqlDot.MatchString(text) {
		text = sqlDot.ReplaceAllString(text, "")
	}
	if sqlOdd.MatchString(text) {
		effects |= longSQL(text)
	}
	text = sqlRemarks.ReplaceAllString(text, " ")
	for _, meta := range sqlMeta.FindAllStringSubmatch(text, -1) {
		code = code || !sqlAsks.MatchString(meta[2])
		effects |= Reads | Fetches
	}
	text = sqlMeta.ReplaceAllString(text, ";")
	for statement := range strings.SplitSeq(text, ";") {
		words := sqlWord.FindAllString(strings.ToUpper(statement), -1)
		if len(words) > 0 {
			effects |= statementOf(words)
		}
	}
	return effects, code
}

// maxSQL bounds the statements that are read with care: a text that is longer may have anything
// in it, and counts as code.
const maxSQL = 16 << 10

// longSQL says what statements do by all words of them, also those in quotes.
func longSQL(text string) (effects Effect) {
	letters := func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') }
	for statement := range strings.SplitSeq(strings.ToUpper(text), ";") {
		if words := strings.FieldsFunc(statement, letters); len(words) > 0 {
			effects |= statementOf(words)
		}
	}
	return effects
}

// statementOf says what one statement does. Words anywhere in it count: a query may
// begin with another one that changes.
func statementOf(words []string) Effect {
	has := func(some ...string) bool {
		return slices.ContainsFunc(some, func(w string) bool { return slices.Contains(words, w) })
	}
	acts := func(names *regexp.Regexp) bool { return slices.ContainsFunc(words, names.MatchString) }
	switch {
	case acts(sqlDestroys):
		return Destroys
	case acts(sqlActs):
		return Changes
	case has("DROP", "TRUNCATE"), has("DELETE", "UPDATE") && !has("WHERE") && !has("CREATE", "GRANT") && !has("FOR"):
		return Destroys
	case has("GRANT", "REVOKE"):
		return Raises | Changes
	case has("DELETE", "UPDATE", "INSERT", "ALTER", "CREATE", "REPLACE", "MERGE", "SET", "VACUUM", "REINDEX", "ATTACH", "COPY"):
		return Changes
	case has("CALL", "DO", "EXEC", "EXECUTE"):
		return Runs
	case slices.Contains([]string{"SELECT", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "WITH", "PRAGMA", "VALUES"}, words[0]):
		return Fetches | Reads
	}
	return Changes
}

// sedCommands is a script of sed that only prints: no command of it writes, reads a file
// or runs anything.
var sedCommands = func() *regexp.Regexp {
	const address = `(\d+|\$|/([^/\\\n]|\\.)*/I?)`
	subst := make([]string, 0, 6)
	for _, d := range []string{"/", `\|`, "#", ",", ":", "@"} {
		body := `([^` + d + `\\\n]|\\.)*`
		subst = append(subst, d+body+d+body+d)
	}
	command := `(` + address + `(,(` + address + `|[+~]?\d+))?)?\s*!?\s*` +
		`([pdDPgGhHnNxlz=]|q\d*|[sy](` + strings.Join(subst, "|") + `)[gpiIm0-9]*)?`
	return regexp.MustCompile(`^\s*` + command + `([\s;{}]+` + command + `)*\s*$`)
}()

// filterText reads the program of sed or awk: one that does more than print is code.
func (p *Part) filterText(known *row) {
	var texts []Word
	for i, w := range p.Words {
		kind, values := known.kindOf(w)
		switch bundle := isBundle(w.known()) && known.flags["sed"]; {
		case kind == operand:
		case strings.HasPrefix(w.known(), "--expression="):
			texts = append(texts, Word{Text: strings.TrimPrefix(w.Text, "--expression="), Literal: w.Literal})
		case (bundle && strings.HasSuffix(w.known(), "e") || w.known() == "--expression") && values == 1 && i+1 < len(p.Words):
			texts = append(texts, p.Words[i+1])
		case bundle && strings.HasPrefix(w.known(), "-e"):
			texts = append(texts, Word{Text: w.Text[min(2, len(w.Text)):], Literal: w.Literal})
		}
	}
	if len(texts) == 0 && len(p.Operands) > 0 {
		texts = []Word{{Text: p.Operands[0], Literal: p.Operands[0] != ""}}
	}
	for _, w := range texts {
		prints := w.Literal && len(w.Text) < 4096 && sedCommands.MatchString(w.Text)
		if known.flags["awk"] {
			prints = w.Literal && awkPrints(w.Text)
		}
		if !prints {
			p.Code, p.Source = true, p.Source+w.Text+"\n"
		}
	}
	p.Code = p.Code || len(texts) == 0
}

var (
	awkRuns  = regexp.MustCompile(`@|system|getline|ENVIRON|ARG[VC]|PROCINFO|close|fflush`)
	awkText  = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	awkRegex = regexp.MustCompile(`([(,{;!~&|=\n]|^)(\s*)/(?:[^/\\\n\[]|\\.)*/`)
	awkPipe  = regexp.MustCompile(`\|+`)
)

// awkPrints reports whether a program of awk only compares and prints: it opens no file and
// no program. What stands in its strings and patterns does not count.
func awkPrints(text string) bool {
	if awkRuns.MatchString(text) || len(text) > 4096 {
		return false
	}
	if !strings.ContainsAny(text, "|>") {
		return true
	}
	if strings.Contains(text, "#") {
		return false // a remark may hide where a string begins
	}
	text = awkRegex.ReplaceAllString(awkText.ReplaceAllString(text, "s"), "${1}${2}s")
	for _, pipe := range awkPipe.FindAllString(text, -1) {
		if pipe != "||" {
			return false
		}
	}
	for statement := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("{};\n", r) }) {
		if at := strings.Index(statement, "print"); at >= 0 && strings.Contains(statement[at:], ">") {
			return false
		}
	}
	return true
}

// loading is what reads files or the environment in a program of jq or yq.
var loading = regexp.MustCompile(`\b(import|include|input_filename|modulemeta|load\w*|strenv|envsubst|eval)\b|` +
	`\$ENV|(^|[^.\w"$])env\b\s*([^:\w]|$)`)

// loads reads the program of jq or yq: one that reads more than its input is code.
func (p *Part) loads() {
	for _, w := range p.Operands {
		if loading.MatchString(w) {
			p.Code, p.Source = true, p.Source+w+"\n"
			return
		}
	}
}

// maxLooked bounds what is read of the strings of code, in bytes, each of them counted as some more.
const (
	maxLooked   = 64 << 10
	perLook     = 128
	perFragment = 32
)

// looks counts the reading of a text that code has in it, and is false when there is too much.
func (r *reader) looks(bytes int) bool {
	if r.looked += bytes + perLook; r.looked > maxLooked {
		r.doubt("it has too much code")
		return false
	}
	return true
}

// stringsIn gives the strings of a program in any language: where they begin and end, quotes
// included.
func stringsIn(source string, found func(start, end int)) {
	left := 4 * len(source) // quotes without end are looked behind again and again
	for i := 0; i < len(source) && left > 0; i++ {
		quote := source[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		end := i + 1
		for end < len(source) && source[end] != quote && (quote == '`' || source[end] != '\n') {
			if source[end] == '\\' && quote != '`' && end+1 < len(source) && source[end+1] != '\n' {
				end++
			}
			end++
		}
		if left -= end - i; end < len(source) && source[end] == quote {
			found(i, end+1)
			i = end
		}
	}
}

// look reads the strings of code as lines: what one would destroy or send, the code may. Those
// that stand in a list are read as one line too.
func (p *Part) look(r *reader) {
	var list strings.Builder
	last, count := -1, 0
	joined := func() {
		if count > 1 && list.Len() < 4096 {
			p.Effects |= r.gravest(list.String()) & graveCode
		}
	}
	stringsIn(p.Source, func(start, end int) {
		text := strings.TrimLeft(p.Source[start+1:end-1], "| ") // behind a stroke a program may stand
		if count > 0 && strings.Trim(p.Source[last:start], ", \n\t") == "" {
			list.WriteByte(' ')
		} else {
			joined()
			list.Reset()
			count = 0
		}
		if last, count = end, count+1; list.Len() < 4096 {
			list.WriteString(text)
		}
		if len(text) < 4096 {
			p.Effects |= r.gravest(text) & graveCode
		}
		if count&(count-1) == 0 {
			joined()
		}
	})
	joined()
}

// maxBehind bounds the words behind which a program may stand.
const maxBehind = 8

// graveCode is what a text that code runs may add to it.
const graveCode = Destroys | Sends | Raises | Remote

// lookBehind reads the words of a part that runs a program or a text which they name: as a
// line of that program, and each text in them as a line.
func (p *Part) lookBehind(r *reader) {
	for i, w := range p.Words[:min(len(p.Words), maxBehind)] {
		name, _, _ := strings.Cut(path.Base(w.Text), "@")
		if w.Literal && programs().rows[name] != nil && !strings.HasPrefix(w.Text, "-") && r.looks(8*len(p.Words)) {
			r := reader{plain: true, depth: maxDepth - 1}
			r.argv(call{words: append([]Word{plainWord(name)}, p.Words[i+1:]...)})
			for _, inner := range r.parts {
				p.Effects |= inner.Effects & graveCode
			}
		}
	}
}

// between are the marks that part the texts of an option, a script or a setting.
const between = "=\"'`!|()[]{}%,;\n\\"

// hands are words that hand a text to a shell.
var hands = regexp.MustCompile(`^(-{1,2}[A-Za-z])?[\s:@+.0-9/*-]*((shell|system|spawn|exec|execute|do|call|platform|ext::|e|r|q|w)\s+)*`)

// shellLike are interpreters whose scripts are lines, and unmistakable is how one begins in
// a script of another language, the words of which may be names of programs too.
var (
	shellLike    = strings.Fields("fish csh tcsh nu elvish xonsh pwsh powershell cmd osascript expect")
	unmistakable = regexp.MustCompile(`^(rm|git|sudo|curl|wget|dd|mkfs\.\w+|terraform|kubectl|docker|npm|scp|shred) +[a-z-]`)
)

// lookInside reads the texts in the words and the assignments of a part, and of its
// source, as lines.
func (p *Part) lookInside(r *reader) {
	row := programs().rows[p.Program]
	script := row != nil && row.flags["script"] && !slices.Contains(shellLike, p.Program)
	texts := []string{p.Source}
	for _, a := range p.Assigns {
		texts = append(texts, a.Value.known())
	}
	for _, w := range p.Words {
		texts = append(texts, w.known())
	}
	marks := between
	if row != nil && row.flags["sed"] {
		marks += "/"
	}
	for _, text := range texts {
		if len(text) > 4096 || !strings.ContainsAny(text, " \t") || !r.looks(len(text)/8-perLook) {
			continue
		}
		p.Effects |= r.gravest(text) & graveCode
		for fragment := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
			if !strings.Contains(fragment, " ") || !r.looks(perFragment-perLook) {
				continue
			}
			fragment = fragment[len(hands.FindString(fragment)):]
			if strings.Contains(fragment, " ") && (!script || unmistakable.MatchString(fragment)) {
				p.Effects |= r.gravest(fragment) & graveCode
			}
		}
	}
}

// gravest joins what the parts of a text in code would do.
func (r *reader) gravest(text string) (effects Effect) {
	if !mayBeGrave(text) || !r.looks(len(text)) {
		return 0
	}
	parts := readPlain(text).Parts
	for i := range parts {
		effects |= parts[i].Effects
	}
	r.looked += perLook * (len(parts) - 1)
	if isSQL(text) {
		sql, _ := readSQL(text)
		effects |= sql
	}
	return effects
}

// mayBeGrave reports whether a text may name a program that destroys, sends, raises rights or
// fetches, or is a statement that destroys.
func mayBeGrave(text string) bool {
	if strings.ContainsAny(text, "\\'\"$`{*?") || strings.Contains(text, "/dev/") || isSQL(text) {
		return true
	}
	from := -1
	for i := range len(text) + 1 {
		word := i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9' || text[i] >= 'A' && text[i] <= 'Z' ||
			text[i] >= 0x80 || strings.IndexByte("-_.+[:", text[i]) >= 0)
		switch {
		case word && from < 0:
			from = i
		case !word && from >= 0:
			if programs().isGrave(text[from:i]) {
				return true
			}
			from = -1
		}
	}
	return false
}

// isSQL reports whether a text begins as a statement that may destroy.
func isSQL(text string) bool {
	begin := strings.TrimLeft(text, " \t\n\r\f")
	return begin != "" && strings.IndexByte("dtuDTU", begin[0]) >= 0 && sqlBegins.MatchString(text)
}

var sqlBegins = regexp.MustCompile(`(?i)^\s*(drop\s+(table|database|schema|view|index)|truncate\s|delete\s+from|update\s+\S+\s+set)`)

// readPlain reads a text that may be a line, and does not look for more inside it.
func readPlain(text string) Line {
	r := &reader{depth: maxDepth - 1, plain: true}
	r.text(place{}, text, call{})
	return r.line(text)
}
