package connect

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/hookcommand"
	"sekisho/backend/place"
)

// hooked is a seat whose clients are asked about their own tools, with a folder of each.
func hooked(t *testing.T, files map[string]string) *seat {
	t.Helper()
	s := sit(t, files)
	s.Hooks = true
	return s
}

// theirs are files of hooks as persons have them.
var theirs = map[string]string{
	"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
	"copilot": ".copilot/hooks/sekisho.json", "cursor": ".cursor/hooks.json", "opencode": ".config/opencode/plugin/sekisho.js",
}

// TestHooksGolden holds what connecting makes of each client's hooks, of files that persons
// have and of none, against files that a person has read; disconnecting gives each back byte
// for byte, and takes what was made away.
func TestHooksGolden(t *testing.T) {
	for client, name := range theirs {
		for _, made := range []bool{false, true} {
			golden := "hooks-" + client
			if client == "opencode" && !made {
				continue
			}
			if made {
				golden += "-made"
			}
			t.Run(golden, func(t *testing.T) {
				s := hooked(t, nil)
				if made {
					s.write(filepath.Join(filepath.Dir(name), "..", filepath.Base(filepath.Dir(name)), "other"), "")
				} else {
					s.write(name, content(t, filepath.Join("testdata", "golden", golden+".json")))
				}
				before := tree(t, s.Places.Home)
				s.wire()
				compare(t, golden+".json.after", []byte(atHome(t, client, s.read(name))))
				after := tree(t, s.Places.Home)
				s.wire()
				if again := tree(t, s.Places.Home); !slices.Equal(again, after) {
					t.Errorf("connected twice: %q, not %q", again, after)
				}
				s.unwire("")
				if back := tree(t, s.Places.Home); !slices.Equal(back, before) {
					t.Errorf("after disconnecting there is %q, before there was %q", back, before)
				}
			})
		}
	}
}

// atHome writes the file of an agent's token as it is called where the golden files were made.
func atHome(t *testing.T, agent, text string) string {
	t.Helper()
	path, usual := tokenOf(t, agent), "/home/ada/.config/sekisho/agents/"+agent+".token"
	return strings.NewReplacer(hookcommand.Quote(path, "linux"), usual, path, usual).Replace(text)
}

func tokenOf(t *testing.T, agent string) string {
	t.Helper()
	path, err := place.TokenFile(agent)
	if err != nil || !filepath.IsAbs(path) {
		t.Fatalf("%q, %v", path, err)
	}
	return path
}

// TestHooksOfBeforeAreRenewed: those that name no file of the token, as they were once written,
// are written anew with it, and disconnecting gives back what was there before both.
func TestHooksOfBeforeAreRenewed(t *testing.T) {
	for client, name := range theirs {
		t.Run(client, func(t *testing.T) {
			s := hooked(t, nil)
			if client == "opencode" {
				s.write(".config/opencode/other", "")
			} else {
				s.write(name, content(t, filepath.Join("testdata", "golden", "hooks-"+client+".json")))
			}
			before := tree(t, s.Places.Home)
			old := options()
			old.Places, old.Hooks = s.Places, true
			for _, f := range s.files() {
				if _, err := s.Vault.Apply(plan(t, f, old), nil, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			for _, h := range Hooks(s.Places, client).Hooks {
				if h.Command.Agent != client || h.Command.Token != "" {
					t.Errorf("this shows nothing: %+v", h)
				}
			}
			s.wire()
			all := Hooks(s.Places, client).Hooks
			if len(all) == 0 {
				t.Error("it has no hooks")
			}
			for _, h := range all {
				if h.Command.Agent != client || h.Command.Token != tokenOf(t, client) {
					t.Errorf("%+v", h)
				}
			}
			s.unwire("")
			if back := tree(t, s.Places.Home); !slices.Equal(back, before) {
				t.Errorf("after disconnecting there is %q, before there was %q", back, before)
			}
		})
	}
}

// TestHooksNameTheTokenWithoutADesk: what is shown then is what would be written, though the
// token is not there yet.
func TestHooksNameTheTokenWithoutADesk(t *testing.T) {
	s := hooked(t, map[string]string{".cursor/other": ""})
	s.Desk = nil
	survey, err := s.Survey(t.Context())
	if err != nil || len(survey.Files) != 1 || !strings.Contains(string(survey.Files[0].Plan.After), " --token-file "+tokenOf(t, "cursor")) {
		t.Errorf("%+v %v", survey, err)
	}
}

// tree is every file of clients below a folder with its content, and every folder.
func tree(t *testing.T, root string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil || name == ".config" || strings.HasPrefix(name, ".config/sekisho"): // tokens stay
			return err
		case d.IsDir():
			all = append(all, name+"/")
		default:
			all = append(all, name+": "+content(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHooksChangedSince: what a person changed stays, and only ours goes, also where our
// command was edited.
func TestHooksChangedSince(t *testing.T) {
	const file = ".claude/settings.json"
	const text = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n" +
		"      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  }\n}\n"
	s := hooked(t, map[string]string{file: text})
	s.wire()
	s.write(file, strings.NewReplacer(`"opus"`, `"sonnet"`, `"timeout": 660`,
		`"timeout": 5`, `"command": "mine"`, `"command": "yours"`).Replace(s.read(file)))
	all, err := s.Survey(t.Context())
	if err != nil || len(all.Files) != 1 || len(all.Files[0].moves()) != 1 {
		t.Fatalf("an edited hook is to be written anew: %+v, %v", all, err)
	}
	s.unwire("")
	if got, want := s.read(file), strings.NewReplacer(`"opus"`, `"sonnet"`, `"mine"`, `"yours"`).Replace(text); got != want {
		t.Errorf("%s", got)
	}
}

// TestAMadeFileThatGotMoreStays: without our hooks.
func TestAMadeFileThatGotMoreStays(t *testing.T) {
	s := hooked(t, map[string]string{".cursor/mcp.json": "{}"})
	s.wire()
	const file = ".cursor/hooks.json"
	s.write(file, strings.Replace(s.read(file), `"hooks": {`, `"hooks": { "stop": [{ "command": "bell" }],`, 1))
	s.unwire("")
	if got := s.read(file); !strings.Contains(got, "bell") || strings.Contains(got, "sekisho") {
		t.Errorf("%s", got)
	}

	s = hooked(t, map[string]string{".cursor/mcp.json": "{}"})
	s.wire()
	if err := os.Remove(filepath.Join(s.Places.Home, file)); err != nil {
		t.Fatal(err)
	}
	s.unwire("")
	if _, err := os.Stat(filepath.Join(s.Places.Home, file)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that was made and taken away is there again")
	}
	if left, err := s.Undos(t.Context(), false); err != nil || len(left) > 0 {
		t.Errorf("%+v %v", left, err)
	}
}

// TestTheScreenShowsHooks beside tool servers, and leaves them out when it is asked to.
func TestTheScreenShowsHooks(t *testing.T) {
	s := hooked(t, map[string]string{".gemini/settings.json": `{"mcpServers":{"a":{"command":"x"}},"theme":"secret"}`})
	all, err := s.List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	settings, policy := all[0], all[1]
	if len(settings.Entries) != 2 || !settings.Entries[1].Hook || settings.Move == nil || policy.Move == nil {
		t.Fatalf("%+v\n%+v", settings, policy)
	}
	if _, err := s.Connect(t.Context(), policy.ID, policy.Move.Shown); err == nil {
		t.Error("the policy was written before the hooks without which it lets tools run")
	}
	var shown strings.Builder
	connect := func(st Standing) {
		t.Helper()
		for _, l := range st.Move.Difference.Lines {
			shown.WriteString(l.Text + "\n")
		}
		if done, err := s.Connect(t.Context(), st.ID, st.Move.Shown); err != nil || len(done.Files) != 1 {
			t.Fatalf("%s: %+v %v", st.Path, done, err)
		}
		if all, err = s.List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	connect(settings)
	if all[1].Move.Shown != policy.Move.Shown {
		t.Error("one yes is not enough for both: the policy that was shown with the hooks is another one now")
	}
	connect(all[1])
	for _, want := range []string{program + " hook --client gemini --agent gemini", "mcp_*", `"--server"`} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, &shown)
		}
	}
	if strings.Contains(shown.String(), "secret") {
		t.Errorf("a secret is shown:\n%s", &shown)
	}
	s.Hooks = false
	for _, policy := range []bool{true, false} {
		if all, err = s.List(t.Context()); err != nil || all[0].Back == nil {
			t.Fatalf("%+v %v", all, err)
		}
		st := all[0]
		if policy {
			if !st.Back.Exact {
				t.Errorf("it counts as changed since: %+v", st.Back)
			}
			if _, err := s.Disconnect(t.Context(), st.ID, st.Back.Shown, false); asObstacle(err).(*Obstacle).Code != policyFirst {
				t.Errorf("the hooks went before the policy: %v", err)
			}
			st = all[1]
		}
		if _, err := s.Disconnect(t.Context(), st.ID, st.Back.Shown, false); err != nil {
			t.Errorf("%s: %v", st.Path, err)
		}
	}
	if got := tree(t, s.Places.Home); strings.Contains(strings.Join(got, ""), "sekisho") {
		t.Errorf("%q", got)
	}
}

// TestCommandsOfHooksAreRead: what connecting writes is known again, and nothing else.
func TestCommandsOfHooksAreRead(t *testing.T) {
	for _, program := range []string{"/opt/sekisho", "/home/a b/sekisho", "/it's/sekisho"} {
		o := Options{Program: program, Agent: "claude-code", Places: places(), Desk: "http://127.0.0.1:1"}
		for _, goos := range []string{"linux", "windows"} {
			o.Places.GOOS = goos
			item := copilotHooks.itemFor(&o, "copilot", "preToolUse")
			line, _ := item[1].Value.(string)
			got, ours := hookcommand.Read(line)
			if !ours || got.Program != program && goos == "linux" || got.Door != "copilot" {
				t.Errorf("%s: %+v %v", line, got, ours)
			}
		}
	}
	for _, line := range []string{"", "sekisho", "/bin/sekisho mcp --server a", "echo sekisho hook --client claude",
		"/x/other hook --client claude",
		"sekisho hook"} {
		if got, ours := hookcommand.Read(line); ours {
			t.Errorf("%q is %+v", line, got)
		}
	}
	if got, ours := hookcommand.Read("exec /x/sekisho-hook --client=codex"); !ours || got.Door != "codex" || got.Program != "/x/sekisho-hook" {
		t.Errorf("%+v %v", got, ours)
	}
}

// TestHooksStartTheSmallProgram where it lies beside sekisho.
func TestHooksStartTheSmallProgram(t *testing.T) {
	o := Options{Program: filepath.Join(t.TempDir(), "sekisho"), Agent: "codex", Places: places()}
	if line := strings.Join(o.words("codex"), " "); line != o.Program+" hook --client codex --agent codex" {
		t.Error(line)
	}
	if err := os.WriteFile(o.Program+"-hook", nil, 0o700); err != nil {
		t.Fatal(err)
	}
	line := strings.Join(o.words("codex"), " ")
	got, ours := hookcommand.Read(line)
	if line != o.Program+"-hook --client codex --agent codex" || !ours || got.Program != o.Program+"-hook" {
		t.Errorf("%s: %+v", line, got)
	}
}

// TestAHookThatGivesNoAnswerIsANo: whatever became of the program, the command ends with 2 and
// a reason; a no of the program's own keeps its reason, and a yes stays one.
func TestAHookThatGivesNoAnswerIsANo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a POSIX shell is needed")
	}
	program := filepath.Join(t.TempDir(), "sekisho")
	o := Options{Program: program, Agent: "codex", Places: places()}
	line, _ := cursorHooks.itemFor(&o, "cursor", "preToolUse")[0].Value.(string)
	for script, want := range map[string]struct {
		exit int
		says string
	}{
		"": {2, "gave no answer"}, "exit 0": {0, ""}, "exit 1": {2, "gave no answer"}, "kill -9 $$": {2, "gave no answer"},
		"echo because >&2; exit 2": {2, "because\n"},
	} {
		if script != "" {
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(program); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		run := exec.Command("/bin/sh", "-c", line)
		run.Stderr = &said
		_ = run.Run()
		if run.ProcessState.ExitCode() != want.exit || !strings.Contains(said.String(), want.says) || want.exit == 0 && said.Len() > 0 ||
			want.says == "because\n" && said.String() != want.says {
			t.Errorf("%q: exit %d, %q", script, run.ProcessState.ExitCode(), &said)
		}
	}
}

// TestAPolicyIsNotWrittenWithoutHooks: it would let Gemini CLI run everything unasked.
func TestAPolicyIsNotWrittenWithoutHooks(t *testing.T) {
	for _, text := range []string{`{"hooks":[]}`, `{"hooks":{"BeforeTool":{}}}`, `{`} {
		s := hooked(t, map[string]string{".gemini/settings.json": text})
		s.wire()
		if _, err := os.Stat(filepath.Join(s.Places.Home, ".gemini/policies")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q", text, tree(t, s.Places.Home))
		}
	}
}
