package rest

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// asSDK is what opaPolicy of @ai-sdk/policy-opa sends of itself.
const asSDK = `{"input":{"tool":{"name":"git"},"args":{"args":["push"], "n": 9007199254740993},"messages":[{"role":"user","content":"push it"}],"runtimeContext":{"role":"dev"}}}`

func TestOPADecision(t *testing.T) {
	for effect, word := range map[permission.Effect]string{permission.Allow: "allow", permission.Ask: "requires-approval",
		permission.Deny: "deny", "odd": "deny", "": "deny"} {
		s := newSite(t, nil)
		s.desk.verdict = func(permission.Query) permission.Verdict {
			return permission.Verdict{Decision: effect, Explanation: permission.Said("because")}
		}
		got := s.send("POST", "/v1/data/sekisho/decision", tokenA, asSDK)
		if want := `{"result":{"decision":"` + word + `","reason":"because"}}`; got.status != 200 || strings.TrimSpace(string(got.body)) != want {
			t.Errorf("%s: %d %s", effect, got.status, got.body)
		}
		q := s.desk.query
		if q.ToolName != "git" || string(q.Input) != `{"args":["push"], "n": 9007199254740993}` || q.ServerID != nil || q.AgentID != "agent-a" ||
			q.AgentName != "A" || q.SessionID != "" || q.Cwd != nil {
			t.Errorf("asked %+v, input %s", q, q.Input)
		}
		if s.desk.touched() != 1 {
			t.Errorf("the desk did %v", s.desk.counts)
		}
	}
}

func TestOPATakesTheParametersOfOPA(t *testing.T) {
	s := newSite(t, nil)
	for _, query := range []string{"?pretty", "?pretty=true",
		"?explain=full&metrics=true&instrument=true&provenance=true&strict-builtin-errors=true", "?other=1"} {
		for row, body := range map[string]string{"decision": asSDK, "tools": `{"input":{}}`} {
			if got := s.send("POST", "/v1/data/sekisho/"+row+query, tokenA, body); got.status != 200 ||
				!strings.Contains(string(got.body), `{"result":`) {
				t.Errorf("%s%s: %d %s", row, query, got.status, got.body)
			}
		}
	}
	if got := s.send("GET", "/v1/data/sekisho/decision", tokenA, ""); got.status != 405 {
		t.Errorf("GET: %d", got.status)
	}
}

// bookOfTools is a rule set in the order of judgement, and how a desk judges by it
// where there is no input to look at.
func bookOfTools(s *site) {
	name := func(s string) *string { return &s }
	s.desk.book = []permission.Rule{
		{ID: "bash-if", ToolName: name("bash"), Condition: name("input.safe"), Effect: permission.Allow, Enabled: true},
		{ID: "no-bash", ToolName: name("bash"), Effect: permission.Deny, Enabled: true},
		{ID: "off", ToolPattern: name("delete_*"), Condition: name("true"), Effect: permission.Allow},
		{ID: "no-delete", ToolPattern: name("DELETE_*"), Effect: permission.Deny, Enabled: true},
		{ID: "write-if", ToolName: name("write"), Condition: name("input.bad"), Effect: permission.Deny, Enabled: true},
		{ID: "fs", ServerID: name("fs"), ToolName: name("list"), Effect: permission.Allow, Enabled: true},
		{ID: "read", ToolName: name("read"), Effect: permission.Allow, Enabled: true},
		{ID: "gone", ToolName: name("gone"), Effect: permission.Allow},
		{ID: "late-if", Condition: name("true"), Effect: permission.Ask, Enabled: true},
	}
	denies := map[string]permission.RuleID{"bash": "no-bash", "delete_file": "no-delete", "write": "write-if"}
	s.desk.verdict = func(q permission.Query) permission.Verdict {
		if id, ok := denies[q.ToolName]; ok {
			return permission.Verdict{Decision: permission.Deny, Rule: &permission.RuleRef{ID: id}, Conditional: id != "no-delete"}
		}
		if q.ToolName == "guarded" {
			return permission.Verdict{Decision: permission.Deny}
		}
		return permission.Verdict{Decision: permission.Ask}
	}
}

func TestOPATools(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"names", `{"tools":["read","delete_file","other","read","guarded"]}`, `["read","other"]`},
		{"what depends on the input stays", `{"tools":["bash","write","delete_file"]}`, `["bash","write"]`},
		{"objects",
			`{"tools":[{"type":"function","name":"read"},{"name":"delete_file"},{"type":"provider","id":"openai.search","name":"search","serverId":null}]}`, `["read","search"]`},
		{"keys", `{"tools":{"zeta":{},"delete_file":{"description":"x"},"alpha":1}}`, `["alpha","zeta"]`},
		{"in the provider's options", `{"messages":[],"providerOptions":{"sekisho":{"tools":["x","delete_file"]},"openai":{}}}`, `["x"]`},
		{"none of them", `{"tools":[]}`, `[]`},
		{"as the middleware asks of itself", `{"messages":[{"role":"user"}],"providerOptions":null}`, `["bash","write","read"]`},
		{"of a server", `{"serverId":"fs"}`, `["bash","write","list","read","fs-tool"]`},
		{"of a server that is not known", `{"serverId":"nope"}`, `["bash","write","read"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, func(o *Options) {
				o.ServerState = func(s permission.Server) (string, []string) { return "idle", []string{s.ID + "-tool", "delete_file"} }
			})
			s.desk.servers = []permission.Server{{ID: "fs"}, {ID: "web"}}
			bookOfTools(s)
			got := s.send("POST", "/v1/data/sekisho/tools", tokenA, `{"input":`+c.input+`}`)
			if got.status != 200 || strings.TrimSpace(string(got.body)) != `{"result":`+c.want+`}` {
				t.Errorf("%d %s, want %s", got.status, got.body, c.want)
			}
			if s.desk.query.AgentID != "agent-a" && c.want != `[]` {
				t.Errorf("asked for %+v", s.desk.query)
			}
		})
	}
}

func TestOPAToolsAreOfTheServerThatIsNamed(t *testing.T) {
	s := newSite(t, nil)
	bookOfTools(s)
	servers := map[string]string{}
	s.desk.verdict = func(q permission.Query) permission.Verdict {
		servers[q.ToolName] = orEmpty(q.ServerID)
		return permission.Verdict{Decision: permission.Ask}
	}
	s.send("POST", "/v1/data/sekisho/tools", tokenA, `{"input":{"serverId":"fs","tools":["a",{"name":"b","serverId":"web"},{"name":"c"}]}}`)
	if servers["a"] != "fs" || servers["b"] != "web" || servers["c"] != "fs" {
		t.Errorf("judged for %v", servers)
	}
}
