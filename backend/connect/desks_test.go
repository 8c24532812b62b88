package connect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// another is a desk of the same user that has, as its own, a server like the one that
// connecting plainText makes.
func another(agents, removed []permission.AgentID) *memoryDesk {
	d := &memoryDesk{tokens: map[string]bool{}, removed: removed,
		servers: []Server{{ID: "a", Transport: Stdio, Command: "/usr/bin/node", Enabled: true}}}
	for _, id := range agents {
		d.agents = append(d.agents, permission.Agent{ID: id, Name: string(id)})
	}
	return d
}

// TestServersStayLeftOverWhenAllAgentsAreAnother though nobody looked in between.
func TestServersStayLeftOverWhenAllAgentsAreAnother(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.away()
	s.desk.replaceAgents("new")
	s.wantLeft("a")
	if done, err := s.RemoveLeftovers(t.Context(), []string{"a"}); err != nil || !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "" {
		t.Errorf("%+v, %v, %q", done, err, s.ids())
	}
	s.wantNotes(0)
}

// TestNotesOfGoneServersGoWhenAllAgentsAreAnother, and do not stay for good.
func TestNotesOfGoneServersGoWhenAllAgentsAreAnother(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.away()
	s.desk.replaceAgents("new")
	s.desk.servers = nil
	s.wantLeft()
	s.wantNotes(0)
}

// TestPuttingBackWhenAllAgentsAreAnother takes the servers along.
func TestPuttingBackWhenAllAgentsAreAnother(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.desk.replaceAgents("new")
	if done := s.unwire(""); !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "" {
		t.Errorf("%+v, %q", done, s.ids())
	}
	s.wantNotes(0)
}

// TestPuttingBackOnAnotherDesk leaves that one its own server, however like the one that
// connecting made, and the first desk has that one left over.
func TestPuttingBackOnAnotherDesk(t *testing.T) {
	for name, other := range map[string]*memoryDesk{
		"with an agent":         another([]permission.AgentID{"other"}, nil),
		"whose agents are gone": another(nil, []permission.AgentID{"other"}),
		"that never had one":    another(nil, nil),
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, map[string]string{cursorFile: plainText})
			s.Desk = revisedDesk{s.desk}
			s.connect()
			first := s.desk
			s.desk, s.Desk = other, revisedDesk{other}
			if done := s.unwire(""); len(done.Paths) != 1 || len(done.Removed)+len(done.Kept) > 0 || s.ids() != "a" ||
				s.read(cursorFile) != plainText {
				t.Errorf("%+v, the other desk has %q", done, s.ids())
			}
			s.wantNotes(1)
			s.desk, s.Desk = first, revisedDesk{first}
			s.wantLeft("a")
			if done, err := s.RemoveLeftovers(t.Context(), []string{"a"}); err != nil || !slices.Equal(done.Removed, []string{"a"}) {
				t.Errorf("%+v, %v", done, err)
			}
			s.wantNotes(0)
		})
	}
}

// TestPuttingBackWhatTwoDesksHave takes the server of the desk that is asked alone.
func TestPuttingBackWhatTwoDesksHave(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	first := s.desk
	s.desk = &memoryDesk{tokens: map[string]bool{}, agents: []permission.Agent{{ID: "other", Name: "cursor"}}}
	s.Desk = s.desk
	s.write(geminiFile, plainText)
	s.wire()
	if done := s.unwire(""); len(done.Paths) != 2 || !slices.Equal(done.Removed, []string{"a"}) || s.ids() != "" {
		t.Errorf("%+v, %q", done, s.ids())
	}
	s.wantNotes(1)
	s.desk, s.Desk = first, first
	s.wantLeft("a")
}

// TestRecordsThatTellNoDesk, as they once were, may be of another: their servers are left
// over, and a person says so.
func TestRecordsThatTellNoDesk(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	records, err := s.Vault.Records()
	if err != nil || len(records) != 1 {
		t.Fatalf("%+v, %v", records, err)
	}
	records[0].Desk = nil
	if err := s.Vault.shrink(records[0], records[0].Moved); err != nil {
		t.Fatal(err)
	}
	if done := s.unwire(""); len(done.Paths) != 1 || len(done.Removed)+len(done.Kept) > 0 || s.ids() != "a" {
		t.Errorf("%+v, %q", done, s.ids())
	}
	s.wantLeft("a")
	if done, err := s.RemoveLeftovers(t.Context(), []string{"a"}); err != nil || !slices.Equal(done.Removed, []string{"a"}) {
		t.Errorf("%+v, %v", done, err)
	}
	s.wantNotes(0)
}

// TestOneNoteForAServer, whichever agents its desk had when it was noted.
func TestOneNoteForAServer(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.away()
	s.desk.replaceAgents("later")
	s.connect()
	s.away()
	s.wantNotes(1)
	s.wantLeft("a")
}

// TestADeskThatDoesNotSayWhichAgentsItHad is none to judge what is left over on.
func TestADeskThatDoesNotSayWhichAgentsItHad(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: plainText})
	s.connect()
	s.Desk = forgetful{s.desk}
	all, err := s.Undos(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := s.Restore(t.Context(), all); err == nil || !strings.Contains(err.Error(), "stay on the desk's list") ||
		len(done.Paths) != 1 || s.ids() != "a" {
		t.Errorf("%+v, %v, %q", done, err, s.ids())
	}
	if left, err := s.Leftovers(t.Context()); err == nil {
		t.Errorf("left over %q", left)
	}
	s.Desk = s.desk
	s.wantLeft("a")
}

// forgetful is a desk that cannot tell of agents that it had.
type forgetful struct{ *memoryDesk }

// RemovedAgents fails.
func (forgetful) RemovedAgents(context.Context) ([]permission.AgentID, error) {
	return nil, errors.New("gone")
}
