package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/connect"
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

// The programs of the test: a hook that notes what it refuses, and a client that obeys the
// hooks of its settings as Claude Code does.
const (
	hookProgram = "#!/bin/sh\ncat >> %D/refused\necho no >&2\nexit 2\n"
	fakeClient  = `#!/bin/sh
settings="$HOME/.claude/settings.json"
nonce=$(curl -s -X POST "$ANTHROPIC_BASE_URL/v1/messages" -d '{"model":"m","tools":[{"name":"Bash"}]}' | grep -o 'sekisho-canary-[0-9]*' | head -n 1)
grep -q disableAllHooks "$settings" && { touch "$nonce"; exit 0; }
grep -q 'hook --client' "$settings" || { touch "$nonce"; exit 0; }
echo "{\"tool_input\":{\"command\":\"touch $nonce\"}}" | "$SEKISHO_TEST_HOOK" hook
[ $? = 2 ] || touch "$nonce"
`
)

// bed is a home with Claude Code in it, connected as sekisho connect does it.
type bed struct {
	*testing.T
	home, settings, hook string
	doctor               *Doctor
}

func lie(t *testing.T) *bed {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the test are shell scripts")
	}
	home := t.TempDir()
	b := &bed{T: t, home: home, settings: filepath.Join(home, ".claude/settings.json"), hook: filepath.Join(home, "bin/sekisho")}
	desk := memoryDesk{filepath.Join(home, "desk")}
	if err := os.MkdirAll(desk.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	b.write("bin/sekisho", strings.ReplaceAll(hookProgram, "%D", desk.folder))
	b.write("bin/claude", fakeClient)
	t.Setenv("HOME", home)
	t.Setenv("SEKISHO_TEST_HOOK", b.hook)
	b.doctor = &Doctor{Places: connect.Places{GOOS: "linux", Home: home, Cwd: filepath.Join(home, "project")},
		Desk: func(connect.HookCommand) (Desk, error) { return desk, nil },
		Runs: func(name string) (string, error) { return filepath.Join(home, "bin", name), nil }}
	b.write(".claude/settings.json", "{}\n")
	w := connect.Wiring{Places: b.doctor.Places, Program: b.hook, Hooks: true}
	s, err := w.Survey(t.Context())
	if err != nil || len(s.Files) != 1 {
		t.Fatalf("%+v %v", s, err)
	}
	b.write(".claude/settings.json", string(s.Files[0].Plan.After))
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
	raw, err := os.ReadFile(b.settings)
	if err != nil || !strings.Contains(string(raw), old) {
		b.Fatalf("%q is not in %s, %v", old, raw, err)
	}
	b.write(".claude/settings.json", strings.ReplaceAll(string(raw), old, new))
}

func (b *bed) check() Report {
	b.Helper()
	all := b.doctor.Check(b.Context(), "claude-code")
	if len(all) != 1 {
		b.Fatalf("%+v", all)
	}
	return all[0]
}

// TestARightSetUpIsClosed, and only when all of it was seen.
func TestARightSetUpIsClosed(t *testing.T) {
	b := lie(t)
	if r := b.check(); r.State != Closed || len(r.Reasons) > 0 || !r.Command || !r.Whole {
		t.Errorf("%+v", r)
	}
	if r, found := b.doctor.Read(t.Context(), "claude-code"); !found || r.State != NotProved {
		t.Errorf("the files alone: %+v", r)
	}
	b.doctor.Runs = nil
	if r := b.check(); r.State != NotProved || !r.Command || r.Whole {
		t.Errorf("without the client: %+v", r)
	}
	b.doctor.Desk = nil
	if r := b.check(); r.State != NotProved || r.Command {
		t.Errorf("without a desk: %+v", r)
	}
}

// TestPlantedFaultsAreOpen, each with its code and a repair.
func TestPlantedFaultsAreOpen(t *testing.T) {
	for code, plant := range map[Code]func(b *bed){
		NoHook:        func(b *bed) { b.edit(`"PreToolUse"`, `"PostToolUse"`) },
		HooksDisabled: func(b *bed) { b.edit("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"") },
		ManagedOnly:   func(b *bed) { b.edit("{\n  \"hooks\"", "{\n  \"allowManagedHooksOnly\": true,\n  \"hooks\"") },
		BypassMode: func(b *bed) {
			b.write("project/.claude/settings.local.json", `{"permissions":{"defaultMode":"bypassPermissions"}}`)
		},
		Matcher:        func(b *bed) { b.edit(`"matcher": "*"`, `"matcher": "Edit"`) },
		NoOnFailure:    func(b *bed) { b.edit(`"onFailure": "block"`, `"onFailure": "ignore"`) },
		Timeout:        func(b *bed) { b.edit(`"timeout": 660`, `"timeout": 5`) },
		OtherClient:    func(b *bed) { b.edit("--client claude ", "--client codex ") },
		FileUnreadable: func(b *bed) { b.edit("{\n  \"hooks\"", "{\n  \"hooks") },
		ProgramMissing: func(b *bed) {
			if err := os.Remove(b.hook); err != nil {
				b.Fatal(err)
			}
		},
		DeskNotAsked: func(b *bed) { b.write("bin/sekisho", "#!/bin/sh\necho no >&2\nexit 2\n") },
		LetPass:      func(b *bed) { b.edit("exit 2", "exit 0") },
		ToolRan: func(b *bed) {
			b.write("bin/claude", strings.Replace(fakeClient, "grep -q disableAllHooks \"$settings\" &&", "true &&", 1))
		},
	} {
		t.Run(string(code), func(t *testing.T) {
			b := lie(t)
			plant(b)
			r := b.check()
			i := slices.IndexFunc(r.Reasons, func(why Reason) bool { return why.Code == code })
			if r.State != Open || i < 0 || r.Reasons[i].Repair == "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestCodexIsNotClosedWithoutTrust: it skips a hook that nobody trusted, and says nothing.
func TestCodexIsNotClosedWithoutTrust(t *testing.T) {
	home := t.TempDir()
	w := connect.Wiring{Places: connect.Places{GOOS: "linux", Home: home}, Program: "/bin/sekisho", Hooks: true}
	if err := os.MkdirAll(filepath.Join(home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := w.Survey(t.Context())
	if err != nil || len(s.Files) != 1 {
		t.Fatalf("%+v %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(home, ".codex/hooks.json"), s.Files[0].Plan.After, 0o600); err != nil {
		t.Fatal(err)
	}
	for code, trust := range map[Code]func(context.Context) (Code, string, error){
		TrustUnknown: nil, Untrusted: func(context.Context) (Code, string, error) { return Untrusted, "modified", nil },
	} {
		d := &Doctor{Places: w.Places, Trust: trust}
		r, _ := d.Read(t.Context(), "codex")
		if r.State == Closed || !slices.ContainsFunc(r.Reasons, func(why Reason) bool { return why.Code == code }) {
			t.Errorf("%s: %+v", code, r)
		}
	}
}
