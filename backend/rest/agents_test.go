package rest

import (
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestAgentsThatWereAreListed by their ids, beside those that are.
func TestAgentsThatWereAreListed(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		agents []permission.Agent
		gone   []permission.AgentID
		want   string
	}{
		{nil, nil, `{"agents":[],"removed":[]}`},
		{nil, []permission.AgentID{"x", "y"}, `{"agents":[],"removed":["x","y"]}`},
		{[]permission.Agent{{ID: "z", Name: "Z", CreatedAt: 1_700_000_000_123}}, []permission.AgentID{"x"},
			`{"agents":[{"id":"z","name":"Z","createdAt":"2023-11-14T22:13:20.123Z","stoppedUntil":null,"role":null,"userId":""}],"removed":["x"]}`},
	} {
		s.desk.known, s.desk.gone = c.agents, c.gone
		if got := s.send("GET", "/v1/agents", tokenOp, ""); got.status != 200 || strings.TrimSpace(string(got.body)) != c.want {
			t.Errorf("%d %s, want %s", got.status, got.body, c.want)
		}
	}
	s.desk.fail = errors.New("the disk is gone")
	if got := s.send("GET", "/v1/agents", tokenOp, ""); got.status != 500 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestRemovedAgentsAreDocumented in the API's description.
func TestRemovedAgentsAreDocumented(t *testing.T) {
	_, raw := readSpec(t)
	if !strings.Contains(string(raw), `"the ids of all agents that the desk had and has no more`) {
		t.Error("removed is not described")
	}
}
