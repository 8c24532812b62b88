package guard

import (
	"path"
	"strings"
	"unicode"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
	"sekisho/backend/spoof"
)

// Endings of files that are written: those of medium risk, and those that are refused.
var (
	plainEnds   = set(".txt .md .json .yaml .yml .py .js .ts .css .html .go")
	refusedEnds = set(".exe .bin .so .dll")
	soVersion   = lazyregexp.New(`\.so(\.\d+)+$`)
)

// steering names files that run others later or steer agents, and steeringFolders folders of
// such files.
var (
	steeringNames = set("package.json package-lock.json makefile gnumakefile .mcp.json mcp.json claude.md agents.md gemini.md " +
		".cursorrules .clinerules conftest.py setup.py sitecustomize.py pyproject.toml setup.cfg tox.ini noxfile.py binding.gyp " +
		".pre-commit-config.yaml .gitmodules .gitattributes .gitlab-ci.yml docker-compose.yml compose.yaml compose.yml " +
		"gruntfile.js gulpfile.js webpack.config.js vite.config.js vite.config.ts jest.config.js jest.config.ts eslint.config.js " +
		".eslintrc.js .eslintrc.json tsconfig.json deno.json .envrc .npmrc .yarnrc.yml pnpm-workspace.yaml .travis.yml azure-pipelines.yml")
	steeringFolders = set(".git .github .gitlab .circleci .claude .cursor .codex .gemini .vscode .idea .husky .devcontainer node_modules " +
		".githooks .git-hooks .windsurf .opencode .aider .continue .config .venv venv")
)

// Names of files of secrets. The room risk knows more of them and can only raise what is
// said here.
var (
	secretNames = set(".npmrc .pypirc .netrc _netrc .pgpass .my.cnf .git-credentials .envrc .htpasswd id_rsa id_dsa id_ecdsa id_ed25519 " +
		"credentials.json secrets.json secrets.yml secrets.yaml secrets.toml token.json auth.json service-account.json .dockercfg .vault-token")
	secretFolders = set(".ssh .gnupg .aws .kube secrets .secrets .password-store")
	secretEnds    = set(".pem .key .p12 .pfx .p8 .jks .keystore .kdbx .ppk .ovpn .keytab .agekey .kubeconfig")
	dotenv        = lazyregexp.New(`^\.env(\.|$)|\.env$`)
	sample        = lazyregexp.New(`[._-](example|sample|template|dist)$`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// ending gives the ending of a name as a system that drops trailing blanks and dots, and
// does not tell letters' cases apart, would read it.
func ending(name string) (folded, end string) {
	folded = strings.ToLower(spoof.LooksLike(name))
	folded = strings.TrimRightFunc(folded, func(r rune) bool {
		return r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
	})
	folded, _, _ = strings.Cut(folded, ":") // another stream of the same file, on Windows
	return folded, strings.TrimFunc(path.Ext(folded), unicode.IsSpace)
}

// writing judges a path that is written.
func writing(file string) (permission.Risk, permission.RiskCode, *Refusal) {
	name, end := ending(path.Base(file))
	if refusedEnds[end] || soVersion.MatchString(name) {
		return "", "", refuse(FileTypeNotAllowed, "no file of the type %s is written", end)
	}
	switch {
	case Secret(file):
		return permission.RiskHigh, permission.RiskSecret, nil
	case steers(file, name):
		return permission.RiskHigh, permission.RiskSteers, nil
	case plainEnds[end] && !strings.HasPrefix(name, "."):
		return permission.RiskMedium, permission.RiskChanges, nil
	}
	return permission.RiskHigh, permission.RiskFileKind, nil
}

// steers reports whether a file runs others later, or steers agents.
func steers(file, name string) bool {
	if steeringNames[name] {
		return true
	}
	for part := range strings.SplitSeq(file, "/") {
		if folded, _ := ending(part); steeringFolders[folded] {
			return true
		}
	}
	return false
}

// Secret reports whether a path names a file of secrets.
func Secret(file string) bool {
	parts := strings.Split(strings.ToLower(file), "/")
	name := parts[len(parts)-1]
	for i, part := range parts {
		part = strings.TrimRight(part, " .")
		if secretFolders[part] || part == ".git" && i+1 < len(parts) && isGitSecret(parts[i+1]) {
			return true
		}
	}
	if name = strings.TrimRight(name, " ."); sample.MatchString(name) {
		return false
	}
	return secretNames[name] || secretEnds[path.Ext(name)] || dotenv.MatchString(name)
}

// isGitSecret names the files of git's own folder that may hold addresses with passwords.
func isGitSecret(name string) bool {
	return name == "config" || name == "credentials" || name == "config.worktree"
}

// namesSecret reports whether a word names a file of secrets, also behind what a program
// puts before a name, or one that a pattern of the word may reach.
func namesSecret(word string) bool {
	between := func(r rune) bool { return strings.ContainsRune("=:,@{}()[]*?'\"", r) || unicode.IsSpace(r) }
	for part := range strings.FieldsFuncSeq(word, between) {
		if Secret(part) || strings.HasPrefix(part, "-") && len(part) > 2 && Secret(part[2:]) {
			return true
		}
	}
	return Secret(word)
}
