package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// stepped is a folder whose call 1 went through every kind of change, each of which keeps
// the checks; calls 2 to 4 wait.
func stepped(t *testing.T) string {
	ctx, dir := t.Context(), t.TempDir()
	s := opened(t, dir)
	defer s.Close()
	word, gone, back, at := "word", true, false, permission.Time(5000)
	c := permission.Call{ID: "1", Rev: 1, RunID: "run", ToolCallID: "1", SessionID: "session", AgentID: "a", AgentName: "A", ServerID: &word, ToolName: "write",
		Method: "x/y", Round: permission.UnknownRoundState, Input: []byte(`{"a":1}`), InputHash: "h", Envelope: []byte(`{"b":2}`), EnvelopeHash: &word, Asked: "h",
		Description: "words", Cwd: &word, Class: &permission.Class{ToolName: "write"}, ResumeSchema: []byte(`{}`), Sight: "seen", Timeout: 1,
		Status: permission.Pending, Risk: permission.RiskLow, RiskReasons: []string{}, CreatedAt: 1000, ExpiresAt: 9000, PatienceUntil: 9000, Held: true}
	if _, _, err := s.Suspend(ctx, permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"2", "3", "4"} {
		ask(t, s, id, []byte(`{"c":3}`))
	}
	sight, because := permission.Sight("other"), permission.Why{Reason: "because"}
	decision := permission.Decision{By: permission.ByPerson, Approved: true, Scope: permission.ScopeOnce, DecidedAt: at}
	pending, approved, claimed := []permission.Status{permission.Pending}, []permission.Status{permission.Approved, permission.Pending}, []permission.Status{permission.Claimed, permission.InDoubt}
	for i, tr := range []permission.Transition{
		{From: pending, Why: &because, Sight: &sight},
		{From: pending, To: permission.Approved, Decision: &decision, ExpiresAt: &at, ResumeData: []byte(`{"d":4}`), Edited: &permission.Edit{Input: []byte(`{"e":5}`), InputHash: "i"}},
		{From: approved, To: permission.Pending, Undecided: true},
		{From: approved, SetGone: &gone},
		{From: approved, SetGone: &back, Agent: "a", Rebind: &permission.Identity{RunID: "another", ToolCallID: "9", SessionID: "other"}},
		{From: pending, Edited: &permission.Edit{Input: []byte(`{"f":6}`), InputHash: "j"}},
		{From: approved, To: permission.Approved, Decision: &decision},
		{From: approved, To: permission.Claimed, NewClaim: &permission.Claim{ID: "claim", Key: "key", Until: at}},
		{From: claimed, Lease: &at},
		{From: claimed, To: permission.InDoubt},
		{From: claimed, To: permission.Approved, Unclaim: true},
		{From: approved, To: permission.Claimed, NewClaim: &permission.Claim{ID: "claim", Key: "key", Until: at}},
		{From: claimed, To: permission.Completed, Result: []byte(`{"g":7}`)},
	} {
		tr.ID, tr.At, tr.Entry = "1", at, permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorPerson}
		if _, err := s.Transit(ctx, tr); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return dir
}

// TestEveryColumnOfACallIsChecked: whichever of them reads differently, the call is left
// out and said. A column without a check is named here, with what holds it.
func TestEveryColumnOfACallIsChecked(t *testing.T) {
	dir := stepped(t)
	unchecked := map[string]string{"seq": "the order of rows", "identity": "is made of others", "row_check": "", "large_check": ""}
	s := opened(t, dir)
	rows, err := s.reader.Query("SELECT name, type FROM pragma_table_info('calls')")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			t.Fatal(err)
		}
		columns[name] = kind
	}
	if call, err := s.Call(t.Context(), "1"); err != nil || string(call.Original.Input) != `{"a":1}` || s.Damage() != "" {
		t.Fatalf("%+v %v", call, err)
	}
	s.Close()
	for name, kind := range columns {
		if _, ok := unchecked[name]; ok {
			continue
		}
		another := map[string]string{"INTEGER": "IFNULL(%s, 2) <> 1", "TEXT": "CAST(%s AS TEXT) || ' '", "BLOB": "CAST(IFNULL(%s, '') || ' ' AS BLOB)"}[kind]
		if name == "decision" {
			another = `IFNULL(%s, '{"by":"clock"}') || ' '`
		}
		t.Run(name, func(t *testing.T) {
			dir := stepped(t)
			id := "1"
			tampered(t, dir, fmt.Sprintf("UPDATE calls SET "+name+" = "+another+" WHERE id = '1'", name))
			if name == "id" {
				id = "1 "
			}
			s := opened(t, dir)
			if c, err := s.Call(t.Context(), permission.CallID(id)); err == nil || !strings.Contains(s.Damage(), "the stored call 1") {
				t.Errorf("read: %+v, %v, said %q", c, err, s.Damage())
			}
			if list, _, err := s.Calls(t.Context(), permission.CallFilter{Limit: 9}); err != nil || len(list) != 3 {
				t.Errorf("listed %d: %v", len(list), err)
			}
		})
	}
}

// TestAChangeKeepsDamage: what nobody has read yet does not look whole after a change of
// something else.
func TestAChangeKeepsDamage(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "UPDATE calls SET tool_name = 'wrote' WHERE id = '1'", "UPDATE calls SET tool_name = 'wrote' WHERE id = '2'")
	s := opened(t, dir)
	gone := true
	tr := permission.Transition{ID: "2", From: []permission.Status{permission.Pending}, SetGone: &gone, Soon: true, Entry: permission.Entry{Kind: permission.CallChanged}}
	if _, err := s.Transit(t.Context(), tr); err != nil {
		t.Fatal(err)
	}
	if n, err := s.WipeInputs(t.Context(), 0, []permission.CallID{"1"}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for _, id := range []permission.CallID{"1", "2"} {
		if c, err := s.Call(t.Context(), id); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

// TestAWipedCallIsWhole: with all that was wiped of it.
func TestAWipedCallIsWhole(t *testing.T) {
	s := opened(t, stepped(t))
	if n, err := s.WipeInputs(t.Context(), 0, []permission.CallID{"1"}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if c, err := s.Call(t.Context(), "1"); err != nil || !c.InputWiped || string(c.Result) != "null" {
		t.Errorf("%+v %v", c, err)
	}
}

// TestADamagedCallHoldsUpNoOther: what is done with many at once is done with the others.
func TestADamagedCallHoldsUpNoOther(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "UPDATE calls SET tool_name = 'wrote' WHERE id = '3'")
	s := opened(t, dir)
	list := each(permission.Transition{From: []permission.Status{permission.Pending}, To: permission.Cancelled, Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson}},
		[]permission.CallID{"2", "3", "4"})
	done, err := s.TransitAll(t.Context(), list)
	if err != nil || len(done) != 2 || done[0].ID != "2" || done[1].ID != "4" || !strings.Contains(s.Damage(), "call 3") {
		t.Fatalf("%+v %v %q", done, err, s.Damage())
	}
	var status string
	if err := one(s.reader, &status, "SELECT status FROM calls WHERE id = '3'"); err != nil || status != "pending" {
		t.Errorf("%s %v", status, err)
	}
	entries, _, err := s.Journal(t.Context(), 0, 99)
	if err != nil || slices.ContainsFunc(entries, func(e permission.Entry) bool {
		return e.CallID != nil && *e.CallID == "3" && e.Kind == permission.CallDecided
	}) {
		t.Errorf("%v %+v", err, entries)
	}
	chained(t, s)
}

// TestARowFromBeforeTheChecks: it is read and changed, and has none afterwards either.
func TestARowFromBeforeTheChecks(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "UPDATE calls SET row_check = NULL, large_check = NULL")
	s := opened(t, dir)
	answer(t, s, "2", 2000, json.RawMessage(`{}`))
	if n, err := s.WipeInputs(t.Context(), 0, []permission.CallID{"2"}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if c, err := s.Call(context.Background(), "2"); err != nil || !c.InputWiped {
		t.Errorf("%+v %v", c, err)
	}
	var left int
	if err := one(s.reader, &left, "SELECT COUNT(*) FROM calls WHERE row_check IS NULL AND large_check IS NULL"); err != nil || left != 4 {
		t.Errorf("%d %v", left, err)
	}
}

// TestAnIndexThatHidesACallIsDamage: a start says so.
func TestAnIndexThatHidesACallIsDamage(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, '''approved''', '''approve_''') WHERE name = 'calls_open'",
		"PRAGMA writable_schema = OFF")
	tampered(t, dir, "INSERT INTO calls (id, rev, status, risk, held, caller_gone, created_at, agent_id, session_id, run_id, tool_call_id, agent_name, tool_name, input_hash, why, risk_reasons, description, input) VALUES ('9',1,'approved','low',0,0,1,'a','s','r','9','A','w','h','{}','[]','',x'7b7d')")
	tampered(t, dir, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, '''approve_''', '''approved''') WHERE name = 'calls_open'")
	if s, err := Open(t.Context(), dir); !errors.Is(err, errDamaged) {
		t.Errorf("%v %v", s, err)
	}
}

// TestADamagedListOfMigrationsIsDamage: none is made again.
func TestADamagedListOfMigrationsIsDamage(t *testing.T) {
	for _, damage := range []string{
		"UPDATE goose_db_version SET version_id = 2 WHERE version_id = 3",
		"UPDATE goose_db_version SET version_id = 4 WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)",
	} {
		dir := stepped(t)
		tampered(t, dir, damage)
		if s, err := Open(t.Context(), dir); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v %v", damage, s, err)
		}
	}
}
