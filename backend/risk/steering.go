package risk

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/command"
)

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
