package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// marked gives an input of some length, whose every part can be found in a file.
func marked(id string, length int) []byte {
	mark := "MARK-" + id + "-"
	return []byte(`{"text":"` + strings.Repeat(mark, length/len(mark)+1) + `"}`)
}

// ask keeps a waiting call, and answer settles it with a result, through as many
// steps as a call takes.
func ask(t testing.TB, s *Store, id string, input []byte) {
	t.Helper()
	_, version, _, err := s.Rules(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Suspend(context.Background(), permission.Suspension{PolicyVersion: version, MaxPending: 1 << 30, Call: permission.Call{
		ID: permission.CallID(id), Rev: 1, RunID: "run", ToolCallID: id,
		Caller: permission.Caller{SessionID: "session", AgentID: "a", AgentName: "A"}, ToolName: "write",
		Input: input, InputHash: "sha256:" + id, Status: permission.Pending, Risk: permission.RiskMedium, RiskReasons: []permission.RiskReason{},
		CreatedAt: 1000,
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func answer(t testing.TB, s *Store, id string, at permission.Time, result []byte) {
	t.Helper()
	entry := permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorPerson}
	until := at + 1000
	for _, tr := range []permission.Transition{
		{From: []permission.Status{permission.Pending}, To: permission.Approved, ExpiresAt: &until,
			Decision: &permission.Decision{By: permission.ByPerson, Approved: true, Explanation: permission.Said("because it is fine"),
				Scope:     permission.ScopeOnce,
				DecidedAt: at}},
		{From: []permission.Status{permission.Approved}, To: permission.Claimed,
			NewClaim: &permission.Claim{ID: "claim", Key: "key", Until: until}},
		{From: []permission.Status{permission.Claimed}, To: permission.Completed, Result: result},
	} {
		tr.ID, tr.At, tr.Entry = permission.CallID(id), at, entry
		if _, err := s.Transit(context.Background(), tr); err != nil {
			t.Fatal(err)
		}
	}
}

// remains lists which of the marks stand in any file of a folder.
func remains(t testing.TB, dir string, marks map[string]bool) (found []string) {
	t.Helper()
	for mark := range marks {
		for _, name := range holding(t, dir, "MARK-"+mark+"-") {
			found = append(found, mark+" in "+name)
		}
	}
	return found
}

// TestWipedBytesAreGone: not from a column alone but from the files, though rows
// grew and moved between pages while they lived.
func TestWipedBytesAreGone(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := opened(t, dir)
	wiped, kept := map[string]bool{}, map[string]bool{}
	lengths := []int{10, 100, 700, 3000, 5000, 100_000}
	const calls = 60
	for i := range calls {
		ask(t, s, fmt.Sprint(i), marked(fmt.Sprint(i), lengths[i%len(lengths)]))
	}
	for i := range calls {
		id := fmt.Sprint(i * 7 % calls) // in another order than they came in
		answer(t, s, id, permission.Time(2000+i), marked(id, lengths[i*5%len(lengths)]))
		if wiped[id] = i < calls/2; !wiped[id] {
			delete(wiped, id)
			kept[id] = true
		}
	}
	ask(t, s, "open", marked("open", 100))
	kept["open"] = true
	if found := remains(t, dir, wiped); len(found) < len(wiped) {
		t.Fatalf("only %d marks can be found before", len(found))
	}
	n, err := s.WipeInputs(ctx, 2000+calls/2, nil)
	if err != nil || n != int64(len(wiped)) {
		t.Fatalf("wiped %d, %v", n, err)
	}
	if found := remains(t, dir, wiped); len(found) > 0 {
		t.Errorf("%d remain: %.200q", len(found), found)
	}
	for id := range wiped {
		c, err := s.Call(ctx, permission.CallID(id))
		if err != nil || string(c.Input) != "null" || string(c.Result) != "null" || !c.InputWiped || c.InputHash != "sha256:"+id {
			t.Errorf("%s: %+v %v", id, c, err)
		}
	}
	for id := range kept {
		if c, err := s.Call(ctx, permission.CallID(id)); err != nil || !bytes.Contains(c.Input, []byte("MARK-"+id)) || c.InputWiped {
			t.Errorf("%s: %+v %v", id, c, err)
		}
	}
	all := chained(t, s)
	if last := all[len(all)-1]; last.Kind != permission.InputsWiped || last.Actor != permission.ActorDesk ||
		!strings.Contains(string(last.Data), `"count":`) {
		t.Errorf("the journal says %+v", last)
	}
	if n, err := s.WipeInputs(ctx, 2000+calls/2, nil); n != 0 || err != nil {
		t.Errorf("again: %d %v", n, err)
	}
}

func TestWipeByID(t *testing.T) {
	ctx := context.Background()
	s := opened(t, t.TempDir())
	for _, id := range []string{"1", "2", "3"} {
		ask(t, s, id, marked(id, 10))
	}
	answer(t, s, "1", 2000, nil)
	answer(t, s, "2", 2000, []byte("7"))
	n, err := s.WipeInputs(ctx, 0, []permission.CallID{"2", "3", "no such", "2"})
	if n != 1 || err != nil {
		t.Fatalf("wiped %d, %v", n, err)
	}
	for id, want := range map[string]string{"1": string(marked("1", 10)), "2": "null", "3": string(marked("3", 10))} {
		if c, err := s.Call(ctx, permission.CallID(id)); err != nil || string(c.Input) != want || c.InputWiped != (id == "2") {
			t.Errorf("%s: %+v %v", id, c, err)
		}
	}
	all := chained(t, s)
	if last := all[len(all)-1]; last.Actor != permission.ActorPerson || string(last.Data) != `{"count":1,"ids":["2"]}` {
		t.Errorf("the journal says %s", last.Data)
	}
}

// TestWipeWaitsForReaders: a reader that is in the middle of something keeps the old
// pages in the log, and is not forgotten.
func TestWipeWaitsForReaders(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := opened(t, dir)
	ask(t, s, "1", marked("1", 100))
	answer(t, s, "1", 2000, []byte("7"))
	rows, err := s.reader.QueryContext(ctx, "SELECT input FROM calls UNION ALL SELECT input FROM calls")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.WipeInputs(ctx, 3000, nil)
		done <- err
	}()
	for c := (permission.Call{}); !c.InputWiped; {
		if c, err = s.Call(ctx, "1"); err != nil {
			t.Fatal(err)
		}
	}
	if found := remains(t, dir, map[string]bool{"1": true}); len(found) == 0 {
		t.Error("the reader's page is gone while it reads")
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if found := remains(t, dir, map[string]bool{"1": true}); len(found) > 0 {
		t.Errorf("remain: %v", found)
	}
}

// holding lists the files of a folder that have some bytes in them.
func holding(t testing.TB, dir, text string) (found []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(text)) {
			found = append(found, f.Name())
		}
	}
	return found
}
