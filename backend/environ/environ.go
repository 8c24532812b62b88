// Package environ knows environments of agents' clients: which variables a client hands
// on to the tool servers that it starts, and which of them a server is likely to need.
package environ

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
)

// rule is what a client hands on of its own environment.
type rule struct {
	only    []string           // names, and no others; nil is all but those below
	not     []string           // names
	without *lazyregexp.Regexp // in names
	secret  *lazyregexp.Regexp // in values
}

// standard is what the TypeScript SDK of MCP hands on (its getDefaultEnvironment).
var standard = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
	"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
	"USERNAME", "USERPROFILE"}

// rules are by client, as connect calls it. Seen means: by starting a server that writes
// down its variables from the real client, on Linux. Who is not here hands on all: Claude
// Code 2.1.329 and opencode 1.18.33 (seen), VS Code and Zed (their sources: the child's
// environment is the own one with the entry's on top), and Cursor, which is made of VS Code.
var rules = map[string]rule{
	// Documentation, modelcontextprotocol.io, Debugging: "a limited subset of environment
	// variables automatically, like USER, HOME, and PATH".
	"claude-desktop": {only: standard},
	// Codex 0.169.0, seen, and codex-rs/rmcp-client/src/utils.rs. The names of env_vars in the
	// entry are read with the entry.
	"codex": {only: []string{"HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ",
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT",
		"TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"}},
	// Copilot CLI 1.0.102, seen: GH_TOKEN and all others that were tried get through.
	"copilot": {not: []string{"GITHUB_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}},
	// Gemini CLI 0.61.0, seen, and packages/core/src/services/environmentSanitization.ts.
	"gemini": {
		not: []string{"CLIENT_ID", "DB_URI", "CONNECTION_STRING", "AWS_DEFAULT_REGION", "AZURE_CLIENT_ID", "AZURE_TENANT_ID",
			"SLACK_WEBHOOK_URL", "TWILIO_ACCOUNT_SID", "DATABASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT", "FIREBASE_PROJECT_ID"},
		without: lazyregexp.New(`TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT`),
		secret: lazyregexp.New(`(?i)-----BEGIN [A-Z ]*(PRIVATE KEY|CERTIFICATE)-----|(https?|ftp|smtp)://[^:]+:[^@]+@|` +
			`(gh[pousr]|github_pat)_\w{36,}|AIzaSy[\w-]{33}|AKIA[A-Z0-9]{16}|eyJ[\w-]*\.[\w-]*\.[\w-]*|[sr]k_(live|test)_\w{24}|xox[abpr]-[\w-]+`),
	},
}

// Of is an environment without what is Sekisho's own: the token of who connects clients is
// none of theirs.
func Of(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "SEKISHO_") })
}

// Passed gives those of a client's own variables, each NAME=VALUE, with which it starts
// servers.
func Passed(client string, own []string) []string {
	r, known := rules[client]
	if !known {
		return own
	}
	return slices.DeleteFunc(slices.Clone(own), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		return r.only != nil && !slices.Contains(r.only, name) || slices.Contains(r.not, name) ||
			r.without != nil && r.without.MatchString(name) || r.secret != nil && r.secret.MatchString(value)
	})
}

// likely are the shapes of names that servers are given their access with, and their way
// to others.
var likely = lazyregexp.New(`(^|_)(API_?KEY|KEY|KEY_ID|TOKEN|SECRET|PASSWORD|PASSWD|PAT|CREDENTIALS?|DSN)$|` +
	`^(AWS|GOOGLE|AZURE|PG|GCLOUD|CLOUDSDK|VAULT|KUBE)_?[A-Z]|^(DATABASE_URL|REDIS_URL|MONGODB_URI|KUBECONFIG|SSH_AUTH_SOCK|DOCKER_HOST)$|` +
	`^(HTTPS?|ALL|NO)_PROXY$`)

// secrets are the shapes of names whose values are secret.
var secrets = lazyregexp.New(`TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|_PAT$|DSN$|_UR[IL]$|CONNECTION_STRING`)

// ofShells are variables that a shell or a terminal has for itself alone.
var ofShells = lazyregexp.New(`^(_|PWD|OLDPWD|SHLVL|PS[0-9]|COLORTERM|COLUMNS|LINES|LS_COLORS|LESS.*|WINDOWID|TERM.*|HIST.*)$`)

// Secrets gives the values of those variables that may be secret, by their names.
func Secrets(all []string) (values []string) {
	for _, v := range all {
		if name, value, _ := strings.Cut(v, "="); secrets.MatchString(strings.ToUpper(name)) {
			values = append(values, value)
		}
	}
	return values
}

// Missing are names of variables that a server would not have any more.
type Missing struct {
	Likely []string `json:"likely,omitempty"` // those that it may need, what its entry speaks of first
	Others []string `json:"others,omitempty"`
}

// Has reports whether a name is one of them.
func (m Missing) Has(name string) bool {
	return slices.Contains(m.Likely, name) || slices.Contains(m.Others, name)
}

// Find sorts the names of variables that a client hands on (passed), without those that
// stay: what kept has. words are texts of the server's entry.
func Find(passed []string, kept func(name string) bool, words ...string) (m Missing) {
	text := strings.ToUpper(strings.Join(words, " "))
	var spoken []string
	for _, v := range passed {
		name, _, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		switch {
		case name == "" || kept(name) || ofShells.MatchString(upper):
		case speaksOf(text, upper):
			spoken = append(spoken, name)
		case likely.MatchString(upper):
			m.Likely = append(m.Likely, name)
		default:
			m.Others = append(m.Others, name)
		}
	}
	for _, names := range [][]string{spoken, m.Likely, m.Others} {
		slices.Sort(names)
	}
	m.Likely = append(spoken, m.Likely...)
	return m
}

// speaksOf reports whether a text has a variable's name, or its first word where that is
// long enough to be no chance: GITHUB of GITHUB_API_URL in server-github.
func speaksOf(text, name string) bool {
	first, _, more := strings.Cut(name, "_")
	return word(text, name) || more && len(first) >= 4 && first != "HOME" && first != "NODE" && word(text, first)
}

// word reports whether a text has a word that is no part of another.
func word(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, after := at == 0 || !letter(text[at-1]), at+len(word) == len(text) || !letter(text[at+len(word)])
		if before && after {
			return true
		}
		from = at + 1
	}
}

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
