package connect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// twoEntries is a file with two moved entries and one that is left.
const twoEntries = `{
  "history": ["typed-secret"],
  "mcpServers": {
    "a": { "command": "x", "env": { "K": "secret-a" } },
    "b": { "command": "y", "env": { "K": "secret-b" } },
    "c": { "type": "sse", "url": "https://c/sse" }
  }
}
`

// behindDesk is one of its entries once it is connected.
func behindDesk(id string) string {
	return fmt.Sprintf(`{ "command": %q, "args": ["mcp", "--server", %q, "--agent", "claude-code"] }`, program, id)
}

// outcomes are those of an undo, in the order of its entries.
func outcomes(u *Undo) (all []Outcome) {
	for _, e := range u.Entries {
		all = append(all, e.Outcome)
	}
	return all
}

// TestGone: what somebody took out of a file stays to be had, whoever it was.
func TestGone(t *testing.T) {
	a, b := `"a": `+behindDesk("a"), `"b": `+behindDesk("b")
	for _, c := range []struct {
		name           string
		now            string // what became of the connected file
		plain, forced  []Outcome
		after          string   // the file, put back without force
		left           []string // keys of the entries that are kept then
		whole, bothWay bool     // force puts all back: at once, and after it was done without
	}{
		{"wiped", `{"history":["typed-secret"]}`, []Outcome{Gone, Gone}, []Outcome{Back, Back}, `{"history":["typed-secret"]}`,
			[]string{"a", "b"}, true, true},
		{"emptied", `{"mcpServers":{},"history":["typed-secret"]}`, []Outcome{Gone, Gone}, []Outcome{Back, Back},
			`{"mcpServers":{},"history":["typed-secret"]}`, []string{"a", "b"}, true, true},
		{"wiped, and more was typed", `{"history":["typed-secret","x"]}`, []Outcome{Gone, Gone}, []Outcome{Gone, Gone},
			`{"history":["typed-secret","x"]}`, []string{"a", "b"}, false, false},
		{"one taken out", `{"history":["typed-secret"],"mcpServers":{` + a + `,"c":{"type":"sse","url":"https://c/sse"}}}`, []Outcome{Back, Gone},
			[]Outcome{Back, Back},
			`{"history":["typed-secret"],"mcpServers":{"a": { "command": "x", "env": { "K": "secret-a" } },"c":{"type":"sse","url":"https://c/sse"}}}`, []string{"b"}, true, true},
		{"one taken out, one added", `{"history":["typed-secret"],"mcpServers":{` + b + `,"d":{"command":"d"}}}`, []Outcome{Gone, Back},
			[]Outcome{Gone, Back},
			`{"history":["typed-secret"],"mcpServers":{"b": { "command": "y", "env": { "K": "secret-b" } },"d":{"command":"d"}}}`, []string{"a"},
			false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := golden{name: "x.json", client: "claude-code"}
			begin := func() (File, *Vault) {
				f, v := g.real(t, twoEntries, 0o600), vault(t)
				connected(t, v, f)
				write(t, f.Path, c.now)
				return f, v
			}
			f, v := begin()
			u := undo(t, v, true)
			if got := outcomes(u); !reflect.DeepEqual(got, c.forced) {
				t.Errorf("by force: %v", got)
			}
			if err := v.Restore(u); err != nil || (content(t, f.Path) == twoEntries) != c.whole {
				t.Errorf("by force: %v\n%s", err, content(t, f.Path))
			}

			f, v = begin()
			u = undo(t, v, false)
			if got := outcomes(u); !reflect.DeepEqual(got, c.plain) || u.Nothing() != (len(c.left) == 2) || len(u.Kept) != 1 {
				t.Errorf("%v, %v", got, u.Kept)
			}
			if strings.Contains(u.Theirs+u.Difference, "secret") || !strings.Contains(u.Theirs, "-") {
				t.Errorf("shown:\n%s%s", u.Theirs, u.Difference)
			}
			if err := v.Restore(u); err != nil || content(t, f.Path) != c.after || content(t, u.Kept[0]) != twoEntries {
				t.Errorf("%v\n%s", err, content(t, f.Path))
			}
			var left []string
			records, err := v.Records()
			for _, r := range records {
				for _, m := range r.Moved {
					left = append(left, m.Path[len(m.Path)-1])
				}
			}
			if err != nil || !reflect.DeepEqual(left, c.left) {
				t.Fatalf("kept %v, %v", left, err)
			}
			if err := v.Restore(undo(t, v, true)); err != nil || (content(t, f.Path) == twoEntries) != c.bothWay {
				t.Errorf("by force afterwards: %v\n%s", err, content(t, f.Path))
			}
			if records, err := v.Records(); err != nil || (len(records) == 0) != c.bothWay {
				t.Errorf("kept at the end: %v, %v", records, err)
			}
		})
	}
}

// TestRenamed: an entry of another name is not gone.
func TestRenamed(t *testing.T) {
	for _, c := range []struct {
		client, before, from, to string
		forced                   Outcome
		want                     string
	}{
		{"claude-code", twoEntries, `"a": {`, `"mine": {`, Back, strings.Replace(twoEntries, `"a": {`, `"mine": {`, 1)},
		{"codex", "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.b]\ncommand = 'y'\n", "[mcp_servers.a]", "[mcp_servers.mine]", Conflict, ""},
	} {
		g := golden{name: "x", client: c.client}
		f, v := g.real(t, c.before, 0o600), vault(t)
		p := connected(t, v, f)
		now := strings.Replace(string(p.After), c.from, c.to, 1)
		write(t, f.Path, now)
		u := undo(t, v, false)
		if got := outcomes(u); !reflect.DeepEqual(got, []Outcome{Conflict, Back}) ||
			!strings.Contains(u.Entries[0].Reason, `it is called "mine" now`) {
			t.Errorf("%+v", u.Entries)
		}
		if err := v.Restore(u); err == nil || content(t, f.Path) != now {
			t.Errorf("%v\n%s", err, content(t, f.Path))
		}
		if u = undo(t, v, true); u.Entries[0].Outcome != c.forced {
			t.Errorf("by force: %+v", u.Entries)
		}
		if c.forced == Back {
			if err := v.Restore(u); err != nil || content(t, f.Path) != c.want {
				t.Errorf("%v\n%s", err, content(t, f.Path))
			}
		}
	}
}

// TestTheirs shows of what was changed since the entries alone, and counts the rest: a
// client keeps in the same file what was typed.
func TestTheirs(t *testing.T) {
	g := golden{name: "x.json", client: "claude-code"}
	f, v := g.real(t, twoEntries, 0o600), vault(t)
	p := connected(t, v, f)
	now := strings.NewReplacer(`"typed-secret"`, "\"typed-secret\",\n    \"also typed\"", `"c": {`,
		"\"d\": { \"command\": \"d\", \"settings\": { \"token\": \"secret-d\" } },\n    \"c\": {").Replace(string(p.After))
	write(t, f.Path, now)
	u := undo(t, v, false)
	want := `--- ` + f.Path + `
+++ ` + f.Path + `
@@
 "a": ` + behindDesk("a") + `
 "b": ` + behindDesk("b") + `
+"d": { "command": "d", "settings": { "token": "********" } }
 "c": { "type": "sse", "url": "https://c/sse" }
`
	if u.Theirs != want || u.Others != 3 {
		t.Errorf("%d others, and\n%s", u.Others, u.Theirs)
	}
}

// TestFolderIsNotWritten: the file is in place, and only its folder is not known to be on
// the disk. What puts the file back is the only copy then.
func TestFolderIsNotWritten(t *testing.T) {
	g := goldens[0]
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, g.name)
	before := string(g.load(t).Content)
	write(t, path, before)
	away := func(v *Vault) {
		v.at = func(step string) {
			if step == "renamed" {
				if err := os.Rename(dir, dir+".away"); err != nil {
					t.Error(err)
				}
			}
		}
	}
	back := func(v *Vault) {
		v.at = nil
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
	}
	v := vault(t)
	p := plan(t, g.reread(t, path), options())
	away(v)
	if _, err := v.Apply(p, nil, time.Now()); err != nil {
		t.Errorf("connecting: %v", err)
	}
	back(v)
	if content(t, path) != string(p.After) {
		t.Fatal("nothing was written")
	}
	away(v)
	if err := v.Restore(undo(t, v, false)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("disconnecting: %v", err)
	}
	back(v)
	if err := v.Restore(undo(t, v, false)); err != nil || content(t, path) != before {
		t.Errorf("%v\n%s", err, content(t, path))
	}
}

// TestAddedStaysAdded: a server that connecting one file has added is still known to be
// added when only another file uses it.
func TestAddedStaysAdded(t *testing.T) {
	g := golden{name: "x.json", client: "cursor"}
	v := vault(t)
	for i, c := range []struct {
		text  string
		added map[string]bool
		want  bool
	}{
		{`{"mcpServers":{"a":{"command":"x"}}}`, map[string]bool{"a": true}, true},
		{`{"mcpServers":{"a":{"command":"x"}}}`, nil, true},
		{`{"mcpServers":{"a":{"command":"y"}}}`, nil, false}, // another server that took the name
		{`{"mcpServers":{"b":{"command":"x"}}}`, nil, false},
	} {
		r, err := v.Apply(plan(t, g.real(t, c.text, 0o600), options()), c.added, time.Now())
		if err != nil || r.Moved[0].Added != c.want {
			t.Errorf("%d: %v, %+v", i, err, r.Moved)
		}
	}
}
