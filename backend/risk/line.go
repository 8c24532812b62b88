package risk

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/shell"
	"sekisho/backend/spoof"
)

// line judges the shell line of an input.
func (j *judge) line(order command.Order, members []rawjson.Member) {
	read := order.ReadAs(j.Tool, j.Cwd, j.Own)
	l := lineJudge{judge: j, order: order, known: !order.Unread, blank: runsNothing(read.Text), text: read.Text, carried: carriedIn(read.Text)}
	l.around(members)
	for _, m := range read.Beside {
		level, code := permission.RiskMedium, permission.RiskUnknownProgram
		if m.Machine {
			level, code = permission.RiskHigh, permission.RiskActsElsewhere
		}
		l.add(level, code, permission.Param("name", short(m.Key)), nil)
	}
	whole := command.Span{End: len(read.Text)}
	if read.Foreign {
		l.foreign(read)
		return
	}
	for i := range read.Parts {
		l.takesNames = l.takesNames || read.Parts[i].Loose && !slices.Contains(listers, read.Parts[i].Program) && !read.Parts[i].Neutral
		l.network = l.network || read.Parts[i].Effects.Has(command.Fetches) && !read.Parts[i].Effects.Has(command.Runs)
	}
	around := l.level
	l.parts = make([]permission.Risk, len(read.Parts))
	for i := range read.Parts {
		l.level = permission.RiskLow
		l.part(&read.Parts[i])
		l.carries(&read.Parts[i], read.Parts)
		l.shows(i, read.Parts)
		l.parts[i] = l.level
	}
	l.level = around
	if read.Opaque {
		at := whole
		if i := slices.IndexFunc(read.Parts, func(p command.Part) bool { return p.Opaque }); i >= 0 {
			at = read.Parts[i].Span
		} else {
			at.End16 = read.Parts[len(read.Parts)-1].End16
		}
		l.add(permission.RiskHigh, permission.RiskOpaque, permission.Param("why", read.Why), l.at(at))
	}
	if len(spoof.HiddenInText(read.Text)) > 0 || strings.ContainsFunc(read.Text, oddBlank) || mixesScripts(read.Text) {
		l.add(permission.RiskHigh, permission.RiskDeceivingText, "", nil)
	}
}

// runsNothing reports whether there is nothing in a line, or remarks alone.
func runsNothing(text string) bool {
	for row := range strings.Lines(text) {
		if row = strings.TrimSpace(row); row != "" && row[0] != '#' {
			return false
		}
	}
	return true
}

// around reads the members beside the line that say where it runs, and with what.
func (l *lineJudge) around(members []rawjson.Member) {
	for _, m := range members {
		var folder string
		if !command.IsFolder(m.Key) || json.Unmarshal(m.Value, &folder) != nil || folder == "" {
			continue
		}
		if l.folder = folder; l.outside(folder, "") {
			l.add(permission.RiskMedium, permission.RiskOutside, permission.Param("path", short(folder)), nil)
		}
	}
}

// foreign judges a line that is not taken apart by the words that the table knows.
func (l *lineJudge) foreign(read command.Line) {
	name := permission.Param("name", "a word of the line")
	for _, known := range []struct {
		effect command.Effect
		code   permission.RiskCode
	}{{command.Destroys, permission.RiskDestroys}, {command.Sends, permission.RiskSendsData}, {command.Raises, permission.RiskRaises}} {
		if read.Parts[0].Effects.Has(known.effect) {
			l.add(permission.RiskHigh, known.code, name, nil)
		}
	}
	if len(read.Text) <= shell.MaxText {
		writes := writesForeign.MatchString(read.Text)
		for _, m := range showsForeign.FindAllStringSubmatch(read.Text, -1) {
			if m[1] == "" || namesValue(m[1]) {
				l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(m[0])), nil)
			}
		}
		for word := range strings.FieldsFuncSeq(read.Text, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&(){}\"'`,<>", r) }) {
			if namesSecret(word) {
				l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(word)), nil)
			}
			if writes && (strings.ContainsAny(word, `./\`) && steers(word) || startsForeign.MatchString(word)) {
				l.add(permission.RiskHigh, permission.RiskSteers, permission.Param("path", short(word)), nil)
			}
			if writes && windowsSystem.MatchString(word) {
				l.add(permission.RiskHigh, permission.RiskSystem, permission.Param("path", short(word)), nil)
			}
		}
	}
	l.add(permission.RiskMedium, permission.RiskNotRead, "", nil)
}

// showsForeign is what prints the environment, or a variable of it, and startsForeign where that stands which runs at a start.
var (
	showsForeign  = lazyregexp.New(`(?i)\b(?:get-childitem|gci|dir|ls|get-item|gi)\s+env:|(?:^|[;|]|\becho\b|\bwrite-\w+)\s*["']?\$env:(\w+)`)
	startsForeign = lazyregexp.New(`(?i)^\$profile|\\programs\\startup`)
)

// writesForeign is what a line of PowerShell or cmd that writes a file has in it.
var writesForeign = lazyregexp.New(`(?i)>|\b(set|add)-content\b|\bout-file\b|\btee|-item\b|\b(sc|ac|ni|cp|copy|cpi|mv|move|mi|ren|xcopy|robocopy|mklink)\b`)

// part judges a simple command.
func (l *lineJudge) part(p *command.Part) {
	name := permission.Param("name", short(p.Name))
	say := func(level permission.Risk, code permission.RiskCode) { l.add(level, code, name, l.at(p.Span)) }
	high := permission.RiskHigh
	if p.Effects.Has(command.Destroys) {
		say(high, destroying(p))
	}
	if p.Effects.Has(command.Sends) {
		say(high, sending(p))
	}
	if p.Effects.Has(command.Raises) {
		if !slices.Contains(schedulers, p.Program) {
			say(high, permission.RiskRaises)
		}
	}
	if slices.Contains(schedulers, p.Program) && p.Effects.Has(command.Raises) || p.Program == "crontab" && !slices.Contains(p.Options, "-l") {
		l.add(high, permission.RiskSteers, permission.Param("path", short(p.Name)), l.at(p.Span))
	}
	if l.runsFromNet(p) {
		say(high, permission.RiskRunsFromNet)
	}
	if p.Code && p.Piped && p.Source == "" && slices.Contains(shells, p.Program) {
		l.add(high, permission.RiskOpaque, permission.Param("why", "what comes through the pipe is run"), l.at(p.Span))
	}
	if p.Effects.Has(command.Secrets) {
		l.add(high, permission.RiskSecret, permission.Param("path", short(p.Name)), l.at(p.Span))
	}
	if l.Own && slices.Contains(listed, p.Program) {
		say(high, permission.RiskListed)
	}
	l.outward(p)
	l.files(p)
	if (p.Program == "cd" || p.Program == "pushd") && len(p.Files) > 0 {
		l.went = p.Files[0].Text
	}
	l.mild(p)
	l.taint(p)
}

// mild says why a part is not low.
func (l *lineJudge) mild(p *command.Part) {
	say := func(code permission.RiskCode) {
		l.add(permission.RiskMedium, code, permission.Param("name", short(p.Name)), l.at(p.Span))
	}
	for _, known := range []struct {
		effect command.Effect
		code   permission.RiskCode
	}{{command.Changes, permission.RiskChanges}, {command.Fetches, permission.RiskFetches}, {command.Runs, permission.RiskRunsProject}} {
		if p.Effects.Has(known.effect) {
			say(known.code)
		}
	}
	if p.Code {
		say(permission.RiskRunsText)
	}
	if p.Effects == 0 && (p.Program != "" || l.blank) || p.Unusual {
		say(permission.RiskUnknownProgram)
	}
	if p.Loose {
		say(permission.RiskComputed)
	}
	for _, f := range p.Files {
		if f.Written {
			l.add(permission.RiskMedium, permission.RiskWrites, permission.Param("path", short(f.Text)), l.at(f.Span))
		}
	}
	if p.Lost || l.outside(p.Folder, l.folder) {
		l.add(permission.RiskMedium, permission.RiskOutside, permission.Param("path", short(p.Folder)), l.at(p.Span))
	}
}

// listed are programs that the workspace tools take for dangerous in any form.
var listed = strings.Fields("gcc g++ cc clang make tar zip unzip")

// schedulers are programs that have something run later.
var schedulers = strings.Fields("crontab at batch launchctl systemctl systemd-run service " +
	"pre-commit lefthook husky claude codex gemini cursor-agent opencode goose code cursor codium")

// oddBlank reports whether a character looks like a blank and parts no words of a line.
func oddBlank(r rune) bool { return r >= 0x80 && unicode.Is(unicode.Zs, r) }
