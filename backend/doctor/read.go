package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sekisho/backend/conftext"
	"sekisho/backend/connect"
	"sekisho/backend/hookcommand"
)

// leastSeconds is how long a client has to wait, so that the desk answers before.
const leastSeconds = 650

// read looks at a client's files as they are now.
func (d *Doctor) read(ctx context.Context, r *Report, s *connect.HookState) {
	if s.Err != nil {
		r.add(FileUnreadable, s.File, s.Err.Error())
	}
	for _, event := range s.Events {
		if !slices.ContainsFunc(s.Hooks, func(h connect.HookAt) bool { return h.Event == event && everything(h.Matcher) }) {
			code := NoHook
			if slices.ContainsFunc(s.Hooks, func(h connect.HookAt) bool { return h.Event == event }) {
				code = Matcher
			}
			r.add(code, s.File, event)
		}
	}
	for _, h := range s.Hooks {
		d.readHook(r, s, h)
	}
	if s.Policy != "" && len(s.Hooks) == 0 {
		r.add(PolicyAlone, s.Policy, "")
	}
	for _, path := range settingsOf(d.Places, r.Client) {
		readSettings(r, s, path)
	}
	if r.Client == "codex" && len(s.Hooks) > 0 {
		d.readTrust(ctx, r, s)
	}
}

func everything(matcher string) bool { return slices.Contains([]string{"", "*", ".*"}, matcher) }

// fieldsOf are the fields of a client's hooks, and of groups of them, whose meaning is known here.
var fieldsOf = map[string][]string{
	"claude-code": {"matcher", "hooks", "command", "timeout", "onFailure"},
	"codex":       {"matcher", "hooks", "command", "timeout"},
	"gemini":      {"matcher", "hooks", "command", "timeout"},
	"copilot":     {"matcher", "bash", "powershell", "timeoutSec"},
	"cursor":      {"matcher", "command", "timeout", "failClosed"},
}

// shownOnly are fields of hooks that change no more than what a person sees.
var shownOnly = []string{"name", "description", "comment", "statusMessage"}

// limits are fields of a hook by which a client does not start it, or does not wait for it.
var limits = []string{"type", "if", "async", "asyncRewake", "enabled", "disabled", "once"}

// written reports whether a command is exactly as connecting writes it. Only then it says by
// its words what starting it does.
func (d *Doctor) written(h connect.HookAt) bool {
	if h.Words != nil {
		return slices.Equal(h.Words, h.Command.Words())
	}
	return h.Command.Exact(d.Places.GOOS)
}

// ours reports whether a program is sekisho, or sekisho-hook beside it, of this installation.
func (d *Doctor) ours(program string) bool {
	if !filepath.IsAbs(program) || !filepath.IsAbs(d.Program) {
		return false
	}
	its, err := os.Stat(program)
	return err == nil && slices.ContainsFunc([]string{d.Program, resolved(d.Program)}, func(sekisho string) bool {
		return slices.ContainsFunc([]string{sekisho, hookcommand.Small(sekisho)}, func(path string) bool {
			known, err := os.Stat(path)
			return err == nil && os.SameFile(its, known)
		})
	})
}

func (d *Doctor) readHook(r *Report, s *connect.HookState, h connect.HookAt) {
	_, err := exec.LookPath(h.Command.Program)
	missing := err != nil || !filepath.IsAbs(h.Command.Program)
	if missing {
		r.add(ProgramMissing, s.File, h.Command.Program)
	}
	switch {
	case d.written(h) && (missing || d.ours(h.Command.Program)):
	case d.written(h):
		r.add(OtherProgram, s.File, h.Command.Program)
	case h.Command.Alike(d.Places.GOOS):
		r.add(WrittenOtherwise, s.File, h.Command.Line)
	default:
		r.add(OtherWords, s.File, h.Command.Line)
	}
	if h.Command.Door != connect.HookDoor(r.Client) {
		r.add(OtherClient, s.File, h.Command.Door)
	}
	if !h.Blocks && (r.Client == "claude-code" || r.Client == "cursor") {
		r.add(NoOnFailure, s.File, h.Event)
	}
	for _, field := range slices.Sorted(maps.Keys(h.Fields)) {
		known := slices.Contains(fieldsOf[r.Client], field) || slices.Contains(shownOnly, field)
		if field == "type" {
			known = h.Fields[field] == "command"
		}
		switch {
		case known:
		case slices.Contains(limits, field):
			r.add(HookLimited, s.File, h.Event+": "+field)
		default:
			r.add(FieldUnknown, s.File, h.Event+": "+field)
		}
	}
	if h.Seconds < leastSeconds {
		r.add(Timeout, s.File, fmt.Sprintf("%s: %g s", h.Event, h.Seconds))
	}
}

func (d *Doctor) readTrust(ctx context.Context, r *Report, s *connect.HookState) {
	if d.Trust == nil {
		r.add(TrustUnknown, s.File, "")
		return
	}
	code, detail, err := d.Trust(ctx, s.File, s.Hooks)
	switch {
	case err != nil:
		r.add(TrustUnknown, s.File, err.Error())
	case code != "":
		r.add(code, s.File, detail)
	}
}

// settingsOf are the files of a client that may switch its hooks off: the managed ones, the
// user's and those of the current folder.
func settingsOf(p connect.Places, client string) (all []string) {
	in := func(folder string, names ...string) {
		for _, name := range names {
			if folder != "" {
				all = append(all, filepath.Join(folder, name))
			}
		}
	}
	env := func(name, below string) string {
		if p.Env != nil && filepath.IsAbs(p.Env(name)) {
			return p.Env(name)
		}
		return filepath.Join(p.Home, below)
	}
	switch client {
	case "claude-code":
		managed := map[string]string{"darwin": "/Library/Application Support/ClaudeCode", "windows": `C:\Program Files\ClaudeCode`}[p.GOOS]
		if managed == "" {
			managed = "/etc/claude-code"
		}
		in(managed, "managed-settings.json")
		in(env("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
		in(p.Cwd, ".claude/settings.json", ".claude/settings.local.json")
	case "codex":
		if p.GOOS != "windows" {
			in("/etc/codex", "config.toml", "managed_config.toml", "requirements.toml")
		}
		in(env("CODEX_HOME", ".codex"), "config.toml", "managed_config.toml")
		in(p.Cwd, ".codex/config.toml")
	case "gemini":
		if set := geminiSystem(p); set != "" {
			all = append(all, set)
		}
		in(p.Home, ".gemini/settings.json")
		in(p.Cwd, ".gemini/settings.json")
	case "copilot":
		in(env("COPILOT_HOME", ".copilot"), "hooks/sekisho.json", "settings.json", "config.json")
	}
	return all
}

// geminiSystem is Gemini CLI's file of the whole machine, which stands above the user's.
func geminiSystem(p connect.Places) string {
	if p.Env != nil && p.Env("GEMINI_CLI_SYSTEM_SETTINGS_PATH") != "" {
		return p.Env("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
	}
	switch p.GOOS {
	case "darwin":
		return "/Library/Application Support/GeminiCli/settings.json"
	case "windows":
		return `C:\ProgramData\gemini-cli\settings.json`
	}
	return "/etc/gemini-cli/settings.json"
}

// switches are settings that let tools run without hooks, by their paths in a file.
var switches = []struct {
	path  []string
	value any
	code  Code
}{
	{[]string{"disableAllHooks"}, true, HooksDisabled},
	{[]string{"allowManagedHooksOnly"}, true, ManagedOnly},
	{[]string{"allow_managed_hooks_only"}, true, ManagedOnly},
	{[]string{"permissions", "defaultMode"}, "bypassPermissions", BypassMode},
	{[]string{"features", "hooks"}, false, HooksDisabled},
	{[]string{"features", "codex_hooks"}, false, HooksDisabled},
	{[]string{"hooksConfig", "enabled"}, false, HooksDisabled},
	{[]string{"hooks", "enabled"}, false, HooksDisabled},
	{[]string{"tools", "enableHooks"}, false, HooksDisabled},
	{[]string{"general", "defaultApprovalMode"}, "yolo", BypassMode},
}

// misleading reports whether an environment variable leads a hook to another desk or token, or
// another program into it or its shell. Windows takes a name in any case.
func misleading(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"SEKISHO_", "LD_", "DYLD_"}, func(start string) bool { return strings.HasPrefix(name, start) }) ||
		slices.Contains([]string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
			"BASH_ENV"}, name)
}

func readSettings(r *Report, hooks *connect.HookState, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		if !os.IsNotExist(err) {
			r.add(FileUnreadable, path, err.Error())
		}
		return
	}
	doc, err := conftext.Read(string(raw), conftext.Dialect{TOML: filepath.Ext(path) == ".toml", Comments: true, TrailingCommas: true})
	if err != nil {
		r.add(FileUnreadable, path, err.Error())
		return
	}
	for _, s := range switches {
		if conftext.At(doc.Root, s.path) == s.value {
			r.add(s.code, path, s.path[len(s.path)-1])
		}
	}
	env, _ := conftext.At(doc.Root, []string{"env"}).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if misleading(name) {
			r.add(EnvironmentSet, path, "env: "+name)
		}
	}
	if profile, _ := conftext.At(doc.Root, []string{"profile"}).(string); profile != "" && r.Client == "codex" {
		for _, name := range []string{"hooks", "codex_hooks"} {
			if conftext.At(doc.Root, []string{"profiles", profile, "features", name}) == false {
				r.add(HooksDisabled, path, profile+": "+name)
			}
		}
	}
	for _, list := range [][]string{{"hooksConfig", "disabled"}, {"hooks", "disabled"}} {
		off, _ := conftext.At(doc.Root, list).([]any)
		if slices.Contains(off, any("sekisho")) ||
			slices.ContainsFunc(hooks.Hooks, func(h connect.HookAt) bool { return slices.Contains(off, any(h.Command.Line)) }) {
			r.add(HooksDisabled, path, strings.Join(list, "."))
		}
	}
}
