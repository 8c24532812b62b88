package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStorageContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, dir string) storetest.Store { return open(t, dir) })
}

// raw runs SQL on the file as another program would.
func raw(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestDamagedRuleNeverAllows(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	const insert = "INSERT INTO tool_permission_rules (id, server_id, tool_name, tool_pattern, auto_approve, priority, created_at, updated_at, effect, enabled) VALUES "
	const when = ",'2025-01-01T00:00:00Z','2025-01-01T00:00:00Z',"
	raw(t, dir,
		insert+"('good',NULL,NULL,'read_*',1,5"+when+"NULL,1)",
		insert+"('flag',NULL,NULL,NULL,2,5"+when+"NULL,1)",
		insert+"('text',NULL,NULL,NULL,1,'high'"+when+"NULL,1)",
		insert+"('empty',NULL,'',NULL,1,5"+when+"NULL,1)",
		insert+"('blob',x'00',NULL,NULL,1,5"+when+"NULL,1)",
		insert+"('effect',NULL,NULL,NULL,1,5"+when+"'ask',1)",
		insert+"('unknown',NULL,NULL,NULL,0,5"+when+"'maybe',1)",
		insert+"('long',NULL,NULL,'"+strings.Repeat("*a", 500)+"',1,5"+when+"NULL,1)",
		insert+"('time',NULL,NULL,NULL,1,5,'yesterday','today',NULL,1)",
	)
	s := open(t, dir)
	defer s.Close()
	rules, _, damaged, err := s.Rules(context.Background())
	if err != nil || len(rules) != 1 || rules[0].ID != "good" || rules[0].Effect != permission.Allow {
		t.Errorf("rules: %+v %v", rules, err)
	}
	guards, says := map[string]bool{}, map[permission.RuleID]string{}
	for _, d := range damaged {
		id, what, _ := strings.Cut(d.Row, ": ")
		guards[id], says[d.ID] = d.Guard, what
	}
	if want := map[permission.RuleID]string{"flag": "its autoApprove is not 0 or 1", "text": "its priority is not a whole number",
		"empty": "toolName: empty: use null for any", "blob": "its serverId is not a text",
		"effect": "autoApprove: autoApprove and effect disagree", "unknown": "effect: an effect is allow, ask or deny",
		"long": "toolPattern: longer than 256 bytes", "time": "its createdAt is not a time"}; !maps.Equal(says, want) {
		t.Errorf("it says %q", says)
	}
	if want := map[string]bool{"flag": true, "text": false, "empty": false, "blob": false, "effect": true, "unknown": true, "long": false,
		"time": false}; !maps.Equal(guards, want) {
		t.Errorf("damaged: %v", damaged)
	}
}

func TestReplacingAllRulesTakesANamelessOneToo(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	raw(t, dir,
		"INSERT INTO tool_permission_rules (id, auto_approve, created_at, updated_at, effect) VALUES (NULL, 0, '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z', 'deny')")
	s := open(t, dir)
	defer s.Close()
	if _, _, damaged, err := s.Rules(context.Background()); err != nil || len(damaged) != 1 || !damaged[0].Guard || damaged[0].ID != "" ||
		damaged[0].Row != "one without an id: its id is not a text" {
		t.Fatalf("damaged: %v %v", damaged, err)
	}
	good := permission.Rule{ID: "good", Effect: permission.Ask, Enabled: true, CreatedAt: 1, UpdatedAt: 1}
	change := permission.RuleChange{Replace: true, Put: []permission.Rule{good},
		Entry: permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson}}
	if _, err := s.ChangeRules(context.Background(), change); err != nil {
		t.Fatal(err)
	}
	if rules, _, damaged, err := s.Rules(context.Background()); err != nil || len(rules) != 1 || len(damaged) != 0 {
		t.Errorf("after it was replaced: %+v, %v, %v", rules, damaged, err)
	}
}

func TestNewerDataIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	raw(t, dir, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	if _, err := sqlite.Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "newer Sekisho") {
		t.Errorf("opened newer data: %v", err)
	}
}

func TestCorruptFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, database.FileName)
	junk := []byte(strings.Repeat("not a database ", 1000))
	if err := os.WriteFile(path, junk, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(context.Background(), dir); err == nil {
		t.Error("opened junk")
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(junk) {
		t.Error("the file was changed")
	}
}

func TestFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	if i, err := os.Stat(filepath.Join(dir, database.FileName)); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
}

func TestClosedStoreRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Suspend(context.Background(), permission.Suspension{Call: storetest.NewCall("1")})
	if !errors.Is(err, database.ErrClosed) {
		t.Errorf("suspend: %v", err)
	}
}
