package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
)

// Files that hold keys, passwords or tokens, by their names, folders and endings.
var (
	secretNames = set(".netrc _netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .envrc .htpasswd .vault-token .boto .s3cfg " +
		".dockercfg credentials.json credentials.toml credentials.yml credentials.yaml client_secret.json secrets.json secrets.yml secrets.yaml " +
		"secrets.toml master.key production.key shadow- gshadow id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk wallet.dat " +
		"application_default_credentials.json access_tokens.db credentials.db login.keychain login.keychain-db logins.json key4.db " +
		"token.json auth.json oauth_creds.json accesstokens.json service_principal_entries.json credentials.tfrc.json " +
		"service-account.json serviceaccount.json .terraformrc hosts.yml .secrets .secret .pass .password .dev.vars")
	secretFolders = strings.Fields(".ssh .gnupg .aws .password-store .kube .config/gcloud .config/gh run/secrets var/run/secrets " +
		".config/github-copilot .ethereum/keystore library/keychains " + desks)
	// desks are folders that a desk keeps its data, its settings and the tokens of agents in.
	desks       = ".config/sekisho .local/share/sekisho support/sekisho appdata/local/sekisho appdata/roaming/sekisho"
	secretEnds  = strings.Fields(".pem .key .p12 .pfx .p8 .jks .keystore .kdbx .ppk .asc.key .ovpn .keytab .agekey .token .kubeconfig")
	publicNames = set("known_hosts known_hosts.old authorized_keys authorized_keys2 config rc environment config.json")
	// sampleEnd is how the name of a file ends that shows what one of secrets looks like, or has code.
	sampleEnd = lazyregexp.New(`([._-](example|sample|template|dist|tmpl|tpl|defaults|schema)|\.(ts|js|go|md|py|rs|tsx))$`)
	// secretNote is a note of one, by its name.
	secretNote = lazyregexp.New(`^(\..*[._-]|\.)(passwords?|passphrases?|api[_-]?keys?|(auth|access)[_-]?tokens?)$|` +
		`(^|[._-])(passwords?|passphrases?|secrets?|api[_-]?keys?|(auth|access)[_-]?tokens?)\.(txt|csv|ini|conf|enc)$`)
	// hiddenNote is a hidden file that is named for what it holds, and openNote one without an ending.
	hiddenNote = lazyregexp.New(`^\.([^/]*[._-])?(passwords?|passwd|passphrases?|secrets?|tokens?|credentials?)([._-][^/]*)?$`)
	openNote   = lazyregexp.New(`^([\w-]*[_-])?(passwords?|passphrases?|secrets?|tokens?|credentials?)$|^[\w-]+[_-]passwd$`)
	publicKeys = lazyregexp.New(`(^|[^a-z])(pub|public|cert|certs|crt|chain|fullchain|ca|cacert|bundle)([^a-z]|$)`)
	keyWord    = lazyregexp.New(`(^|[^a-z])(key|privkey)([^a-z]|$)`)
	// bareKey is a private key or the settings of a cluster by a name without an ending, which may as well be
	// the name of something else.
	bareKey = lazyregexp.New(`^([\w-]+[_-])?((deploy|ssh|private|signing)[_-]?key|kubeconfig)$`)
	// keyNote is a file that a service gives its keys in, by its name and with an ending of data.
	keyNote = lazyregexp.New(`^.*[._-](key|keyfile|credentials?|adminsdk([_-][\w-]+)?)\.json$|^(.*[._-])?(root|access)_?keys?\.csv$|` +
		`^(.*[._-])?credentials\.csv$|^client_secret.*\.json$|^gha-creds.*\.json$|^id_(rsa|dsa|ecdsa|ed25519)[._-].*|` +
		`^([\w-]+[_-])?(token|passwd)\.txt$|^([\w.-]+[._-])?kubeconfig([._-][\w-]+)?\.(ya?ml|json)$|` +
		`^\.?([\w-]+[_-])?vault[_-]pass(word|phrase)?([_-]file)?(\.txt)?$`)
	// dataEnd is how the name of a file with data ends, and sealed one that has it encrypted.
	dataEnd = lazyregexp.New(`^[^.]+$|\.(ya?ml|json|env|toml|txt|ini|conf|properties|tfvars)$`)
	sealed  = lazyregexp.New(`[._-](enc|encrypted|sealed|sops)([._-]|$)`)
	// keptApart are folders of secrets among those of a project, where names do not say that it is code.
	keptApart = strings.Fields("secrets .secrets ssl/private tls/private pki/private certs/private")
)

// namesSecret reports whether a word names a file of secrets, also behind what a program
// puts before a name (@file, of=file, HEAD:file).
func namesSecret(word string) bool {
	if len(word) > maxPath || strings.Contains(word, "://") && !strings.HasPrefix(word, "file://") {
		return false
	}
	if hasAlternatives(word) && secret(word) {
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
	file = strings.TrimSuffix(file, keptEnd(file))
	base := strings.TrimSuffix(file, "/")
	base = base[strings.LastIndexByte(base, '/')+1:]
	whole := "/" + strings.Trim(file, "/") + "/"
	inside := func(f string) bool { return strings.Contains(whole, "/"+f+"/") }
	told := slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(base, stem) })
	switch {
	case (strings.ContainsAny(base, "*?[{") || hasAlternatives(base)) && !strings.HasSuffix(base, ".pub"):
		return hides(base) || slices.ContainsFunc(secretFolders, inside)
	case strings.HasPrefix(base, "ssh_host_") && strings.HasSuffix(base, "_key"), base == "login data",
		base == "cookies" && strings.Contains(file, "default"),
		base == "cookies.sqlite", base == "rclone.conf", strings.HasPrefix(base, "msal_") && strings.Contains(base, "_cache."):
		return true
	case strings.HasSuffix(base, ".pub"), publicNames[base] && base != "config.json" && base != "config":
		return false
	case (strings.Contains(base, ".env") || strings.HasPrefix(base, ".dev.")) && environment.MatchString(base):
		return !sampleEnd.MatchString(base) && !strings.HasPrefix(base, "example") && !strings.HasPrefix(base, "sample")
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
	case secretNames[base]:
		return true
	case told && (secretNote.MatchString(base) || keyNote.MatchString(base) || bareKey.MatchString(base) && strings.Contains(file, "/")):
		return true
	case told && hiddenNote.MatchString(base) && base != ".secrets.baseline":
		return !sampleEnd.MatchString(base)
	case slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(base, end) && len(base) > len(end) }):
		return !strings.HasSuffix(base, ".pem") || !publicKeys.MatchString(base) || keyWord.MatchString(base)
	case !inside("actions/secrets") && slices.ContainsFunc(keptApart, func(f string) bool {
		return inside(f) && !strings.HasSuffix(whole, "/"+f+"/")
	}):
		return dataEnd.MatchString(base) && !sealed.MatchString(base) && !sampleEnd.MatchString(base)
	}
	return slices.ContainsFunc(secretFolders, inside)
}

// keptEnd is how the name of a file ends that is kept of another one, or nothing.
func keptEnd(file string) string {
	for _, end := range []string{".bak", ".old", ".orig", ".save", ".backup", "~"} {
		if strings.HasSuffix(file, end) {
			return end
		}
	}
	return ""
}

// stems are words of which each name has at least one that secretNote, keyNote, bareKey or
// hiddenNote match. Most texts have none, and a regular expression takes a thousand times longer.
var stems = strings.Fields("key pass secret token cred adminsdk kube id_")

// environment is a file with the variables of an environment.
var environment = lazyregexp.New(`^\.env([._-].*)?$|.\.env$|^\.dev\.vars\.`)

// samples are names of secrets that a pattern may stand for.
var samples = []string{".env", "id_rsa", "id_ed25519", ".netrc", ".npmrc", ".git-credentials", "credentials"}

// alternatives are what bash takes for several patterns in one.
var alternatives = lazyregexp.New(`[@+!?*]\([^()]*\)`)

// hasAlternatives reports whether a word has such patterns.
func hasAlternatives(word string) bool {
	return strings.Contains(word, "(") && alternatives.MatchString(word)
}

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

var secretName = lazyregexp.New(`(?i)(secret|token|passw|api_?key|access_?key|private_?key)`)
