package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/rest"
	"sekisho/backend/server"
)

const oneServer = `{ "mcpServers": { "a": { "command": "/bin/cat" } } }`

// TestDisconnectOnAnotherDesk leaves that one its own server, though it is the same as the
// one that connecting put on the first desk's list, where it is left over.
func TestDisconnectOnAnotherDesk(t *testing.T) {
	w := newWired(t, map[string]string{".cursor/mcp.json": oneServer})
	w.mustRun("connect", "--yes")
	for name, agents := range map[string][]string{"with an agent": {"other"}, "without one": nil} {
		other := openAnother(t, agents...)
		out := w.mustRun("disconnect", "--yes", "--desk", other.URL)
		servers, err := other.Desk.Catalogue.Servers(t.Context())
		if err != nil || len(servers) != 1 || strings.Contains(out, "the desk's list") || !strings.Contains(out, "is put back") {
			t.Errorf("%s: it has %v, %v\n%s", name, servers, err, out)
		}
		if out := w.mustRun("disconnect", "--yes"); !strings.Contains(out, "The server a left the desk's list") || len(w.servers()) != 0 {
			t.Errorf("%s: the first desk has %v\n%s", name, w.servers(), out)
		}
		w.mustRun("connect", "--yes")
	}
}

// openAnother opens a desk on a folder of its own that has agents, and a server like that
// of oneServer.
func openAnother(t *testing.T, agents ...string) *server.Server {
	t.Helper()
	other, err := server.Open(context.Background(),
		server.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Operator: rest.NewOperator(operatorToken)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range agents {
		if _, _, err := other.Desk.Catalogue.CreateAgent(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	own := json.RawMessage(`{"id":"a","transport":"stdio","command":"/bin/cat","enabled":true}`)
	if err := newClient(other.URL, operatorToken).replaceServers(t.Context(), []json.RawMessage{own}, ""); err != nil {
		t.Fatal(err)
	}
	return other
}

// TestLeftoversOfADeskWithNewAgents are found though all that it had when connecting were
// removed while nobody looked.
func TestLeftoversOfADeskWithNewAgents(t *testing.T) {
	w := newWired(t, map[string]string{".cursor/mcp.json": oneServer})
	w.mustRun("connect", "--yes")
	if err := w.desk.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "disconnect", "--yes"); err == nil || !strings.Contains(out, "is put back") {
		t.Fatalf("%v\n%s", err, out)
	}
	w.open()
	agents, err := w.desk.Desk.Catalogue.Agents(t.Context())
	if err != nil || len(agents) != 1 {
		t.Fatalf("%v %v", agents, err)
	}
	if err := w.desk.Desk.Catalogue.DeleteAgent(t.Context(), agents[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.desk.Desk.Catalogue.CreateAgent(t.Context(), "new"); err != nil || !slices.Equal(w.agents(), []string{"new"}) {
		t.Fatalf("%v %v", w.agents(), err)
	}
	if out := w.mustRun("disconnect", "--yes"); !strings.Contains(out, "The server a left the desk's list") || len(w.servers()) != 0 {
		t.Errorf("%v\n%s", w.servers(), out)
	}
}
