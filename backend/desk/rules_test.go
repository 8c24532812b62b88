package desk_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

func TestRuleEditsActAtOnce(t *testing.T) {
	h := open(t)
	defer h.close()
	waiting := h.ask("write_file")
	form := permission.NewRuleForm()
	yes, tool := true, "write_file"
	form.AutoApprove, form.ToolName = &yes, &tool
	r, matches, err := h.CreateRule(ctx, form)
	if err != nil || matches != 1 || r.Effect != permission.Allow || !r.Enabled || r.Priority != 0 {
		t.Fatalf("create: %+v %d %v", r, matches, err)
	}
	h.want(waiting, permission.Pending, false) // an allow rule does not release what waits
	if c := h.ask("write_file"); c.Status != permission.Approved {
		t.Errorf("the new rule does not act: %+v", c)
	}
	no := false
	changed, _, err := h.UpdateRule(ctx, r.ID, r.UpdatedAt, func(f *permission.RuleForm) error { f.AutoApprove = &no; return nil })
	if err != nil || changed.Effect != permission.Ask || changed.UpdatedAt <= r.UpdatedAt || changed.CreatedAt != r.CreatedAt {
		t.Fatalf("update: %+v %v", changed, err)
	}
	if c := h.ask("write_file"); c.Status != permission.Pending || c.Why.Rule.ID != r.ID {
		t.Errorf("the changed rule does not act: %+v", c)
	}
	_, _, err = h.UpdateRule(ctx, r.ID, r.UpdatedAt, func(*permission.RuleForm) error { return nil })
	h.wantCode(err, permission.CodeLostUpdate, "")
	_, _, err = h.DeleteRule(ctx, r.ID, r.UpdatedAt)
	h.wantCode(err, permission.CodeLostUpdate, "")
	if _, _, err := h.DeleteRule(ctx, r.ID, 0); err != nil {
		t.Fatal(err)
	}
	if c := h.ask("write_file"); c.Why.Rule != nil {
		t.Errorf("the deleted rule acts: %+v", c)
	}
	_, _, err = h.DeleteRule(ctx, r.ID, 0)
	h.wantCode(err, permission.CodeNotFound, "")
}

func TestAnEditBeatsAVerdictOnItsWay(t *testing.T) {
	h := open(t)
	defer h.close()
	allowed := h.rule(permission.Allow, "write_*")
	// The store knows an edit that the desk has not compiled yet.
	denied := allowed
	denied.Effect, denied.AutoApprove = permission.Deny, false
	entry := permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson}
	if _, err := h.store.ChangeRules(ctx, permission.RuleChange{Put: []permission.Rule{denied}, Entry: entry}); err != nil {
		t.Fatal(err)
	}
	if c := h.ask("write_file"); c.Status != permission.Denied {
		t.Errorf("%+v", c)
	}
}

func TestARulesYesFallsWithItsRule(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.rule(permission.Allow, "write_*")
	c := h.ask("write_file")
	if _, _, err := h.DeleteRule(ctx, r.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Pending)
	if c = h.want(c, permission.Pending, false); c.Decision != nil || c.Why.Rule != nil {
		t.Errorf("it waits with %+v", c)
	}
	if c, err = h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	if _, err := h.claim(c); err != nil {
		t.Errorf("a person's yes is enough: %v", err)
	}
}

func TestADamagedGuardAllowsNothing(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.rule(permission.Allow, "*")
	h.rule(permission.Deny, "delete_*")
	h.close()
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(
		"UPDATE tool_permission_rules SET priority = 'high' WHERE effect = 'deny'; DELETE FROM journal_name; UPDATE journal SET data = '{}'"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	h = openAt(t, dir)
	defer h.close()
	for _, tool := range []string{"delete_all", "read_file"} {
		if c := h.ask(tool); c.Status != permission.Pending || !strings.Contains(c.Why.Reason, "damaged") {
			t.Errorf("%s: %+v", tool, c)
		}
	}
	// An edit that leaves the damaged row allows nothing either; one that replaces all does.
	if p, err := h.Preview(ctx, permission.Draft{Put: []permission.DraftRule{puts("new", effect(permission.Allow))}}); err != nil ||
		p.ChangedTotal != 0 || p.Matched != 2 {
		t.Errorf("preview of one more rule: %+v %v", p, err)
	}
	if p, err := h.Preview(ctx, instead(allowing("new", "*"))); err != nil || p.ChangedTotal != 2 {
		t.Errorf("preview of other rules: %+v %v", p, err)
	}
}

func TestRulesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.rule(permission.Allow, "read_*")
	h.close()
	h = openAt(t, dir)
	defer h.close()
	if c := h.ask("read_file"); c.Status != permission.Approved {
		t.Errorf("%+v", c)
	}
}

func TestBadRules(t *testing.T) {
	h := open(t)
	defer h.close()
	empty, long, other := "", string(make([]byte, 257)), permission.RuleID("no spaces")
	allow, yes := permission.Deny, true
	for field, change := range map[string]func(*permission.RuleForm){
		"serverId":             func(f *permission.RuleForm) { f.ServerID = &empty },
		"toolName":             func(f *permission.RuleForm) { f.ToolName = &long },
		"toolPattern":          func(f *permission.RuleForm) { f.ToolPattern = &empty },
		"priority":             func(f *permission.RuleForm) { f.Priority = 1 << 31 },
		"id":                   func(f *permission.RuleForm) { f.ID = &other },
		"autoApprove":          func(f *permission.RuleForm) { f.Effect, f.AutoApprove = &allow, &yes },
		"condition":            func(f *permission.RuleForm) { f.Condition = &long },
		"examples[0].decision": func(f *permission.RuleForm) { f.Examples = []permission.Example{{ToolName: "x", Decision: "maybe"}} },
	} {
		form := permission.NewRuleForm()
		change(&form)
		_, _, err := h.CreateRule(ctx, form)
		e, ok := err.(*permission.Error)
		if !ok || e.Code != permission.CodeInvalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	id := permission.RuleID("mine")
	form := permission.NewRuleForm()
	form.ID = &id
	if r, _, err := h.CreateRule(ctx, form); err != nil || r.ID != id {
		t.Errorf("own id: %+v %v", r, err)
	}
	_, _, err := h.CreateRule(ctx, form)
	h.wantCode(err, permission.CodeExists, "")
}

func TestDenyIsNotUndoneByAutoApproveFalse(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.rule(permission.Deny, "*")
	no := false
	got, _, err := h.UpdateRule(ctx, r.ID, 0, func(f *permission.RuleForm) error { f.AutoApprove = &no; return nil })
	if err != nil || got.Effect != permission.Deny {
		t.Errorf("%+v %v", got, err)
	}
}

func TestReplaceRulesIsAllOrNothing(t *testing.T) {
	h := open(t)
	defer h.close()
	old := h.rule(permission.Allow, "read_*")
	good := permission.Rule{ID: "good", Effect: permission.Ask, Enabled: true, CreatedAt: 5, Examples: []permission.Example{}}
	for _, bad := range [][]permission.Rule{
		{good, good},
		{good, {ID: "bad", Effect: "maybe"}},
	} {
		if _, _, err := h.ReplaceRules(ctx, 0, bad); code(err) != permission.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
		if c := h.ask("read_file"); c.Status != permission.Approved || c.Why.Rule.ID != old.ID {
			t.Errorf("half a replacement acts: %+v", c)
		}
	}
	_, before, _ := h.Rules(ctx)
	_, _, err := h.ReplaceRules(ctx, before+1, []permission.Rule{good})
	h.wantCode(err, permission.CodeLostUpdate, "")
	stored, version, err := h.ReplaceRules(ctx, before, []permission.Rule{good})
	if err != nil || len(stored) != 1 || stored[0].CreatedAt != 5 || stored[0].UpdatedAt < 6 || version != before+1 {
		t.Errorf("replaced: %+v %d %v", stored, version, err)
	}
	if c := h.ask("read_file"); c.Status != permission.Pending || c.Why.Rule.ID != "good" {
		t.Errorf("%+v", c)
	}
}

func TestServerSecretsAreKeptBehindTheMask(t *testing.T) {
	h := open(t)
	defer h.close()
	server := permission.Server{ID: "s", Transport: permission.TransportStdio, Command: "x", Env: map[string]string{"TOKEN": "secret"},
		Enabled: true}
	if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{server}); err != nil {
		t.Fatal(err)
	}
	server.Env = map[string]string{"TOKEN": permission.Mask, "NEW": "value"}
	if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{server}); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Server(ctx, "s"); err != nil || got.Env["TOKEN"] != "secret" || got.Env["NEW"] != "value" {
		t.Errorf("%+v %v", got, err)
	}
	entries, _, err := h.Entries(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if got := string(e.Data); !strings.HasPrefix(got, `{"servers":["s"]`) || strings.Contains(got, `"secret"`) ||
			strings.Contains(got, `"value"`) {
			t.Errorf("journal: %s", got)
		}
	}
	for field, change := range map[string]func(*permission.Server){
		"servers[0].id":        func(s *permission.Server) { s.ID = "a__b" },
		"servers[0].transport": func(s *permission.Server) { s.Transport = "pipe" },
		"servers[0].url":       func(s *permission.Server) { s.URL = "https://example.com/mcp" },
		"servers[0].headers":   func(s *permission.Server) { s.Headers = map[string]string{"X": "y"} },
		"servers[0].command":   func(s *permission.Server) { s.Command = " " },
		"servers[0].env":       func(s *permission.Server) { s.Env = map[string]string{"A=B": ""} },
		"servers[0].env.LOST":  func(s *permission.Server) { s.Env = map[string]string{"LOST": permission.Mask} },
	} {
		bad := server
		change(&bad)
		_, _, err := h.ReplaceServers(ctx, "", []permission.Server{bad})
		if e, ok := err.(*permission.Error); !ok || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, id := range []string{"Sekisho", "__proto__", "constructor", ".."} {
		server.ID = id
		if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{server}); code(err) != permission.CodeInvalid {
			t.Errorf("%s was taken: %v", id, err)
		}
	}
}

func TestAgents(t *testing.T) {
	h := open(t)
	defer h.close()
	a, token, err := h.CreateAgent(ctx, "Claude Code")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Authenticate(ctx, token); err != nil || got != a {
		t.Errorf("authenticate: %+v %v", got, err)
	}
	for _, bad := range []string{"", token + "x", a.Name, string(a.ID)} {
		if _, err := h.Authenticate(ctx, bad); code(err) != permission.CodeNotFound {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []string{"", " x", "a/b", "..", "a\u202eb", "a\nb"} {
		if _, _, err := h.CreateAgent(ctx, bad); code(err) != permission.CodeInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_, _, err = h.CreateAgent(ctx, "Claude Code")
	h.wantCode(err, permission.CodeExists, "")
	if gone, err := h.RemovedAgents(ctx); err != nil || len(gone) != 0 {
		t.Errorf("removed %v %v", gone, err)
	}
	if err := h.DeleteAgent(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	if gone, err := h.RemovedAgents(ctx); err != nil || len(gone) != 1 || gone[0] != a.ID {
		t.Errorf("removed %v %v", gone, err)
	}
	if _, err := h.Authenticate(ctx, token); code(err) != permission.CodeNotFound {
		t.Errorf("a deleted agent's token: %v", err)
	}
}

func TestEventsFollowCommits(t *testing.T) {
	h := open(t)
	events, stop := h.Subscribe()
	defer stop()
	c := h.ask("write_file")
	h.decide(c, true)
	for i, want := range []permission.EntryKind{permission.CallCreated, permission.CallDecided} {
		if e := <-events; e.Kind != want || e.CallID != c.ID || e.Seq != int64(i+1) || e.Agent != h.agent.ID {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	h.close()
	if _, open := <-events; open {
		t.Error("the desk closed and its events go on")
	}
}
