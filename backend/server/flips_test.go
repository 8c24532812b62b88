package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/secret"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

var quiet = slog.New(slog.DiscardHandler)

// opened is a desk over a folder as Open has it, without its doors.
func opened(ctx context.Context, dir string) (*desk.Desk, *sqlite.Store, error) {
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	d, err := desk.Open(ctx, storetest.Stores(store), desk.Options{Logger: quiet, Secrets: secret.New(dir)})
	if err != nil {
		store.Close()
		return nil, nil, err
	}
	return d, store, nil
}

// must fails the test on an error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// lived is a folder with rules, servers, agents, pins, a grant and calls in many states,
// which a desk ended cleanly, or, when killed, did not.
func lived(t *testing.T, killed bool) string {
	ctx, dir := t.Context(), t.TempDir()
	d, store, err := opened(ctx, dir)
	must(t, err)
	pattern, server := "read_*", "fs"
	for i := range 30 {
		name, allow := fmt.Sprintf("list_%d_*", i), i%2 == 0
		_, _, err := d.Policy.CreateRule(ctx, permission.RuleForm{ToolPattern: &name, AutoApprove: &allow, Enabled: true, Priority: int64(i)})
		must(t, err)
	}
	allow := true
	_, _, err = d.Policy.CreateRule(ctx, permission.RuleForm{ToolPattern: &pattern, AutoApprove: &allow, Enabled: true})
	must(t, err)
	_, _, err = d.Catalogue.ReplaceServers(ctx, "",
		[]permission.Server{{ID: server, Transport: permission.TransportStdio, Command: "true", Args: []string{"x"}}})
	must(t, err)
	_, err = d.Policy.ChangeSettings(ctx, func(s *permission.Settings) error {
		s.UndoSeconds, s.Deadlines = 4, permission.Deadlines{} // what waits is not to expire while bits are turned
		return nil
	})
	must(t, err)
	agent, _, err := d.Catalogue.CreateAgent(ctx, "agent")
	must(t, err)
	for i := range 40 {
		tool := []string{"read_file", "write_file", "send", "run"}[i%4]
		c, _, err := d.Calls.Ask(ctx, agent,
			permission.Request{Identity: permission.Identity{RunID: "run", ToolCallID: fmt.Sprint(i), SessionID: "s"}, ServerID: &server,
				ToolName: tool, Input: json.RawMessage(fmt.Sprintf(`{"path":"/tmp/%d"}`, i))})
		must(t, err)
		if c.Status == permission.Pending && i%3 == 0 {
			answer := permission.Answer{InputHash: c.InputHash, Rev: c.Rev, Approved: i%2 == 0, Scope: permission.ScopeOnce, Reason: "because"}
			if i == 6 {
				answer.Scope, answer.Approved = permission.ScopeClass, true
			}
			_, _, _, err := d.Calls.Decide(ctx, c.ID, answer)
			must(t, err)
		}
	}
	if killed {
		t.Cleanup(func() { d.Close(); store.Close() })
		return dir
	}
	d.Close()
	must(t, store.Close())
	return dir
}

// look is what a desk answers: by the name of each set, what is there.
func look(ctx context.Context, d *desk.Desk) map[string]string {
	seen := map[string]string{}
	add := func(name string, what any, err error) {
		raw, _ := json.Marshal(what)
		seen[name] = fmt.Sprint(string(raw), err)
	}
	rules, _, err := d.Policy.Rules(ctx)
	for i := range rules {
		rules[i].Hits, rules[i].LastHitAt = 0, 0
	}
	add("rules", rules, err)
	grants, err := d.Policy.Grants(ctx)
	for i := range grants {
		grants[i].Hits = 0
	}
	add("grants", grants, err)
	settings, err := d.Policy.Settings(ctx)
	add("settings", settings, err)
	servers, err := d.Catalogue.Servers(ctx)
	for i := range servers {
		servers[i].Lacks = ""
	}
	add("servers", servers, err)
	agents, err := d.Catalogue.Agents(ctx)
	add("agents", agents, err)
	calls, _, _, err := d.Calls.List(ctx, permission.Operator(), permission.CallFilter{Limit: 100})
	add("calls", calls, err)
	open, _, _, err := d.Calls.List(ctx, permission.Operator(),
		permission.CallFilter{Limit: 100, Statuses: []permission.Status{permission.Pending, permission.Approved}})
	add("open calls", open, err)
	for i := range calls {
		c, err := d.Calls.Call(ctx, permission.Operator(), calls[i].ID)
		add("call "+string(calls[i].ID), c, err)
	}
	return seen
}

// probes are tools, and what becomes of them.
func probes(ctx context.Context, d *desk.Desk) map[string]permission.Effect {
	got := map[string]permission.Effect{}
	for _, tool := range []string{"read_file", "read-file", "xread_file", "write_file", "send", "run", "list_2_x", "list_3_x", "list_x"} {
		v, err := d.Calls.Evaluate(ctx, permission.Query{ToolName: tool})
		if got[tool] = v.Decision; err != nil {
			got[tool] = permission.Ask
		}
	}
	return got
}

// copyData copies a database and its log.
func copyData(t *testing.T, from, to string) {
	must(t, os.MkdirAll(to, 0o700))
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(filepath.Join(from, database.FileName+suffix))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, database.FileName+suffix), raw, 0o600)
		}
		if err != nil && (suffix == "" || !os.IsNotExist(err)) {
			t.Fatal(err)
		}
	}
}

// flip turns one bit of a file of the folder.
func flip(t *testing.T, dir string, random *rand.Rand) string {
	names := []string{database.FileName}
	if info, err := os.Stat(filepath.Join(dir, database.FileName+"-wal")); err == nil && info.Size() > 0 {
		names = append(names, database.FileName+"-wal")
	}
	name := names[random.IntN(len(names))]
	raw, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	bit := random.IntN(len(raw) * 8)
	raw[bit/8] ^= 1 << (bit % 8)
	must(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	return fmt.Sprintf("%s bit %d", name, bit)
}

// TestFlips turns single bits, 100 of them or as many as SEKISHO_FLIPS says: nothing is
// allowed that was not, and whatever reads differently is said.
func TestFlips(t *testing.T) {
	count := 100
	if n, err := strconv.Atoi(os.Getenv("SEKISHO_FLIPS")); err == nil {
		count = n
	}
	ctx, random := t.Context(), rand.New(rand.NewPCG(7, rand.Uint64()))
	sources := []string{lived(t, false), lived(t, true)}
	var wanted []map[string]string
	var allowed []map[string]permission.Effect
	work := filepath.Join(t.TempDir(), "work")
	for _, source := range sources {
		copyData(t, source, work)
		d, store, err := opened(ctx, work)
		must(t, err)
		wanted, allowed = append(wanted, look(ctx, d)), append(allowed, probes(ctx, d))
		d.Close()
		must(t, store.Close(), os.RemoveAll(work))
	}
	refused, said, same := 0, 0, 0
	for i := range count {
		copyData(t, sources[i%2], work)
		place := flip(t, work, random)
		d, store, err := opened(ctx, work)
		if err != nil {
			if _, trouble := database.Trouble(err); !trouble && !errors.Is(err, database.ErrFormat) { // the format stands in the header
				t.Errorf("%s: an error that is no trouble: %v", place, err)
			}
			refused++
			must(t, os.RemoveAll(work))
			continue
		}
		for tool, effect := range probes(ctx, d) {
			if effect == permission.Allow && allowed[i%2][tool] != permission.Allow {
				t.Errorf("%s: %s is allowed", place, tool)
			}
		}
		seen := look(ctx, d)
		words := d.Policy.Trouble() + store.Damage() + store.Torn()
		differs := false
		for name, want := range wanted[i%2] {
			if seen[name] != want {
				if differs = true; words == "" {
					t.Errorf("%s: %s differ, and nothing is said:\n%s\n%s", place, name, seen[name], want)
				}
			}
		}
		switch {
		case words != "":
			said++
		case !differs:
			same++
		}
		d.Close()
		store.Close()
		must(t, os.RemoveAll(work))
	}
	t.Logf("%d flips: %d folders refused as damaged, %d said, %d read as before", count, refused, said, same)
}
