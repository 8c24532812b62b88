package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// named is a call with an id of its own that says who it is.
func named(id, tool string) func(*permission.Suspension) {
	return func(sus *permission.Suspension) { sus.Call.ID, sus.Call.ToolCallID = permission.CallID(id), tool }
}

// TestIdentityIsFoundWhereverItStands holds each new call against the ones before, in
// groups of any size, of which some are taken back, while calls are entered and
// the desk starts anew.
func TestIdentityIsFoundWhereverItStands(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		w := &walk{t: t, dir: dir, s: opened(t, dir), random: random, known: map[string]permission.CallID{}}
		for range 40 {
			w.group(1+random.IntN(6), random.IntN(5) == 0)
			switch random.IntN(6) {
			case 0:
				if err := writerOf(w.t, w.s).enter(); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := w.s.Close(); err != nil {
					t.Fatal(err)
				}
				w.s = opened(t, dir)
			case 2:
				w.rename()
			}
		}
		w.look()
	}
}

type walk struct {
	t      *testing.T
	dir    string
	s      *Store
	random *rand.Rand
	known  map[string]permission.CallID // by agent and tool call
	made   int
}

// group commits some calls at once; a broken one takes all of them back.
func (w *walk) group(size int, broken bool) {
	w.t.Helper()
	was := map[string]permission.CallID{}
	for k, v := range w.known {
		was[k] = v
	}
	var jobs []*job
	var kept []*permission.Kept
	var want []permission.Kept
	for range size {
		w.made++
		id, agent, tool := fmt.Sprint("id-", w.made), fmt.Sprint("a", w.random.IntN(3)), fmt.Sprint(w.random.IntN(12))
		refused := w.random.IntN(6) == 0
		j, k := arriving(w.t, "", agent, func(sus *permission.Suspension) {
			named(id, tool)(sus)
			if refused {
				sus.PolicyVersion++
			}
		})
		jobs, kept = append(jobs, j), append(kept, k)
		switch _, known := w.known[agent+tool]; {
		case refused:
			want = append(want, "")
		case known:
			want = append(want, permission.KeptSame)
		default:
			want, w.known[agent+tool] = append(want, permission.KeptNew), permission.CallID(id)
		}
	}
	if broken {
		first, _ := arriving(w.t, "", "b", named(fmt.Sprint("b", w.made), fmt.Sprint("b", w.made)))
		twice, _ := arriving(w.t, "", "b", named(fmt.Sprint("b", w.made), fmt.Sprint("c", w.made)))
		jobs, w.known = append(jobs, first, twice), was
	}
	commitAll(w.s, jobs...)
	for i, k := range kept {
		if broken && jobs[i].Err() == nil {
			w.t.Fatalf("call %d of a broken group was kept", i)
		}
		if !broken && *k != want[i] {
			w.t.Fatalf("call %d was kept as %q (%v), want %q", i, *k, jobs[i].Err(), want[i])
		}
	}
}

// rename gives a call the identity of one that nobody asked yet, or its own again.
func (w *walk) rename() {
	for name, id := range w.known {
		if w.random.IntN(3) > 0 {
			continue
		}
		w.made++
		agent, tool := permission.AgentID(name[:2]), fmt.Sprint("new", w.made)
		if w.random.IntN(2) == 0 {
			tool = name[2:]
		}
		j := database.NewJob(context.Background(), func(t *tx) error {
			_, err := transit(t, permission.Transition{ID: id, Agent: agent, From: []permission.Status{permission.Pending},
				Rebind: &permission.Identity{RunID: "run", ToolCallID: tool},
				Entry:  permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk}})
			return err
		})
		if commitAll(w.s, j); j.Err() != nil {
			w.t.Fatal(j.Err())
		}
		delete(w.known, name)
		w.known[string(agent)+tool] = id
		return
	}
}

// look holds what is entered, and the rows, against what is known.
func (w *walk) look() {
	w.t.Helper()
	if err := w.s.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.s = opened(w.t, w.dir)
	var calls, missing, late int
	err := w.s.reader.QueryRow(`SELECT (SELECT COUNT(*) FROM calls), (SELECT COUNT(*) FROM calls c WHERE NOT EXISTS
		(SELECT 1 FROM identities i WHERE i.identity = c.identity AND i.seq = c.seq)), (SELECT COUNT(*) FROM calls WHERE seq > (SELECT through FROM identified))`).Scan(&calls, &missing, &late)
	if err != nil || calls != len(w.known) || missing != 0 || late != 0 {
		w.t.Fatalf("%d calls, of which %d are not entered and %d will be again, %v; want %d", calls, missing, late, err, len(w.known))
	}
}

// TestManyCallsAreEntered: what is kept in memory is bounded while nobody pauses.
func TestManyCallsAreEntered(t *testing.T) {
	s := opened(t, t.TempDir())
	recent := writerOf(t, s).recent
	for i := range maxRecent {
		recent[int64(i)] = int64(i)
	}
	j, _ := arriving(t, "1", "a", nil)
	if commitAll(s, j); j.Err() != nil || len(recent) != 1 {
		t.Errorf("%d in memory, %v", len(recent), j.Err())
	}
}

// TestCallsAreEnteredInAPause: a start then finds little to do.
func TestCallsAreEnteredInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, t.TempDir())
		j, _ := arriving(t, "1", "a", nil)
		commitAll(s, j)
		recent := writerOf(t, s).recent
		time.Sleep(time.Second)
		synctest.Wait()
		if len(recent) != 0 {
			t.Error("still in memory")
		}
	})
}

// TestRecentCallsOfOneHash: the first is found in memory, and the second in the table.
func TestRecentCallsOfOneHash(t *testing.T) {
	s := opened(t, t.TempDir())
	first, _ := arriving(t, "1", "a", nil)
	commitAll(s, first)
	writerOf(t, s).recent[identity("a", "run", "2")] = 1
	for _, want := range []permission.Kept{permission.KeptNew, permission.KeptSame} {
		j, kept := arriving(t, "2", "a", nil)
		if commitAll(s, j); j.Err() != nil || *kept != want {
			t.Errorf("%s %v, want %s", *kept, j.Err(), want)
		}
	}
	if writerOf(t, s).recent[identity("a", "run", "2")] != 1 {
		t.Error("the first is not found any more")
	}
}

// TestCannotEnter: a group that would not be found by its identity is not kept.
func TestCannotEnter(t *testing.T) {
	s := opened(t, t.TempDir())
	recent := writerOf(t, s).recent
	for i := range maxRecent {
		recent[int64(i)] = int64(i)
	}
	refuse := "CREATE TRIGGER refuse BEFORE UPDATE ON identified BEGIN SELECT RAISE(ABORT, 'no room'); END"
	if _, err := s.db.Conn.Exec(refuse); err != nil {
		t.Fatal(err)
	}
	j, _ := arriving(t, "1", "a", nil)
	if commitAll(s, j); j.Err() == nil || !strings.Contains(j.Err().Error(), "no room") || len(chain(t, s)) != 0 {
		t.Errorf("kept: %v", j.Err())
	}
	if _, err := s.db.Conn.Exec("DROP TRIGGER refuse"); err != nil {
		t.Fatal(err)
	}
	j, _ = arriving(t, "1", "a", nil)
	if commitAll(s, j); j.Err() != nil {
		t.Errorf("after it was mended: %v", j.Err())
	}
}

// TestMeetingReadsNoTable: each part of what a new call meets is one look.
func TestMeetingReadsNoTable(t *testing.T) {
	s := opened(t, t.TempDir())
	plan := planOf(t, s, meeting, "a", 1, "r", "t", "h", "s", 1)
	if strings.Contains(plan, "SCAN calls") || !strings.Contains(plan, "SEARCH identities USING PRIMARY KEY (identity=?)") {
		t.Error(plan)
	}
}
