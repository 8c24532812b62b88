package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// files judges the words of a part that may name files.
func (l *lineJudge) files(p *command.Part) {
	all := p.Files
	if p.Program == "source" || p.Program == "." {
		all = append(slices.Clip(all), command.File{Text: p.Verb})
	}
	lists := slices.Contains(listers, p.Name) || slices.Contains(listers, p.Program)
	edits := (p.Program == "perl" || p.Program == "ruby") &&
		slices.ContainsFunc(p.Words, func(w command.Word) bool { return inPlaceOption.MatchString(w.Text) })
	changes := p.Stranger || edits || p.Effects.Has(command.Changes) && slices.Contains(inPlace, p.Program)
	finds := slices.Contains(finders, p.Program) && (l.takesNames ||
		slices.ContainsFunc(p.Words, func(w command.Word) bool { return strings.HasPrefix(w.Text, "-exec") }))
	l.inside(p)
	for _, f := range all {
		where := p.Span
		if f.End > 0 {
			where = f.Span
		}
		if finds && namesSecret(f.Text) || slices.Contains(searchers, p.Program) && searched.MatchString(f.Option) && secretPattern(f.Text) {
			l.add(permission.RiskHigh, permission.RiskSecret, permission.Param("path", short(f.Text)), l.at(where))
		}
		if f.Option != "" && (slices.Contains(finders, p.Program) && !aboutFiles.MatchString(f.Option) || aboutNames.MatchString(f.Option)) {
			continue
		}
		say := func(level permission.Risk, code permission.RiskCode) {
			l.add(level, code, permission.Param("path", short(f.Text)), l.at(where))
		}
		note := f.Option == "" && slices.Contains(printers, p.Program) && openNote.MatchString(strings.ToLower(path.Base(f.Text)))
		if !lists && (namesSecret(f.Text) || note) {
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
var steeringKey = regexp.MustCompile(`(?i)registry|shell|proxy|index|path|exec|flags|wrapper|script|hook|node-options|editor|viewer|git|` +
	`\bca|strict-ssl|plugin|channels|repositor|mirror|trusted|toolchain|\b(CC|CXX|GOROOT|GOBIN|GOVCS|GOSUMDB|GONOSUMDB|GOINSECURE)=`)

// inside judges the texts of a part that name secrets: files in code, and values that the
// line sets.
func (l *lineJudge) inside(p *command.Part) {
	if p.Source != "" && len(p.Source) <= maxPath {
		writes := writing.MatchString(p.Source)
		for word := range strings.FieldsFuncSeq(p.Source, func(r rune) bool { return strings.ContainsRune("\"'`()[]{}<>| \t\n,;", r) }) {
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
var writing = regexp.MustCompile(`(?i)write|append|copy|rename|move|replace|dump|outfile|truncate|create|spew|output|once|backup|save|into|` +
	`>|["'][wa]b?\+?["']|\bw\b`)

var (
	secretName    = regexp.MustCompile(`(?i)(secret|token|passw|api_?key|access_?key|private_?key)`)
	inPlaceOption = regexp.MustCompile(`^-[pne0]*i`)
	disk          = regexp.MustCompile(`/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|md)[a-z0-9]`)

	// listers look at names of files and at nothing in them.
	listers = []string{"ls", "dir", "vdir", "stat", "cd", "pushd", "basename", "dirname", "realpath", "readlink", "which", "du", "tree",
		"git check-ignore", "git ls-files", "git status"}
	// printers show what the files hold that they name.
	printers = strings.Fields("cat tac bat batcat head tail less more nl od xxd hexdump strings base64 base32")
	// finders have patterns for names in their options.
	finders = strings.Fields("find fd fdfind tree")
	// inPlace are filters that change the files that they are told to.
	inPlace = strings.Fields("sed gsed perl ruby yq")
	// unpackers write files of any name into a folder.
	unpackers = strings.Fields("tar bsdtar unzip 7z 7za")

	aboutNames = regexp.MustCompile(`^(-m|-g|--(message|title|body|grep|format|pretty|author|description|name|notes|comment|` +
		`(no-)?(exclude|ignore|include|glob|iglob|filter|prune|pattern|regexp?)[a-z-]*))$`)
	// searchers have patterns for the names of the files that they read in these options.
	searchers  = strings.Fields("grep egrep fgrep zgrep rg ag ack ugrep")
	searched   = regexp.MustCompile(`^(-g|--include|--glob|--iglob)$`)
	aboutFiles = regexp.MustCompile(`^-([acB]?newer|samefile|fprint|fls|files0-from)`)
)

// resolve gives a path as far as it is known: from the root, from home (~), or from a
// folder that is not known.
func resolve(file string, folders ...string) string {
	file = home.ReplaceAllString(strings.TrimPrefix(file, "file://"), "~")
	if strings.HasPrefix(file, "~") || strings.HasPrefix(file, "/") {
		return path.Clean(file)
	}
	for _, folder := range folders {
		if file = path.Join(folder, file); strings.HasPrefix(file, "/") {
			break
		}
	}
	return file
}

var home = regexp.MustCompile(`^(\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)`)

// outside reports whether a word names something outside the folder of a call, or may: a
// link may lie before "..", but not for the desk's own tools, which follow none out.
func (l *lineJudge) outside(file, folder string) bool {
	steps := file == ".." || strings.Contains(file, "../") || strings.HasSuffix(file, "/..")
	switch {
	case strings.HasPrefix(file, "~"), strings.HasPrefix(file, "file:"), steps && !l.Own:
		return true
	case !strings.HasPrefix(file, "/"):
		inner := path.Join(folder, file)
		return steps && (inner == ".." || strings.HasPrefix(inner, "../"))
	case file == "/dev/null", file == "/dev/stdin", file == "/dev/stdout", file == "/dev/stderr":
		return false
	}
	return l.Cwd == "" || !under(path.Clean(file), path.Clean(l.Cwd))
}

func under(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// systemFolders belong to the system; some places in them do not.
var (
	systemFolders = strings.Fields("/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /sys /proc /dev /var /System /Library /private/etc " +
		"/private/var")
	notSystem = strings.Fields("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/fd /dev/shm /var/tmp /var/folders " +
		"/private/var/tmp /private/var/folders /var/www")
	windows       = regexp.MustCompile(`^[A-Za-z]:[\\/]|^\\\\`)
	windowsSystem = regexp.MustCompile(`(?i)^[a-z]:[\\/]+(windows|program files|programdata)`)
)

// system reports whether a path lies in a folder of the system, or is the root.
func system(file string) bool {
	in := func(folder string) bool { return under(file, folder) }
	return file == "/" || file == "/*" || slices.ContainsFunc(systemFolders, in) && !slices.ContainsFunc(notSystem, in) ||
		windowsSystem.MatchString(file)
}

// Files that run or steer programs later, by their names, and by the folders that they
// lie in. Names and folders are in small letters.
var (
	steeringNames = set(".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout " +
		".kshrc .cshrc .tcshrc .login .xprofile .xinitrc .xsessionrc .inputrc .vimrc .exrc .envrc crontab .gitconfig .gitattributes " +
		".pre-commit-config.yaml lefthook.yml .lefthook.yml .lintstagedrc " +
		".gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .drone.yml appveyor.yml cloudbuild.yaml " +
		".woodpecker.yml .cirrus.yml buildspec.yml " +
		"claude.md claude.local.md agents.md gemini.md .cursorrules .windsurfrules copilot-instructions.md .mcp.json mcp.json mcp_config.json " +
		"claude_desktop_config.json .claude.json opencode.json opencode.jsonc .aider.conf.yml authorized_keys authorized_keys2 sudoers")
	steeringFolders = enclosed(strings.Fields(
		".git/hooks .husky .githooks .github/workflows .github/actions .circleci .buildkite .woodpecker .gitea/workflows " +
			".forgejo/workflows .claude .codex .gemini .cursor .windsurf .continue .opencode .kiro .roo .config/fish .config/autostart " +
			".config/systemd launchagents launchdaemons etc/systemd etc/profile.d etc/cron.d etc/cron.daily etc/cron.hourly etc/cron.weekly " +
			"etc/cron.monthly etc/init.d var/spool/cron systemd/user systemd/system .config/opencode .config/git")...)
	steeringEnds = enclosed(".git/config", ".vscode/tasks.json", ".vscode/settings.json", ".vscode/mcp.json", ".vscode/launch.json",
		".ssh/config", ".ssh/rc", ".ssh/environment", ".config/code/user/settings.json")
)

// steers reports whether a file runs or steers programs later.
func steers(file string) bool {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	if steeringNames[path.Base(file)] {
		return true
	}
	whole := "/" + strings.Trim(file, "/") + "/"
	return slices.ContainsFunc(steeringFolders, func(f string) bool { return strings.Contains(whole, f) }) ||
		slices.ContainsFunc(steeringEnds, func(f string) bool { return strings.HasSuffix(whole, f) })
}

// binFolders are folders of programs that are found before those of the system.
var binFolders = enclosed(".local/bin", "~/bin", "node_modules/.bin", ".venv/bin", "venv/bin", ".cargo/bin", "go/bin")

// takesOver reports whether a file would run in the place of a program that is known.
func takesOver(file string) bool {
	folder := "/" + strings.Trim(path.Dir(file), "/") + "/"
	return command.Known(path.Base(file)) && slices.ContainsFunc(binFolders, func(f string) bool { return strings.HasSuffix(folder, f) })
}

// enclosed are paths with a slash before and behind each.
func enclosed(paths ...string) []string {
	for i, p := range paths {
		paths[i] = "/" + p + "/"
	}
	return paths
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// Files that hold keys, passwords or tokens, by their names, folders and endings.
var (
	secretNames = set(".netrc _netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .envrc .htpasswd .vault-token .boto .s3cfg " +
		".dockercfg credentials.json credentials.toml credentials.yml credentials.yaml client_secret.json secrets.json secrets.yml secrets.yaml " +
		"secrets.toml master.key production.key shadow- gshadow id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk wallet.dat " +
		"application_default_credentials.json access_tokens.db credentials.db login.keychain login.keychain-db logins.json key4.db " +
		"token.json auth.json oauth_creds.json accesstokens.json service_principal_entries.json credentials.tfrc.json " +
		"service-account.json serviceaccount.json .terraformrc hosts.yml .secrets .secret .pass .password")
	secretFolders = strings.Fields(".ssh .gnupg .aws .password-store .kube .config/gcloud .config/gh run/secrets var/run/secrets " +
		".config/github-copilot .ethereum/keystore library/keychains " + desks)
	// desks are folders that a desk keeps its data, its settings and the tokens of agents in.
	desks       = ".config/sekisho .local/share/sekisho support/sekisho appdata/local/sekisho appdata/roaming/sekisho"
	secretEnds  = strings.Fields(".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .asc.key .ovpn .keytab .agekey .token")
	publicNames = set("known_hosts known_hosts.old authorized_keys authorized_keys2 config rc environment config.json")
	sampleEnds  = strings.Fields(".example .sample .template .dist .tmpl .tpl .defaults .schema .ts .js .go .md .py .rs .tsx .d.ts")
	// secretNote is a note of one, by its name.
	secretNote = regexp.MustCompile(`^(\..*[._-]|\.)(passwords?|passphrases?|api[_-]?keys?|(auth|access)[_-]?tokens?)$|` +
		`(^|[._-])(passwords?|passphrases?|secrets?|api[_-]?keys?|(auth|access)[_-]?tokens?)\.(txt|csv|ini|conf|enc)$`)
	// hiddenNote is a hidden file that is named for what it holds, and openNote one without an ending.
	hiddenNote = regexp.MustCompile(`^\.([^/]*[._-])?(passwords?|passwd|passphrases?|secrets?|tokens?|credentials?)([._-][^/]*)?$`)
	openNote   = regexp.MustCompile(`^([\w-]*[_-])?(passwords?|passphrases?|secrets?|tokens?|credentials?)$|^[\w-]+[_-]passwd$`)
	publicKeys = regexp.MustCompile(`(^|[^a-z])(pub|public|cert|certs|crt|chain|fullchain|ca|cacert|bundle)([^a-z]|$)`)
)

// namesSecret reports whether a word names a file of secrets, also behind what a program
// puts before a name (@file, of=file, HEAD:file).
func namesSecret(word string) bool {
	if len(word) > maxPath || strings.Contains(word, "://") && !strings.HasPrefix(word, "file://") {
		return false
	}
	if alternatives.MatchString(word) && secret(word) {
		return true
	}
	for {
		cut := strings.IndexAny(word, "=@:,")
		if cut < 0 {
			return secret(word)
		}
		if secret(word[:cut]) {
			return true
		}
		word = word[cut+1:]
	}
}

// secret reports whether a path is that of a file of secrets.
func secret(file string) bool {
	if file == "" {
		return false
	}
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	base := strings.TrimSuffix(file, "/")
	base = base[strings.LastIndexByte(base, '/')+1:]
	whole := "/" + strings.Trim(file, "/") + "/"
	inside := func(f string) bool { return strings.Contains(whole, "/"+f+"/") }
	switch {
	case (strings.ContainsAny(base, "*?[{") || alternatives.MatchString(base)) && !strings.HasSuffix(base, ".pub"):
		return hides(base) || slices.ContainsFunc(secretFolders, inside)
	case strings.HasPrefix(base, "ssh_host_") && strings.HasSuffix(base, "_key"), base == "login data",
		base == "cookies" && strings.Contains(file, "default"),
		base == "cookies.sqlite", base == "rclone.conf", strings.HasPrefix(base, "msal_") && strings.Contains(base, "_cache."):
		return true
	case strings.HasSuffix(base, ".pub"), publicNames[base] && base != "config.json" && base != "config":
		return false
	case base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env") && len(base) > len(".env"):
		return !slices.ContainsFunc(sampleEnds, func(end string) bool { return strings.HasSuffix(base, end) }) &&
			!strings.HasPrefix(base, "example") && !strings.HasPrefix(base, "sample")
	case base == "shadow":
		return strings.Contains(file, "etc/")
	case base == "environ":
		return strings.Contains(file, "proc/")
	case base == "config", base == "config.json":
		return strings.HasSuffix(file, ".kube/config") || strings.HasSuffix(file, ".docker/config.json") || strings.HasSuffix(file, ".oci/config")
	case base == "credentials":
		return strings.Contains(file, "/")
	case base == "hosts.yml":
		return strings.Contains(file, "gh/")
	case secretNames[base], secretNote.MatchString(base):
		return true
	case hiddenNote.MatchString(base) && base != ".secrets.baseline":
		return !slices.ContainsFunc(sampleEnds, func(end string) bool { return strings.HasSuffix(base, end) })
	case slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(base, end) && len(base) > len(end) }):
		return !publicKeys.MatchString(base)
	}
	return slices.ContainsFunc(secretFolders, inside)
}

// samples are names of secrets that a pattern may stand for.
var samples = []string{".env", "id_rsa", "id_ed25519", ".netrc", ".npmrc", ".git-credentials", "credentials"}

// alternatives are what bash takes for several patterns in one.
var alternatives = regexp.MustCompile(`[@+!?*]\([^()]*\)`)

// hides reports whether a pattern of names is made for those of secrets.
func hides(pattern string) bool {
	if strings.ContainsAny(pattern[:1], "*?{") || strings.HasPrefix(pattern, "!(") {
		return slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(pattern, end) })
	}
	names, err := regexp.Compile("^" + expression(pattern) + "$")
	if err == nil && slices.ContainsFunc(samples, names.MatchString) {
		return true
	}
	return strings.HasPrefix(pattern, "id_rsa") || strings.HasPrefix(pattern, ".env") && !strings.Contains(pattern, "example")
}

// expression is the regular expression of what a pattern of a shell takes. What is excluded
// there may be anything here.
func expression(pattern string) string {
	pattern = alternatives.ReplaceAllStringFunc(pattern, func(part string) string {
		if part[0] == '!' {
			return "*"
		}
		return part
	})
	var all strings.Builder
	var behind []string // of groups
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch end := strings.IndexByte(pattern[min(i+2, len(pattern)):], ']'); {
		case strings.IndexByte("@+?*", c) >= 0 && strings.HasPrefix(pattern[i+1:], "("):
			all.WriteString("(")
			behind = append(behind, ")"+strings.TrimPrefix(string(c), "@"))
			i++
		case c == ')' && len(behind) > 0:
			all.WriteString(behind[len(behind)-1])
			behind = behind[:len(behind)-1]
		case c == '|' && len(behind) > 0:
			all.WriteByte(c)
		case c == '*':
			all.WriteString(".*")
		case c == '?':
			all.WriteByte('.')
		case c == '[' && end >= 0:
			set := pattern[i : i+2+end+1]
			if strings.HasPrefix(set, "[!") {
				set = "[^" + set[2:]
			}
			all.WriteString(strings.ReplaceAll(set, `\`, `\\`))
			i += 2 + end
		default:
			all.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return all.String()
}

// secretPattern reports whether a pattern of names takes those of secrets in, and not many
// others.
func secretPattern(pattern string) bool {
	if strings.HasPrefix(pattern, "!") {
		return false
	}
	env, err := path.Match(pattern, ".env")
	return namesSecret(pattern) || err == nil && env && strings.Trim(pattern, "*.?") != ""
}

// short is a text that a reason may show.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}
