package desk_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// meddled runs SQL on a folder that no desk has open, as another program would.
func meddled(t *testing.T, dir, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "sekisho.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done, err := db.Exec(statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s: changed nothing, %v", statement, err)
	}
}

// disputed is what is said while a row is in dispute.
const disputedWords = "is not as the journal says that it was left"

// TestAListSettlesNoDispute: a server's list leaves a tool alone whose pin another hand
// changed; what it said asks after the dispute too, until it is said again.
func TestAListSettlesNoDispute(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx")
	const good, evil = `{"description":"good","name":"read_file"}`,
		`{"annotations":{"destructiveHint":true},"description":"evil","name":"read_file"}`
	h.saw(good)
	h.rule(permission.Allow, "*_*")
	server := "filesystem"
	ask := func(tool string) permission.Call {
		r := h.request(tool)
		r.ServerID = &server
		return h.askAll(r)
	}
	if c := ask("read_file"); c.Status != permission.Approved {
		t.Fatal(c.Status)
	}
	h.close()
	sum := sha256.Sum256([]byte(evil))
	meddled(t, dir, `UPDATE tool_pins SET seen = ?1, pinned = ?1 WHERE tool_name = 'read_file'`, "sha256:"+hex.EncodeToString(sum[:]))
	h = openAt(t, dir)
	h.n = 100
	h.saw(evil, `{"name":"write_file"}`)
	if c := ask("read_file"); c.Status != permission.Pending || !strings.Contains(h.Trouble(), disputedWords) {
		t.Fatalf("%s, %q", c.Status, h.Trouble())
	}
	none := ""
	if _, err := h.AcceptTool(ctx, server, "read_file", permission.SeenTool{Launch: &none}); err == nil {
		t.Error("a tool in dispute was accepted")
	}
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.n = 200
	h.saw(evil)
	list, err := h.Differences(ctx)
	if err != nil || len(list) != 1 || list[0].Key != "filesystem/read_file" || !strings.Contains(h.Trouble(), disputedWords) {
		t.Fatalf("after another start: %+v, %v, %q", list, err, h.Trouble())
	}
	if _, err := h.Settle(ctx, []string{list[0].ID}, permission.VersionJournal); err != nil || h.Trouble() != "" {
		t.Fatalf("%v, %q", err, h.Trouble())
	}
	if c := ask("read_file"); c.Status != permission.Pending {
		t.Errorf("%s: allowed, though its server says that it is another tool", c.Status)
	}
	h.saw(good)
	if c := ask("read_file"); c.Status != permission.Approved {
		t.Errorf("%s, though it is the tool that was allowed: %s", c.Status, c.Why.Reason)
	}
}

// TestHoldSettlesNoDispute: everything can be held, and let go, while the settings are in
// dispute; that is kept, whichever version is picked, and the dispute stays.
func TestHoldSettlesNoDispute(t *testing.T) {
	for take, reads := range map[permission.Version]permission.Effect{permission.VersionJournal: permission.Deny,
		permission.VersionTable: permission.Allow} {
		dir := t.TempDir()
		h := openAt(t, dir)
		h.set(func(s *permission.Settings) { s.Reads.Resources = permission.Deny })
		h.close()
		meddled(t, dir, `UPDATE settings SET document = replace(document, '"resources":"deny"', '"resources":"allow"')`)
		h = openAt(t, dir)
		server := "fs"
		read := func() permission.Effect {
			v, err := h.Evaluate(ctx, permission.Query{ServerID: &server, Method: "resources/read", ToolName: "file:///etc/passwd",
				Input: json.RawMessage("{}")})
			if err != nil {
				t.Fatal(err)
			}
			return v.Decision
		}
		for _, on := range []bool{true, false, true} {
			if err := h.Hold(ctx, on); err != nil || h.OnHold() != on {
				t.Fatalf("hold %t: %v", on, err)
			}
			if got := read(); got != permission.Ask || !strings.Contains(h.Trouble(), disputedWords) {
				t.Errorf("hold %t: %s, %q", on, got, h.Trouble())
			}
		}
		if _, err := h.ChangeSettings(ctx, func(s *permission.Settings) error {
			s.DenialMemory = !s.DenialMemory
			return nil
		}); !errors.Is(err, &permission.Error{Code: permission.CodeStale}) {
			t.Errorf("settings in dispute were changed: %v", err)
		}
		h.close()
		h = openAt(t, dir)
		list, err := h.Differences(ctx)
		if err != nil || len(list) != 1 || !h.OnHold() || !strings.Contains(h.Trouble(), disputedWords) {
			t.Fatalf("after another start: hold %t, %+v, %v", h.OnHold(), list, err)
		}
		if _, err := h.Settle(ctx, []string{list[0].ID}, take); err != nil || !h.OnHold() || h.Trouble() != "" {
			t.Fatalf("%s: hold %t, %v, %q", take, h.OnHold(), err, h.Trouble())
		}
		if err := h.Hold(ctx, false); err != nil || read() != reads {
			t.Errorf("%s: %v, %s", take, err, read())
		}
		h.close()
		if h = openAt(t, dir); h.Trouble() != "" || h.OnHold() {
			t.Errorf("%s: %q, hold %t", take, h.Trouble(), h.OnHold())
		}
		h.close()
	}
}

// TestAnotherServerSettlesNoDispute: one is added beside a server in dispute, which itself
// can be changed only when a version was picked.
func TestAnotherServerSettlesNoDispute(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx")
	h.close()
	meddled(t, dir, `UPDATE servers SET spec = replace(spec, 'npx', 'evil')`)
	h = openAt(t, dir)
	defer h.close()
	all, err := h.Servers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, permission.Server{ID: "web", Transport: permission.TransportStdio, Command: "web", Enabled: true})
	if _, _, err := h.ReplaceServers(ctx, "", all); err != nil {
		t.Fatal(err)
	}
	if all, err = h.Servers(ctx); err != nil || len(all) != 2 || all[0].Lacks == "" || !strings.Contains(h.Trouble(), disputedWords) {
		t.Errorf("%+v %v %q", all, err, h.Trouble())
	}
	all[0].Command = "other"
	if _, _, err := h.ReplaceServers(ctx, "", all); !errors.Is(err, &permission.Error{Code: permission.CodeStale}) {
		t.Errorf("a server in dispute was changed: %v", err)
	}
	if _, _, err := h.ReplaceServers(ctx, "", nil); !errors.Is(err, &permission.Error{Code: permission.CodeStale}) {
		t.Errorf("a server in dispute was removed: %v", err)
	}
	if all, err = h.Servers(ctx); err != nil || len(all) != 2 {
		t.Errorf("%+v %v", all, err)
	}
}
