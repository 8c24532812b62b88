package server

import (
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
)

// TestConnectingLosesNoUpdate: a server that somebody adds while connecting edits the list
// stays on it.
func TestConnectingLosesNoUpdate(t *testing.T) {
	h := newHouse(t)
	d, asked := inProcess{h.desk.Desk.Catalogue}, 0
	err := d.ChangeServers(t.Context(), func([]connect.Server) ([]connect.Server, []string, error) {
		if asked++; asked == 1 {
			if _, _, err := d.ReplaceServers(t.Context(), "",
				[]permission.Server{{ID: "other", Transport: permission.TransportStdio, Command: "/bin/cat", Enabled: true}}); err != nil {
				t.Fatal(err)
			}
		}
		return []connect.Server{{ID: "mine", Transport: connect.Stdio, Command: "/bin/echo", Enabled: true}}, nil, nil
	})
	servers, _ := d.Servers(t.Context())
	if err != nil || asked != 2 || len(servers) != 2 || servers[0].ID != "other" || servers[1].ID != "mine" {
		t.Errorf("asked %d times, %v %v", asked, servers, err)
	}
}
