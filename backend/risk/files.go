package risk

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
	"sekisho/backend/shell"
)

// files judges the words of a part that may name files.
func (l *lineJudge) files(p *command.Part) {
	all := p.Files
	if p.Program == "source" || p.Program == "." {
		all = append(slices.Clip(all), command.File{Text: p.Verb})
	}
	lists := slices.Contains(listers, p.Name) || slices.Contains(listers, p.Program)
	edits := slices.ContainsFunc(p.Words, func(w shell.Word) bool {
		if strings.HasSuffix(p.Program, "awk") {
			return strings.HasSuffix(w.Text, "inplace")
		}
		return (p.Program == "perl" || p.Program == "ruby") && inPlaceOption.MatchString(w.Text)
	})
	changes := p.Stranger || edits || p.Effects.Has(command.Changes) && slices.Contains(inPlace, p.Program)
	finds := slices.Contains(finders, p.Program) && (l.takesNames ||
		slices.ContainsFunc(p.Words, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-exec") }))
	l.inside(p)
	l.patched(p)
	for _, f := range all {
		where := p.Span
		if f.End > 0 {
			where = f.Span
		}
		if finds && namesSecret(f.Text) || slices.Contains(searchers, p.Program) && searched.MatchString(f.Option) && secretPattern(f.Text) {
			l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(f.Text)), l.at(where))
		}
		pattern := f.Option != "" && !f.Changed
		if pattern && (slices.Contains(finders, p.Program) && !aboutFiles.MatchString(f.Option) || aboutNames.MatchString(f.Option)) {
			continue
		}
		say := func(level permission.Risk, code permission.RiskCode) {
			l.add(level, code, permission.Param("path", short(f.Text)), l.at(where))
		}
		note := f.Option == "" && slices.Contains(printers, p.Program) && notes(f.Text)
		if (!lists || f.End > 0) && (namesSecret(f.Text) || note || f.Option == "" && l.secretThere(p, f.Text)) {
			say(permission.RiskHigh, permission.RiskSecret)
		}
		if f.Written || f.Changed && (f.Option == "" || p.Effects != command.Reads) || f.Option == "" && changes {
			at := resolve(f.Text, p.Folder, l.folder, l.Cwd)
			if steers(at) || takesOver(at) || f.Changed && path.Base(at) == ".git" || at == "~" && slices.Contains(unpackers, p.Program) {
				say(permission.RiskHigh, permission.RiskSteers)
			}
			if system(at) {
				say(permission.RiskHigh, permission.RiskSystem)
			}
		}
		if disk.MatchString(f.Text) && p.Effects != command.Reads {
			l.add(permission.RiskHigh, permission.RiskErasesDisk, permission.Param("name", short(p.Name)), l.at(p.Span))
		}
		if mimics(f.Text) {
			l.add(permission.RiskHigh, permission.RiskDeceivingText, "", l.at(p.Span))
		}
		if f.Option == "" || len(f.Text) > 1 {
			if l.outside(f.Text, path.Join(l.folder, p.Folder)) {
				say(permission.RiskMedium, permission.RiskOutside)
			}
		}
		if host := deceivingHost(f.Text); host != "" {
			l.add(permission.RiskHigh, permission.RiskDeceivingHost, permission.Param("host", short(host)), l.at(p.Span))
		}
	}
	if mimics(p.Program) {
		l.add(permission.RiskHigh, permission.RiskDeceivingName, permission.Param("name", short(p.Program)), l.at(p.Span))
	}
	if settingVerb(p) && len(p.Operands) > 0 && (p.Verb == "alias set" || steeringKey.MatchString(strings.Join(p.Operands, " "))) {
		l.add(permission.RiskHigh, permission.RiskSteers, permission.Param("path", short(p.Name)), l.at(p.Span))
	}
	asks := slices.ContainsFunc(p.Options, func(o string) bool { return strings.HasPrefix(o, "--get") || o == "--list" || o == "-l" })
	if p.Program == "git" && strings.HasPrefix(p.Verb, "config") && p.Code && !asks {
		l.add(permission.RiskHigh, permission.RiskSteers, permission.Param("path", short(p.Name)), l.at(p.Span))
	}
}

// secretThere reports whether a word names a file of secrets from the folder that a part runs in.
func (l *lineJudge) secretThere(p *command.Part, file string) bool {
	folder := path.Join(l.folder, p.Folder)
	if p.Lost {
		folder = l.went
	}
	return folder != "" && !path.IsAbs(file) && !strings.HasPrefix(file, "~") && namesSecret(path.Join(folder, file))
}

// notes reports whether a program that prints files shows secrets in one of this name.
func notes(file string) bool {
	base := strings.ToLower(path.Base(file))
	return openNote.MatchString(base) || bareKey.MatchString(base)
}

// settingVerb reports whether a part sets what a package manager or a tool does from now on.
func settingVerb(p *command.Part) bool {
	switch p.Program {
	case "npm", "pnpm", "yarn", "pip", "pip3", "poetry", "conda", "composer", "bundle", "gem":
		return strings.HasPrefix(p.Verb, "config") && p.Effects.Has(command.Changes) || p.Verb == "set"
	case "gh", "glab":
		return p.Verb == "alias set"
	case "go":
		return p.Verb == "env" && slices.Contains(p.Options, "-w")
	}
	return false
}

// steeringKey is a setting that says where packages come from, or what runs.
var steeringKey = lazyregexp.New(`(?i)registry|shell|proxy|index|path|exec|flags|wrapper|script|hook|node-options|editor|viewer|git|` +
	`\bca|strict-ssl|plugin|channels|repositor|mirror|trusted|toolchain|\b(CC|CXX|GOROOT|GOBIN|GOVCS|GOSUMDB|GONOSUMDB|GOINSECURE)=`)

var (
	inPlaceOption = lazyregexp.New(`^-[pne0]*i`)
	disk          = lazyregexp.New(`/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|md)[a-z0-9]`)

	// listers look at names of files and at nothing in them.
	listers = []string{"test", "[", "echo", "printf", ":", "true", "ls", "dir", "vdir", "stat", "cd", "pushd", "basename",
		"dirname", "realpath", "readlink", "which", "du", "tree", "git check-ignore", "git ls-files", "git status"}
	// printers show what the files hold that they name.
	printers = strings.Fields("cat tac bat batcat head tail less more nl od xxd hexdump strings base64 base32")
	// finders have patterns for names in their options.
	finders = strings.Fields("find fd fdfind tree")
	// inPlace are filters that change the files that they are told to.
	inPlace = strings.Fields("sed gsed perl ruby yq")
	// unpackers write files of any name into a folder.
	unpackers = strings.Fields("tar bsdtar unzip 7z 7za")

	aboutNames = lazyregexp.New(`^(-m|-g|--(message|title|body|grep|format|pretty|author|description|name|notes|comment|` +
		`(no-)?(exclude|ignore|include|glob|iglob|filter|prune|pattern|regexp?)[a-z-]*))$`)
	// searchers have patterns for the names of the files that they read in these options.
	searchers  = strings.Fields("grep egrep fgrep zgrep rg ag ack ugrep")
	searched   = lazyregexp.New(`^(-g|--include|--glob|--iglob)$`)
	aboutFiles = lazyregexp.New(`^-([acB]?newer|samefile|fprint|fls|files0-from)`)
)
