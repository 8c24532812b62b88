package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// arriving is the job of a new call, and what came of it.
func arriving(t *testing.T, id, agent string, change func(*permission.Suspension)) (*job, *permission.Kept) {
	t.Helper()
	sus := permission.Suspension{PolicyVersion: 1, Call: permission.Call{
		ID: permission.CallID(id), Rev: 1, RunID: "run", ToolCallID: id,
		Caller: permission.Caller{AgentID: permission.AgentID(agent), SessionID: "s"}, ToolName: "t",
		Input: []byte("{}"), InputHash: "sha256:0", Status: permission.Pending, Risk: permission.RiskLow, CreatedAt: 1000,
	}, Entries: []permission.Entry{{At: 1000, Kind: permission.CallCreated, Actor: id}}}
	if change != nil {
		change(&sus)
	}
	n, err := newComer(sus)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(permission.Kept)
	return database.NewJob(context.Background(), func(t *tx) (err error) {
		_, *kept, err = suspend(t, n)
		return err
	}), kept
}

type job = database.Job[*tx]

// commitAll writes jobs as one group, and brings it to the disk.
func commitAll(s *Store, jobs ...*job) { s.writing.Together(jobs...) }

// writerOf is what a store's writer keeps in memory.
func writerOf(t *testing.T, s *Store) (w *writer) {
	t.Helper()
	if err := s.write(context.Background(), func(t *tx) error { w = t.w; return errFailed }); !errors.Is(err, errFailed) {
		t.Fatal(err)
	}
	return w
}

// TestCallsOfOneHash: the hash only leads to rows; their names decide.
func TestCallsOfOneHash(t *testing.T) {
	s := opened(t, t.TempDir())
	first, _ := arriving(t, "1", "a", nil)
	commitAll(s, first)
	if _, err := s.db.Conn.Exec("UPDATE calls SET identity = ?", identity("a", "run", "2")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []permission.Kept{permission.KeptNew, permission.KeptSame} {
		j, kept := arriving(t, "2", "a", nil)
		if commitAll(s, j); j.Err() != nil || *kept != want {
			t.Errorf("%s %v, want %s", *kept, j.Err(), want)
		}
	}
}

// TestHitsOfOneCommit: each rule is written once, with all its hits.
func TestHitsOfOneCommit(t *testing.T) {
	s := opened(t, t.TempDir())
	ctx := context.Background()
	put := permission.RuleChange{Entry: permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson}}
	for _, id := range []permission.RuleID{"one", "two"} {
		put.Put = append(put.Put, permission.Rule{ID: id, Effect: permission.Allow, AutoApprove: true, Enabled: true, CreatedAt: 1, UpdatedAt: 1})
	}
	version, err := s.ChangeRules(ctx, put)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*job
	for i, rule := range []permission.RuleID{"one", "two", "one", "", "one"} {
		j, _ := arriving(t, fmt.Sprint(i), "a", func(sus *permission.Suspension) {
			sus.PolicyVersion, sus.Call.CreatedAt = version, permission.Time(1000+i)
			if rule != "" {
				sus.Call.Why.Rule = &permission.RuleRef{ID: rule}
			}
			if i == 4 {
				sus.PolicyVersion++ // overtaken: it is not kept, and is no hit
			}
		})
		jobs = append(jobs, j)
	}
	commitAll(s, jobs...)
	for id, want := range map[permission.RuleID]hits{"one": {2, 1002}, "two": {1, 1001}} {
		if r, err := s.Rule(ctx, id); err != nil || r.Hits != want.count || r.LastHitAt != want.last || r.UpdatedAt != 1 {
			t.Errorf("%s: %+v %v", id, r, err)
		}
	}
}

// TestPlainFailureTakesAll: a new call has no savepoint, so that what breaks in it is
// told to everyone of the commit, and nothing is kept.
func TestPlainFailureTakesAll(t *testing.T) {
	s := opened(t, t.TempDir())
	first, _ := arriving(t, "1", "a", nil)
	commitAll(s, first)
	fine, _ := arriving(t, "2", "a", nil)
	twice, _ := arriving(t, "3", "a", func(sus *permission.Suspension) { sus.Call.ID = "1" })
	commitAll(s, fine, twice)
	if fine.Err() == nil || twice.Err() == nil || !strings.Contains(twice.Err().Error(), "UNIQUE") {
		t.Errorf("fine %v, twice %v", fine.Err(), twice.Err())
	}
	after, _ := arriving(t, "4", "a", nil)
	if commitAll(s, after); after.Err() != nil || fmt.Sprint(chain(t, s)) != "[1 4]" {
		t.Errorf("after: %v, journal %v", after.Err(), chain(t, s))
	}
	var waiting int
	if err := s.reader.QueryRow("SELECT calls FROM waiting").Scan(&waiting); err != nil || waiting != 2 {
		t.Errorf("%d wait, %v", waiting, err)
	}
}
