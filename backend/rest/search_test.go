package rest

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// found lists the calls of a query by their tools.
func (s *site) found(token, query string) (tools []string, now permission.Time) {
	s.t.Helper()
	got := s.send("GET", "/v1/calls?"+query, token, "")
	if got.status != 200 {
		s.t.Fatalf("%s: %d %s", query, got.status, got.body)
	}
	var body struct {
		Calls []permission.Call
		Now   permission.Time
	}
	got.into(s.t, &body)
	for _, c := range body.Calls {
		tools = append(tools, c.ToolName)
	}
	return tools, body.Now
}

func TestCallsAreSearched(t *testing.T) {
	s, agent := newWhole(t)
	for i, tool := range []string{"read_file", "Write_File", "100%", "readXfile"} {
		s.ask(agent, itoa(i), tool)
	}
	var made struct{ Token string }
	s.send("POST", "/v1/agents", tokenOp, `{"name":"reader"}`).into(t, &made)
	s.ask(made.Token, "1", "other")
	for query, want := range map[string]string{
		"q=FILE": "readXfile Write_File read_file", "q=d_f": "read_file", "q=" + url.QueryEscape("0%"): "100%",
		"q=read": "other readXfile read_file", "q=nothing": "", "q=CLAUDE&limit=1": "readXfile",
		"q=file&status=pending,declined&order=oldest": "read_file Write_File readXfile", "q=file&status=declined,+claimed": "",
	} {
		if got, _ := s.found(tokenOp, query); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got, _ := s.found(agent, "q=other"); len(got) > 0 {
		t.Errorf("an agent finds another's: %q", got)
	}
	for _, query := range []string{"q=" + strings.Repeat("x", 257), "status=pending,unknown", "q=a&q2=b"} {
		if got := s.send("GET", "/v1/calls?"+query, tokenOp, ""); got.status != 422 || got.problem(t).Field == "" {
			t.Errorf("%.40s: %d %s", query, got.status, got.body)
		}
	}
}

// TestABriefList leaves out what can be large, and nothing that a person is asked by; what calls do is
// told all the same.
func TestABriefList(t *testing.T) {
	s, agent := newWhole(t)
	body := `{"runId":"r","toolCallId":"1","serverId":"fs","toolName":"ask_me","input":{"secret":1},"resumeSchema":{"type":"object"}}`
	if got := s.send("POST", "/v1/calls", agent, body); got.status != 201 {
		t.Fatal(string(got.body))
	}
	for query, want := range map[string]bool{"": true, "brief=false": true, "brief=true": false} {
		got := s.send("GET", "/v1/calls?"+query, tokenOp, "")
		if strings.Contains(string(got.body), "secret") != want || !strings.Contains(string(got.body), `"resumeSchema":{"type":"object"}`) {
			t.Errorf("%s: %s", query, got.body)
		}
	}
	edit := `{"runId":"r","toolCallId":"2","serverId":"fs","toolName":"edit","input":{"path":"a.txt","old_str":"x","new_str":"SECRET"}}`
	if got := s.send("POST", "/v1/calls", agent, edit); got.status != 201 {
		t.Fatal(string(got.body))
	}
	for _, path := range []string{"?brief=true", "?brief=false"} {
		got := s.send("GET", "/v1/calls"+path, tokenOp, "")
		if !strings.Contains(string(got.body), `"code":"edits_file","params":{"path":"a.txt","added":1,"removed":1}`) {
			t.Errorf("%s: what the call does is not said: %s", path, got.body)
		}
	}
	if got := s.send("GET", "/v1/calls?brief=maybe", tokenOp, ""); got.status != 422 {
		t.Errorf("brief=maybe: %d %s", got.status, got.body)
	}
}

func TestAListTellsTheTime(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_123)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return at } })
	if _, now := s.found(tokenA, ""); now != permission.TimeOf(at) {
		t.Errorf("the desk's clock says %s", now)
	}
}

// TestAResultThatIsNoText does not spoil the list that it is in.
func TestAResultThatIsNoText(t *testing.T) {
	s, agent := newWhole(t)
	c := s.ask(agent, "1", "write_file")
	yes := `{"approved":true,"rev":1,"inputHash":"` + c.InputHash + `"}`
	if got := s.send("POST", "/v1/calls/"+string(c.ID)+"/decision", tokenOp, yes); got.status != 200 {
		t.Fatal(string(got.body))
	}
	claimed := s.call(s.send("POST", "/v1/calls/"+string(c.ID)+"/claim", agent,
		`{"inputHash":"`+c.InputHash+`","claimant":"c","claimKey":"k"}`))
	_, err := s.whole.Calls.Finish(t.Context(), permission.Agent{ID: c.AgentID}, c.ID,
		permission.Outcome{ClaimID: *claimed.ClaimID, OK: true, Output: json.RawMessage("{\"text\":\"a\xffb\"}")})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/calls", "/v1/calls/" + string(c.ID)} {
		if got := s.send("GET", path, tokenOp, ""); !utf8.Valid(got.body) || !strings.Contains(string(got.body), "a\ufffdb") {
			t.Errorf("%s: %q", path, got.body)
		}
	}
}
