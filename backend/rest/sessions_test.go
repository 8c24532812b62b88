package rest

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestSessionsAreTheDesks, which is told of those that are connected.
func TestSessionsAreTheDesks(t *testing.T) {
	client := "claude-code"
	s := newSite(t, func(o *Options) {
		o.Connected = func() []permission.Session {
			return []permission.Session{{ID: "s", AgentID: "agent-a", Client: &client, State: permission.SessionWorking,
				CreatedAt: 3, LastSeenAt: 20}}
		}
	})
	const want = `{"id":"t","agentId":"agent-a","agentName":"","client":null,"cwd":null,"role":null,"purpose":null,"projectId":null,` +
		`"state":"review","pending":1,"createdAt":"1970-01-01T00:00:00.001Z","lastSeenAt":"1970-01-01T00:00:00.002Z","expiresAt":null},` +
		`{"id":"s","agentId":"agent-a","agentName":"","client":"claude-code","cwd":null,"role":null,"purpose":null,"projectId":null,` +
		`"state":"working","pending":0,"createdAt":"1970-01-01T00:00:00.003Z","lastSeenAt":"1970-01-01T00:00:00.020Z","expiresAt":null}`
	if got := string(s.send("GET", "/v1/sessions", tokenOp, "").body); !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := s.send("GET", "/v1/sessions", tokenA, ""); got.status != 403 {
		t.Errorf("an agent: %d", got.status)
	}
}
