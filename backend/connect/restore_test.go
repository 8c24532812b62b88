package connect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/diff"
	"sekisho/backend/permission"
)

// outside gives the lines of a connected file that a person may add something after
// without touching a moved entry: it tries each.
func outside(t *testing.T, c *Client, p *Plan, addition string) []string {
	t.Helper()
	all := lines(string(p.After))
	var good []string
	after, err := readDocument(c, string(p.After))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		text := strings.Join(all[:i], "") + addition + strings.Join(all[i:], "")
		doc, err := readDocument(c, text)
		if err != nil {
			continue
		}
		untouched := reflect.DeepEqual(doc.Root, after.Root)
		for _, m := range p.Moves() {
			e, ok := doc.Entry(m.Path)
			untouched = untouched && ok && strings.Contains(string(p.After), strings.TrimSuffix(e.Text(), "\n"))
		}
		if untouched {
			good = append(good, text)
		}
	}
	return good
}

// undone disconnects a file in memory that was connected by a plan and changed since.
func undone(t testing.TB, p *Plan, now string) string {
	t.Helper()
	r := Record{Client: p.File.Client.ID, Path: p.File.Path}
	for _, e := range p.Moves() {
		r.Moved = append(r.Moved, Moved{Path: e.Path})
	}
	u := &Undo{}
	got, err := u.step(&p.File.Client, r, p.File.Content, p.After, []byte(now), false)
	if err != nil || u.Conflicts() {
		t.Fatalf("%v, %+v in\n%s", err, u.Entries, now)
	}
	return string(got)
}

// TestOtherEditsSurvive adds a line at every place of a connected file that is outside
// the moved entries, then disconnects: the result is the first file with that line.
func TestOtherEditsSurvive(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			before := g.load(t)
			c := &before.Client
			addition := "\n"
			if c.text.Comments {
				addition = "// added since\n"
			} else if c.text.TOML {
				addition = "# added since\n"
			}
			tried := 0
			p := plan(t, before, g.options())
			for _, text := range outside(t, c, p, addition) {
				got := undone(t, p, text)
				if added, ok := oneLineMore(string(before.Content), got); !ok || added != addition {
					t.Errorf("with a line added:\n%s", diff.Unified("before", "got", string(before.Content), got))
				}
				sameMeaning(t, c, before.Content, []byte(got))
				tried++
			}
			if tried < 3 && g.name != "claude-code-project.json" {
				t.Errorf("only %d places were tried", tried)
			}
		})
	}
}

// lines splits a text, each line with its end.
func lines(text string) []string {
	return slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool { return line == "" })
}

// oneLineMore gives the line that b has and a has not, if that is all.
func oneLineMore(a, b string) (added string, ok bool) {
	d := diff.Compare(a, b)
	i := slices.IndexFunc(d.Lines, func(l permission.DiffLine) bool { return l.Kind == permission.LineAdded })
	if d.Added != 1 || d.Removed != 0 {
		return "", false
	}
	return lines(b)[d.Lines[i].New-1], true
}

// sameMeaning holds two files against each other as their client reads them.
func sameMeaning(t *testing.T, c *Client, want, got []byte) {
	t.Helper()
	a, err := readDocument(c, string(want))
	if err != nil {
		t.Fatal(err)
	}
	b, err := readDocument(c, string(got))
	if err != nil {
		t.Fatalf("%v in\n%s", err, got)
	}
	if !reflect.DeepEqual(a.Root, b.Root) {
		t.Errorf("they say different things:\n%s", diff.Unified("want", "got", string(want), string(got)))
	}
}

// TestRandomEditsSurvive changes values elsewhere at random, several at once, and
// holds what disconnecting gives against the same changes of the first file.
func TestRandomEditsSurvive(t *testing.T) {
	const rounds = 200
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			before := g.load(t)
			p := plan(t, before, g.options())
			inside := ""
			after, err := readDocument(&before.Client, string(p.After))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range p.Moves() {
				e, _ := after.Entry(m.Path)
				inside += e.Text()
			}
			for range rounds {
				now, want := string(p.After), string(before.Content)
				for range 1 + random.IntN(4) {
					now, want = editBoth(random, inside, now, want)
				}
				if _, err := readDocument(&before.Client, now); err != nil {
					continue // what was changed at random is not always readable
				}
				if got := undone(t, p, now); got != want {
					edited := diff.Unified("connected", "edited", string(p.After), now)
					t.Fatalf("edited\n%s\nand disconnected:\n%s", edited, diff.Unified("want", "got", want, got))
				}
			}
		})
	}
}

// editBoth changes a number or the indentation in a line that both texts have once and
// that is not inside a moved entry.
func editBoth(random *rand.Rand, inside, now, want string) (string, string) {
	all := lines(now)
	for range 50 {
		line := all[random.IntN(len(all))]
		if len(strings.TrimSpace(line)) < 4 || strings.Count(now, line) != 1 || strings.Count(want, line) != 1 {
			continue
		}
		if strings.Contains(inside, strings.TrimSpace(line)) || strings.Contains(line, "sekisho") {
			continue
		}
		if at := strings.IndexAny(line, "0123456789"); at >= 0 && strings.Contains(line[:at], "=") == strings.Contains(line, " = ") {
			digit := fmt.Sprint(1 + random.IntN(8))
			changed := line[:at] + digit + line[at+1:]
			return strings.Replace(now, line, changed, 1), strings.Replace(want, line, changed, 1)
		}
		changed := strings.Replace(line, "  ", "    ", 1)
		return strings.Replace(now, line, changed, 1), strings.Replace(want, line, changed, 1)
	}
	return now, want
}

// since is one change of a connected file by a person or a client.
type since struct {
	name, file string
	from, to   string // in the connected file
	outcomes   []Outcome
	want       []string // in the result
	not        []string
}

func TestChangedSince(t *testing.T) {
	for _, c := range []since{
		{name: "another field of the entry", file: "zed.json", from: `"enabled": true`, to: `"enabled": false /* mine */`,
			outcomes: []Outcome{Back, Back, Back}, want: []string{`"enabled": false /* mine */`, `"command": "npx"`, `"args": ["-y", "local-mcp"]`,
				`"env": { "KEY": "secret9" }`}, not: []string{"sekisho"}},
		{name: "a new field", file: "claude-code.json", from: `"type": "stdio",
      "command": "/opt/sekisho/bin/sekisho",
      "args": ["mcp", "--server", "memory", "--agent", "claude-code"]`, to: `"type": "stdio",
      "command": "/opt/sekisho/bin/sekisho",
      "timeout": 9,
      "args": ["mcp", "--server", "memory", "--agent", "claude-code"]`,
			outcomes: []Outcome{Back, Back, Back}, want: []string{`"timeout": 9`, `"@modelcontextprotocol/server-memory"`, `"env": {}`},
			not: []string{"sekisho"}},
		{name: "printed anew by its client", file: "claude-code.json", from: `["mcp", "--server", "sentry", "--agent", "claude-code"]`, to: `[
        "mcp",
        "--server",
        "sentry",
        "--agent",
        "claude-code"
      ]`, outcomes: []Outcome{Back, Back, Back}, want: []string{`"url": "https://mcp.sentry.dev/mcp"`, `"Authorization": "Bearer secret3"`, `"type": "http"`}, not: []string{"sekisho"}},
		{name: "an entry taken out", file: "opencode.jsonc",
			from: `"bare": {"type":"local","command":["/opt/sekisho/bin/sekisho", "mcp", "--server", "bare", "--agent", "opencode"]},`, to: ``,
			outcomes: []Outcome{Back, Back, Gone}, want: []string{"everything", `"url": "https://jira.example.com/mcp"`},
			not: []string{"sekisho", "bare"}},
		{name: "our arguments", file: "cursor.json", from: `"--agent", "cursor"`, to: `"--agent", "other"`,
			outcomes: []Outcome{Conflict}},
		{name: "our command", file: "codex.toml", from: "command = \"/opt/sekisho/bin/sekisho\" # the launcher",
			to:       `command = "/bin/true" # the launcher`,
			outcomes: []Outcome{Conflict, Back, Back, Back, Back, Back}},
		{name: "another field of a TOML table", file: "codex.toml", from: "startup_timeout_sec = 20.5", to: "startup_timeout_sec = 5",
			outcomes: []Outcome{Back, Back, Back, Back, Back, Back},
			want:     []string{"startup_timeout_sec = 5\n", `command = "npx" # the launcher`, `"docs-mcp",`, "secret4", "secret6"},
			not:      []string{"sekisho"}},
		{name: "another field of dotted keys", file: "codex.toml", from: "dotted.tool_timeout_sec = 60", to: "dotted.tool_timeout_sec = 61",
			outcomes: []Outcome{Back, Back, Back, Back, Back, Back}, want: []string{"dotted.tool_timeout_sec = 61\n", "secret6"},
			not: []string{"sekisho"}},
		{name: "another field of a TOML URL", file: "codex.toml", from: "args = [\"mcp\", \"--server\", \"figma\", \"--agent\", \"codex\"]\n",
			to:       "args = [\"mcp\", \"--server\", \"figma\", \"--agent\", \"codex\"]\nenabled = false\n",
			outcomes: []Outcome{Back, Back, Back, Back, Back, Back},
			want:     []string{"enabled = false\n", `url = "https://mcp.figma.com/mcp"`, `http_headers = { "X-Region" = "us-east-1" }`},
			not:      []string{"sekisho"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

func (c since) check(t *testing.T) {
	g := goldens[0]
	for _, g = range goldens {
		if g.name == c.file {
			break
		}
	}
	before := g.load(t)
	f := g.real(t, string(before.Content), 0o600)
	v := vault(t)
	p := connected(t, v, f)
	if strings.Count(string(p.After), c.from) != 1 {
		t.Fatalf("the file has not once %s:\n%s", c.from, p.After)
	}
	edited := strings.Replace(string(p.After), c.from, c.to, 1)
	write(t, f.Path, edited)
	u := undo(t, v, false)
	var outcomes []Outcome
	for _, e := range u.Entries {
		outcomes = append(outcomes, e.Outcome)
	}
	if !reflect.DeepEqual(outcomes, c.outcomes) || u.Exact {
		t.Fatalf("outcomes %v of %+v", outcomes, u.Entries)
	}
	if !strings.Contains(u.Theirs, "+") || strings.Contains(u.Theirs+u.Difference, "secret") {
		t.Errorf("shown:\n%s%s", u.Theirs, u.Difference)
	}
	if u.Conflicts() {
		if err := v.Restore(u); err == nil || content(t, f.Path) != edited {
			t.Errorf("a conflict was written: %v", err)
		}
		u = undo(t, v, true)
		if u.Conflicts() {
			t.Fatalf("by force: %+v", u.Entries)
		}
		c.want, c.not = []string{}, []string{"sekisho"}
	}
	if err := v.Restore(u); err != nil {
		t.Fatal(err)
	}
	got := content(t, f.Path)
	for _, want := range c.want {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, not := range c.not {
		if strings.Contains(got, not) {
			t.Errorf("%q in\n%s", not, got)
		}
	}
}

// TestFileGone: a file that was taken away is written anew by force alone.
func TestFileGone(t *testing.T) {
	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	v := vault(t)
	connected(t, v, f)
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	records, err := v.Records()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Undo(records, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("error %v", err)
	}
	if err := v.Restore(undo(t, v, true)); err != nil || content(t, f.Path) != string(f.Content) {
		t.Errorf("%v, %s", err, content(t, f.Path))
	}
}

// TestUnreadableSince: a file that its client could not read any more is left alone.
func TestUnreadableSince(t *testing.T) {
	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	v := vault(t)
	p := connected(t, v, f)
	broken := strings.Replace(string(p.After), "{", "{{", 1)
	write(t, f.Path, broken)
	records, err := v.Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := v.Undo(records, force); err == nil || !strings.Contains(err.Error(), "line 1") || content(t, f.Path) != broken {
			t.Errorf("error %v", err)
		}
	}
}
