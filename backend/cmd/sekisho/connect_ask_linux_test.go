package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal is a terminal at which a person answers.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// TestConnectAsks a person at a terminal, in order: which variables go along, whether limits
// are raised, what becomes of a server that does not start, and whether all of it is done.
func TestConnectAsks(t *testing.T) {
	t.Setenv("ODD_TOKEN", oddSecret)
	file := filepath.Join(t.TempDir(), "seen")
	files := map[string]string{
		".cursor/mcp.json": `{"mcpServers": {"odd": ` + oddEntry(file, "") + `, "dead": {"command": "/bin/false"}}}`,
		".codex/config.toml": fmt.Sprintf("[mcp_servers.odd]\ncommand = %q\nargs = [%q]\nenv = { %s = \"odd\", ODD_TOKEN = \"x\" }\n",
			os.Args[0], file, roleEnv),
	}
	w := newWired(t, files)
	person, program := openTerminal(t)
	c := root()
	out := &strings.Builder{}
	c.SetOut(out)
	c.SetErr(out)
	c.SetIn(program)
	c.SetArgs([]string{"connect", "--hooks=false", "--client", "cursor,codex"})
	if _, err := person.WriteString("ODD_TOKEN, NOT_SET\nODD_TOKEN\ny\nn\ny\n"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(t.Context()) }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	case <-time.After(time.Minute):
		t.Fatal("it still asks")
	}
	said := out.String()
	at := 0
	for _, want := range []string{
		"Which variables shall go along", "NOT_SET cannot be carried to the desk: it is not set here", "Which variables shall go along",
		"and a call of Codex ends sooner. Raise the limit in the file too? [y/N]", "Starting 3 servers", "dead of Cursor does not start even without the desk",
		"Put it behind the desk all the same? [y/N]", "+tool_timeout_sec = 3600", "Put 2 entries behind the desk? [y/N]",
		"odd of Cursor: 2 tools, starts in ",
	} {
		next := strings.Index(said[at:], want)
		if next < 0 {
			t.Fatalf("%q does not follow in\n%s", want, said)
		}
		at += next
	}
	if strings.Contains(said, oddSecret) {
		t.Errorf("the secret was shown:\n%s", said)
	}
	if got := w.read(".cursor/mcp.json"); !strings.Contains(got, `"dead": {"command": "/bin/false"}`) ||
		!strings.Contains(got, `"--server", "odd"`) {
		t.Error(got)
	}
	servers := w.servers()
	if len(servers) != 2 || servers["odd"].Env["ODD_TOKEN"] == servers["odd-2"].Env["ODD_TOKEN"] {
		t.Errorf("%+v", servers)
	}
	w.mustRun("disconnect", "--yes")
	for name, text := range files {
		if got := w.read(name); got != text {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestConnectAsksBeforeAProjectRuns: what a project brings along is started only once the
// person has seen its command and says so, and with --yes only with --check.
func TestConnectAsksBeforeAProjectRuns(t *testing.T) {
	t.Setenv("ODD_TOKEN", oddSecret) // so that there is always a variable to ask about
	ran := filepath.Join(t.TempDir(), "ran")
	foreign := fmt.Sprintf(`{"mcpServers": {"foreign": {"command": "/bin/sh",
		"args": ["-c", "echo it >> %s; echo Error: odd >&2; echo v1 >&2; exit 1"]}}}`, ran)
	w := newWired(t, map[string]string{"project/.mcp.json": foreign})
	started := func() bool {
		_, err := os.Stat(ran)
		return err == nil
	}
	ask := func(answers string) (string, error) {
		person, program := openTerminal(t)
		c := root()
		out := &strings.Builder{}
		c.SetOut(out)
		c.SetErr(out)
		c.SetIn(program)
		c.SetArgs([]string{"connect", "--hooks=false", "--client", "claude-code"})
		if _, err := person.WriteString(answers); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := c.ExecuteContext(ctx)
		return out.String(), err
	}
	if said, err := ask("\nn\nn\n"); err != nil || started() || !strings.Contains(said, "foreign: /bin/sh -c echo it >> ") ||
		!strings.Contains(said, "Start them now, to compare their tools? [y/N]") ||
		!strings.Contains(said, "Put 1 entry behind the desk? [y/N]") {
		t.Errorf("started %v, %v:\n%s", started(), err, said)
	}
	if said, err := ask("\ny\nn\nn\n"); err != nil || !started() || !strings.Contains(said, "initialize: Error: odd\n") {
		t.Errorf("started %v, %v:\n%s", started(), err, said)
	}
	if err := os.Remove(ran); err != nil {
		t.Fatal(err)
	}
	out, warned, err := runApart(t, "connect", "--yes", "--hooks=false", "--client", "claude-code")
	if err != nil || started() || !strings.Contains(warned, "They are not started now") ||
		!strings.Contains(out, "1 entry is behind the desk") {
		t.Errorf("started %v, %v:\n%s%s", started(), err, out, warned)
	}
	w.mustRun("disconnect", "--yes")
	if out, warned, err := runApart(t, "connect", "--yes", "--check", "--hooks=false", "--client", "claude-code"); err != nil || !started() {
		t.Errorf("%v:\n%s%s", err, out, warned)
	}
}

// TestConnectIsBrokenOff: who presses Ctrl-C at a question is let go, and nothing is changed.
func TestConnectIsBrokenOff(t *testing.T) {
	before := `{"mcpServers": {"dead": {"command": "/bin/false"}}}`
	w := newWired(t, map[string]string{".cursor/mcp.json": before})
	for _, args := range [][]string{{}, {"--check=false"}} {
		_, program := openTerminal(t)
		c := root()
		asked, said := io.Pipe()
		c.SetOut(said)
		c.SetErr(said)
		c.SetIn(program)
		c.SetArgs(append([]string{"connect", "--hooks=false", "--client", "cursor"}, args...))
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- c.ExecuteContext(ctx)
			said.Close()
		}()
		go func() {
			for buf, all := make([]byte, 512), ""; ; {
				n, err := asked.Read(buf)
				if all += string(buf[:n]); strings.Contains(all, "for none: ") || strings.Contains(all, "[y/N]") {
					leave()
				}
				if err != nil {
					return
				}
			}
		}()
		select {
		case err := <-done:
			if !errors.Is(err, errBroken) || w.read(".cursor/mcp.json") != before || len(w.servers()) > 0 {
				t.Errorf("%q: %v, %v", args, err, w.servers())
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q: it still asks", args)
		}
		leave()
	}
}
