package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sekisho/backend/permission"
)

// oldFolder is a folder of format 1, as the first version left it: rules, a server,
// agents and nine calls in every state it knew.
func oldFolder(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/v1.db")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copies(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "sekisho-v*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tables gives all that format 1 kept, as text.
func tables(t testing.TB, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string]string{}
	for name, query := range map[string]string{
		"rules":   `SELECT json_group_array(json_array(id, server_id, tool_name, tool_pattern, auto_approve, priority, created_at, updated_at, effect, enabled, note, hits, last_hit_at)) FROM (SELECT * FROM tool_permission_rules ORDER BY id)`,
		"calls":   `SELECT json_group_array(json_array(seq, id, rev, run_id, tool_call_id, session_id, agent_id, server_id, tool_name, hex(input), input_hash, status, why, decision, decided_at, risk, created_at, expires_at, claim_id, claim_key, lease_expires_at, hex(result))) FROM (SELECT * FROM calls ORDER BY seq)`,
		"journal": `SELECT json_group_array(json_array(seq, at, kind, call_id, actor, data, prev_hash, hash)) FROM (SELECT * FROM journal WHERE kind <> 'state.kept' ORDER BY seq)`,
		"servers": `SELECT json_group_array(json_array(id, position, spec)) FROM servers`,
		"agents":  `SELECT json_group_array(json_array(id, name, token_hash, created_at)) FROM (SELECT * FROM agents ORDER BY id)`,
		"policy":  `SELECT version FROM policy`,
	} {
		var text string
		if err := db.QueryRow(query).Scan(&text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = text
	}
	return all
}

func TestOldFolderIsCopiedAndMigrated(t *testing.T) {
	ctx := context.Background()
	dir := oldFolder(t)
	before := tables(t, filepath.Join(oldFolder(t), FileName))
	s := opened(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	found := copies(t, dir)
	if len(found) != 1 || !strings.HasPrefix(filepath.Base(found[0]), "sekisho-v1-2") {
		t.Fatalf("copies: %v", found)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v %v", info.Mode(), err)
	}
	for _, path := range []string{found[0], filepath.Join(dir, FileName)} {
		for name, rows := range tables(t, path) {
			if rows != before[name] {
				t.Errorf("%s: %s is\n%s\nand was\n%s", path, name, rows, before[name])
			}
		}
	}
	s = opened(t, dir)
	if all := chained(t, s); len(all) != 29 {
		t.Errorf("%d entries", len(all))
	}
	calls, _, err := s.Calls(ctx, permission.CallFilter{Limit: 100})
	if err != nil || len(calls) != 9 {
		t.Errorf("%d calls, %v", len(calls), err)
	}
	if rules, _, damaged, err := s.Rules(ctx); err != nil || len(rules) != 3 || len(damaged) > 0 {
		t.Errorf("rules: %+v %v %v", rules, damaged, err)
	}
	again := permission.Suspension{PolicyVersion: 1, Call: calls[0]}
	if _, again.PolicyVersion, _, err = s.Rules(ctx); err != nil {
		t.Fatal(err)
	}
	if same, kept, err := s.Suspend(ctx, again); err != nil || kept != permission.KeptSame || same.ID != calls[0].ID {
		t.Errorf("a call of before, asked again: %v %v %v", same.ID, kept, err)
	}
	ask(t, s, "new", []byte("{}"))
	answer(t, s, "new", 2000, nil)
	chained(t, s)
	if found := copies(t, dir); len(found) != 1 {
		t.Errorf("a folder that is up to date was copied: %v", found)
	}
}

func TestFreshFolderIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir)
	if found := copies(t, dir); len(found) > 0 {
		t.Errorf("copies: %v", found)
	}
}

// TestTheCopyHoldsWhatIsInTheLog: of a desk that was killed, the file alone is old.
func TestTheCopyHoldsWhatIsInTheLog(t *testing.T) {
	dir := oldFolder(t)
	killed(t, dir, "UPDATE servers SET spec = '{\"id\":\"from the log\"}'")
	opened(t, dir)
	if found := copies(t, dir); len(found) != 1 || !strings.Contains(tables(t, found[0])["servers"], "from the log") {
		t.Errorf("copies: %v", found)
	}
}

// killed runs statements on a folder's database and leaves it as kill -9 does: with
// its log, not folded.
func killed(t testing.TB, dir string, statements ...string) {
	t.Helper()
	scratch := t.TempDir()
	path := filepath.Join(scratch, FileName)
	duplicate(t, filepath.Join(dir, FileName), path)
	db, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		duplicate(t, path+suffix, filepath.Join(dir, FileName+suffix))
	}
}

func duplicate(t testing.TB, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWithoutACopyNothingIsMigrated(t *testing.T) {
	dir := oldFolder(t)
	path := filepath.Join(dir, FileName)
	before := tables(t, path)
	db, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	err = migrate(context.Background(), db, filepath.Join(dir, "no such folder", FileName), migrations())
	if err == nil || !strings.Contains(err.Error(), "nothing was migrated") {
		t.Errorf("migrate: %v", err)
	}
	if have, err := appliedFormat(context.Background(), db); have != 1 || err != nil {
		t.Errorf("format %d, %v", have, err)
	}
	if err := backup(context.Background(), db, path, 7); err == nil || len(copies(t, dir)) > 0 {
		t.Errorf("a copy that is not what it should be: %v %v", err, copies(t, dir))
	}
	for name, rows := range tables(t, path) {
		if rows != before[name] {
			t.Errorf("%s changed", name)
		}
	}
}

// TestAMigrationThatWasCutOffIsMadeAgain: one breaks in its middle, as the end of the
// process would break it; the next start makes it whole.
func TestAMigrationThatWasCutOffIsMadeAgain(t *testing.T) {
	dir := oldFolder(t)
	path := filepath.Join(dir, FileName)
	first, err := fs.ReadFile(migrations(), "00001_first.sql")
	if err != nil {
		t.Fatal(err)
	}
	steps := func(last string) fs.FS {
		return fstest.MapFS{"00001_first.sql": {Data: first}, "00002_more.sql": {Data: []byte("-- +goose Up\nALTER TABLE calls ADD COLUMN more TEXT;\nCREATE TABLE extra (id INTEGER);\n" + last)},
			"00003_last.sql": {Data: []byte("-- +goose Up\nCREATE TABLE last (id INTEGER);\n")}}
	}
	if err := os.WriteFile(filepath.Join(dir, "sekisho-v1-20250101T000000.000Z.db.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	if err := migrate(ctx, db, path, steps("SELECT no_such_function();\n")); err == nil {
		t.Fatal("the middle did not break")
	}
	if have, err := appliedFormat(ctx, db); have != 1 || err != nil {
		t.Errorf("after the break: format %d, %v", have, err)
	}
	if err := migrate(ctx, db, path, steps("")); err != nil {
		t.Fatal(err)
	}
	var format int64
	if err := db.QueryRow("PRAGMA user_version").Scan(&format); err != nil || format != 3 {
		t.Errorf("the header says %d, %v", format, err)
	}
	for _, found := range copies(t, dir) {
		if strings.HasSuffix(found, unfinished) {
			t.Errorf("%s was left", found)
		}
	}
	if found := copies(t, dir); len(found) != 2 {
		t.Errorf("one copy for each try: %v", found)
	}
}

func TestACopyThatIsNotTheDataIsNoCopy(t *testing.T) {
	path := filepath.Join(oldFolder(t), FileName)
	if err := checkCopy(context.Background(), path, 1); err != nil {
		t.Errorf("a good one: %v", err)
	}
	if err := checkCopy(context.Background(), path, 2); err == nil {
		t.Error("one of another format was taken")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[4096*3:4096*4], make([]byte, 4096))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkCopy(context.Background(), path, 1); err == nil {
		t.Error("a damaged one was taken")
	}
}

// TestSecretsStayOutOfTheOldJournal guards the test data as much as the code that
// wrote them.
func TestSecretsStayOutOfTheOldJournal(t *testing.T) {
	rows := tables(t, filepath.Join(oldFolder(t), FileName))
	if !strings.Contains(rows["servers"], "secret-of-the-server") || strings.Contains(rows["journal"], "secret-of-the-server") || !json.Valid([]byte(rows["journal"])) {
		t.Error("the secret of the server is in the journal, or not in the server")
	}
}

func TestNewerIsNoTrouble(t *testing.T) {
	if words, ok := Trouble(newer(9, 2)); ok || !errors.Is(newer(9, 2), ErrNewer) {
		t.Errorf("newer data are %q", words)
	}
}
