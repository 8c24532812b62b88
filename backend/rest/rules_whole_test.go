package rest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

// ruled sends an edit of one rule and gives what is answered.
func (s *site) ruled(status int, method, path, body string) (rule permission.Rule, pendingMatches int) {
	s.t.Helper()
	got := s.send(method, path, tokenOp, body)
	if got.status != status {
		s.t.Fatalf("%s %s %s: %d %s", method, path, body, got.status, got.body)
	}
	var answer struct {
		Rule           permission.Rule
		PendingMatches int
	}
	got.into(s.t, &answer)
	return answer.Rule, answer.PendingMatches
}

// refused checks that a request is refused for a field.
func (s *site) refused(method, path, body, field string) {
	s.t.Helper()
	if got := s.send(method, path, tokenOp, body); got.status != 422 || got.problem(s.t).Field != field {
		s.t.Errorf("%s %s %s: %d %s, want 422 of %q", method, path, body, got.status, got.body, field)
	}
}

func TestWhenARuleWasMadeIsTakenAlike(t *testing.T) {
	s, agent := newWhole(t)
	for i, at := range []string{"2021-01-01T00:00:00Z", "2019-01-01t01:00:00.1239+01:00", "2020-01-01T00:00:00Z"} {
		s.ruled(201, "POST", "/v1/rules", fmt.Sprintf(`{"id":"r%d","effect":"ask","createdAt":%q}`, i, at))
	}
	var all struct{ Rules []permission.Rule }
	list := s.send("GET", "/v1/rules", tokenOp, "")
	list.into(t, &all)
	if r := all.Rules; r[0].ID != "r1" || r[1].ID != "r2" || r[2].ID != "r0" || r[0].CreatedAt.String() != "2019-01-01T00:00:00.123Z" ||
		r[0].UpdatedAt < r[2].CreatedAt {
		t.Errorf("rules in the order of judgement: %s", list.body)
	}
	if got := s.send("POST", "/v1/evaluate", agent, `{"toolName":"x"}`); !strings.Contains(string(got.body), `"rule":{"id":"r1"`) {
		t.Errorf("the oldest does not decide: %s", got.body)
	}
	for _, bad := range []string{`"yesterday"`, `""`, `5`, `"2020-01-01T00:00:00,5Z"`, `"2020-01-01"`, `"1970-01-01T00:00:00Z"`} {
		s.refused("POST", "/v1/rules", `{"createdAt":`+bad+`}`, "createdAt")
		s.refused("PATCH", "/v1/rules/r1", `{"createdAt":`+bad+`}`, "createdAt")
		s.refused("PUT", "/v1/rules", `{"rules":[{"createdAt":`+bad+`}]}`, "rules[0].createdAt")
		s.refused("POST", "/v1/policy/import", `{"document":{"format":"sekisho.rules","version":1,"rules":[{"id":"a","createdAt":`+bad+`}]}}`,
			"document.rules[0].createdAt")
		s.refused("POST", "/v1/rules/preview", `{"change":{"put":[{"createdAt":`+bad+`}]}}`, "change.put[0].createdAt")
		s.refused("POST", "/v1/rules", `{"expiresAt":`+bad+`}`, "expiresAt")
		s.refused("POST", "/v1/rules", `{"updatedAt":`+bad+`}`, "updatedAt")
	}
	if r, _ := s.ruled(201, "POST", "/v1/rules",
		`{"id":"now","createdAt":null,"expiresAt":"2099-01-01t00:00:00z"}`); r.CreatedAt != r.UpdatedAt ||
		r.ExpiresAt.String() != "2099-01-01T00:00:00.000Z" {
		t.Errorf("made now: %+v", r)
	}
	s.refused("PATCH", "/v1/rules/r1", `{"createdAt":"2018-01-01T00:00:00Z"}`, "createdAt")
	same, _ := s.ruled(200, "PATCH", "/v1/rules/r1", `{"createdAt":"2019-01-01T00:00:00.1234Z","note":"n","hits":7}`)
	if none, _ := s.ruled(200, "PATCH", "/v1/rules/r1", `{"createdAt":null}`); same.Note != "n" || none.CreatedAt != same.CreatedAt ||
		none.CreatedAt.String() != "2019-01-01T00:00:00.123Z" || none.Hits == 7 {
		t.Errorf("changed: %+v and %+v", same, none)
	}
	raw, _ := json.Marshal(same)
	if r, _ := s.ruled(200, "DELETE", "/v1/rules/r1", ""); r.CreatedAt != same.CreatedAt {
		t.Errorf("deleted %+v", r)
	}
	if r, _ := s.ruled(201, "POST", "/v1/rules", string(raw)); r.CreatedAt != same.CreatedAt {
		t.Errorf("brought back as it was: %+v", r)
	}
}

// imported sends a document and gives what it would change.
func (s *site) imported(status int, row, rules string, accept ...string) permission.RuleDiff {
	s.t.Helper()
	more := ""
	if row == "import" {
		names, _ := json.Marshal(append([]string{}, accept...))
		more = `,"accept":` + string(names)
	}
	got := s.send("POST", "/v1/policy/"+row, tokenOp, `{"document":{"format":"sekisho.rules","version":1,"rules":[`+rules+`]}`+more+`}`)
	if got.status != status {
		s.t.Fatalf("%s of %s: %d %s", row, rules, got.status, got.body)
	}
	var answer struct{ Diff permission.RuleDiff }
	if status == 200 {
		got.into(s.t, &answer)
	} else if got.problem(s.t).Field != "accept" {
		s.t.Errorf("%s of %s: %s", row, rules, got.body)
	}
	return answer.Diff
}

func TestAnImportAddsNoAllowRuleUnasked(t *testing.T) {
	s, _ := newWhole(t)
	for _, rule := range []string{`{"id":"off","effect":"allow","enabled":false}`,
		`{"id":"over","effect":"allow","expiresAt":"2020-01-01T00:00:00Z"}`, `{"id":"on","autoApprove":true,"toolName":"x"}`} {
		s.imported(422, "import", rule)
		diff := s.imported(200, "diff", rule)
		if len(diff.Allows) != 1 || diff.Allows[0] != diff.Added[0].ID {
			t.Errorf("%s: %+v", rule, diff)
		}
		s.imported(200, "import", rule, string(diff.Allows[0]))
	}
	s.imported(200, "import", `{"id":"ask"},{"id":"deny","effect":"deny","toolName":"y"}`)
	s.imported(422, "import", `{"id":"ask","effect":"allow","enabled":false}`)
}

func TestAnImportAsksNothingOfWhatReachesNoFurther(t *testing.T) {
	s, _ := newWhole(t)
	const wide = `{"id":"w","effect":"allow","toolPattern":"read_*","priority":5`
	s.ruled(201, "POST", "/v1/rules", wide+`}`)
	for _, narrower := range []string{wide + `,"note":"n"}`, wide + `,"examples":[{"toolName":"read_x","decision":"allow"}]}`,
		wide + `,"expiresAt":"2099-01-01T00:00:00Z"}`,
		wide + `,"condition":"input.a == 1"}`, wide + `,"serverId":"fs"}`, wide + `,"enabled":false}`,
		`{"id":"w","effect":"allow","toolName":"read_file","priority":5}`, `{"id":"w","effect":"allow","toolPattern":"read_f*","priority":4}`} {
		if diff := s.imported(200, "import", narrower); len(diff.Changed) != 1 || len(diff.Allows) != 0 {
			t.Errorf("%s: %+v", narrower, diff)
		}
		if diff := s.imported(200, "diff", wide+`}`); strings.Contains(narrower, "note") || strings.Contains(narrower, "examples") {
			s.imported(200, "import", wide+`}`)
		} else if len(diff.Allows) != 1 {
			t.Errorf("back from %s: %+v", narrower, diff)
		}
		s.imported(200, "import", wide+`}`, "w")
	}
}

func TestAnImportAnswersWhatIsStored(t *testing.T) {
	s, agent := newWhole(t)
	s.ruled(201, "POST", "/v1/rules", `{"id":"old","effect":"deny","toolName":"x"}`)
	s.ask(agent, "1", "x")
	const told = `"hits":99,"lastHitAt":"2020-01-01T00:00:00Z","updatedAt":"2020-01-01T00:00:00Z"`
	diff := s.imported(200, "import", `{"id":"new",`+told+`},{"id":"old","effect":"deny","toolName":"x","note":"n",`+told+`}`)
	if r := diff.Added[0]; r.Hits != 0 || r.LastHitAt != 0 || r.UpdatedAt < r.CreatedAt {
		t.Errorf("added %+v", r)
	}
	if r := diff.Changed[0].After; r.Hits != 1 || r.LastHitAt != diff.Changed[0].Before.LastHitAt || r.LastHitAt == 0 {
		t.Errorf("changed to %+v", r)
	}
	for _, r := range []permission.Rule{diff.Added[0], diff.Changed[0].After} {
		if stored, _ := s.ruled(200, "GET", "/v1/rules/"+string(r.ID), ""); stored.Hits != r.Hits || stored.LastHitAt != r.LastHitAt ||
			stored.UpdatedAt != r.UpdatedAt || stored.CreatedAt != r.CreatedAt {
			t.Errorf("answered %+v, stored %+v", r, stored)
		}
	}
}

func TestPendingMatchesCountWhatADenySettles(t *testing.T) {
	s, agent := newWhole(t)
	first, second := s.ask(agent, "1", "drop_a"), s.ask(agent, "2", "drop_b")
	s.ask(agent, "3", "read")
	if _, n := s.ruled(201, "POST", "/v1/rules", `{"id":"a","effect":"deny","toolName":"drop_a"}`); n != 1 {
		t.Errorf("a deny rule that settles one: %d", n)
	}
	s.ruled(201, "POST", "/v1/rules", `{"id":"b","effect":"ask","toolPattern":"drop_*"}`)
	if _, n := s.ruled(200, "PATCH", "/v1/rules/b", `{"effect":"deny"}`); n != 1 {
		t.Errorf("a rule that becomes a deny rule and settles one: %d", n)
	}
	for _, c := range []permission.Call{first, second} {
		if got := s.call(s.send("GET", "/v1/calls/"+string(c.ID), agent, "")); got.Status != permission.Denied {
			t.Errorf("%s is %s", c.ToolName, got.Status)
		}
	}
	if _, n := s.ruled(200, "GET", "/v1/rules/a", ""); n != 0 {
		t.Errorf("nothing waits, and %d match", n)
	}
	if _, n := s.ruled(201, "POST", "/v1/rules", `{"id":"c","autoApprove":true,"toolName":"read"}`); n != 1 {
		t.Errorf("an allow rule that releases nothing: %d", n)
	}
	if _, n := s.ruled(201, "POST", "/v1/rules", `{"id":"d","effect":"deny","priority":-1}`); n != 0 {
		t.Errorf("a deny rule below: %d", n)
	}
	if _, n := s.ruled(200, "DELETE", "/v1/rules/c", ""); n != 0 {
		t.Errorf("a rule that is gone: %d", n)
	}
}

func TestAPreviewSaysHowManyItCannotTellOf(t *testing.T) {
	s, agent := newWhole(t)
	for i := range 3 {
		c := s.ask(agent, fmt.Sprint(i), "read")
		if i == 2 {
			continue
		}
		s.send("POST", "/v1/calls/"+string(c.ID)+"/cancel", agent, `{"reason":"r"}`)
		if got := s.send("DELETE", "/v1/calls/"+string(c.ID)+"/input", tokenOp, ""); got.status >= 300 {
			t.Fatalf("wipe: %d %s", got.status, got.body)
		}
	}
	for condition, want := range map[string]string{
		"input.n > 0": `"changedTotal":1,"counts":{"ask>deny":1},"declined":0,"total":1,"unjudged":2,"matched":1,`,
		"agent.name == 'claude' && sessionId == 'r'":      `"changedTotal":3,"counts":{"ask>deny":3},"declined":0,"total":3,"unjudged":0,"matched":3,`,
		"agent.name == 'claude' || size(toolName) == 999": `"changedTotal":3,"counts":{"ask>deny":3},"declined":0,"total":3,"unjudged":0,"matched":3,`,
		"serverId == 'other'":                             `"changedTotal":0,"counts":{},"declined":0,"total":3,"unjudged":0,"matched":0,`,
	} {
		got := s.send("POST", "/v1/rules/preview", tokenOp, fmt.Sprintf(`{"change":{"put":[{"effect":"deny","condition":%q}]}}`, condition))
		if got.status != 200 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %s", condition, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/rules/preview", tokenOp,
		`{"change":{"put":[{"effect":"deny","toolName":"other","condition":"input.n > 0"}]}}`); !strings.Contains(string(got.body),
		`"total":3,"unjudged":0`) {
		t.Errorf("a condition about another tool: %s", got.body)
	}
}

func TestHitsCountWhatARuleDecidesOfWaitingCalls(t *testing.T) {
	s, agent := newWhole(t)
	for i, tool := range []string{"drop", "drop", "read", "read", "read"} {
		s.ask(agent, fmt.Sprint(i), tool)
	}
	made := map[string]permission.Rule{}
	made["deny"], _ = s.ruled(201, "POST", "/v1/rules", `{"id":"deny","effect":"deny","toolName":"drop"}`)
	s.ask(agent, "direct", "drop")
	made["allow"], _ = s.ruled(201, "POST", "/v1/rules", `{"id":"allow","effect":"allow","toolName":"read"}`)
	hits := func(id string, want int64) permission.Rule {
		t.Helper()
		r, _ := s.ruled(200, "GET", "/v1/rules/"+id, "")
		if was := made[id]; r.Hits != want || r.UpdatedAt != was.UpdatedAt || want > 0 && r.LastHitAt < was.UpdatedAt {
			t.Errorf("%s: %d hits, last at %v, updated at %v; want %d", id, r.Hits, r.LastHitAt, r.UpdatedAt, want)
		}
		return r
	}
	hits("deny", 3)
	hits("allow", 0) // it releases nothing by itself
	if got := s.send("POST", "/v1/calls/release", tokenOp, `{"ruleId":"allow"}`); got.status != 200 {
		t.Fatalf("release: %d %s", got.status, got.body)
	}
	hits("allow", 3)
	// A rule that speaks at the claim decides too; a person's answer is no rule's.
	c := s.ask(agent, "late", "read")
	hits("allow", 4)
	made["late"], _ = s.ruled(201, "POST", "/v1/rules", `{"id":"late","effect":"ask","priority":9}`)
	claim := fmt.Sprintf(`{"inputHash":%q,"claimant":"a","claimKey":"k"}`, c.InputHash)
	if got := s.send("POST", "/v1/calls/"+string(c.ID)+"/claim", agent, claim); got.status != 409 {
		t.Fatalf("claim: %d %s", got.status, got.body)
	}
	hits("late", 1)
	if got := s.send("POST", "/v1/calls/"+string(c.ID)+"/decision", tokenOp,
		fmt.Sprintf(`{"approved":true,"rev":2,"inputHash":%q}`, c.InputHash)); got.status != 200 {
		t.Fatalf("decision: %d %s", got.status, got.body)
	}
	made["never"], _ = s.ruled(201, "POST", "/v1/rules", `{"id":"never","effect":"deny","priority":10,"toolName":"read"}`)
	if got := s.send("POST", "/v1/calls/"+string(c.ID)+"/claim", agent, claim); got.status != 409 ||
		got.problem(t).Code != permission.CodeRevoked {
		t.Fatalf("claim: %d %s", got.status, got.body)
	}
	hits("never", 1)
	hits("late", 1)
	hits("allow", 4)
}

// damagedFolder is a data folder with stored rules of which some are none.
func damagedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const insert = "INSERT INTO tool_permission_rules (id, auto_approve, priority, created_at, updated_at, effect, enabled) VALUES "
	if _, err := db.Exec(insert +
		`('all',1,0,'2025-01-01T00:00:00Z','2025-01-01T00:00:00Z','allow',1), ('guard-1',0,'high','2025-01-01T00:00:00Z','2025-01-01T00:00:00Z','deny',1),
		('open',1,5,'2025-01-01T00:00:00Z','today','allow',1), ('no id',1,5,'2025-01-01T00:00:00Z','2025-01-01T00:00:00Z','allow',1);
		DELETE FROM journal_name`); err != nil {
		t.Fatal(err)
	}
	return dir
}

// takeTheTable says that the rows which the journal does not know hold. Until then none of
// them is changed.
func (s *site) takeTheTable() {
	s.t.Helper()
	if got := s.send("DELETE", "/v1/rules/guard-1", tokenOp, ""); got.status != 409 {
		s.t.Errorf("before a version is picked: %d %s", got.status, got.body)
	}
	var list struct{ Differences []permission.Difference }
	s.send("GET", "/v1/differences", tokenOp, "").into(s.t, &list)
	ids := make([]string, len(list.Differences))
	for i, d := range list.Differences {
		ids[i] = d.ID
	}
	body, err := json.Marshal(map[string]any{"ids": ids, "take": "table"})
	if err != nil {
		s.t.Fatal(err)
	}
	if got := s.send("POST", "/v1/differences/settle", tokenOp, string(body)); got.status != 200 || len(ids) == 0 {
		s.t.Errorf("settle %s: %d %s", ids, got.status, got.body)
	}
}

func TestADamagedRuleCanBeRemoved(t *testing.T) {
	s, agent := newWholeAt(t, damagedFolder(t))
	judged := func() string { return string(s.send("POST", "/v1/evaluate", agent, `{"toolName":"x"}`).body) }
	const why = "a stored rule is damaged (guard-1: its priority is not a whole number)"
	if got := judged(); !strings.HasPrefix(got, `{"decision":"ask","code":"guard_damaged",`) || !strings.Contains(got, `,"reason":"`+why) {
		t.Errorf("with a damaged guard: %s", got)
	}
	if got := s.send("DELETE", "/v1/rules/guard-1", tokenOp, "", "If-Match", `"2025-01-01T00:00:00.000Z"`); got.status != 412 {
		t.Errorf("what nobody can have seen: %d %s", got.status, got.body)
	}
	for path, want := range map[string]int{"/v1/rules/nope": 404, "/v1/rules/guard": 404} {
		if got := s.send("DELETE", path, tokenOp, ""); got.status != want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	s.takeTheTable()
	r, n := s.ruled(200, "DELETE", "/v1/rules/guard-1", "")
	if r.ID != "guard-1" || r.Enabled || r.Effect != permission.Ask || r.Note != "damaged: guard-1: its priority is not a whole number" ||
		n != 0 {
		t.Errorf("answered %+v, %d", r, n)
	}
	if got := judged(); !strings.HasPrefix(got, `{"decision":"allow"`) {
		t.Errorf("without it: %s", got)
	}
	if r, _ := s.ruled(200, "DELETE", "/v1/rules/open", ""); r.Note != "damaged: open: its updatedAt is not a time" {
		t.Errorf("answered %+v", r)
	}
	if got := s.send("DELETE", "/v1/rules/no%20id", tokenOp, ""); got.status != 200 {
		t.Errorf("an id that no rule can have: %d %s", got.status, got.body)
	}
	s.ruled(200, "DELETE", "/v1/rules/all", "")
	for _, path := range []string{"/v1/rules/guard-1", "/v1/rules/open", "/v1/rules/all", "/v1/rules/no%20id"} {
		if got := s.send("DELETE", path, tokenOp, ""); got.status != 404 {
			t.Errorf("%s again: %d %s", path, got.status, got.body)
		}
	}
}
