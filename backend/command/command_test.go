package command_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sekisho/backend/command"
)

var update = flag.Bool("update", false, "write the expected parts anew")

// written is a line's parts as testdata has them: the name of a part, what it does, and
// what else there is to say of it.
func written(l command.Line) string {
	var b strings.Builder
	if l.Opaque {
		fmt.Fprintf(&b, "opaque: %s\n", l.Why)
	}
	for _, p := range l.Parts {
		name := p.Name
		if name == "" {
			name = "?"
		}
		fmt.Fprintf(&b, "%s:", name)
		effects := p.Effects.String()
		if effects == "" {
			effects = "unknown"
		}
		fmt.Fprintf(&b, " %s", effects)
		for _, flag := range []struct {
			name string
			on   bool
		}{{"neutral", p.Neutral}, {"code", p.Code}, {"chooses", p.Chooses}, {"opaque", p.Opaque}, {"piped", p.Piped}, {"loose", p.Loose},
			{"glob", p.Glob}, {"unusual", p.Unusual}} {
			if flag.on {
				fmt.Fprintf(&b, ", %s", flag.name)
			}
		}
		list := func(name string, items []string) {
			if len(items) > 0 {
				fmt.Fprintf(&b, " | %s %q", name, items)
			}
		}
		list("options", p.Options)
		list("operands", p.Operands)
		list("writes", p.Writes)
		list("inputs", p.Inputs)
		if p.Lost {
			b.WriteString(" | in ?")
		} else if p.Folder != "" {
			fmt.Fprintf(&b, " | in %s", p.Folder)
		}
		if p.Text != l.Text[p.Start:p.End] {
			fmt.Fprintf(&b, " | text %s", strings.ReplaceAll(p.Text, "\n", "⏎"))
		}
		fmt.Fprintf(&b, " | at %d-%d\n", p.Start16, p.End16)
	}
	return b.String()
}

// TestLines holds parts.txtar and effects.txtar: a line, and its parts.
func TestLines(t *testing.T) {
	check := func(text string) string { return written(command.Read(text)) }
	golden(t, "testdata/parts.txtar", check)
	golden(t, "testdata/effects.txtar", check)
}

// TestOrders holds orders.txtar: an input, and what is found in it.
func TestOrders(t *testing.T) {
	golden(t, "testdata/orders.txtar", func(input string) string {
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(input), &members); err != nil {
			t.Fatal(err)
		}
		var cwd string
		_ = json.Unmarshal(members["cwd"], &cwd)
		o, found := command.Find(func(yield func(string, []byte) bool) {
			for _, key := range slices.Sorted(maps.Keys(members)) {
				if !yield(key, members[key]) {
					return
				}
			}
		})
		switch {
		case !found:
			return "none\n"
		case o.Editor:
			return "an editor's word\n"
		case command.IsForeign("run", cwd):
			return "foreign, " + written(command.ReadForeign(o.Text))
		}
		return written(o.Read(false))
	})
}

// TestForeignTools: a tool's name may say that its lines are not a shell's.
func TestForeignTools(t *testing.T) {
	for tool, want := range map[string]bool{"powershell": true, "run_cmd": true, "Pwsh": true, "cmd.exec": true,
		"bash": false, "cmdline": false, "execute_command": false} {
		if got := command.IsForeign(tool, "/x"); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
}

// golden holds a file of questions, each behind $ and >, and of answers.
func golden(t *testing.T, name string, answer func(string) string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range archive.Files {
		lines := strings.Split(strings.TrimSuffix(string(file.Data), "\n"), "\n")
		var got strings.Builder
		for at := 0; at < len(lines); {
			text := strings.TrimPrefix(lines[at], "$ ")
			for at++; at < len(lines) && strings.HasPrefix(lines[at], "> "); at++ {
				text += "\n" + strings.TrimPrefix(lines[at], "> ")
			}
			fmt.Fprintf(&got, "$ %s\n", strings.ReplaceAll(text, "\n", "\n> "))
			for ; at < len(lines) && !strings.HasPrefix(lines[at], "$ "); at++ {
			}
			for line := range strings.Lines(answer(text)) {
				fmt.Fprintf(&got, "  %s", line)
			}
		}
		if *update {
			archive.Files[i].Data = []byte(got.String())
		} else if got.String() != string(file.Data) {
			t.Errorf("%s: %s: got\n%swant\n%s", name, file.Name, got.String(), file.Data)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOf: the line of a call is read as its tool and its folder say.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		members   map[string][]byte
		tool, cwd string
		found     bool
		opaque    bool
	}{
		{map[string][]byte{"command": []byte(`"git status"`)}, "run", "/w", true, false},
		{map[string][]byte{"command": []byte(`"git status"`)}, "run_powershell", "/w", true, true},
		{map[string][]byte{"command": []byte(`"git status"`)}, "run", `C:\w`, true, true},
		{map[string][]byte{"command": []byte(`"view"`), "path": []byte(`"a"`)}, "edit", "/w", false, false},
		{map[string][]byte{"Command": []byte(`"ls"`)}, "run", "/w", true, true},
		{map[string][]byte{"text": []byte(`"ls"`)}, "run", "/w", false, false},
	} {
		l, found := command.Of(maps.All(c.members), c.tool, c.cwd, false)
		if found != c.found || found && l.Opaque != c.opaque {
			t.Errorf("%s in %s: found %v, opaque %v", c.tool, c.cwd, found, l.Opaque)
		}
	}
}
