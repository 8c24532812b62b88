package connect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rewrite"
)

// away puts Cursor's file back while the desk cannot be asked.
func (s *seat) away() {
	s.Helper()
	closed := s.Wiring
	closed.Desk, closed.Away = nil, errors.New("no desk runs")
	all, err := closed.Undos(s.Context(), false)
	if err != nil {
		s.Fatal(err)
	}
	if done, err := closed.Restore(s.Context(), all); err == nil || !strings.Contains(err.Error(), "stay on the desk's list") ||
		len(done.Paths) != 1 || len(done.Removed)+len(done.Kept) > 0 {
		s.Fatalf("%+v, %v", done, err)
	}
}

func (s *seat) wantLeft(ids ...string) {
	s.Helper()
	if left, err := s.Leftovers(s.Context()); err != nil || !slices.Equal(left, ids) {
		s.Errorf("left over %q, %v; want %q", left, err, ids)
	}
}

func (s *seat) wantNotes(n int) {
	s.Helper()
	if noted, err := s.Vault.leftovers(); err != nil || len(noted) != n {
		s.Errorf("noted %v, %v; want %d", noted, err, n)
	}
}

// TestServersThatDisconnectCouldNotRemove are named once the desk can be asked, and go on
// a person's word: exactly those that were named.
func TestServersThatDisconnectCouldNotRemove(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	s.connect()
	s.wantLeft()
	s.away()
	if s.read(cursorFile) != cursorText || s.ids() != "a" {
		t.Fatalf("%s\n%s", s.ids(), s.read(cursorFile))
	}
	s.desk.servers = append(s.desk.servers, Server{ID: "own", Transport: Stdio, Command: "/bin/own", Enabled: true})
	s.wantLeft("a")
	if _, err := s.RemoveLeftovers(t.Context(), []string{"a", "own"}); !errors.Is(err, ErrChanged) || s.ids() != "a own" {
		t.Errorf("%v, %q", err, s.ids())
	}
	done, err := s.RemoveLeftovers(t.Context(), []string{"a"})
	if err != nil || !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "own" {
		t.Errorf("%+v, %v, %q", done, err, s.ids())
	}
	s.wantLeft()
	s.desk.servers = append(s.desk.servers, Server{ID: "a", Transport: Stdio, Command: "/usr/bin/node", Args: []string{"a.js"},
		Env: map[string]string{"KEY": "x"}, Enabled: true})
	s.wantLeft() // somebody's own, of the same name
}

// TestServersInUseAreNotLeftOver, nor those that the desk has changed or lost.
func TestServersInUseAreNotLeftOver(t *testing.T) {
	const plain = `{"mcpServers":{"a":{"command":"node"}}}`
	for name, c := range map[string]struct {
		after func(*seat)
		gone  func(*seat) // undoes after
		left  []string
	}{
		"by an entry": {
			after: func(s *seat) {
				s.write(".gemini/settings.json", `{"mcpServers":{"x":{"command":"sekisho","args":["mcp","--server","a"]}}}`)
			},
			gone: func(s *seat) { s.write(".gemini/settings.json", `{}`) }, left: []string{"a"},
		},
		"connected again": {after: func(s *seat) { s.connect() }},
		"changed on the desk": {
			after: func(s *seat) { s.desk.servers[0].Command = "/bin/other" },
			gone:  func(s *seat) { s.desk.servers[0].Command = "/usr/bin/node" },
		},
		"gone from the desk": {after: func(s *seat) { s.desk.servers = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: plain})
			s.connect()
			s.away()
			s.wantLeft("a")
			c.after(s)
			s.wantLeft()
			if _, err := s.RemoveLeftovers(t.Context(), []string{"a"}); !errors.Is(err, ErrChanged) {
				t.Errorf("%v", err)
			}
			if c.gone != nil {
				c.gone(s)
				s.wantLeft(c.left...)
			}
		})
	}
}

// TestLeftoversOfAWriteThatFails: a file that could not be put back keeps its servers.
func TestLeftoversOfAWriteThatFails(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	s.connect()
	all, err := s.Undos(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	s.write(cursorFile, "{}") // between the look and the yes
	if done, err := s.Restore(t.Context(), all); !errors.Is(err, ErrChanged) || len(done.Paths)+len(done.Removed) > 0 || s.ids() != "a" {
		t.Errorf("%+v, %v, %q", done, err, s.ids())
	}
	s.wantLeft()
}

// TestLeftoversOfADeskThatCannotBeAsked: without a desk there are none to speak of, and
// one that does not answer is an error.
func TestLeftoversOfADeskThatCannotBeAsked(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	s.connect()
	s.away()
	closed := s.Wiring
	closed.Desk = nil
	if left, err := closed.Leftovers(t.Context()); err != nil || left != nil {
		t.Errorf("%q, %v", left, err)
	}
	if _, err := closed.RemoveLeftovers(t.Context(), []string{"a"}); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	s.Desk = refusing{s.desk}
	if _, err := s.Leftovers(t.Context()); err == nil {
		t.Error("a desk that does not answer has none left over")
	}
}

// refusing is a desk that does not answer.
type refusing struct{ *memoryDesk }

// Servers fails.
func (refusing) Servers(context.Context) ([]Server, error) { return nil, permission.NotFound("desk") }

const plainText = `{"mcpServers":{"a":{"command":"node"}}}`

// TestServersThatWereLeftOverGoWithTheirNextFile: connecting again takes them up, unless
// they are the desk's own by now.
func TestServersThatWereLeftOverGoWithTheirNextFile(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*seat)
		ids       string
	}{
		"as it was": {func(*seat) {}, ""},
		"removed, and made again by hand": {func(s *seat) {
			own := s.desk.servers
			s.desk.servers = nil
			s.wantLeft()
			s.desk.servers = own
		}, "a"},
		"changed, where masks hide it": {func(s *seat) {
			s.desk.servers[0].Revision, s.Desk = "another", s.desk
		}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: plainText})
			s.Desk = revisedDesk{s.desk}
			s.connect()
			s.away()
			c.meanwhile(s)
			s.connect()
			s.wantLeft()
			s.wantNotes(0)
			s.unwire("cursor")
			if s.wantLeft(); s.ids() != c.ids {
				t.Errorf("the desk has %q", s.ids())
			}
		})
	}
}

// TestServersOfAKilledConnect: the desk has them, and no file came to use them.
func TestServersOfAKilledConnect(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	s.Desk = revisedDesk{s.desk}
	st := s.one()
	s.Vault.at = func(step string) { panic(step) }
	func() {
		defer func() {
			if step := recover(); step != "kept half" {
				t.Errorf("killed at %v", step)
			}
		}()
		_, _ = s.Connect(t.Context(), st.ID, st.Move.Shown)
	}()
	s.Vault.at = nil
	if s.ids() != "a" || s.read(cursorFile) != cursorText {
		t.Fatalf("%q\n%s", s.ids(), s.read(cursorFile))
	}
	s.wantLeft("a")
	if raw := content(t, filepath.Join(s.Vault.dir, "leftovers.json")); strings.Contains(raw, "topsecret") {
		t.Errorf("a secret is noted: %s", raw)
	}
	if done, err := s.RemoveLeftovers(t.Context(), []string{"a"}); err != nil || !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "" {
		t.Errorf("%+v, %v, %q", done, err, s.ids())
	}
}

// TestConnectingLeavesNoNotes, whether the file is written or not, as long as the desk lets
// its servers go again.
func TestConnectingLeavesNoNotes(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*seat)
		left      []string
	}{
		"written": {func(*seat) {}, nil},
		"refused": {func(s *seat) { s.desk.refuse = "a" }, nil},
		"the file changed": {func(s *seat) {
			s.desk.before = func() { s.write(cursorFile, "{}") }
		}, nil},
		"and the desk went": {func(s *seat) {
			s.desk.before = func() {
				s.write(cursorFile, "{}")
				s.desk.before = func() { panic("gone") }
			}
		}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: plainText})
			st := s.one()
			c.meanwhile(s)
			func() {
				defer func() { _ = recover() }()
				_, _ = s.Connect(t.Context(), st.ID, st.Move.Shown)
			}()
			s.wantNotes(len(c.left))
			s.wantLeft(c.left...)
		})
	}
}

// TestServersLeftOnAnotherDesk are that one's, whatever this one has.
func TestServersLeftOnAnotherDesk(t *testing.T) {
	for name, c := range map[string]struct {
		other memoryDesk
		left  []string // on the other one
	}{
		"a new one":   {memoryDesk{}, nil},
		"with agents": {memoryDesk{agents: []permission.Agent{{ID: "other", Name: "other"}}}, nil},
		"with the same server": {memoryDesk{agents: []permission.Agent{{ID: "other", Name: "other"}},
			servers: []Server{{ID: "a", Transport: Stdio, Command: "/usr/bin/node", Enabled: true}}}, nil},
		"whose agents are gone": {memoryDesk{servers: []Server{{ID: "a", Transport: Stdio, Command: "/usr/bin/node", Enabled: true}}},
			[]string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: plainText})
			s.connect()
			s.away()
			other := s.Wiring
			other.Desk = &c.other
			if left, err := other.Leftovers(t.Context()); err != nil || !slices.Equal(left, c.left) {
				t.Errorf("the other desk has left over %q, %v", left, err)
			}
			s.wantLeft("a")
		})
	}
}

// TestNotesThatTellNoDesk, as they once were, are of the desk that is asked.
func TestNotesThatTellNoDesk(t *testing.T) {
	s := sit(t, nil)
	note := `{"a":{"id":"a","transport":"stdio","command":"/bin/cat","enabled":true}}`
	if err := os.WriteFile(filepath.Join(s.Vault.dir, "leftovers.json"), []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	s.desk.agents = []permission.Agent{{ID: "x", Name: "x"}}
	s.desk.servers = []Server{{ID: "a", Transport: Stdio, Command: "/bin/cat", Enabled: true}}
	s.wantLeft("a")
	if done, err := s.RemoveLeftovers(t.Context(), []string{"a"}); err != nil || !slices.Equal(done.Removed, []string{"a"}) {
		t.Errorf("%+v, %v", done, err)
	}
	s.wantNotes(0)
}

// TestFilesOnAnotherDeskDoNotAnswer for a server of the same id on this one.
func TestFilesOnAnotherDeskDoNotAnswer(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.away()
	first := s.desk
	s.desk = &memoryDesk{tokens: map[string]bool{}, agents: []permission.Agent{{ID: "other", Name: "cursor"}}}
	s.Desk = s.desk
	s.connect()
	s.wantLeft()
	s.Desk = first
	connected := s.read(cursorFile)
	s.write(cursorFile, `{}`) // an entry would use either
	s.wantLeft("a")
	s.write(cursorFile, connected)
	s.away()
	for _, d := range []*memoryDesk{s.desk, first} {
		s.Desk = d
		s.wantLeft("a")
	}
}

// TestAnotherDesksOwnServerStays though connecting put one like it into the first one's list.
func TestAnotherDesksOwnServerStays(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.desk = &memoryDesk{tokens: map[string]bool{}, servers: slices.Clone(s.desk.servers)}
	s.Desk = s.desk
	s.write(cursorFile, `{}`) // an entry would use it
	s.write(geminiFile, plainText)
	s.wire()
	if done := s.unwire("gemini"); len(done.Paths) != 1 || s.ids() != "a" {
		t.Errorf("%+v, %q", done, s.ids())
	}
}

// TestServersThatAFileMayUse: one that cannot be understood now may be in the midst of
// being written.
func TestServersThatAFileMayUse(t *testing.T) {
	const entry = `{"mcpServers":{"x":{"command":"sekisho","args":["mcp","--server","a1"]}},}}`
	for name, c := range map[string]struct {
		make func(path string) error
		left []string
	}{
		"that names it": {func(path string) error { return os.WriteFile(path, []byte(entry), 0o600) }, nil},
		"of others":     {func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }, []string{"a1"}},
		"that is empty": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, []string{"a1"}},
		"that is too long": {func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, rewrite.MaxFile+1))
		}, nil},
		"that is a folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, []string{"a1"}},
		"that leads astray": {func(path string) error { return os.Symlink(path+".none", path) }, []string{"a1"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: strings.Replace(plainText, `"a"`, `"a1"`, 1)})
			s.connect()
			path := filepath.Join(s.Places.Home, geminiFile)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), c.make(path)); err != nil {
				t.Fatal(err)
			}
			if s.unwire("cursor"); (s.ids() == "") == (c.left == nil) {
				t.Errorf("disconnecting leaves %q", s.ids())
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if s.ids() != "" {
				s.wantLeft("a1")
			}
			s.connect()
			s.away()
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			s.wantLeft(c.left...)
			if _, err := s.RemoveLeftovers(t.Context(), []string{"a1"}); errors.Is(err, ErrChanged) != (c.left == nil) {
				t.Errorf("removing: %v", err)
			}
		})
	}
}
