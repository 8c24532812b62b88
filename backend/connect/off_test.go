package connect

import "testing"

// TestOff: what is switched off in a file does not come to life on the desk.
func TestOff(t *testing.T) {
	for _, c := range []struct {
		client, switched string
		on               bool
	}{
		{"cursor", `"disabled":true`, false}, {"cursor", `"disabled":false`, true}, {"cursor", `"disabled":"true"`, true},
		{"claude-desktop", `"disabled":true`, false}, {"zed", `"enabled":false`, false}, {"zed", `"enabled":true`, true},
		{"zed", `"enabled":null`, true},
		{"codex", "enabled = false", false}, {"codex", "enabled = true", true},
	} {
		client, _ := ClientByID(c.client)
		text := `{"` + client.sections[0][0] + `":{"a":{"command":"x",` + c.switched + `}}}`
		if c.client == "codex" {
			text = "[mcp_servers.a]\ncommand = 'x'\n" + c.switched + "\n"
		}
		p := plan(t, File{Client: client, Content: []byte(text)}, options())
		if e := p.Entries[0]; e.State != Direct || e.Server.Enabled != c.on {
			t.Errorf("%s %s: %s, on %v", c.client, c.switched, e.State, e.Server.Enabled)
		}
	}
}

// TestOffIsNotShared: an entry that is switched off does not take the server of one that
// is on with it, nor the other way round.
func TestOffIsNotShared(t *testing.T) {
	on, off := Server{Transport: Stdio, Command: "/bin/x", Enabled: true}, Server{Transport: Stdio, Command: "/bin/x"}
	n := NewNames(nil, nil)
	for _, c := range []struct {
		s     Server
		id    string
		fresh bool
	}{{off, "a", true}, {on, "a-2", true}, {off, "a", false}, {on, "a-2", false}} {
		if id, fresh := n.Assign("a", c.s); id != c.id || fresh != c.fresh {
			t.Errorf("on %v: %s, fresh %v", c.s.Enabled, id, fresh)
		}
	}
}
