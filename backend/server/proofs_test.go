package server

import (
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/rest"
)

// oneTool is a line of a shell that answers as a server whose only tool has the name that
// stands in $tool.
const oneTool = `read -r init
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
read -r note; read -r list
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"'"$tool"'","inputSchema":{"type":"object"}}]}}'
read -r end
`

type choice struct {
	Shown string   `json:"shown"`
	Hooks bool     `json:"hooks"`
	Carry []string `json:"carry,omitempty"`
}

// TestProofsOnTheScreen: what servers would miss is listed; they are started before their file
// is written, and afterwards by the lines in it; and a carried variable is a secret of theirs.
func TestProofsOnTheScreen(t *testing.T) {
	t.Setenv("SCREEN_TOKEN", "topsecret-of-the-screen")
	h := newHouse(t)
	h.write("bin/sekisho", "#!/bin/sh\n# by the server's id\ncase $3 in same) tool=x ;; other) tool=y ;; lost) echo gone away >&2; exit 1 ;; esac\n"+oneTool)
	entry := func(script string) string { return fmt.Sprintf(`{"command": "/bin/sh", "args": ["-c", %q]}`, script) }
	before := `{"mcpServers": {"same": ` + entry("tool=x\n"+oneTool) + `, "other": ` + entry("tool=x\n"+oneTool) + `, "lost": ` +
		entry("tool=x\n"+oneTool) + `, "dead": ` + entry("echo $SCREEN_TOKEN >&2; exit 7") + `}}`
	h.write(".cursor/mcp.json", before)
	f := h.file()
	if e := f.Entries[0]; !strings.Contains(strings.Join(e.Likely, " "), "SCREEN_TOKEN") || e.Limit != "" {
		t.Errorf("%+v", e)
	}
	row := "POST /v1/connections/" + f.ID
	h.ask(404, row+"/prove", nil, nil)
	h.ask(409, row+"/try", choice{Shown: "old"}, nil)
	h.ask(409, row+"/try", choice{Shown: f.Move.Shown, Carry: []string{"SCREEN_TOKEN"}}, nil) // that was not shown
	h.ask(409, row+"/try", choice{Shown: f.Move.Shown, Carry: []string{"NOT_SET_HERE"}}, nil)

	var all rest.ClientList
	h.ask(200, "GET /v1/connections?hooks=false&carry=HOME", nil, &all)
	if p := h.ask(409, row+"/connect", choice{Shown: all.Files[0].Move.Shown, Carry: []string{"HOME"}}, nil); !strings.Contains(p,
		"HOME cannot be carried to the desk: no server that is to move would miss it") || h.read(".cursor/mcp.json") != before {
		t.Error(p)
	}
	h.ask(200, "GET /v1/connections?hooks=false&carry=SCREEN_TOKEN", nil, &all)
	f = all.Files[0]
	carried := choice{Shown: f.Move.Shown, Carry: []string{"SCREEN_TOKEN"}}
	var found struct{ Servers []rest.ClientTrial }
	if said := h.ask(200, row+"/try", carried, &found); len(found.Servers) != 4 || strings.Contains(said, "topsecret") {
		t.Fatal(said)
	}
	for i, s := range found.Servers {
		if broken := s.Key == "dead"; s.ServerID != s.Key || (s.Error != "") != broken || !broken && (s.Tools != 1 || s.Seconds <= 0) {
			t.Errorf("%d: %+v", i, s)
		}
	}
	if last := found.Servers[3].Error; !strings.Contains(last, "exit status 7") || !strings.HasSuffix(last, ": ********") {
		t.Error(last)
	}
	if h.read(".cursor/mcp.json") != before {
		t.Error("a trial wrote")
	}
	h.ask(404, row+"/prove", nil, nil) // it is not connected yet
	h.ask(200, row+"/connect", carried, nil)
	var proofs struct{ Servers []rest.ClientProof }
	said := h.ask(200, row+"/prove", nil, &proofs)
	want := map[string]string{"same": "same [] [] ", "other": "different [x] [y] ", "lost": "lost [] [] gone away"}
	for _, p := range proofs.Servers {
		got := fmt.Sprint(p.State, " ", p.Missing, " ", p.Added, " ", p.Error[strings.LastIndex(p.Error, ": ")+1:])
		if got = strings.ReplaceAll(got, "  ", " "); !strings.HasPrefix(got, strings.TrimSpace(want[p.Key])) || want[p.Key] == "" {
			t.Errorf("%s: %s", p.Key, got)
		}
	}
	if len(proofs.Servers) != 3 || strings.Contains(said, "topsecret") {
		t.Error(said)
	}
	servers, err := h.desk.Desk.Catalogue.Servers(t.Context())
	if err != nil || len(servers) != 4 || servers[0].Env["SCREEN_TOKEN"] != "topsecret-of-the-screen" {
		t.Errorf("%+v, %v", servers, err)
	}
	f = h.file()
	h.ask(200, row+"/disconnect", map[string]string{"shown": f.Back.Shown}, nil)
	if servers, err := h.desk.Desk.Catalogue.Servers(t.Context()); err != nil || len(servers) > 0 || h.read(".cursor/mcp.json") != before {
		t.Errorf("%+v, %v\n%s", servers, err, h.read(".cursor/mcp.json"))
	}
}
