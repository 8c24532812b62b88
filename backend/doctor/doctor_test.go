package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/hookcommand"
	"sekisho/backend/rest"
)

// memoryDesk notes nonces in a folder, where the program of a hook finds them.
type memoryDesk struct{ folder string }

// NewCanary makes one.
func (d memoryDesk) NewCanary(context.Context) (string, error) {
	f, err := os.CreateTemp(d.folder, "sekisho-canary-")
	if err != nil {
		return "", err
	}
	return filepath.Base(f.Name()), f.Close()
}

// Refused reports whether the program noted it.
func (d memoryDesk) Refused(_ context.Context, nonce string) (bool, error) {
	raw, err := os.ReadFile(filepath.Join(d.folder, "refused"))
	return err == nil && strings.Contains(string(raw), nonce), nil
}

// hookProgram notes what it refuses, in the words that clients read.
const hookProgram = `#!/bin/sh
said=$(cat)
echo "$said" >> %D/refused
case "$* $said" in
*claude*PermissionRequest*)
  echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}'
  exit 0 ;;
esac
echo no >&2
exit 2
`

// bed is a home with one client in it, connected as sekisho connect does it.
type bed struct {
	*testing.T
	client, home, settings, hook string
	doctor                       *Doctor
}

// folders are what makes a client be there.
var folders = map[string]string{"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini", "copilot": ".copilot",
	"opencode": ".config/opencode"}

func lie(t *testing.T, client string) *bed {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the test are shell scripts")
	}
	home := t.TempDir()
	b := &bed{T: t, client: client, home: home, hook: filepath.Join(home, "bin/sekisho")}
	desk := memoryDesk{filepath.Join(home, "desk")}
	if err := errors.Join(os.MkdirAll(desk.folder, 0o700), os.MkdirAll(filepath.Join(home, folders[client]), 0o700)); err != nil {
		t.Fatal(err)
	}
	b.write("bin/sekisho", strings.ReplaceAll(hookProgram, "%D", desk.folder))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.write("bin/"+starts[client].program, "#!/bin/sh\nSEKISHO_TEST_CLIENT="+client+" exec '"+self+"' \"$@\"\n")
	t.Setenv("HOME", home)
	places := connect.Places{GOOS: "linux", Home: home, Cwd: filepath.Join(home, "project")}
	b.doctor = &Doctor{Places: places, Program: b.hook,
		Desk:  func(hookcommand.Command) (Desk, error) { return desk, nil },
		Runs:  func(name string) (string, error) { return exec.LookPath(filepath.Join(home, "bin", name)) },
		Trust: func(context.Context, string, []connect.HookAt) (Code, string, error) { return "", "", nil }}
	w := connect.Wiring{Places: places, Program: b.hook, Hooks: true}
	s, err := w.Survey(t.Context())
	if err != nil || len(s.Files) == 0 {
		t.Fatalf("%+v %v", s, err)
	}
	b.settings, _ = filepath.Rel(home, s.Files[0].File.Path)
	b.write(b.settings, string(s.Files[0].Plan.After))
	return b
}

func (b *bed) write(name, text string) {
	b.Helper()
	path := filepath.Join(b.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		b.Fatal(err)
	}
}

// edit changes the settings.
func (b *bed) edit(old, new string) {
	b.Helper()
	raw, err := os.ReadFile(filepath.Join(b.home, b.settings))
	if err != nil || !strings.Contains(string(raw), old) {
		b.Fatalf("%q is not in %s, %v", old, raw, err)
	}
	b.write(b.settings, strings.ReplaceAll(string(raw), old, new))
}

func (b *bed) check() Report {
	b.Helper()
	all := b.doctor.Check(b.Context(), b.client)
	if len(all) != 1 {
		b.Fatalf("%+v", all)
	}
	return all[0]
}

// clientsProved are those that the doctor runs itself.
func clientsProved() []string { return slices.Sorted(maps.Keys(starts)) }

// TestARightSetUpIsClosed, and only when all of it was seen.
func TestARightSetUpIsClosed(t *testing.T) {
	for _, client := range clientsProved() {
		t.Run(client, func(t *testing.T) {
			b := lie(t, client)
			if r := b.check(); r.State != Closed || len(r.Reasons) > 0 || !r.Command || !r.Whole {
				t.Errorf("%+v", r)
			}
			b.doctor.Runs = nil
			if r := b.check(); r.State != NotProved || !r.Command || r.Whole {
				t.Errorf("without the client: %+v", r)
			}
			b.doctor.Desk = nil
			if r := b.check(); r.State != NotProved || r.Command {
				t.Errorf("without a desk: %+v", r)
			}
		})
	}
}

// fault is what is wrong with a set-up, and what is to be said of it.
type fault struct {
	client string
	code   Code
	plant  func(b *bed)
}

// fails makes the client of the test do other than it should.
func fails(how string) func(b *bed) { return func(b *bed) { b.Setenv("SEKISHO_TEST_FAULT", how) } }

// hooks makes the hook's program another.
func hooks(script string) func(b *bed) {
	return func(b *bed) {
		b.write("bin/sekisho", "#!/bin/sh\n"+strings.ReplaceAll(script, "NOTE", "cat >> "+filepath.Join(b.home, "desk/refused"))+"\n")
	}
}

func writes(name, text string) func(b *bed) { return func(b *bed) { b.write(name, text) } }

func edits(old, new string) func(b *bed) { return func(b *bed) { b.edit(old, new) } }

func (b *bed) expect(state State, code Code) {
	b.Helper()
	r := b.check()
	i := slices.IndexFunc(r.Reasons, func(why Reason) bool { return why.Code == code })
	if r.State != state || i < 0 || r.Reasons[i].Repair == "" {
		b.Errorf("%+v", r)
	}
}

// TestPlantedFaultsAreOpen, each with its code and a repair.
func TestPlantedFaultsAreOpen(t *testing.T) {
	const tail = ` || { [ $? = 2 ] || echo 'Sekisho gave no answer, so this does not run' >&2; exit 2; }`
	for name, f := range map[string]fault{
		"no hook": {"claude-code", NoHook, edits(`"PreToolUse"`, `"PostToolUse"`)},
		"no folder, though the program is there": {"codex", NoHook, func(b *bed) {
			if err := os.RemoveAll(filepath.Join(b.home, ".codex")); err != nil {
				b.Fatal(err)
			}
		}},
		"hooks switched off":   {"claude-code", HooksDisabled, edits("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"")},
		"managed hooks only":   {"claude-code", ManagedOnly, edits("{\n  \"hooks\"", "{\n  \"allowManagedHooksOnly\": true,\n  \"hooks\"")},
		"off in another file":  {"codex", HooksDisabled, func(b *bed) { b.write(".codex/config.toml", "[features]\nhooks = false\n") }},
		"off in a profile":     {"codex", HooksDisabled, writes(".codex/config.toml", "profile = \"p\"\n[profiles.p.features]\nhooks = false\n")},
		"off in a project":     {"gemini", HooksDisabled, writes("project/.gemini/settings.json", `{"hooksConfig":{"enabled":false}}`)},
		"off by its name":      {"gemini", HooksDisabled, writes("project/.gemini/settings.json", `{"hooksConfig":{"disabled":["sekisho"]}}`)},
		"off beside the hooks": {"copilot", HooksDisabled, func(b *bed) { b.write(".copilot/config.json", `{"disableAllHooks":true}`) }},
		"a desk of a project's": {"claude-code", EnvironmentSet, writes("project/.claude/settings.json",
			`{"env":{"SEKISHO_URL":"http://127.0.0.1:18999"}}`)},
		"tokens of a project's": {"claude-code", EnvironmentSet, writes("project/.claude/settings.local.json",
			`{"env":{"A":"b","XDG_CONFIG_HOME":"/x"}}`)},
		"a library of another's": {"claude-code", EnvironmentSet, edits("{\n  \"hooks\"", "{\n  \"env\": {\"LD_PRELOAD\": \"/x.so\"},\n  \"hooks\"")},
		"bypass in a project": {"claude-code", BypassMode, func(b *bed) {
			b.write("project/.claude/settings.local.json", `{"permissions":{"defaultMode":"bypassPermissions"}}`)
		}},
		"narrow matcher":        {"claude-code", Matcher, edits(`"matcher": "*"`, `"matcher": "Edit"`)},
		"matcher without some":  {"gemini", Matcher, edits(`"matcher": "*"`, `"matcher": "run_shell_command|write_file"`)},
		"a condition":           {"claude-code", HookLimited, edits(`"type": "command"`, `"if": "Bash(git *)", "type": "command"`)},
		"not waited for":        {"claude-code", HookLimited, edits(`"type": "command"`, `"async": true, "type": "command"`)},
		"another type":          {"codex", HookLimited, edits(`"type": "command"`, `"type": "prompt"`)},
		"no onFailure":          {"claude-code", NoOnFailure, edits(`"onFailure": "block"`, `"onFailure": "ignore"`)},
		"open without program":  {"codex", NoOnFailure, edits(tail, "")},
		"short timeout":         {"claude-code", Timeout, edits(`"timeout": 660`, `"timeout": 5`)},
		"no timeout":            {"copilot", Timeout, edits(`"timeoutSec"`, `"timeoutMs"`)},
		"seconds for ms":        {"gemini", Timeout, edits(`660000`, `660`)},
		"another client's hook": {"claude-code", OtherClient, edits("--client claude ", "--client codex ")},
		"other system's field":  {"copilot", NoHook, edits(`"bash"`, `"powershell"`)},
		"unreadable":            {"claude-code", FileUnreadable, edits("{\n  \"hooks\"", "{\n  \"hooks")},
		"plugin changed":        {"opencode", FileUnreadable, edits("code === 0 ? resolve()", "code !== 1 ? resolve()")},
		"hooks twice":           {"claude-code", FileUnreadable, edits("{\n  \"hooks\"", "{\n  \"hooks\": {},\n  \"hooks\"")},
		"program gone": {"claude-code", ProgramMissing, func(b *bed) {
			if err := os.Remove(b.hook); err != nil {
				b.Fatal(err)
			}
		}},
		"no of itself": {"claude-code", DeskNotAsked, hooks("echo no >&2; exit 2")},
		"yes":          {"claude-code", LetPass, hooks("NOTE; exit 0")},
		"fails": {"claude-code", LetPass, func(b *bed) {
			hooks("NOTE; exit 1")(b)
			b.edit(tail, "")
		}},
		"no reason":                 {"codex", LetPass, hooks("NOTE; exit 2")},
		"yes beside the no":         {"gemini", LetPass, hooks(`NOTE; echo '{"decision":"allow"}'; echo no >&2; exit 2`)},
		"exit 2 where JSON says no": {"claude-code", LetPass, hooks("NOTE; echo no >&2; exit 2")},
		"the client does not ask":   {"claude-code", ToolRan, fails("runs")},
		"asks and runs":             {"copilot", ToolRan, fails("asks and runs")},
		"refuses by itself":         {"opencode", DeskNotAsked, fails("refuses")},
		"untrusted": {"codex", Untrusted, func(b *bed) {
			b.doctor.Trust = func(context.Context, string, []connect.HookAt) (Code, string, error) {
				return Untrusted, "modified", nil
			}
		}},
		"policy alone": {"gemini", PolicyAlone, func(b *bed) { b.write(b.settings, "{}"); b.write(".gemini/policies/sekisho.toml", "") }},
	} {
		t.Run(name, func(t *testing.T) {
			b := lie(t, f.client)
			f.plant(b)
			b.expect(Open, f.code)
		})
	}
}

// TestWhatWasNotSeenIsNotProved, whatever else is right.
func TestWhatWasNotSeenIsNotProved(t *testing.T) {
	for name, f := range map[string]fault{
		"trust is not known": {"codex", TrustUnknown, func(b *bed) { b.doctor.Trust = nil }},
		"trust cannot be asked": {"codex", TrustUnknown, func(b *bed) {
			b.doctor.Trust = func(context.Context, string, []connect.HookAt) (Code, string, error) {
				return "", "", errors.New("no app-server")
			}
		}},
		"a field not known here": {"gemini", FieldUnknown, edits(`"matcher": "*"`, `"novel": 1, "matcher": "*"`)},
		"no program of its own": {"gemini", NotRun, func(b *bed) {
			b.doctor.Runs = func(string) (string, error) { return "", exec.ErrNotFound }
		}},
		"another model": {"claude-code", NotRun, func(b *bed) {
			b.write("project/.claude/settings.json", `{"env":{"ANTHROPIC_BASE_URL":"http://other"}}`)
		}},
		"the model is not asked": {"copilot", NotRun, fails("silent")},
		"no word of the end":     {"codex", NotRun, fails("ends early")},
		"no shell is offered":    {"claude-code", NotRun, fails("no shell")},
		"the desk is gone": {"opencode", NoDesk, func(b *bed) {
			b.doctor.Desk = func(hookcommand.Command) (Desk, error) { return nil, errors.New("it is not running") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := lie(t, f.client)
			f.plant(b)
			b.expect(NotProved, f.code)
		})
	}
}

// TestACheckThatIsEndedProvesNothing.
func TestACheckThatIsEndedProvesNothing(t *testing.T) {
	b := lie(t, "claude-code")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all := b.doctor.Check(ctx, b.client); len(all) != 1 || all[0].State != NotProved {
		t.Errorf("%+v", all)
	}
}

// TestCodexTrust asks an app-server of a test, which has an opinion of each hook.
func TestCodexTrust(t *testing.T) {
	b := lie(t, "codex")
	s := connect.Hooks(b.doctor.Places, "codex")
	line, err := json.Marshal(s.Hooks[0].Command.Line)
	if err != nil || len(s.Hooks) != 2 {
		t.Fatal(s, err)
	}
	one := func(status, more string) string {
		return `{"command":` + strings.ReplaceAll(string(line), "'", `'\''`) + `,"sourcePath":"` +
			s.File + `","trustStatus":"` + status + `","enabled":` + more + `}`
	}
	good := one("trusted", "true")
	for name, c := range map[string]struct {
		hooks string
		code  Code
		fails bool
	}{
		"trusted": {good + "," + good, "", false}, "managed": {good + "," + one("managed", "true"), "", false},
		"one is not": {good + "," + one("untrusted", "true"), Untrusted, false},
		"modified":   {one("modified", "true") + "," + good, Untrusted, false},
		"off":        {good + "," + one("trusted", "false"), Untrusted, false}, "one is missing": {good, Untrusted, false},
		"of another file": {good + "," + strings.ReplaceAll(good, s.File, "/elsewhere"), Untrusted, false}, "no JSON": {"{", "", true},
	} {
		b.write("bin/codex", "#!/bin/sh\n[ \"$1\" = app-server ] || exit 1\nread a\n"+
			"echo '{\"method\":\"note\"}'\necho '{\"id\":1,\"result\":{}}'\n"+
			"read a\nread a\necho '{\"id\":2,\"result\":{\"data\":[{\"cwd\":\"/\",\"hooks\":["+c.hooks+"]}]}}'\n")
		code, detail, err := CodexTrust(b.doctor.Runs, b.home)(t.Context(), s.File, s.Hooks)
		if code != c.code || (err != nil) != c.fails || code != "" && detail == "" {
			t.Errorf("%s: %s %q %v", name, code, detail, err)
		}
	}
	b.write("bin/codex", "#!/bin/sh\nread a\necho '{\"id\":1,\"error\":{\"message\":\"no\"}}'\n")
	if _, _, err := CodexTrust(b.doctor.Runs, b.home)(t.Context(), s.File, s.Hooks); err == nil || !strings.Contains(err.Error(), "no") {
		t.Error(err)
	}
}

// TestTheAPIKnowsEachCode, and no other.
func TestTheAPIKnowsEachCode(t *testing.T) {
	field, _ := reflect.TypeFor[rest.ClientFault]().FieldByName("Code")
	var codes []string
	for code := range repairs {
		codes = append(codes, string(code))
	}
	slices.Sort(codes)
	if listed := strings.Split(field.Tag.Get("enum"), ","); !slices.Equal(listed, codes) {
		t.Errorf("%q, want %q", listed, codes)
	}
}
