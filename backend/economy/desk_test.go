package economy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// fresh is a desk of its own with one agent and a person, who both come by HTTP.
type fresh struct {
	*testing.T
	url   string
	agent string         // its token
	asks  int            // makes ids of calls
	rules map[string]any // what the person made, by id
}

const operator = "operator-of-the-economy"

func newDesk(t *testing.T) *fresh {
	t.Helper()
	s, err := server.Open(t.Context(), server.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Operator: rest.NewOperator(operator),
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &fresh{T: t, url: s.URL, rules: map[string]any{}}
	var made struct{ Token string }
	d.send(operator, "POST", "/v1/agents", map[string]any{"name": "recorded"}, &made)
	d.agent = made.Token
	return d
}

// send makes a request that succeeds.
func (d *fresh) send(token, method, path string, body, answer any) {
	d.Helper()
	var content io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			d.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(d.Context(), method, d.url+path, content)
	if err != nil {
		d.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		d.Fatalf("%s %s: %s %v: %s", method, path, resp.Status, err, raw)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		d.Fatalf("%s %s: %v: %s", method, path, err, raw)
	}
}

// asked is a call as the desk shows it.
type asked struct {
	ID        string
	Status    string
	InputHash string
	Rev       int64
	Decision  *struct{ By string }
}

// ask is the agent's question. The day makes a session of it that no other day has.
func (d *fresh) ask(day string, c *call) asked {
	d.Helper()
	d.asks++
	var answer struct{ Call asked }
	d.send(d.agent, "POST", "/v1/calls", map[string]any{"runId": day + c.Session, "sessionId": day + c.Session,
		"toolCallId": fmt.Sprint("c", d.asks), "serverId": c.Server, "toolName": c.Tool, "input": c.Input, "cwd": c.Cwd}, &answer)
	return answer.Call
}

// run claims a call that may run, and says that it ran.
func (d *fresh) run(a asked) {
	d.Helper()
	path := "/v1/calls/" + a.ID
	var claimed struct{ Call struct{ ClaimID string } }
	d.send(d.agent, "POST", path+"/claim", map[string]any{"inputHash": a.InputHash, "claimant": "recorded", "claimKey": a.ID}, &claimed)
	d.send(d.agent, "POST", path+"/result", map[string]any{"claimId": claimed.Call.ClaimID, "ok": true}, nil)
}

// decide is the person's answer.
func (d *fresh) decide(a asked, approved bool, scope string) {
	d.Helper()
	d.send(operator, "POST", "/v1/calls/"+a.ID+"/decision", map[string]any{"approved": approved, "scope": scope, "inputHash": a.InputHash,
		"rev": a.Rev}, nil)
}

// first is the rule that the dialog offers first for a call: the one that is chosen when the
// composer opens. It is nil where none is offered.
func (d *fresh) first(a asked) map[string]any {
	d.Helper()
	var answer struct {
		Rules   []map[string]any
		Choices []struct{ First bool }
	}
	d.send(operator, "POST", "/v1/rules/widen", map[string]any{"callId": a.ID}, &answer)
	for i, c := range answer.Choices {
		if c.First {
			return answer.Rules[i]
		}
	}
	return nil
}

// keep saves a rule as it is offered.
func (d *fresh) keep(form map[string]any) {
	d.Helper()
	var made struct{ Rule map[string]any }
	d.send(operator, "POST", "/v1/rules", form, &made)
	d.rules[fmt.Sprint(made.Rule["id"])] = made.Rule["condition"]
}

// suggested are the rules that the Rules screen suggests.
func (d *fresh) suggested() (forms []map[string]any) {
	d.Helper()
	var answer struct {
		Suggestions []struct{ Rule map[string]any }
	}
	d.send(operator, "GET", "/v1/suggestions", nil, &answer)
	for _, s := range answer.Suggestions {
		forms = append(forms, s.Rule)
	}
	return forms
}

// verdict is what the desk would do with a call.
type verdict struct {
	Decision    string
	Rule        *struct{ ID string }
	Risk        string
	RiskReasons []struct{ Code string }
	Parts       []struct {
		Name     string
		Decision string
		Rule     *struct{ ID string }
	}
}

func (d *fresh) evaluate(c *call) (v verdict) {
	d.Helper()
	d.send(operator, "POST", "/v1/evaluate", map[string]any{"serverId": c.Server, "toolName": c.Tool, "input": c.Input, "cwd": c.Cwd,
		"sessionId": c.Session}, &v)
	return v
}
