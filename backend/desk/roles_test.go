package desk_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// working is a session of agent a, who is a worker on a task in it.
var working = permission.MadeSession{ID: "made", AgentID: "a", ExpiresAt: 1 << 50, Standing: permission.Standing{
	Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"}}

// openWith is a desk with sessions that it made, over servers.
func openWith(t testing.TB, book *sessionbook.Book, servers ...permission.Server) (*desk.Desk, *sqlite.Store) {
	t.Helper()
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d, err := desk.Open(ctx, storetest.Stores(store), desk.Options{Logger: slog.New(slog.DiscardHandler), Standings: book})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close(); store.Close() })
	if _, _, err := d.Catalogue.ReplaceServers(ctx, "", servers); err != nil {
		t.Fatal(err)
	}
	return d, store
}

func tabled(table permission.ToolPermissions) permission.Server {
	return permission.Server{ID: "fs", Transport: permission.TransportStdio, Command: "x", Enabled: true, ToolPermissions: table}
}

func tableAsk(tool, id string) permission.Request {
	return permission.Request{Identity: permission.Identity{RunID: "run", ToolCallID: id}, ServerID: new("fs"), ToolName: tool,
		Input: []byte("{}")}
}

// TestATableComesBeforeRulesGrantsAndHold: what a caller may not use is denied by the guard, and no
// answer lifts that; a resource or a prompt is in no table.
func TestATableComesBeforeRulesGrantsAndHold(t *testing.T) {
	d, _ := openWith(t, sessionbook.New(map[string]permission.MadeSession{"h": working}, nil),
		tabled(permission.ToolPermissions{"read": permission.NeedsSession, "chat": permission.NeedsChat}))
	allow := permission.RuleForm{ServerID: new("fs"), Effect: new(permission.Allow), Enabled: true}
	if _, _, err := d.Policy.CreateRule(ctx, allow); err != nil {
		t.Fatal(err)
	}
	own, within := permission.Agent{ID: "a", Name: "A"}, permission.Agent{ID: "a", Name: "A", Session: "made"}
	for i, c := range []struct {
		agent  permission.Agent
		tool   string
		status permission.Status
		code   permission.ReasonCode
	}{
		{own, "read", permission.Denied, permission.ReasonAuthenticationRequired},
		{within, "read", permission.Approved, permission.ReasonRuleAllows},
		{within, "chat", permission.Denied, permission.ReasonChatRequired},
		{within, "other", permission.Denied, permission.ReasonToolNotRegistered},
		{permission.Agent{ID: "b", Name: "B", Session: "made"}, "read", permission.Denied, permission.ReasonAuthenticationRequired},
	} {
		for _, hold := range []bool{false, true} {
			if err := d.Policy.Hold(ctx, hold); err != nil {
				t.Fatal(err)
			}
			got, _, err := d.Calls.Ask(ctx, c.agent, tableAsk(c.tool, string(rune('a'+i))+map[bool]string{true: "h"}[hold]))
			want, code := c.status, c.code
			if hold && want == permission.Approved {
				want, code = permission.Pending, permission.ReasonHold
			}
			if err != nil || got.Status != want || got.Why.Code != code || (want == permission.Denied) != got.ByTable() {
				t.Errorf("%s, %s, hold %v: %s %s %v", c.agent.Session, c.tool, hold, got.Status, got.Why.Code, err)
			}
		}
	}
	read := tableAsk("file:///x", "uri")
	read.Method = "resources/read"
	if got, _, err := d.Calls.Ask(ctx, own, read); err != nil || got.Status == permission.Denied {
		t.Errorf("a resource: %s %v", got.Status, err)
	}
}

// TestASessionIsAskedInByItsTokenAlone: by no name of a session or of a run.
func TestASessionIsAskedInByItsTokenAlone(t *testing.T) {
	d, _ := openWith(t, sessionbook.New(map[string]permission.MadeSession{"h": working}, nil))
	own, within := permission.Agent{ID: "a", Name: "A"}, permission.Agent{ID: "a", Name: "A", Session: "made"}
	for what, c := range map[string]struct {
		agent   permission.Agent
		run     permission.RunID
		session permission.SessionID
		is      permission.SessionID // "": it is refused
	}{
		"its token":                 {within, "run", "", "made"},
		"its token, and its name":   {within, "run", "made", "made"},
		"its token, and another":    {within, "run", "other", ""},
		"its name":                  {own, "run", "made", ""},
		"a run of its name":         {own, "made", "", ""},
		"another":                   {own, "run", "other", "other"},
		"its name by another agent": {permission.Agent{ID: "b", Name: "B"}, "run", "made", "made"},
	} {
		r := tableAsk("x", what)
		r.RunID, r.SessionID = c.run, c.session
		got, _, err := d.Calls.Ask(ctx, c.agent, r)
		var e *permission.Error
		refused := errors.As(err, &e) && e.Field == "sessionId"
		if refused != (c.is == "") || !refused && (err != nil || got.SessionID != c.is) {
			t.Errorf("%s: %s %v", what, got.SessionID, err)
		}
	}
}

// TestAnotherTableJudgesWhatWaits, and what was approved is revoked when it is claimed.
func TestAnotherTableJudgesWhatWaits(t *testing.T) {
	book := sessionbook.New(map[string]permission.MadeSession{"h": working}, nil)
	d, _ := openWith(t, book, tabled(permission.ToolPermissions{"*": permission.NeedsTask}))
	within := permission.Agent{ID: "a", Name: "A", Session: "made"}
	waits, _, err := d.Calls.Ask(ctx, within, tableAsk("x", "1"))
	if err != nil || waits.Status != permission.Pending {
		t.Fatalf("%s %v", waits.Status, err)
	}
	yes, _, err := d.Calls.Ask(ctx, within, tableAsk("y", "2"))
	if err == nil {
		yes, _, _, err = d.Calls.Decide(ctx, yes.ID, permission.Answer{Approved: true, InputHash: yes.InputHash, Rev: yes.Rev})
	}
	if err != nil {
		t.Fatal(err)
	}
	other := tabled(permission.ToolPermissions{"*": permission.NeedsChat})
	if _, _, err := d.Catalogue.ReplaceServers(ctx, "", []permission.Server{other}); err != nil {
		t.Fatal(err)
	}
	if err := d.Calls.JudgeWaiting(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Calls.Call(ctx, permission.Operator(), waits.ID); err != nil || !got.ByTable() {
		t.Errorf("%s %v", got.Status, err)
	}
	claim := permission.ClaimRequest{InputHash: yes.InputHash, Claimant: "t", Key: "k"}
	if _, err := d.Calls.Claim(ctx, within, yes.ID, claim); !errors.Is(err, &permission.Error{Code: permission.CodeRevoked}) {
		t.Errorf("the approved one: %v", err)
	}
}

// BenchmarkTable judges a call of a server without a table, and of one with a table of 200 tools.
func BenchmarkTable(b *testing.B) {
	table := permission.ToolPermissions{"read": permission.NeedsTask}
	for i := range 200 {
		table["tool_"+string(rune('a'+i%26))+string(rune('a'+i/26))] = permission.NeedsChat
	}
	sessions := map[string]permission.MadeSession{"h": working}
	for i := range 1000 {
		s := working
		s.ID = permission.SessionID(rune(i + 1000))
		sessions["h"+string(s.ID)] = s
	}
	book := sessionbook.New(sessions, nil)
	for name, of := range map[string]permission.ToolPermissions{"none": nil, "200 tools": table} {
		b.Run(name, func(b *testing.B) {
			d, _ := openWith(b, book, tabled(of))
			allow := permission.RuleForm{ServerID: new("fs"), Effect: new(permission.Allow), Enabled: true}
			if _, _, err := d.Policy.CreateRule(ctx, allow); err != nil {
				b.Fatal(err)
			}
			q := permission.Query{ServerID: new("fs"), ToolName: "read", Input: []byte(`{"path":"a/b/c","n":1}`), Brief: true,
				Caller: permission.Caller{AgentID: "a", AgentName: "A", SessionID: "made"}}
			for b.Loop() {
				if v, err := d.Calls.Evaluate(context.Background(), q); err != nil || v.Decision != permission.Allow {
					b.Fatal(v, err)
				}
			}
		})
	}
}
