package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

// BenchmarkSuspend is one durable suspend, by how many ask at once. Where the
// temporary folder lies in memory it says nothing about a disk.
func BenchmarkSuspend(b *testing.B) {
	for _, requesters := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(requesters), func(b *testing.B) { benchmarkSuspend(b, requesters) })
	}
}

func benchmarkSuspend(b *testing.B, requesters int) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	_, version, _, err := s.Rules(ctx)
	if err != nil {
		b.Fatal(err)
	}
	var taken atomic.Int64
	var all sync.WaitGroup
	before := cpu(b)
	b.ResetTimer()
	for r := range requesters {
		all.Go(func() {
			for n := taken.Add(1); n <= int64(b.N); n = taken.Add(1) {
				if _, _, err := s.Suspend(ctx, suspension(r, n, version)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "suspends/s")
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkSearch looks for a text that none of 100,000 calls has, and so at all of
// them.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	_, version, _, err := s.Rules(ctx)
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	for r := range 250 {
		all.Go(func() {
			for n := range int64(400) {
				if _, _, err := s.Suspend(ctx, suspension(r, n, version)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for b.Loop() {
		if got, _, err := s.Calls(ctx, permission.CallFilter{Text: "needle", Limit: 100}); err != nil || len(got) > 0 {
			b.Fatal(len(got), err)
		}
	}
}

// suspension is an ordinary call that waits for a person, with its entry.
func suspension(agent int, n, version int64) permission.Suspension {
	server := "files"
	at := permission.Time(1_700_000_000_000 + n)
	c := permission.Call{
		ID: permission.CallID(uuid.Must(uuid.NewV7()).String()), Rev: 1, RunID: permission.RunID(fmt.Sprint("run-", agent)),
		ToolCallID: fmt.Sprint("call-", n),
		Caller: permission.Caller{SessionID: "session", AgentID: permission.AgentID(fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", agent)),
			AgentName: "agent"},
		ServerID: &server, ToolName: "write_file",
		Input:     []byte(`{"path":"notes/today.md","content":"a few words, as an agent writes them into a file of a person"}`),
		InputHash: fmt.Sprintf("%064x", n),
		Status:    permission.Pending, Why: permission.Why{Explanation: permission.Said("no rule applies")},
		Risk: permission.RiskMedium, RiskReasons: []permission.RiskReason{},
		CreatedAt: at, ExpiresAt: at + 300_000,
	}
	data := fmt.Sprintf(
		`{"agentName":"agent","inputHash":"%s","risk":"medium","runId":"%s","serverId":"files","sessionId":"session","status":"pending","toolCallId":"%s","toolName":"write_file","why":{"reason":"no rule applies","rule":null}}`,
		c.InputHash, c.RunID, c.ToolCallID)
	return permission.Suspension{Call: c, PolicyVersion: version,
		Entries: []permission.Entry{{At: at, Kind: permission.CallCreated, Actor: "agent:" + string(c.AgentID), Data: []byte(data)}}}
}
