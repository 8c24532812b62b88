package sqlite

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/permission"
)

// past opens a store with n calls of one agent and tool, of which a person approved
// every other one, and one of a tool that nobody else calls. The first and the last of those
// have their checks.
func past(t testing.TB, n int) *Store {
	t.Helper()
	s, err := Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	err = s.write(context.Background(), func(t *tx) error {
		_, err := t.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO calls (id, identity, rev, status, risk, held, caller_gone, created_at, decided_at, agent_id, session_id, run_id, tool_call_id, agent_name,
				server_id, tool_name, input_hash, why, decision, risk_reasons, description, input, row_check, large_check)
			SELECT 'call-' || i, i, 1, 'completed', 'medium', 0, 0, i, i, 'a', 's', 'r', i, 'A', 'files', CASE i WHEN 1 THEN 'rare' ELSE 'write_file' END, '', '{}',
				CASE i % 2 WHEN 1 THEN '{"by":"person","approved":true,"reason":"","scope":"once","ruleId":null,"grantId":null,"decidedAt":"2026-11-21T22:00:16.154Z"}'
					ELSE '{"by":"rule","approved":true,"reason":"","scope":"once","ruleId":"r","grantId":null,"decidedAt":"2026-11-21T22:00:16.154Z"}' END,
				'[]', '', CAST('{"path":"notes/' || i || '.md","content":"a few words, as an agent writes them"}' AS BLOB), 0, 0 FROM n`, n)
		if err == nil {
			_, err = t.Exec(sumAnew+" WHERE seq IN (1, ?)", n-1)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// planOf is how SQLite would run a query, step by step.
func planOf(t *testing.T, s *Store, query string, args ...any) (plan string) {
	t.Helper()
	rows, err := s.reader.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var skip int
		var step string
		if err := rows.Scan(&skip, &skip, &skip, &step); err != nil {
			t.Fatal(err)
		}
		plan += step + "\n"
	}
	return plan
}

// TestLastApprovedReadsOneRow: with an index that does not fit, it would look at all
// calls that a person ever approved.
func TestLastApprovedReadsOneRow(t *testing.T) {
	s := past(t, 10)
	plan := planOf(t, s, lastApproved, "a", "b", nil, 1, "c")
	if !strings.Contains(plan, "calls_approved (agent_id=? AND tool_name=? AND server_id=? AND decided_at<?)") ||
		strings.Contains(plan, "B-TREE") {
		t.Error(plan)
	}
}

func TestLastApprovedAmongManyCalls(t *testing.T) {
	s := past(t, 100_000)
	server := "files"
	c := permission.Call{ID: "new", Caller: permission.Caller{AgentID: "a"}, ServerID: &server, ToolName: "write_file"}
	for tool, want := range map[string]permission.CallID{"write_file": "call-99999", "rare": "call-1", "unknown": ""} {
		c.ToolName = tool
		start := cputime.Now()
		const times = 100
		for range times {
			if last, ok, err := s.LastApproved(context.Background(), c); err != nil || last.ID != want || ok != (want != "") {
				t.Fatalf("%s: %q %v", tool, last.ID, err)
			}
		}
		took := cputime.Since(start) / times
		t.Log(tool, took)
		if took > 20*time.Millisecond {
			t.Errorf("%s: %v", tool, took)
		}
	}
}

// BenchmarkLastApproved is one look among 100,000 calls.
func BenchmarkLastApproved(b *testing.B) {
	s := past(b, 100_000)
	server := "files"
	c := permission.Call{ID: "new", Caller: permission.Caller{AgentID: "a"}, ServerID: &server, ToolName: "write_file"}
	for b.Loop() {
		if last, _, err := s.LastApproved(context.Background(), c); err != nil || last.ID != "call-99999" {
			b.Fatal(fmt.Sprint(last.ID), err)
		}
	}
}
