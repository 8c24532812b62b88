package connect

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestStartLimits: a server that starts about as slowly as Codex waits gets a longer limit in
// its entry, when limits are raised, and disconnecting takes it out again.
func TestStartLimits(t *testing.T) {
	for _, c := range []struct {
		fields string
		took   time.Duration
		want   string // of the line; "" for none, or as it was
	}{
		{"", 0, ""},
		{"", 4900 * time.Millisecond, ""},
		{"", 5 * time.Second, "startup_timeout_sec = 25\n"},
		{"startup_timeout_sec = 8 # mine\n", 5 * time.Second, "startup_timeout_sec = 25 # mine\n"},
		{"startup_timeout_sec = 60\n", 25 * time.Second, "startup_timeout_sec = 60\n"},
		{"startup_timeout_sec = 60.5\n", 40 * time.Second, "startup_timeout_sec = 130\n"},
		{"startup_timeout_ms = 9000\n", 8 * time.Second, "startup_timeout_ms = 9000\n"},
	} {
		f := golden{name: "codex.toml", client: "codex"}.file(t, "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"a\"]\n"+c.fields)
		o := options()
		o.Starts = map[string]time.Duration{PathKey([]string{"mcp_servers", "a"}): c.took}
		if got := string(plan(t, f, o).After); strings.Contains(got, "3600") || !strings.HasSuffix(got, c.fields) {
			t.Errorf("limits are not raised unasked:\n%s", got)
		}
		o.Limits, o.Names = true, NewNames(nil, nil)
		p := plan(t, f, o)
		if got := string(p.After); !strings.Contains(got, "\ntool_timeout_sec = 3600\n") || c.want != "" && !strings.Contains(got, "\n"+c.want) ||
			c.want == "" && strings.Contains(got, "startup") {
			t.Errorf("%+v:\n%s", c, got)
		}
		if got := undone(t, p, string(p.After)+"\n# since\n"); got != string(f.Content)+"\n# since\n" {
			t.Errorf("%+v: put back\n%s", c, got)
		}
	}
}

// TestCarry puts chosen variables into the servers that would miss them, and into no others.
func TestCarry(t *testing.T) {
	const secret = "carried-secret"
	text := `{"mcpServers": {"github": {"command": "npx", "env": {"HAS_TOKEN": "own"}}, "web": {"url": "https://example.com/mcp"}}}`
	o := options()
	o.Inherited = []string{"PATH"}
	own := []string{"PATH=/bin", "GITHUB_TOKEN=" + secret, "HAS_TOKEN=" + secret, "FOO=bar", "EMPTY="}
	o.Places.Environ = func() []string { return own }
	o.Carry = []string{"GITHUB_TOKEN", "HAS_TOKEN", "PATH", "NONE", "GITHUB_TOKEN"}
	for client, want := range map[string]string{"cursor": "[GITHUB_TOKEN] [FOO EMPTY] [GITHUB_TOKEN]", "gemini": "[] [FOO EMPTY] []",
		"claude-desktop": "[] [] []", "copilot": "[] [EMPTY FOO] []"} {
		o.Names = NewNames(nil, nil)
		p := plan(t, golden{name: "x.json", client: client}.file(t, text), o)
		e := p.Entries[0]
		if got := fmt.Sprint(e.Missing.Likely, e.Missing.Others, e.Carried); !sameWords(got, want) {
			t.Errorf("%s: %s, want %s", client, got, want)
		}
		if e.Server.Env["HAS_TOKEN"] != "own" || (e.Server.Env["GITHUB_TOKEN"] == secret) != (client == "cursor") {
			t.Errorf("%s: %v", client, e.Server.Env)
		}
		if m := p.Entries[1].Missing; m.Likely != nil || m.Others != nil {
			t.Errorf("a URL misses %+v", m)
		}
		if strings.Contains(p.Difference+string(p.After), secret) {
			t.Errorf("%s shows the secret: %s", client, p.Difference)
		}
	}
	o.Inherited = nil // the desk was not asked
	if e := plan(t, golden{name: "x.json", client: "cursor"}.file(t, text), o).Entries[0]; e.Carried != nil || e.Missing.Others != nil {
		t.Errorf("%+v", e)
	}
}

// sameWords compares two texts without the order of their words.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for i, text := range []string{a, b} {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" []", r) }) {
			count[word] += 1 - 2*i
		}
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
