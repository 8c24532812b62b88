package connect

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// revisedDesk masks secrets and tells of each server which revision it is.
type revisedDesk struct{ *memoryDesk }

func (d revisedDesk) shown() []Server {
	all := slices.Clone(d.servers)
	for i := range all {
		revision := all[i].Print()
		all[i] = all[i].Masked()
		all[i].Revision = revision
	}
	return all
}

// Servers gives the list, masked.
func (d revisedDesk) Servers(context.Context) ([]Server, error) { return d.shown(), nil }

// ChangeServers changes the list.
func (d revisedDesk) ChangeServers(ctx context.Context, change func([]Server) ([]Server, []string, error)) error {
	return d.memoryDesk.ChangeServers(ctx, func([]Server) ([]Server, []string, error) { return change(d.shown()) })
}

// wire connects all files there are.
func (s *seat) wire() {
	s.Helper()
	survey, err := s.Survey(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.Move(s.Context(), survey); err != nil {
		s.Fatal(err)
	}
}

// unwire puts back the files of one client, or all.
func (s *seat) unwire(client string) Disconnected {
	s.Helper()
	w := s.Wiring
	w.Wants = func(c, _ string) bool { return client == "" || c == client }
	all, err := w.Undos(s.Context(), false)
	if err != nil {
		s.Fatal(err)
	}
	done, err := w.Restore(s.Context(), all)
	if err != nil {
		s.Fatal(err)
	}
	return done
}

// ids are those of the desk's servers.
func (s *seat) ids() string {
	var ids []string
	for _, server := range s.desk.servers {
		ids = append(ids, server.ID)
	}
	return strings.Join(ids, " ")
}

// TestAServerWithATableStays, and is taken up again with it: who may use its tools is not for connecting to forget.
func TestAServerWithATableStays(t *testing.T) {
	table := permission.ToolPermissions{permission.AnyTool: permission.NeedsSession}
	s := sit(t, map[string]string{cursorFile: `{"mcpServers":{"a":{"command":"node"},"b":{"command":"deno"}}}`})
	s.wire()
	s.desk.servers[0].Table = table
	if done := s.unwire(""); !slices.Equal(done.Kept, []string{"a"}) || !slices.Equal(done.Removed, []string{"b"}) {
		t.Errorf("%+v", done)
	}
	s.wire()
	if s.ids() != "a b" || !maps.Equal(s.desk.servers[0].Table, table) {
		t.Errorf("the desk has %q, %v", s.ids(), s.desk.servers[0].Table)
	}
}

const geminiFile = ".gemini/settings.json"

// TestASecretThatWasChangedStays: masks hide it, and the revision tells. It is the one of
// when the server was added, also for files that were connected later.
func TestASecretThatWasChangedStays(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"x","env":{"K":"old"}},"b":{"command":"y","env":{"K":"old"}}}}`
	s := sit(t, map[string]string{cursorFile: text})
	s.Desk = revisedDesk{s.desk}
	s.wire()
	s.desk.servers[1].Env = map[string]string{"K": "rotated"}
	s.write(geminiFile, text)
	s.wire()
	if done := s.unwire("cursor"); len(done.Removed)+len(done.Kept) != 0 || s.ids() != "a b" {
		t.Errorf("%+v, %s", done, s.ids())
	}
	if done := s.unwire(""); !slices.Equal(done.Removed, []string{"a"}) || !slices.Equal(done.Kept, []string{"b"}) || s.ids() != "b" ||
		s.desk.servers[0].Env["K"] != "rotated" {
		t.Errorf("%+v, %v", done, s.desk.servers)
	}
	if s.read(cursorFile) != text || s.read(geminiFile) != text {
		t.Errorf("%s\n%s", s.read(cursorFile), s.read(geminiFile))
	}
}

// TestTheLastFileTakesTheServerAway, whichever was connected first.
func TestTheLastFileTakesTheServerAway(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"x","env":{"K":"v"}}}}`
	s := sit(t, map[string]string{cursorFile: text})
	s.wire()
	s.write(geminiFile, text)
	s.wire()
	if s.unwire("cursor"); s.ids() != "a" {
		t.Fatalf("the desk has %q", s.ids())
	}
	if s.unwire("gemini"); s.ids() != "" {
		t.Errorf("the desk still has %q", s.ids())
	}
}

// TestAServerStaysThatAURLUses: a person's own entry names it by the desk's address.
func TestAServerStaysThatAURLUses(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: `{"mcpServers":{"a":{"command":"x"}}}`})
	s.URLs = []string{"http://127.0.0.1:9"}
	s.wire()
	s.write(geminiFile, `{"mcpServers":{"mine":{"httpUrl":"http://127.0.0.1:9/mcp/a"}}}`)
	if s.unwire(""); s.ids() != "a" {
		t.Errorf("the desk has %q", s.ids())
	}
}

// TestGoneKeepsItsServer: while an entry that was taken out is kept, so is its server.
func TestGoneKeepsItsServer(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: `{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}`})
	s.wire()
	wiped := strings.Replace(s.read(cursorFile), `"a":`, `"was":{},"a":`, 1)
	s.write(cursorFile, `{"mcpServers":{}}`)
	if done := s.unwire(""); len(done.Paths) != 0 || s.ids() != "a b" || s.read(cursorFile) != `{"mcpServers":{}}` {
		t.Errorf("%+v, %s, %s", done, s.ids(), s.read(cursorFile))
	}
	s.write(cursorFile, strings.Replace(wiped, `"b":{"command"`, `"other":{"x"`, 1))
	if done := s.unwire(""); len(done.Paths) != 1 || !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "b" {
		t.Errorf("%+v, %s", done, s.ids())
	}
}

// TestEntriesNameWhatAClientDoesNotHandOn: variables that say where the desk and the
// token are.
func TestEntriesNameWhatAClientDoesNotHandOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		config string // $XDG_CONFIG_HOME, under home
		data   string
		want   string
	}{
		{"usual", ".config", ".local/share", `"--agent", "cursor"]`},
		{"none", "", "", `"--agent", "cursor"]`},
		{"config", "cfg", "", `"--agent", "cursor", "--token-file", "HOME/cfg/sekisho/agents/cursor.token"]`},
		{"data", "", "data", `"--agent", "cursor", "--desk", "http://127.0.0.1:9"]`},
	} {
		s := sit(t, map[string]string{cursorFile: `{"mcpServers":{"a":{"command":"x"}}}`})
		under := func(dir string) string {
			if dir == "" {
				return ""
			}
			return filepath.Join(s.Places.Home, dir)
		}
		t.Setenv("XDG_CONFIG_HOME", under(c.config))
		t.Setenv("HOME", s.Places.Home)
		s.Places.Env = func(name string) string {
			return map[string]string{"XDG_CONFIG_HOME": under(c.config), "XDG_DATA_HOME": under(c.data)}[name]
		}
		s.URLs = []string{"http://127.0.0.1:9"}
		s.wire()
		if got := strings.ReplaceAll(s.read(cursorFile), s.Places.Home, "HOME"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// brokenDesk cannot be read once it has refused a server.
type brokenDesk struct{ *memoryDesk }

// Servers fails when the list has something, and not yet all.
func (d brokenDesk) Servers(context.Context) ([]Server, error) {
	if len(d.servers) > 0 {
		return nil, errors.New("the desk is away")
	}
	return nil, nil
}

// TestNothingIsLeftOnTheDesk: servers that were added for files which are not written then
// leave the desk again.
func TestNothingIsLeftOnTheDesk(t *testing.T) {
	for _, refused := range []string{"", "b"} {
		const text = `{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}`
		s := sit(t, map[string]string{cursorFile: text})
		s.Desk, s.desk.refuse = brokenDesk{s.desk}, refused
		survey, err := s.Survey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Move(t.Context(), survey); err == nil || s.ids() != "" || s.read(cursorFile) != text {
			t.Errorf("%v, %q, %s", err, s.ids(), s.read(cursorFile))
		}
	}
}
