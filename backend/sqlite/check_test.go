package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rowcheck"
)

// stepped is a folder whose call 1 went through every kind of change, each of which keeps
// the checks; calls 2 to 4 wait.
func stepped(t *testing.T) string {
	ctx, dir := t.Context(), t.TempDir()
	s := opened(t, dir)
	defer s.Close()
	word, gone, back, at := "word", true, false, permission.Time(5000)
	c := permission.Call{ID: "1", Rev: 1, RunID: "run", ToolCallID: "1",
		Caller: permission.Caller{SessionID: "session", AgentID: "a", AgentName: "A", Subagent: &word}, ServerID: &word,
		ToolName: "write", InputFixed: true,
		Method: "x/y", Round: permission.UnknownRoundState, Input: []byte(`{"a":1}`), InputHash: "h", Envelope: []byte(`{"b":2}`),
		EnvelopeHash: &word, Asked: "h",
		Description: "words", Cwd: &word,
		Asking:       permission.Asking{Class: &permission.Class{ToolName: "write"}, Questions: []string{"r"}},
		ResumeSchema: []byte(`{}`), Sight: "seen", Timeout: 1,
		Status: permission.Pending, Risk: permission.RiskLow, RiskReasons: []permission.RiskReason{}, CreatedAt: 1000, ExpiresAt: 9000,
		PatienceUntil: 9000,
		Held:          true}
	if _, _, err := s.Suspend(ctx, permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"2", "3", "4"} {
		ask(t, s, id, []byte(`{"c":3}`))
	}
	sight, because := permission.Sight("other"), permission.Why{Explanation: permission.Said("because")}
	decision := permission.Decision{By: permission.ByPerson, Approved: true, Scope: permission.ScopeOnce, DecidedAt: at}
	pending, approved, claimed := []permission.Status{permission.Pending}, []permission.Status{permission.Approved, permission.Pending},
		[]permission.Status{permission.Claimed, permission.InDoubt}
	for i, tr := range []permission.Transition{
		{From: pending, Why: &because, Sight: &sight},
		{From: pending, To: permission.Approved, Decision: &decision, ExpiresAt: &at, ResumeData: []byte(`{"d":4}`),
			Edited: &permission.Edit{Input: []byte(`{"e":5}`), InputHash: "i"}},
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

// sumAnew gives calls the checks of what stands in their rows.
var sumAnew = func() string {
	sum := func(first int, columns []string) (sql string) {
		for i, column := range columns {
			sql += fmt.Sprintf(" + IIF(%s IS NULL, 0, %s(%d, %[1]s))", column, partFunction, first+i)
		}
		return sql
	}
	const set = "UPDATE calls SET row_check = (rev * %d + shown_rev * %d + session_rev * %d%s) & %d, large_check = (0%s) & %[5]d"
	return fmt.Sprintf(set, revWeight, shownWeight, sessionWeight,
		sum(1, smallColumns), rowcheck.Mask, sum(largePlace+1, largeColumns))
}()

// TestTheChecksAreOfWhatStandsInTheRow: they are the same when they are made anew.
func TestTheChecksAreOfWhatStandsInTheRow(t *testing.T) {
	s := opened(t, stepped(t))
	const checks = "SELECT row_check || ' ' || large_check FROM calls ORDER BY seq"
	before, err := texts(s.reader, checks)
	if err == nil {
		_, err = s.db.Conn.Exec(sumAnew)
	}
	if after, err2 := texts(s.reader, checks); err != nil || err2 != nil || len(before) != 4 || !slices.Equal(before, after) {
		t.Errorf("%v and made anew %v, %v %v", before, after, err, err2)
	}
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
		another := map[string]string{"INTEGER": "IFNULL(%s, 2) <> 1", "TEXT": "CAST(%s AS TEXT) || ' '",
			"BLOB": "CAST(IFNULL(%s, '') || ' ' AS BLOB)"}[kind]
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
	tr := permission.Transition{ID: "2", From: []permission.Status{permission.Pending}, SetGone: &gone, Unawaited: true,
		Entry: permission.Entry{Kind: permission.CallChanged}}
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
	list := each(permission.Transition{From: []permission.Status{permission.Pending}, To: permission.Cancelled,
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson}},
		[]permission.CallID{"2", "3", "4"})
	done, err := s.TransitAll(t.Context(), list)
	if err != nil || len(done) != 2 || done[0].ID != "2" || done[1].ID != "4" || !strings.Contains(s.Damage(), "call 3") {
		t.Fatalf("%+v %v %q", done, err, s.Damage())
	}
	var status string
	if err := database.One(s.reader, &status, "SELECT status FROM calls WHERE id = '3'"); err != nil || status != "pending" {
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

// TestARowWithoutItsCheckIsDamage: who takes it away to write what he likes into the row
// gets nothing out of that. The table refuses it, and where its definition was changed the
// row is not believed, and the next start says so.
func TestARowWithoutItsCheckIsDamage(t *testing.T) {
	for _, column := range []string{"row_check", "large_check"} {
		dir := stepped(t)
		const decision = `{"by":"person","approved":true,"scope":"once","decidedAt":1}`
		forge := "UPDATE calls SET " + column + " = NULL, status = 'approved', decision = '" + decision + "' WHERE id = '2'"
		s := opened(t, dir)
		db := oneWriter(t, dir)
		if _, err := db.Exec(forge); err == nil || !strings.Contains(err.Error(), "NOT NULL") {
			t.Errorf("%s: %v", column, err)
		}
		loosen := fmt.Sprintf("UPDATE sqlite_schema SET sql = replace(sql, '%s INTEGER NOT NULL', '%[1]s INTEGER') WHERE name = 'calls'", column)
		loosen = strings.ReplaceAll(loosen, column+" ", column+strings.Repeat(" ", 17-len(column)))
		tighten := strings.NewReplacer(" INTEGER NOT NULL'", " INTEGER'", " INTEGER'", " INTEGER NOT NULL'").Replace(loosen)
		const on, done = "PRAGMA writable_schema = ON", "PRAGMA writable_schema = RESET"
		for _, statement := range []string{on, loosen, done, forge, on, tighten, done} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		claim := permission.Transition{ID: "2", From: []permission.Status{permission.Approved}, To: permission.Claimed,
			NewClaim: &permission.Claim{ID: "c", Key: "k", Until: 9000},
			Entry:    permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk}}
		if c, err := s.Transit(t.Context(), claim); err == nil || !strings.Contains(s.Damage(), "the stored call 2") {
			t.Errorf("%s: claimed %+v, %v, said %q", column, c, err, s.Damage())
		}
		if c, err := s.Call(t.Context(), "2"); err == nil {
			t.Errorf("%s: read %+v", column, c)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err := Open(t.Context(), dir); !errors.Is(err, database.ErrDamaged) {
			t.Errorf("%s: %v %v", column, s, err)
		}
	}
}

// TestAnIndexThatHidesACallIsDamage: a start says so.
func TestAnIndexThatHidesACallIsDamage(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = replace(sql, '''approved''', '''approve_''') WHERE name = 'calls_open'",
		"PRAGMA writable_schema = OFF")
	tampered(t, dir, "INSERT INTO calls (id, rev, status, risk, held, caller_gone, created_at, agent_id, session_id, run_id, tool_call_id, "+
		"agent_name, tool_name, input_hash, why, risk_reasons, description, input, identity, row_check, large_check) VALUES "+
		"('9',1,'approved','low',0,0,1,'a','s','r','9','A','w','h','{}','[]','',x'7b7d',0,0,0)")
	tampered(t, dir, "PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = replace(sql, '''approve_''', '''approved''') WHERE name = 'calls_open'")
	if s, err := Open(t.Context(), dir); !errors.Is(err, database.ErrDamaged) {
		t.Errorf("%v %v", s, err)
	}
}

// TestADamagedListOfMigrationsIsDamage: none is made again.
func TestADamagedListOfMigrationsIsDamage(t *testing.T) {
	dir := stepped(t)
	tampered(t, dir, "DELETE FROM goose_db_version WHERE version_id = 1")
	if s, err := Open(t.Context(), dir); !errors.Is(err, database.ErrDamaged) {
		t.Errorf("%v %v", s, err)
	}
}
