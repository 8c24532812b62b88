package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

func ruled(id, pattern string) permission.Rule {
	return permission.Rule{ID: permission.RuleID(id), ToolPattern: &pattern, AutoApprove: true, Effect: permission.Allow, Enabled: true,
		CreatedAt: 1_700_000_000_000, UpdatedAt: 1_700_000_000_000, Examples: []permission.Example{}}
}

func entry(kind permission.EntryKind) permission.Entry {
	return permission.Entry{At: 1_700_000_000_000, Kind: kind, Actor: permission.ActorPerson, Data: json.RawMessage(`{"what":"x"}`)}
}

func putRules(t testing.TB, s *Store, replace bool, rules ...permission.Rule) {
	t.Helper()
	if _, err := s.ChangeRules(context.Background(),
		permission.RuleChange{Replace: replace, Put: rules, Entry: entry(permission.RulesChanged)}); err != nil {
		t.Fatal(err)
	}
}

// furnished is a folder with something in every set.
func furnished(t testing.TB) string {
	dir, ctx := t.TempDir(), context.Background()
	s := opened(t, dir)
	putRules(t, s, false, ruled("reads", "fs.read_*"), ruled("lists", "list_*"))
	servers := []permission.Server{{ID: "fs", Transport: "stdio", Command: "npx", Enabled: true},
		{ID: "web", Transport: "stdio", Command: "web", Enabled: true}}
	tools := permission.ToolEdit{Put: []permission.ToolPin{{ServerID: "fs", ToolName: "read_file", Seen: "a", Pinned: "a", Launch: "l"}}}
	if _, err := s.ReplaceServers(ctx, permission.Versions{}, servers, tools, entry(permission.ServersChanged)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveSettings(ctx, permission.Versions{}, permission.DefaultSettings(), entry(permission.SettingsChanged)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := s.AddAgent(ctx, permission.Versions{}, permission.Agent{ID: permission.AgentID(name), Name: name, CreatedAt: 1},
			"hash-"+name,
			entry(permission.AgentsChanged)); err != nil {
			t.Fatal(err)
		}
	}
	again := permission.ToolEdit{Put: []permission.ToolPin{{ServerID: "web", ToolName: "get", Seen: "b"}}}
	if _, err := s.EditTools(ctx, permission.Versions{}, again); err != nil {
		t.Fatal(err)
	}
	err := s.write(ctx, func(t *tx) error {
		g := permission.Grant{ID: "g", Scope: permission.ScopeSession, Approved: true, CreatedAt: permission.TimeOf(time.Now())}
		return addGrant(t, &g, &permission.Call{ID: "c", Caller: permission.Caller{AgentID: "one", SessionID: "s"}, Risk: permission.RiskMedium})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tampered runs SQL on a folder that no desk has open.
func tampered(t testing.TB, dir string, statements ...string) {
	t.Helper()
	s, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sql := range statements {
		if _, err := s.db.Conn.Exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func ids(list []permission.Difference) (ids []string) {
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return ids
}

// TestRowsTestify: whatever another hand changes in a set is found at the next start, with
// both versions; the journal's can be taken, and the table's.
func TestRowsTestify(t *testing.T) {
	for name, c := range map[string]struct{ sql, set, key, words string }{
		"pattern": {"UPDATE tool_permission_rules SET tool_pattern = 'fs*read_*' WHERE id = 'reads'", "rules", "reads",
			`"fs.read_*" in the journal, "fs*read_*" in the table`},
		"priority": {"UPDATE tool_permission_rules SET priority = 1 WHERE id = 'reads'", "rules", "reads", "priority: 0 in the journal, 1"},
		"no rule":  {"DELETE FROM tool_permission_rules WHERE id = 'lists'", "rules", "lists", "it is missing"},
		"a rule": {"INSERT INTO tool_permission_rules (id, auto_approve, created_at, updated_at, effect) VALUES ('more', 1, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', 'allow')",
			"rules", "more", "the journal knows of none"},
		"grant":    {"UPDATE grants SET max_risk = 2", "grants", "g", "maxRisk"},
		"server":   {`UPDATE servers SET spec = replace(spec, 'npx', 'opx') WHERE id = 'fs'`, "servers", "fs", "opx"},
		"settings": {`UPDATE settings SET document = replace(document, '300', '390')`, "settings", "1", "document"},
		"name":     {`UPDATE agents SET name = 'three' WHERE id = 'two'`, "agents", "two", `"two" in the journal, "three"`},
		"agent":    {`INSERT INTO agents VALUES ('evil', 'evil', 'hash', 1, NULL, NULL, NULL)`, "agents", "evil", "the journal knows of none"},
		"stopped":  {`UPDATE agents SET stopped_until = 9 WHERE id = 'two'`, "agents", "two", "stoppedUntil: null in the journal, 9"},
		"no agent": {`DELETE FROM agents WHERE id = 'two'`, "agents", "two", "it is missing"},
		"token":    {`UPDATE agents SET token_hash = 'mine' WHERE id = 'one'`, "agents", "one", "tokenHash"},
		"pin": {`UPDATE tool_pins SET pinned = 'z' WHERE tool_name = 'read_file'`, "tools", "fs/read_file",
			`pinned: "a" in the journal, "z"`},
		"seen": {`DELETE FROM tool_pins WHERE tool_name = 'get'`, "tools", "web/get", "it is missing"},
	} {
		for _, take := range []permission.Version{permission.VersionJournal, permission.VersionTable} {
			t.Run(name+" "+string(take), func(t *testing.T) {
				dir := furnished(t)
				tampered(t, dir, c.sql)
				s := opened(t, dir)
				list := s.Differences()
				if len(list) != 1 || list[0].Set != c.set || list[0].Key != c.key || !strings.Contains(s.Disputed(), c.words) ||
					!strings.Contains(s.Disputed(), c.key) {
					t.Fatalf("%+v\n%s", list, s.Disputed())
				}
				if _, err := s.Settle(t.Context(), []string{list[0].ID + "0"}, take, entry(permission.StateSettled)); err == nil {
					t.Error("another difference was settled")
				}
				if _, err := s.Settle(t.Context(), ids(list), take, entry(permission.StateSettled)); err != nil || s.Disputed() != "" ||
					len(s.Differences()) != 0 {
					t.Fatalf("settled: %v, %s", err, s.Disputed())
				}
				chained(t, s)
				s.Close()
				s = opened(t, dir)
				if s.Disputed() != "" {
					t.Errorf("after the next start: %s", s.Disputed())
				}
				var pattern string
				if err := database.One(s.reader, &pattern, "SELECT tool_pattern FROM tool_permission_rules WHERE id = 'reads'"); err != nil ||
					(pattern == "fs.read_*") == (name == "pattern" && take == permission.VersionTable) {
					t.Errorf("%q, %v", pattern, err)
				}
				if agents, err := s.AgentTokens(t.Context()); err != nil ||
					(agents["mine"].ID == "one") != (name == "token" && take == permission.VersionTable) {
					t.Errorf("%v, %v", agents, err)
				}
			})
		}
	}
}

// TestWhatIsAsItWasSaysNothing: hits, times of hits and a start change no version.
func TestWhatIsAsItWasSaysNothing(t *testing.T) {
	dir := furnished(t)
	tampered(t, dir, "UPDATE tool_permission_rules SET hits = 9, last_hit_at = '2020-01-01T00:00:00.000Z'", "UPDATE grants SET hits = 4")
	s := opened(t, dir)
	if s.Disputed() != "" {
		t.Fatal(s.Disputed())
	}
	putRules(t, s, true, ruled("new", "a*"))
	if _, err := s.DeleteAgent(t.Context(), permission.Versions{}, "one", permission.Decision{}, entry(permission.AgentsChanged)); err != nil {
		t.Fatal(err)
	}
	chained(t, s)
	s.Close()
	s = opened(t, dir)
	if list, err := s.Grants(t.Context(), 0); s.Disputed() != "" || err != nil || len(list) != 0 {
		t.Fatal(s.Disputed(), list, err)
	}
}

// TestADisputeOutlivesOtherEdits: what nobody settled is still told after edits of other
// rows and another start; the row itself is not edited until a version was picked.
func TestADisputeOutlivesOtherEdits(t *testing.T) {
	dir := furnished(t)
	tampered(t, dir, "UPDATE tool_permission_rules SET tool_pattern = '*' WHERE id = 'reads'")
	s := opened(t, dir)
	putRules(t, s, false, ruled("new", "a*"))
	if _, err := s.TrimJournal(t.Context(), permission.TimeOf(time.Now()).Add(time.Hour), 0); err != nil {
		t.Fatal(err)
	}
	chained(t, s)
	s.Close()
	s = opened(t, dir)
	if list := s.Differences(); len(list) != 1 || list[0].Key != "reads" || !strings.Contains(string(list[0].Journal), "fs.read_*") {
		t.Fatalf("%+v", list)
	}
	for name, c := range map[string]permission.RuleChange{
		"an edit": {Put: []permission.Rule{ruled("reads", "b*")}}, "its end": {Delete: []permission.RuleID{"reads"}},
		"other rules": {Replace: true, Put: []permission.Rule{ruled("new", "c*")}},
	} {
		c.Entry = entry(permission.RulesChanged)
		if _, err := s.ChangeRules(t.Context(), c); !errors.Is(err, &permission.Error{Code: permission.CodeStale}) || s.Disputed() == "" {
			t.Errorf("%s: %v, %q", name, err, s.Disputed())
		}
	}
	if _, err := s.Settle(t.Context(), ids(s.Differences()), permission.VersionTable, entry(permission.StateSettled)); err != nil {
		t.Fatal(err)
	}
	putRules(t, s, false, ruled("reads", "b*"))
	s.Close()
	if s = opened(t, dir); s.Disputed() != "" {
		t.Error(s.Disputed())
	}
}

// TestAGrantInDisputeEnds: with its session, as the agent wants; what the journal says of it
// stays to be looked at.
func TestAGrantInDisputeEnds(t *testing.T) {
	dir := furnished(t)
	tampered(t, dir, "UPDATE grants SET max_risk = 2")
	s := opened(t, dir)
	for range 2 {
		if _, err := s.EndSession(t.Context(), "one", "s", permission.ActorPerson, s.Now()); err != nil {
			t.Fatal(err)
		}
		if list := s.Differences(); len(list) != 1 || list[0].Key != "g" || list[0].Table != nil || list[0].Journal == nil || s.Disputed() == "" {
			t.Fatalf("%+v %q", list, s.Disputed())
		}
		s.Close()
		s = opened(t, dir)
	}
	if _, err := s.Settle(t.Context(), ids(s.Differences()), permission.VersionTable, entry(permission.StateSettled)); err != nil ||
		s.Disputed() != "" {
		t.Errorf("%v %q", err, s.Disputed())
	}
}

// TestAJobThatFailsChangesNoAccount: alone and among others.
func TestAJobThatFailsChangesNoAccount(t *testing.T) {
	dir := furnished(t)
	s := opened(t, dir)
	failing := func(t *tx) error {
		if err := putRule(t, ruled("never", "*")); err != nil {
			return err
		}
		t.Touch("rules", "never")
		if err := t.Append(entry(permission.RulesChanged), nil); err != nil {
			return err
		}
		return os.ErrInvalid
	}
	for _, others := range [][]*job{nil, {note("x", nothing)}} {
		job := database.NewJob(t.Context(), failing)
		if commitAll(s, append(others, job)...); !errors.Is(job.Err(), os.ErrInvalid) {
			t.Error(job.Err())
		}
	}
	putRules(t, s, false, ruled("after", "a*")) // which tells the digests of all accounts
	s.Close()
	if s = opened(t, dir); s.Disputed() != "" {
		t.Error(s.Disputed())
	}
}

// TestDamageInTheJournalIsSaid: without a sound account nothing can be held against it, and
// a person has to say that the tables hold; edits do not.
func TestDamageInTheJournalIsSaid(t *testing.T) {
	dir := furnished(t)
	tampered(t, dir,
		`UPDATE journal SET data = replace(data, '"full"', '"fell"'), actor = 'persom' WHERE seq = (SELECT MAX(seq) FROM journal WHERE data LIKE '%"state":{%')`)
	s := opened(t, dir)
	list := s.Differences()
	if len(list) != 1 || list[0].Set != permission.SetJournal {
		t.Fatalf("%+v", list)
	}
	putRules(t, s, false, ruled("new", "a*"))
	s.Close()
	s = opened(t, dir)
	if list = s.Differences(); len(list) != 1 || list[0].Set != permission.SetJournal {
		t.Fatalf("after an edit: %+v", list)
	}
	if _, err := s.Settle(t.Context(), ids(list), permission.VersionJournal, entry(permission.StateSettled)); err == nil {
		t.Error("a damaged version was taken")
	}
	if _, err := s.Settle(t.Context(), ids(list), permission.VersionTable, entry(permission.StateSettled)); err != nil || s.Disputed() != "" {
		t.Errorf("%v %s", err, s.Disputed())
	}
	s.Close()
	if s = opened(t, dir); s.Disputed() != "" {
		t.Error(s.Disputed())
	}
}

// TestRowsThatNoJournalTellsOfAreInDispute, also where its name and all its entries about
// them are gone.
func TestRowsThatNoJournalTellsOfAreInDispute(t *testing.T) {
	dir := furnished(t)
	tampered(t, dir, "DELETE FROM journal_name", "UPDATE journal SET data = '{}'",
		"UPDATE tool_permission_rules SET tool_pattern = '*' WHERE id = 'reads'")
	s := opened(t, dir)
	if list := s.Differences(); len(list) != 11 || list[0].Key != permission.JournalNameKey || s.JournalName() != "" {
		t.Fatalf("%+v", list)
	}
	if _, err := s.Settle(t.Context(), ids(s.Differences()), permission.VersionTable, entry(permission.StateSettled)); err != nil ||
		s.Disputed() != "" {
		t.Errorf("%v %s", err, s.Disputed())
	}
	s.Close()
	if s = opened(t, dir); s.Disputed() != "" || s.JournalName() == "" {
		t.Error(s.Disputed())
	}
}
