package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// recount counts the calls of the store's rows by the migration's own statements.
func recount(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	text, err := fs.ReadFile(database.Migrations(), "00006_insights.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, fill, ok := strings.Cut(string(text), "-- The calls that there are")
	if !ok {
		t.Fatal("the migration counts no calls")
	}
	err = s.write(t.Context(), func(x *tx) error {
		if _, err := x.Exec("DELETE FROM counts"); err != nil {
			return err
		}
		_, fill, _ = strings.Cut(fill, "\n")
		for statement := range strings.SplitSeq(strings.TrimSpace(fill), ";\n") {
			if _, err := x.Exec(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept(t, s)
}

func kept(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	rows, err := s.reader.QueryContext(t.Context(), "SELECT at, kind, of, calls FROM counts")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]int64{}
	for rows.Next() {
		var c tally.Count
		if err := rows.Scan(&c.At, &c.Kind, &c.Of, &c.Calls); err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(c.At, " ", c.Kind, " ", c.Of)] = c.Calls
	}
	return all
}

// TestCountsAreThoseOfTheCalls: whatever becomes of calls, the counts that were kept meanwhile
// are those that the rows tell, and buckets of any size sum to them.
func TestCountsAreThoseOfTheCalls(t *testing.T) {
	for seed := range uint64(4) {
		s, r := opened(t, t.TempDir()), rand.New(rand.NewPCG(seed, 7))
		_, version, _, err := s.Rules(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at, calls := permission.Time(1_700_000_000_000), int64(0)
		var waiting []permission.CallID
		for n := range 300 {
			at += permission.Time(1 + r.IntN(40_000))
			if len(waiting) == 0 || r.IntN(3) > 0 {
				c := newCall(n, at)
				switch rule := permission.RuleID(fmt.Sprint("r", r.IntN(3))); r.IntN(4) {
				case 0:
					c.Status = permission.Approved
					c.Decision = &permission.Decision{By: permission.ByRule, Approved: true, RuleID: &rule, DecidedAt: at}
				case 1:
					c.Status, c.Decision = permission.Denied, &permission.Decision{By: permission.ByRule, RuleID: &rule, DecidedAt: at}
				default:
					c.Asking.Questions = []string{"default"}
					waiting = append(waiting, c.ID)
				}
				if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: version}); err != nil {
					t.Fatal(err)
				}
				calls++
				continue
			}
			id := waiting[0]
			waiting = waiting[1:]
			if _, err := s.Transit(t.Context(), ending(r.IntN(5), id, at)); err != nil {
				t.Fatal(err)
			}
		}
		before := kept(t, s)
		sumOf := func(size tally.Size, zone *time.Location) (sum tally.Sum) {
			borders, err := tally.Borders(1_690_000_000_000, at+1, size, zone)
			if err != nil {
				t.Fatal(err)
			}
			list, err := s.Counts(context.Background(), borders)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				sum.Add(c)
			}
			return sum
		}
		day := sumOf(tally.Day, time.UTC)
		if day.Calls() != calls {
			t.Errorf("seed %d: %d calls are counted of %d", seed, day.Calls(), calls)
		}
		if after := recount(t, s); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("seed %d: kept\n%v\nthe rows tell\n%v", seed, before, after)
		}
		if err := s.MergeCounts(t.Context(), at-600_000); err != nil {
			t.Fatal(err)
		}
		zone, _ := time.LoadLocation("Asia/Kathmandu")
		if merged := sumOf(tally.Day, zone); fmt.Sprint(merged) != fmt.Sprint(day) || len(kept(t, s)) >= len(before) {
			t.Errorf("seed %d: merged %v, before %v, in %d rows of %d", seed, merged, day, len(kept(t, s)), len(before))
		}
	}
}

func newCall(n int, at permission.Time) permission.Call {
	return permission.Call{
		ID: permission.CallID(fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", n)), Rev: 1, RunID: "run", ToolCallID: fmt.Sprint(n),
		Caller: permission.Caller{SessionID: "session", AgentID: "agent", AgentName: "agent"}, ToolName: "write", Input: []byte(`{}`),
		InputHash: fmt.Sprintf("%064d", n), Status: permission.Pending, Risk: permission.RiskMedium, RiskReasons: []permission.RiskReason{},
		CreatedAt: at,
	}
}

// ending is one of the ways in which a call waits no more.
func ending(way int, id permission.CallID, at permission.Time) permission.Transition {
	tr := permission.Transition{ID: id, At: at, From: []permission.Status{permission.Pending, permission.Approved},
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson, Data: []byte(`{}`)}}
	d := &permission.Decision{By: permission.ByPerson, Scope: permission.ScopeOnce, DecidedAt: at}
	switch tr.Decision = d; way {
	case 0:
		tr.To, d.Approved = permission.Approved, true
	case 1:
		tr.To = permission.Declined
	case 2:
		tr.To, d.By = permission.Expired, permission.ByClock
	case 3:
		tr.To, d.By = permission.Cancelled, permission.ByCaller
	case 4:
		tr.To, tr.Decision = permission.Declined, permission.StopDecision(at, at+1)
	}
	return tr
}

// TestAnAbsenceIsKept: who was not seen for the gap was away from then to now, also over a
// start of the desk.
func TestAnAbsenceIsKept(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	for _, at := range []permission.Time{1000, 2000, 2900} {
		if err := s.Seen(t.Context(), at, 1000); err != nil {
			t.Fatal(err)
		}
	}
	want := tally.Presence{SeenAt: 2900, AwayFrom: 1000, AwayTo: 2000}
	if p, err := s.Presence(t.Context()); err != nil || p != want {
		t.Errorf("%+v, %v", p, err)
	}
	s.Close()
	s = opened(t, dir)
	if err := s.Seen(t.Context(), 9000, 1000); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Presence(t.Context()); err != nil || p.AwayFrom != 2900 || p.AwayTo != 9000 {
		t.Errorf("%+v, %v", p, err)
	}
}

// BenchmarkCounts reads 30 days with 100,000 calls.
func BenchmarkCounts(b *testing.B) {
	s, err := Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const month = 30 * 24 * 3600_000
	err = s.write(b.Context(), func(x *tx) error {
		r := rand.New(rand.NewPCG(1, 2))
		for range 100_000 {
			at := permission.Time(r.IntN(month))
			x.counts = append(x.counts, tally.Count{At: at - at%tally.Minute, Kind: tally.Allowed, Of: fmt.Sprint("rule-", r.IntN(20)), Calls: 1})
			if r.IntN(5) == 0 {
				x.counts[len(x.counts)-1] = tally.Count{At: at - at%tally.Minute, Kind: tally.Asked, Calls: 1}
				wait := fmt.Sprint(tally.Wait(int64(r.IntN(90_000))))
				x.counts = append(x.counts, tally.Count{At: at - at%tally.Minute, Kind: tally.Approved, Of: wait, Calls: 1})
			}
		}
		return x.Append(permission.Entry{Kind: permission.SettingsChanged, Actor: permission.ActorDesk, Data: []byte(`{}`)}, nil)
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range tally.Sizes {
		b.Run(string(size), func(b *testing.B) {
			borders, err := tally.Borders(0, month, size, time.UTC)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if list, err := s.Counts(b.Context(), borders); err != nil || len(list) == 0 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}
