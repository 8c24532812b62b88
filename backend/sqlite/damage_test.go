package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// TestADamagedRowIsLeftOut: the desk starts and lists the others; who asks for it is told.
func TestADamagedRowIsLeftOut(t *testing.T) {
	for what, damage := range map[string]string{
		"why":      `why = '{"rule":null "reason":"x"}'`,
		"reasons":  `risk_reasons = '['`,
		"decision": `decision = '{', status = 'declined'`,
		"asking":   `asking = 'x'`,
		"status":   `status = 'pendinf'`,
		"risk":     `risk = 'mediun'`,
		"by":       `decision = '{"by":"qerson","approved":true}', status = 'declined'`,
		"input":    `input = CAST('{broken' AS BLOB)`,
		"result":   `result = CAST('1 2' AS BLOB)`,
		"schema":   `resume_schema = CAST('{' AS BLOB)`,
		"data":     `resume_data = CAST('{' AS BLOB)`,
		"first":    `original_input = CAST('{' AS BLOB), original_hash = 'x'`,
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			for _, id := range []string{"1", "2", "3"} {
				c := storetest.NewCall(id)
				c.ExpiresAt, c.Held = 1_800_000_000_000, true
				if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			raw(t, dir, "UPDATE calls SET "+damage+" WHERE id = '2'")
			s = open(t, dir)
			defer s.Close()
			if _, err := s.Recover(t.Context(), 1_700_000_000_000); err != nil {
				t.Fatal(err)
			}
			calls, next, err := s.Calls(t.Context(), permission.CallFilter{Limit: 9})
			if err != nil || next != 0 || len(calls) != 2 || calls[0].ID != "3" || calls[1].ID != "1" {
				t.Errorf("listed %+v, %v", calls, err)
			}
			var e *permission.Error
			if _, err := s.Call(t.Context(), "2"); !errors.As(err, &e) || e.Code != permission.CodeUnavailable ||
				!strings.Contains(e.Message, "call 2 is damaged") {
				t.Errorf("asked for: %v", err)
			}
			if words := s.Damage(); !strings.Contains(words, "call 2 is damaged") {
				t.Errorf("said %q", words)
			}
			if s.Trouble() != "" {
				t.Errorf("in trouble: %s", s.Trouble())
			}
			if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: storetest.NewCall("4"), PolicyVersion: 1}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestADamagedCallIsNotChanged: whoever answers or repeats it is told, and others are served.
func TestADamagedCallIsNotChanged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: storetest.NewCall("1"), PolicyVersion: 1}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	raw(t, dir, "UPDATE calls SET why = '' WHERE id = '1'")
	s = open(t, dir)
	defer s.Close()
	var e *permission.Error
	_, err := s.Transit(t.Context(), permission.Transition{ID: "1", At: 1, From: []permission.Status{permission.Pending},
		To:    permission.Approved,
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorPerson, Data: json.RawMessage("{}")}})
	if !errors.As(err, &e) || e.Code != permission.CodeUnavailable || s.Trouble() != "" {
		t.Errorf("answered: %v, trouble %q", err, s.Trouble())
	}
	if _, _, err = s.Suspend(t.Context(), permission.Suspension{Call: storetest.NewCall("1"), PolicyVersion: 1}); !errors.As(err, &e) ||
		e.Code != permission.CodeUnavailable {
		t.Errorf("asked again: %v", err)
	}
	if entries, _, err := s.Journal(t.Context(), 0, 9); err != nil || len(entries) != 0 {
		t.Errorf("journal: %+v %v", entries, err)
	}
}

// TestDamagedServersAndEntries: the others are there, and the journal shows which entry is
// not what it was.
func TestDamagedServersAndEntries(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	entry := permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorPerson, Data: json.RawMessage(`{"a":1}`)}
	servers := []permission.Server{{ID: "one"}, {ID: "two"}}
	if _, err := s.ReplaceServers(t.Context(), permission.Versions{}, servers, permission.ToolEdit{}, entry); err != nil {
		t.Fatal(err)
	}
	s.Close()
	raw(t, dir, "UPDATE servers SET spec = '{' WHERE id = 'one'", "UPDATE journal SET data = '{'")
	s = open(t, dir)
	defer s.Close()
	if servers, err := s.Servers(t.Context()); err != nil || len(servers) != 1 || servers[0].ID != "two" ||
		!strings.Contains(s.Damage(), "server one") {
		t.Errorf("%+v %v %q", servers, err, s.Damage())
	}
	if entries, _, err := s.Journal(t.Context(), 0, 9); err != nil || len(entries) != 1 || string(entries[0].Data) != "null" {
		t.Errorf("%+v %v", entries, err)
	}
}

// TestAMissingTableIsDamage: it is no reason to end without a word.
func TestAMissingTableIsDamage(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	raw(t, dir, "DROP TABLE grants")
	s, err := sqlite.Open(t.Context(), dir)
	if err == nil {
		_, err = s.Recover(t.Context(), 1)
		s.Close()
	}
	if words, ok := database.Trouble(err); !ok || !strings.Contains(words, "damaged") {
		t.Errorf("%v: %q", err, words)
	}
}

// TestRulesWithoutAVersionAreDamage: no edit of them could be told from another.
func TestRulesWithoutAVersionAreDamage(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	raw(t, dir, "DELETE FROM policy")
	s, err := sqlite.Open(t.Context(), dir)
	if err == nil {
		_, _, _, err = s.Rules(t.Context())
		s.Close()
	}
	if words, ok := database.Trouble(err); !ok || !strings.Contains(words, "damaged") {
		t.Errorf("%v: %q", err, words)
	}
}

// TestADamagedRowHidesNoOther: neither from a list that is read page by page, nor from
// what is asked of all calls.
func TestADamagedRowHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 9 {
		c := storetest.NewCall(fmt.Sprint(i))
		c.Status, c.Decision = permission.Declined,
			&permission.Decision{By: permission.ByPerson, Scope: permission.ScopeOnce, DecidedAt: c.CreatedAt}
		if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	raw(t, dir, "UPDATE calls SET decision = '{' WHERE id IN ('2', '6', '7')", "INSERT INTO settings (id, document) VALUES (1, '{')",
		"INSERT INTO denials (agent_id, session_id, asked_hash, call_id, reason, count) VALUES ('a', 's', 'h', '1', '', 0)")
	s = open(t, dir)
	defer s.Close()
	for limit := 1; limit <= 9; limit++ {
		for _, brief := range []bool{false, true} {
			got := ""
			for f := (permission.CallFilter{Limit: limit, Brief: brief}); ; {
				calls, next, err := s.Calls(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range calls {
					got += string(c.ID)
				}
				if f.Before = next; next == 0 {
					break
				}
			}
			if got != "854310" {
				t.Errorf("%d a page, brief %v: %s", limit, brief, got)
			}
		}
	}
	if list, err := s.Answers(t.Context(), 100); err != nil || len(list) == 0 {
		t.Errorf("answers: %+v %v", list, err)
	}
	if _, err := s.Settle(t.Context(), []string{s.Differences()[0].ID}, permission.VersionTable,
		permission.Entry{At: 1, Kind: permission.StateSettled, Actor: permission.ActorPerson}); err != nil {
		t.Fatal(err)
	}
	settings := permission.DefaultSettings()
	settings.DenialMemory = false
	if _, err := s.SaveSettings(t.Context(), permission.Versions{}, settings,
		permission.Entry{At: 1, Kind: permission.SettingsChanged, Actor: permission.ActorPerson, Data: json.RawMessage("{}")}); err != nil {
		t.Errorf("settings: %v", err)
	}
}
