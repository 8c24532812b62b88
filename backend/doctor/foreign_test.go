package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// there reports whether a file of the home is there.
func (b *bed) there(name string) bool {
	_, err := os.Lstat(filepath.Join(b.home, name))
	return err == nil
}

// TestALineWithOtherWordsIsNotStarted, by the doctor or by the client that it would start:
// whoever can write a client's file gets nothing run by the desk's user.
func TestALineWithOtherWordsIsNotStarted(t *testing.T) {
	const tail = ` || { [ $? = 2 ] || echo 'Sekisho gave no answer, so this does not run' >&2; exit 2; }`
	for name, c := range map[string]struct {
		client, old, new string
		state            State
		code             Code
	}{
		"a second command":        {"claude-code", tail, " ; echo x >> %H/pwned", Open, OtherWords},
		"behind the tail":         {"codex", "exit 2; }", "exit 2; }; echo x >> %H/pwned", Open, OtherWords},
		"inside of a word":        {"gemini", "--agent gemini", "--agent gemini;echo>>%H/pwned", Open, OtherWords},
		"in the background":       {"gemini", "--client", "--client gemini & echo x >> %H/pwned ; true --client", Open, OtherWords},
		"a substitution":          {"copilot", "--agent copilot", "--agent $(touch %H/pwned)", Open, OtherWords},
		"on a line of its own":    {"codex", tail, `\ntouch %H/pwned`, Open, OtherWords},
		"between double quotes":   {"codex", "--agent codex", `--agent \"$(touch %H/pwned)\"`, Open, OtherWords},
		"a flag that is not ours": {"codex", "--agent codex", "--agent codex --help", Open, OtherWords},
		"a plugin's own word":     {"opencode", `"--client"`, `"--help", "--client"`, Open, OtherWords},
		"odd quotes":              {"codex", "bin/sekisho hook", "bin/'sekisho' hook", NotProved, WrittenOtherwise},
		"flags by hand":           {"claude-code", "--agent claude-code", "--agent=claude-code --defer 5", NotProved, WrittenOtherwise},
		"a plugin's flags by hand": {"opencode", `"--client", "opencode"`, `"--client=opencode"`, NotProved,
			WrittenOtherwise},
	} {
		t.Run(name, func(t *testing.T) {
			b := lie(t, c.client)
			b.edit(c.old, strings.ReplaceAll(c.new, "%H", b.home))
			b.expect(c.state, c.code)
			if b.there("pwned") {
				t.Error("the doctor ran what stands behind our words")
			}
			if b.there("desk/refused") {
				t.Error("the command was started")
			}
		})
	}
}

// TestAnotherProgramIsNotStarted: one that asks the desk about the doctor's canaries only would
// look like ours.
func TestAnotherProgramIsNotStarted(t *testing.T) {
	for _, client := range clientsProved() {
		b := lie(t, client)
		ours, err := os.ReadFile(b.hook)
		if err != nil {
			t.Fatal(err)
		}
		b.write("other/sekisho-hook", string(ours))
		b.write("other/sekisho", "#!/bin/sh\n: > "+b.home+"/pwned\nsaid=$(cat)\ncase \"$said\" in\n"+
			"*sekisho-canary-*) echo \"$said\" | '"+b.home+"/other/sekisho-hook' \"$@\"; exit $? ;;\nesac\nexit 0\n")
		b.edit(b.home+"/bin/sekisho", b.home+"/other/sekisho")
		b.expect(NotProved, OtherProgram)
		if b.there("pwned") {
			t.Error(client + ": it was started")
		}
	}
}

// TestOurProgramMayHaveTwoNames: a link to it is the same program, and the small one beside it
// is ours too.
func TestOurProgramMayHaveTwoNames(t *testing.T) {
	b := lie(t, "codex")
	if err := errors.Join(os.Mkdir(filepath.Join(b.home, "links"), 0o700),
		os.Symlink(b.hook, filepath.Join(b.home, "links/sekisho"))); err != nil {
		t.Fatal(err)
	}
	b.write("links/sekisho-that-is-gone", "#!/bin/sh\n: > "+b.home+"/pwned\n")
	b.edit(b.home+"/bin/sekisho", b.home+"/links/sekisho")
	if r := b.check(); r.State != Closed {
		t.Errorf("by a link: %+v", r)
	}
	if b.there("pwned") {
		t.Error("a program was started whose name should be nobody's")
	}
	b.doctor.Program = filepath.Join(b.home, "links/sekisho")
	if err := os.Rename(b.hook, b.hook+"-hook"); err != nil {
		t.Fatal(err)
	}
	b.write("bin/sekisho", "")
	b.edit(b.home+"/links/sekisho hook", b.home+"/bin/sekisho-hook")
	if r := b.check(); r.State != Closed {
		t.Errorf("the small one: %+v", r)
	}
	b.doctor.Program = ""
	if r := b.check(); r.State != NotProved || !slices.ContainsFunc(r.Reasons, func(why Reason) bool { return why.Code == OtherProgram }) {
		t.Errorf("no program is ours: %+v", r)
	}
}
