package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// bare is a value that the old folder's server has.
const bare = "secret-of-the-server"

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

// hideIn gives every value a reference and notes it in kept.
func hideIn(kept map[string]string) func([]permission.Server) ([]permission.Server, error) {
	return func(servers []permission.Server) ([]permission.Server, error) {
		for _, s := range servers {
			for _, values := range []map[string]string{s.Env, s.Headers} {
				for name, value := range values {
					if !permission.IsReference(value) {
						values[name] = permission.NewReference()
						kept[values[name]] = value
					}
				}
			}
		}
		return servers, nil
	}
}

// TestSealedValuesAreGone from the database, its log and all copies, though they were
// long and moved between pages; and they are not asked for twice.
func TestSealedValuesAreGone(t *testing.T) {
	ctx := context.Background()
	dir := oldFolder(t)
	s := opened(t, dir)
	var many []permission.Server
	for i := range 40 { // an older desk kept them so
		many = append(many, permission.Server{ID: fmt.Sprint("s", i), Transport: permission.TransportStdio, Command: "x",
			Env: map[string]string{"A": bare + strings.Repeat("-more", 100*i), "PLAIN": "no"}, Headers: map[string]string{"H": bare}})
	}
	if _, err := s.ReplaceServers(ctx, many, permission.ToolEdit{}, permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorPerson}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", dsn(filepath.Join(dir, FileName), "deferred"))
	if err != nil {
		t.Fatal(err)
	}
	format, err := appliedFormat(ctx, db)
	if err = errors.Join(err, backup(ctx, db, filepath.Join(dir, FileName), format), db.Close()); err != nil {
		t.Fatal(err)
	}
	copied := copies(t, dir)
	if found := holding(t, dir, bare); len(found) < 3 || len(copied) != 2 {
		t.Fatalf("only %v hold the value before", found)
	}
	kept := map[string]string{}
	if err := s.Seal(ctx, hideIn(kept)); err != nil {
		t.Fatal(err)
	}
	if found := holding(t, dir, bare); len(found) > 0 {
		t.Errorf("the value is still in %v", found)
	}
	servers, err := s.Servers(ctx)
	if err != nil || len(servers) != 40 || len(kept) != 120 || kept[servers[7].Env["A"]] != bare+strings.Repeat("-more", 700) {
		t.Errorf("%d servers, %d kept, %v", len(servers), len(kept), err)
	}
	for _, name := range copied {
		if _, format, err := bareServers(ctx, name); err != nil || format == 0 {
			t.Errorf("%s: format %d, %v", name, format, err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if err := s.Seal(ctx, func([]permission.Server) ([]permission.Server, error) { return nil, errors.New("asked again") }); err != nil {
		t.Error(err)
	}
}

// TestACopyIsMaskedAndNothingElse of it changes.
func TestACopyIsMaskedAndNothingElse(t *testing.T) {
	ctx := context.Background()
	dir := oldFolder(t)
	s := opened(t, dir)
	copied := copies(t, dir)
	before := tables(t, copied[0])
	if err := s.Seal(ctx, hideIn(map[string]string{})); err != nil {
		t.Fatal(err)
	}
	after := tables(t, copied[0])
	if after["servers"] == before["servers"] || !strings.Contains(after["servers"], permission.Mask) {
		t.Errorf("servers: %s", after["servers"])
	}
	after["servers"] = before["servers"]
	for name, rows := range before {
		if after[name] != rows {
			t.Errorf("%s changed", name)
		}
	}
	if found := copies(t, dir); len(found) != 1 || found[0] != copied[0] {
		t.Errorf("copies: %v", found)
	}
}

// TestASealThatWasCutOffGoesOn: where the secrets could not be kept nothing changes, and
// where a copy could not be sealed the next start tries it again.
func TestASealThatWasCutOffGoesOn(t *testing.T) {
	ctx := context.Background()
	dir := oldFolder(t)
	s := opened(t, dir)
	full := errors.New("full")
	if err := s.Seal(ctx, func([]permission.Server) ([]permission.Server, error) { return nil, full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if servers, err := s.Servers(ctx); err != nil || servers[0].Env["KEY"] != bare {
		t.Errorf("%+v %v", servers, err)
	}
	damaged := filepath.Join(dir, "sekisho-v1-20250101T000000.000Z.db")
	if err := os.WriteFile(damaged, []byte(strings.Repeat("no database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	if err := s.Seal(ctx, hideIn(kept)); err == nil || !strings.Contains(err.Error(), damaged) {
		t.Errorf("%v", err)
	}
	if found := holding(t, dir, bare); len(found) > 0 {
		t.Errorf("one bad copy keeps the value in %v", found)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	if err := s.Seal(ctx, hideIn(kept)); err != nil || len(kept) != 1 {
		t.Errorf("%v, kept %v", err, kept)
	}
	asked := false
	if err := s.Seal(ctx, func(same []permission.Server) ([]permission.Server, error) { asked = true; return same, nil }); err != nil || asked {
		t.Errorf("asked %v, %v", asked, err)
	}
}
