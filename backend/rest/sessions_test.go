package rest

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestSessionsAreThoseKeptAndThoseConnected, each once, first those in review.
func TestSessionsAreThoseKeptAndThoseConnected(t *testing.T) {
	client := "claude-code"
	s := newSite(t, func(o *Options) {
		o.Connected = func() []permission.Session {
			return []permission.Session{{ID: "s", AgentID: "agent-a", Client: &client, CreatedAt: 3, LastSeenAt: 20},
				{ID: "new", AgentID: "agent-b", AgentName: "B", CreatedAt: 4, LastSeenAt: 30}}
		}
	})
	got := string(s.send("GET", "/v1/sessions", tokenOp, "").body)
	last := -1
	for _, want := range []string{
		`{"id":"t","agentId":"agent-a","agentName":"","client":null,"cwd":null,"role":null,"purpose":null,"projectId":null,"state":"review","pending":1,`,
		`{"id":"new","agentId":"agent-b","agentName":"B","client":null,"cwd":null,"role":null,"purpose":null,"projectId":null,"state":"working","pending":0,`,
		`{"id":"s","agentId":"agent-a","agentName":"","client":"claude-code","cwd":null,"role":null,"purpose":null,"projectId":null,"state":"working","pending":0,` +
			`"createdAt":"1970-01-01T00:00:00.003Z","lastSeenAt":"1970-01-01T00:00:00.020Z"}`,
	} {
		at := strings.Index(got, want)
		if at <= last {
			t.Errorf("%s is not there, or not in order, in %s", want, got)
		}
		last = at
	}
	if got := s.send("GET", "/v1/sessions", tokenA, ""); got.status != 403 {
		t.Errorf("an agent: %d", got.status)
	}
}
