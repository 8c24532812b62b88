package connect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
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
	if done, err := closed.Restore(s.Context(), all); err == nil || !strings.Contains(err.Error(), "stay on the desk's list") || len(done.Paths) != 1 || len(done.Removed)+len(done.Kept) > 0 {
		s.Fatalf("%+v, %v", done, err)
	}
}

func (s *seat) wantLeft(ids ...string) {
	s.Helper()
	if left, err := s.Leftovers(s.Context()); err != nil || !slices.Equal(left, ids) {
		s.Errorf("left over %q, %v; want %q", left, err, ids)
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
	s.desk.servers = append(s.desk.servers, Server{ID: "a", Transport: Stdio, Command: "/usr/bin/node", Args: []string{"a.js"}, Env: map[string]string{"KEY": "x"}, Enabled: true})
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
