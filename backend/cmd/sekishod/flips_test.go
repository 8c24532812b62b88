//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestATurnedBitOfARuleIsSaid: the one that made fs.read_* into fs*read_*. Everything asks,
// both versions are told, and a person takes one.
func TestATurnedBitOfARuleIsSaid(t *testing.T) {
	for _, take := range []string{"journal", "table"} {
		dir := t.TempDir()
		d := start(t, dir)
		d.operate("POST", "/v1/rules", `{"id":"reads","toolPattern":"fs.read_*","autoApprove":true}`, nil)
		token := d.agent("agent")
		d.end()
		file := filepath.Join(dir, "sekisho.db")
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		turned := 0
		for at := 0; ; {
			i := strings.Index(string(raw[at:]), "fs.read_*")
			if i < 0 {
				break
			}
			if at += i; !strings.Contains(string(raw[max(at-200, 0):at]), `"`) { // the row, and not the journal
				raw[at+2] ^= '.' ^ '*'
				turned++
			}
			at++
		}
		if turned != 1 || '.'^'*' != 4 {
			t.Fatalf("%d places", turned)
		}
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		d = start(t, dir)
		if !strings.Contains(d.Trouble, `"fs.read_*" in the journal, "fs*read_*" in the table`) || d.health() != d.Trouble {
			t.Errorf("said %q", d.Trouble)
		}
		decides := func(tool string) (v permission.Verdict) {
			d.operate("POST", "/v1/evaluate", fmt.Sprintf(`{"toolName":%q}`, tool), &v)
			return v
		}
		if got := decides("fs.read_a"); got.Decision != permission.Ask {
			t.Errorf("before a person said so: %+v", got)
		}
		if status := d.ask(token, "1", "fs_delete_read_all"); status != 201 {
			t.Error(status)
		}
		var list struct{ Differences []permission.Difference }
		d.operate("GET", "/v1/differences", "", &list)
		if len(list.Differences) != 1 || list.Differences[0].Key != "reads" {
			t.Fatalf("%+v", list)
		}
		if status := d.as(token, "POST", "/v1/differences/settle", `{"ids":[],"take":"table"}`, nil); status != 403 {
			t.Errorf("an agent: %d", status)
		}
		d.operate("POST", "/v1/differences/settle", fmt.Sprintf(`{"ids":[%q],"take":%q}`, list.Differences[0].ID, take), nil)
		if got := decides("fs_delete_read_all"); (got.Decision == permission.Allow) != (take == "table") ||
			decides("fs.read_a").Decision != permission.Allow || d.health() != "" {
			t.Errorf("%s taken: %+v %s", take, got, d.health())
		}
		d.end()
		if d = start(t, dir); d.Trouble != "" {
			t.Errorf("at the next start: %s", d.Trouble)
		}
	}
}

// reads is what a desk answers to whoever looks at its data, without what is of the moment
// or of the folder's place.
func (d *daemon) reads() string {
	d.Helper()
	var all strings.Builder
	for _, path := range []string{"rules", "grants", "settings", "servers", "agents", "calls?limit=100", "calls?status=pending"} {
		var answer map[string]json.RawMessage
		status := d.as(operator, "GET", "/v1/"+path, "", &answer)
		for _, member := range []string{"now", "rev", "desk", "secrets", "declined"} {
			delete(answer, member)
		}
		raw, _ := json.Marshal(answer)
		fmt.Fprintf(&all, "%s: %d %s\n", path, status, raw)
	}
	return all.String()
}

// TestFlipsByRealStarts turns one bit of a used folder at a time: 5 of them, or as many as
// SEKISHO_FLIPS says, up to 200. Nothing is allowed that was not, and whatever reads
// differently is said.
func TestFlipsByRealStarts(t *testing.T) {
	count := 5
	if n, err := strconv.Atoi(os.Getenv("SEKISHO_FLIPS")); err == nil {
		count = min(n, 200)
	}
	dir, _ := used(t)
	d := start(t, dir)
	for _, c := range d.pending(20)[:10] {
		d.operate("POST", "/v1/calls/"+string(c.ID)+"/extend", `{"seconds":86400}`, nil) // it is not to expire meanwhile
	}
	for _, c := range d.pending(20)[10:] {
		d.decide(c, false, "because")
	}
	want := d.reads()
	d.end()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	said, same := 0, 0
	for range count {
		copied := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(copied, "sekisho.db")
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bit := random.IntN((len(raw)-100)*8) + 800 // behind the header, which has the format: a newer one is refused
		raw[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		d := start(t, copied)
		for tool, allowed := range map[string]bool{"read_file": true, "write_file": false, "xread_file": false, "delete": false} {
			var v permission.Verdict
			d.operate("POST", "/v1/evaluate", fmt.Sprintf(`{"toolName":%q}`, tool), &v)
			if v.Decision == permission.Allow && !allowed {
				t.Errorf("bit %d: %s is allowed", bit, tool)
			}
		}
		got := d.reads()
		switch {
		case d.health() != "":
			said++
		case got == want:
			same++
		default:
			t.Errorf("bit %d: it reads differently, and nothing is said:\n%s\n%s", bit, got, want)
		}
		d.kill()
	}
	t.Logf("%d bits: of %d a desk said something, %d read as before", count, said, same)
}
