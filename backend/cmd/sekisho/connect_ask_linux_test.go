package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a terminal at which a person answers.
func terminal(t *testing.T) (person, program *os.File) {
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
	person, program := terminal(t)
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
