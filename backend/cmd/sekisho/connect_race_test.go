package main

import (
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
)

// TestConnectLosesNoUpdate: a server that somebody adds while connecting edits the list
// stays on it. Whoever is always slower gives up.
func TestConnectLosesNoUpdate(t *testing.T) {
	w := newWired(t, nil)
	d := remoteDesk{newClient(w.desk.URL, operatorToken)}
	others := []permission.Server{}
	asked := 0
	meanwhile := func(times int) func([]connect.Server) ([]connect.Server, []string, error) {
		return func([]connect.Server) ([]connect.Server, []string, error) {
			if asked++; asked <= times {
				others = append(others, permission.Server{ID: "other-" + string(rune('0'+asked)), Transport: permission.TransportStdio,
					Command: "/bin/cat", Enabled: true})
				if _, _, err := w.desk.Desk.Catalogue.ReplaceServers(t.Context(), "", others); err != nil {
					t.Fatal(err)
				}
			}
			return []connect.Server{{ID: "mine", Transport: connect.Stdio, Command: "/bin/echo", Enabled: true}}, nil, nil
		}
	}
	if err := d.ChangeServers(t.Context(), meanwhile(2)); err != nil || asked != 3 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if servers := w.servers(); len(servers) != 3 || servers["mine"].Command != "/bin/echo" || servers["other-2"].Command != "/bin/cat" {
		t.Errorf("servers %v", servers)
	}
	asked, others = 0, nil
	if err := d.ChangeServers(t.Context(), meanwhile(maxTries)); !isProblem(err, permission.CodeLostUpdate) || asked != maxTries {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if servers := w.servers(); len(servers) != maxTries || servers["mine"].Command != "" {
		t.Errorf("servers %v", servers)
	}
}
