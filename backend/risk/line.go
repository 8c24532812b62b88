package risk

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/spoof"
)

// lineJudge judges the parts of a shell line.
type lineJudge struct {
	*judge
	order   command.Order
	folder  string   // where the line runs, relative to the call's folder or whole; "" is there
	fetches bool     // a part before asks the network
	network bool     // any part does
	fetched []string // names of the files that those may have written
	flows   bool     // what runs now may read what the part before it has fetched
	unpacks bool     // a fetched archive is unpacked
	cloned  []string // folders of repositories that were fetched
	known   bool     // parts have their place in the line
	// takesNames says that a part has words which another one finds.
	takesNames bool
	blank      bool // there is nothing in the line
}

// line judges the shell line of an input.
func (j *judge) line(order command.Order, members []rawjson.Member) {
	read := order.ReadAs(j.Tool, j.Cwd, j.Own)
	l := lineJudge{judge: j, order: order, known: !order.Unread, blank: runsNothing(read.Text)}
	l.around(members)
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

// at is the place of a stretch of the line in the input.
func (l *lineJudge) at(s command.Span) *permission.InputPlace {
	if !l.known {
		return nil
	}
	pointer, start, end := l.order.Place(s)
	return &permission.InputPlace{Pointer: pointer, Start: start, End: end}
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
	l.add(permission.RiskMedium, permission.RiskNotRead, "", nil)
}

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

// hosted is a package by the owner and the name of its repository.
var hosted = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[\w.-]+(#.*)?$`)

var shells = strings.Fields("sh bash dash zsh ksh mksh ash rbash posh yash fish csh tcsh nu elvish xonsh pwsh powershell")

// runsFromNet reports whether a part runs code that comes from the net, or may.
func (l *lineJudge) runsFromNet(p *command.Part) bool {
	verb := strings.Contains(p.Verb, "://") || hosted.MatchString(p.Verb) && slices.Contains(launchers, p.Program)
	address := verb && p.Effects.Has(command.Runs) ||
		p.Code && p.Stranger && strings.Contains(p.Text, "://")
	unknown := p.Code && p.Effects.Has(command.Runs) && (p.Piped || p.Loose || p.Source == "")
	return p.Effects.Has(command.Remote) || address || unknown && l.network || l.runsFetched(p)
}

// listed are programs that the workspace tools take for dangerous in any form.
var listed = strings.Fields("gcc g++ cc clang make tar zip unzip")

// schedulers are programs that have something run later.
var schedulers = strings.Fields("crontab at batch launchctl systemctl systemd-run service " +
	"pre-commit lefthook husky claude codex gemini cursor-agent opencode goose code cursor codium")

// oddBlank reports whether a character looks like a blank and parts no words of a line.
func oddBlank(r rune) bool { return r >= 0x80 && unicode.Is(unicode.Zs, r) }

// outward are words in the name of a script or of a target that say that it sends or
// destroys.
var outward = map[string]permission.RiskCode{
	"deploy": permission.RiskPublishes, "deploys": permission.RiskPublishes, "publish": permission.RiskPublishes,
	"destroy": permission.RiskDestroys, "teardown": permission.RiskDestroys, "purge": permission.RiskDestroys,
	"push": permission.RiskPublishes,
	"drop": permission.RiskDestroys, "wipe": permission.RiskDestroys, "nuke": permission.RiskDestroys,
	"upload": permission.RiskSendsData, "delete": permission.RiskDestroys,
}

var (
	launchers = strings.Fields("npx bunx pnpx uvx pipx npm pnpm yarn bun deno")
	// wipes are tasks of frameworks that delete a database.
	wipes = strings.Fields("db:drop db:reset db:wipe db:purge db:drop:all db:migrate:reset db:truncate_all db:migrate:undo:all migrate:fresh " +
		"migrate:reset migrate:refresh flush reset_db sqlflush doctrine:database:drop doctrine:schema:drop")
)

// removing is an option that says that a program takes away what it finds.
var removing = regexp.MustCompile(`^--(delete|purge|destroy|drop|wipe|erase|obliterate)([-=].*)?$`)

// outward judges what a project or an unknown program runs by the names that they give it.
func (l *lineJudge) outward(p *command.Part) {
	unknown := p.Stranger || p.Effects == 0
	if unknown && slices.ContainsFunc(p.Options, removing.MatchString) {
		l.add(permission.RiskHigh, permission.RiskDestroys, permission.Param("name", short(p.Name)), l.at(p.Span))
	}
	if !p.Effects.Has(command.Runs) && !unknown {
		return
	}
	names := []string{p.Verb}
	if unknown || p.Effects.Has(command.Fetches) || slices.Contains(launchers, p.Program) || p.Chooses {
		names = append(names, p.Operands[:min(len(p.Operands), 3)]...)
	}
	for _, name := range names {
		if strings.ContainsAny(name, "/.") || len(name) > 64 {
			continue // a script or a file
		}
		for _, word := range split(name) {
			if code, known := outward[word]; known {
				l.add(permission.RiskHigh, code, permission.Param("name", short(p.Name)), l.at(p.Span))
			}
		}
	}
	if slices.ContainsFunc(append([]string{p.Verb}, p.Operands...), func(w string) bool { return slices.Contains(wipes, w) }) {
		l.add(permission.RiskHigh, permission.RiskDropsData, permission.Param("name", short(p.Name)), l.at(p.Span))
	}
}

// destroying says what a part destroys.
func destroying(p *command.Part) permission.RiskCode {
	verb, _, _ := strings.Cut(p.Verb, " ")
	switch {
	case p.Program == "git" && (verb == "push" || verb == "lfs"):
		return permission.RiskRewrites
	case p.Program == "git" && (verb == "rm" || verb == "clean"):
		return permission.RiskDeletes
	case p.Program == "git" && slices.Contains(histories, verb):
		return permission.RiskHistory
	case p.Program == "git":
		return permission.RiskLosesWork
	case slices.Contains(deleters, p.Program):
		return permission.RiskDeletes
	case slices.Contains(erasers, p.Program) || strings.HasPrefix(p.Program, "mkfs"):
		return permission.RiskErasesDisk
	case slices.Contains(databases, p.Program):
		return permission.RiskDropsData
	}
	return permission.RiskDestroys
}

// sending says how a part sends.
func sending(p *command.Part) permission.RiskCode {
	last := p.Verb[strings.LastIndexByte(p.Verb, ' ')+1:]
	switch {
	case slices.Contains(publishers, last):
		return permission.RiskPublishes
	case slices.Contains(carriers, p.Program):
		return permission.RiskSendsData
	}
	return permission.RiskActsElsewhere
}

var (
	histories  = strings.Fields("filter-branch filter-repo reflog update-ref prune gc fast-import replace rebase")
	deleters   = strings.Fields("rm unlink find fd fdfind shred srm rsync rmdir truncate trash")
	erasers    = strings.Fields("dd wipefs mke2fs fdisk sfdisk parted gdisk blkdiscard mkswap cryptsetup lvremove vgremove pvremove zfs zpool diskutil")
	databases  = strings.Fields("psql mysql mariadb sqlite3 sqlite duckdb sqlplus cqlsh redis-cli dropdb dropuser mysqladmin mongo mongosh clickhouse-client")
	publishers = strings.Fields("push publish upload deploy release create")
	carriers   = strings.Fields("curl wget http https xh scp sftp ftp lftp rsync rclone s3cmd gsutil nc ncat netcat socat telnet mail mailx " +
		"mutt sendmail msmtp swaks rcp tftp croc wormhole")
)
