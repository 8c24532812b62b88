package main

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestConnectKeepsWhatIsOffOff: an entry that is switched off is so on the desk, and what
// a person switches on there still leaves with it, byte for byte.
func TestConnectKeepsWhatIsOffOff(t *testing.T) {
	files := map[string]string{
		".cursor/mcp.json":   "{ \"mcpServers\": { \"a\": { \"command\": \"/bin/cat\", \"disabled\" : true }, \"b\": { \"command\": \"/bin/cat\" } } }",
		".codex/config.toml": "[mcp_servers.a]\ncommand = \"/bin/cat\"\nenabled = false # for now\n",
	}
	w := newWired(t, files)
	if out := w.mustRun("connect", "--list"); strings.Count(out, "it would be as a, off as it is in the file") != 1 ||
		strings.Count(out, "a, which the desk has, off as it is in the file") != 1 {
		t.Errorf("shown:\n%s", out)
	}
	w.mustRun("connect", "--yes")
	servers := w.servers()
	if len(servers) != 2 || servers["a"].Enabled || !servers["b"].Enabled {
		t.Errorf("servers %v", servers)
	}
	if got := w.read(".cursor/mcp.json"); !strings.Contains(got, `"disabled" : true`) {
		t.Errorf("the client would start it:\n%s", got)
	}
	on := servers["a"]
	on.Enabled = true
	if _, _, err := w.desk.Desk.Catalogue.ReplaceServers(t.Context(), "", []permission.Server{on, servers["b"]}); err != nil {
		t.Fatal(err)
	}
	if out := w.mustRun("connect", "--yes"); !strings.Contains(out, "Nothing is to be moved") {
		t.Error(out)
	}
	w.mustRun("disconnect", "--yes")
	for name, text := range files {
		if got := w.read(name); got != text {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if left := w.servers(); len(left) != 0 {
		t.Errorf("servers %v", left)
	}
}
