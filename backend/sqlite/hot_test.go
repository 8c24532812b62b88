package sqlite

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// FuzzEntryHash holds the hash that is made by hand against the one that Unhashed
// says: both refuse the same data.
func FuzzEntryHash(f *testing.F) {
	f.Add(int64(1), "call.created", "agent:a", "id", []byte(`{"b":1,"a":"\u003c"}`), "")
	f.Add(int64(0), "k\"<>&\u2028", "\xff\xfe a \x00", "", []byte(` [1.0, "é\/" ] `), "00ff")
	f.Add(int64(-5), "", "日本", "\\", []byte(`{"a":1,"a":2}`), "x\"y")
	f.Add(int64(253402300800000), "k", "a", "id", []byte(`{"half":`), "")
	f.Add(int64(7), "k", "a", "id", []byte("\"\xff\""), "")
	f.Add(int64(7), "k", "a", "id", []byte{}, "")
	f.Fuzz(func(t *testing.T, at int64, kind, actor, id string, data []byte, prev string) {
		e := permission.Entry{At: permission.Time(at), Kind: permission.EntryKind(kind), Actor: actor, Data: data}
		var call *permission.Call
		if id != "" {
			call = &permission.Call{ID: permission.CallID(id)}
		}
		r, err := newEntryRow(e, call)
		if data == nil {
			e.Data = []byte("{}")
		}
		if call != nil {
			e.CallID = &call.ID
		}
		e.Seq, e.PrevHash = 42, prev
		want, wantErr := rawjson.Sum(e.Unhashed())
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("by hand %v, by its form %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if got := r.place(head{41, prev}); got != (head{42, want}) {
			t.Errorf("%+v, want %s", got, want)
		}
		if utf8.ValidString(actor) && r.args[3].Value != actor {
			t.Errorf("actor %q", r.args[3].Value)
		}
	})
}

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
	return &job{ctx: context.Background(), done: make(chan struct{}), fn: func(t *tx) (err error) {
		_, *kept, err = suspend(t, n)
		return err
	}}, kept
}

// commitAll writes jobs as one group, and brings it to the disk.
func commitAll(s *Store, jobs ...*job) {
	s.turn.Lock()
	s.commit(jobs)
	s.turn.Unlock()
	s.flush()
}

// TestCallsOfOneHash: the hash only leads to rows; their names decide.
func TestCallsOfOneHash(t *testing.T) {
	s := opened(t, t.TempDir())
	first, _ := arriving(t, "1", "a", nil)
	commitAll(s, first)
	if _, err := s.writer.conn.ExecContext(context.Background(), "UPDATE calls SET identity = ?", identity("a", "run", "2")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []permission.Kept{permission.KeptNew, permission.KeptSame} {
		j, kept := arriving(t, "2", "a", nil)
		if commitAll(s, j); j.err != nil || *kept != want {
			t.Errorf("%s %v, want %s", *kept, j.err, want)
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
	if fine.err == nil || twice.err == nil || !strings.Contains(twice.err.Error(), "UNIQUE") {
		t.Errorf("fine %v, twice %v", fine.err, twice.err)
	}
	after, _ := arriving(t, "4", "a", nil)
	if commitAll(s, after); after.err != nil || fmt.Sprint(chain(t, s)) != "[1 4]" {
		t.Errorf("after: %v, journal %v", after.err, chain(t, s))
	}
	var waiting int
	if err := s.reader.QueryRow("SELECT calls FROM waiting").Scan(&waiting); err != nil || waiting != 2 {
		t.Errorf("%d wait, %v", waiting, err)
	}
}
