package bothways

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/connect"
)

// survey plans files of clients in a home folder.
func survey(t *testing.T, home string, files map[string]string) []connect.Planned {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := connect.Wiring{Places: connect.Places{GOOS: "linux", Home: home}, Program: "/opt/sekisho"}
	s, err := w.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Files
}

// answers is a shell script that plays a server with one tool, after something else was done.
func answers(first string) string {
	return first + `
read -r init
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
read -r note; read -r list; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"'"$TOOL"'","inputSchema":{"type":"object"}}]}}'
read -r end`
}

func entry(script, env string) string {
	return fmt.Sprintf(`{"command": "/bin/sh", "args": ["-c", %q], "env": {%s}}`, script, env)
}

// TestDirect starts servers as their client would: with its environment and no more, one that
// is slow, one that ends with an error, and one that never answers, which ends with all that
// it has started.
func TestDirect(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "pids")
	files := survey(t, home, map[string]string{
		".cursor/mcp.json": `{"mcpServers": {
			"all": ` + entry(answers(`TOOL=$FOO-$GITHUB_TOKEN-$OWN`), `"OWN": "own"`) + `,
			"slow": ` + entry(answers("sleep 0.4; TOOL=slow"), "") + `,
			"dead": ` + entry("echo why >&2; echo secret-of-the-shell >&2; exit 4", "") + `,
			"hangs": ` + entry("sleep 600 & echo $$ $! >"+file+"; wait", "") + `,
			"off": {"command": "/bin/sh", "disabled": true}}}`,
		".codex/config.toml": "[mcp_servers.few]\ncommand = \"/bin/sh\"\nargs = [\"-c\", '''" +
			answers("TOOL=x$FOO$GITHUB_TOKEN$USER") + "''']\n",
	})
	environ := []string{"PATH=" + os.Getenv("PATH"), "FOO=foo", "GITHUB_TOKEN=secret-of-the-shell", "USER=ada"}
	p := Prover{Environ: environ, Home: home, Within: 3 * time.Second}
	found := map[string]Started{}
	for _, s := range p.Direct(t.Context(), files) {
		found[s.Key] = s
	}
	if len(found) != 5 {
		t.Fatalf("%+v", found)
	}
	for key, want := range map[string]string{"all": "foo-secret-of-the-shell-own", "slow": "slow", "few": "xada"} {
		if s := found[key]; s.Err != nil || len(s.Tools) != 1 || s.Tools[0].Name != want {
			t.Errorf("%s: %+v", key, s)
		}
	}
	if took := found["slow"].Took; took < 400*time.Millisecond {
		t.Errorf("the slow one took %v", took)
	}
	if err := found["dead"].Err; err == nil || !strings.Contains(err.Error(), "exit status 4") ||
		!strings.HasSuffix(err.Error(), ": ********") {
		t.Errorf("%v", err)
	}
	if err := found["hangs"].Err; err == nil || !strings.Contains(err.Error(), "did not answer initialize within 3s") {
		t.Errorf("%v", err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Fields(string(raw)) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		until := time.Now().Add(10 * time.Second)
		for syscall.Kill(pid, 0) == nil && !zombie(pid) {
			if time.Now().After(until) {
				t.Fatalf("the process %d still runs", pid)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// zombie reports whether a process has ended and nobody has looked.
func zombie(pid int) bool {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(raw), ") ")
	return strings.HasPrefix(state, "Z")
}

// TestSecretsAreHiddenWhole: of a secret of several lines, or of one that is longer than what
// is told of a line, nothing is told.
func TestSecretsAreHiddenWhole(t *testing.T) {
	home := t.TempDir()
	files := survey(t, home, map[string]string{".cursor/mcp.json": `{"mcpServers": {
		"lines": ` + entry(`echo "$LINES_KEY" >&2; exit 1`, "") + `, "long": ` + entry(`echo "error $LONG_KEY" >&2; exit 1`, "") + `}}`})
	p := Prover{Home: home, Environ: []string{"PATH=" + os.Getenv("PATH"), "LINES_KEY=-----BEGIN-----\nhidden-part", "LONG_KEY=" +
		strings.Repeat("hidden-part", 50)}}
	found := p.Direct(t.Context(), files)
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	for _, s := range found {
		if s.Err == nil || strings.Contains(s.Err.Error(), "hidden") || !strings.HasSuffix(s.Err.Error(), "********") {
			t.Errorf("%s: %v", s.Key, s.Err)
		}
	}
}

// TestCanceled ends what is under way.
func TestCanceled(t *testing.T) {
	home := t.TempDir()
	files := survey(t, home, map[string]string{".cursor/mcp.json": `{"mcpServers": {"hangs": ` + entry("sleep 600", "") + `}}`})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	p := Prover{Environ: os.Environ(), Home: home}
	if found := p.Direct(ctx, files); len(found) != 1 || found[0].Err == nil || time.Since(began) > 30*time.Second {
		t.Errorf("%+v after %v", found, time.Since(began))
	}
}
