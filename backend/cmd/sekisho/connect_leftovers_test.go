package main

import (
	"strings"
	"testing"
)

// TestDisconnectWithTheDeskClosed: the servers stay, it says so, and another disconnect
// ends it once the desk is open again.
func TestDisconnectWithTheDeskClosed(t *testing.T) {
	const text = `{ "mcpServers": { "a": { "command": "/bin/cat", "env": { "K": "topsecret" } } } }`
	w := newWired(t, map[string]string{".cursor/mcp.json": text})
	w.mustRun("connect", "--yes")
	if err := w.desk.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := run(t, "disconnect", "--yes")
	if err == nil || !strings.Contains(err.Error(), "another disconnect takes them off") || !strings.Contains(out, "is put back") ||
		w.read(".cursor/mcp.json") != text {
		t.Errorf("%v\n%s", err, out)
	}
	if out := w.mustRun("disconnect", "--yes"); strings.TrimSpace(out) != "Nothing is connected." {
		t.Errorf("with the desk closed:\n%s", out)
	}
	w.open()
	if len(w.servers()) != 1 {
		t.Fatalf("servers %v", w.servers())
	}
	if out, err := run(t, "disconnect"); err == nil || !strings.Contains(out, "servers of clients that were connected: a.") ||
		!strings.Contains(err.Error(), "say --yes") || len(w.servers()) != 1 {
		t.Errorf("unasked: %v\n%s", err, out)
	}
	if out := w.mustRun("disconnect", "--yes"); !strings.Contains(out, "The server a left the desk's list") || len(w.servers()) != 0 {
		t.Errorf("%v\n%s", w.servers(), out)
	}
	if out := w.mustRun("disconnect", "--yes"); strings.TrimSpace(out) != "Nothing is connected." {
		t.Errorf("once more:\n%s", out)
	}
}
