package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDisconnectWhatIsGone: what was taken out is kept, and --force puts it back as long as
// nothing else was changed.
func TestDisconnectWhatIsGone(t *testing.T) {
	const text = "{\"history\":[],\"mcpServers\":{\n  \"a\":{\"command\":\"/bin/cat\",\"env\":{\"K\":\"topsecret\"}}\n}}\n"
	w := newWired(t, map[string]string{".claude.json": text})
	w.mustRun("connect", "--yes")
	for _, wiped := range []string{"{\"history\":[\"typed\"]}", "{\"history\":[]}"} {
		w.write(".claude.json", wiped)
		out := w.mustRun("disconnect", "--yes")
		_, path, _ := strings.Cut(out, "what was taken out stays in ")
		path, _, ok := strings.Cut(path, "; --force")
		if kept, err := os.ReadFile(path); !ok || err != nil || string(kept) != text || strings.Contains(out, "is put back") ||
			strings.Contains(out, "typed") {
			t.Errorf("%v\n%s", err, out)
		}
		if out := w.mustRun("disconnect"); strings.Contains(out, "--yes") {
			t.Errorf("it asks, though nothing can be done:\n%s", out)
		}
		if len(w.servers()) != 1 || w.read(".claude.json") != wiped {
			t.Errorf("servers %v, file %s", w.servers(), w.read(".claude.json"))
		}
	}
	if w.mustRun("disconnect", "--yes", "--force"); w.read(".claude.json") != text || len(w.servers()) != 0 {
		t.Errorf("servers %v, file %s", w.servers(), w.read(".claude.json"))
	}
}

// TestConnectElsewhere: a client hands on neither folder, and its entry works.
func TestConnectElsewhere(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note.txt")
	w := newWired(t, nil)
	if err := w.desk.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(w.home, "cfg"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(w.home, "data"))
	w.open()
	w.write(".cursor/mcp.json", "{\n  // notes\n  \"mcpServers\": {\n    \"notes\": "+notesEntry(note)+",\n  },\n}\n")
	w.mustRun("connect", "--yes")
	w.handedOn = []string{"HOME", "PATH"}
	w.call(note)
}

// TestListAMissingProgram says so.
func TestListAMissingProgram(t *testing.T) {
	w := newWired(t,
		map[string]string{".cursor/mcp.json": `{"mcpServers":{"a":{"command":"/nowhere/sekisho","args":["mcp","--server","a"]}}}`})
	if out := w.mustRun("connect", "--list"); !strings.Contains(out,
		"behind the desk, as a, but it cannot start: its command /nowhere/sekisho is not found") {
		t.Error(out)
	}
}

// TestDisconnectConflict shows both sides, does nothing, and obeys --force.
func TestDisconnectConflict(t *testing.T) {
	const text = "{\"mcpServers\":{\n  \"a\":{\"command\":\"/bin/cat\"}\n}}\n"
	w := newWired(t, map[string]string{".cursor/mcp.json": text})
	w.mustRun("connect", "--yes")
	edited := strings.Replace(w.read(".cursor/mcp.json"), `"--server", "a"`, `"--server", "b"`, 1)
	w.write(".cursor/mcp.json", edited)
	out, err := run(t, "disconnect", "--yes")
	if err == nil || !strings.Contains(err.Error(), "--force") || !strings.Contains(out, "its args was changed since") ||
		!strings.Contains(out, "What was changed in its tool servers since") || w.read(".cursor/mcp.json") != edited {
		t.Errorf("%v\n%s", err, out)
	}
	if w.mustRun("disconnect", "--yes", "--force"); w.read(".cursor/mcp.json") != text {
		t.Error(w.read(".cursor/mcp.json"))
	}
}
