package rest

import (
	"fmt"
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

func TestOPADecisionReadsWhatIsThere(t *testing.T) {
	for _, c := range []struct{ name, body, server, session, cwd, input string }{
		{"no input of the tool", `{"input":{"tool":{"name":"x"}}}`, "", "", "", ""},
		{"the tool's server", `{"input":{"tool":{"name":"x","serverId":"fs"},"serverId":"other","args":null}}`, "fs", "", "", "null"},
		{"the server beside it", `{"input":{"tool":{"name":"x","serverId":null},"serverId":"other","sessionId":"s","cwd":"/x","args": [1.0] }}`,
			"other", "s", "/x", "[1.0]"},
		{"unknown members everywhere", `{"input":{"tool":{"name":"x","kind":7},"x":{"y":[]},"args":5},"unknowns":["data.x"],"metrics":true}`, "",
			"", "", "5"},
		{"keys of another letter case are others",
			`{"Input":{"tool":{"name":"evil"}},"input":{"Tool":{"name":"evil"},"tool":{"name":"x","Name":"evil"},"Args":{"evil":1},"args":{},"ServerId":"evil"}}`, "", "", "", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, nil)
			got := s.send("POST", "/v1/data/sekisho/decision", tokenOp, c.body)
			q := s.desk.query
			if got.status != 200 || q.ToolName != "x" || orEmpty(q.ServerID) != c.server || (q.ServerID == nil) != (c.server == "") ||
				string(q.SessionID) != c.session || orEmpty(q.Cwd) != c.cwd || string(q.Input) != c.input || q.AgentID != "" {
				t.Errorf("%d %s: asked %+v, input %q", got.status, got.body, q, q.Input)
			}
		})
	}
}

// What a question says beside what is read is any JSON: JSON.stringify writes half of a
// pair for a text that was cut in the middle of an emoji.
func TestOPAPassesOverWhatItDoesNotRead(t *testing.T) {
	const levels = 60_000
	for name, other := range map[string]string{
		"half an emoji": `[{"role":"tool","content":"cut \ud83d"}]`, "half an emoji as a key": `{"\ude00":1}`, "a key twice": `{"a":1,"a":2}`,
		"deep":              strings.Repeat("[", 200) + strings.Repeat("]", 200),
		"as deep as can be": strings.Repeat(`[{"a":`, levels) + "0" + strings.Repeat("}]", levels),
	} {
		s := newSite(t, nil)
		got := s.send("POST", "/v1/data/sekisho/decision", tokenA, `{"metrics":`+other+`,"input":{"messages":`+other+
			`,"tool":{"name":"x"},"args":{"a":[1.0, "\ud83d\ude00"]},"tools":`+other+`,"sessionId":"s","x":`+other+`}}`)
		if q := s.desk.query; got.status != 200 || q.ToolName != "x" || string(q.Input) != `{"a":[1.0, "\ud83d\ude00"]}` || q.SessionID != "s" {
			t.Errorf("decision, %s: %d %.200s: asked %+v", name, got.status, got.body, q)
		}
		got = s.send("POST", "/v1/data/sekisho/tools", tokenA, `{"input":{"messages":`+other+`,"args":`+other+`,"providerOptions":{"openai":`+
			other+`,"sekisho":{"x":`+other+`,"tools":["b"]}},"cwd":"/"},"x":`+other+`}`)
		if got.status != 200 || strings.TrimSpace(string(got.body)) != `{"result":["b"]}` || orEmpty(s.desk.query.Cwd) != "/" {
			t.Errorf("tools, %s: %d %.200s", name, got.status, got.body)
		}
	}
}

func TestOPAIsStrictWithWhatItReads(t *testing.T) {
	s := newSite(t, nil)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	half := `"cut \ud83d"`
	for _, c := range []struct{ row, body, at string }{
		{"decision", `{"input":{"tool":{"name":"x"},"args":{"a":` + half + `}}}`, "body.input.args.a: lone surrogate escape"},
		{"decision", `{"input":{"tool":{"name":"x"},"args":{"a":1,"a":2}}}`, "body.input.args.a: duplicate key"},
		{"decision", `{"input":{"tool":{"name":"x"},"args":` + deep(129) + `}}`, "body.input.args"},
		{"decision", `{"input":{"tool":{"name":` + half + `}}}`, "body.input.tool.name"},
		{"decision", `{"input":{"tool":{"name":"x","name":"y"}}}`, "body.input.tool.name: duplicate"},
		{"decision", `{"input":{"tool":{"name":"x"},"\u0074ool":{"name":"y"}}}`, "body.input.tool: duplicate"},
		{"decision", `{"input":{"tool":{"name":"x"}},"input":{}}`, "body.input: duplicate"},
		{"decision", `{"input":{"tool":{"name":"x"},"messages":1,"messages":[]}}`, "body.input.messages: duplicate"},
		{"decision", `{"input":{"tool":{"name":"x"},"sessionId":` + half + `}}`, "body.input.sessionId"},
		{"decision", `{"input":{"tool":{"name":"x"},"serverId":` + half + `}}`, "body.input.serverId"},
		{"decision", `{"input":{"tool":{"name":"x"},"cwd":` + half + `}}`, "body.input.cwd"},
		{"decision", `{"input":{"tool":{"name":"x"},"messages":[` + half + `,nul]}}`, "body.input: syntax"},
		{"decision", "{\"input\":{\"tool\":{\"name\":\"x\"},\"messages\":[\"\xff\"]}}", "body.input: invalid UTF-8"},
		{"decision", `{"input":{"tool":{"name":"x"},"messages":[` + half + `]}`, "body: syntax"},
		{"tools", `{"input":{"tools":[` + half + `]}}`, "body.input.tools[0]"},
		{"tools", `{"input":{"tools":[{"name":"x","name":"y"}]}}`, "body.input.tools[0].name"},
		{"tools", `{"input":{"providerOptions":{"sekisho":{"tools":{"x":1,"x":2}}}}}`, "body.input.providerOptions.sekisho.tools.x"},
		{"tools", `{"input":{"providerOptions":{"sekisho":{},"sekisho":{"tools":["x"]}}}}`, "body.input.providerOptions.sekisho: dup"},
		{"tools", `{"input":{"providerOptions":{"sekisho":{"tools":["y"],"tools":["x"]}}}}`, "body.input.providerOptions.sekisho.tools: dup"},
	} {
		got := s.send("POST", "/v1/data/sekisho/"+c.row, tokenA, c.body)
		p := got.problem(t)
		if got.status != 400 || p.Code != permission.CodeMalformed || len(p.Errors) != 1 ||
			!strings.HasPrefix(p.Errors[0].Location+": "+p.Errors[0].Message, c.at) {
			t.Errorf("%s %.100s: %d %.300s, want %s", c.row, c.body, got.status, got.body, c.at)
		}
	}
	body := `{"input":{"messages":` + half + `,"tool":{"name":"x"},"args":{"a":` + half + `}}}`
	if got := s.send("POST", "/v1/data/sekisho/decision", tokenA, body); !strings.Contains(string(got.body),
		fmt.Sprintf("(byte %d)", strings.LastIndex(body, `\ud83d`))) {
		t.Errorf("where it is: %s", got.body)
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
	if got := s.send("POST", "/v1/data/sekisho/decision", tokenA, `{"input":{"tool":{"name":"x"},"args":`+deep(128)+`}}`); got.status != 200 {
		t.Errorf("args as deep as an input may be: %d %s", got.status, got.body)
	}
}

// Whatever is wrong, the answer is no 200, which an SDK takes for "no opinion".
func TestOPANeverAnswersWithoutAResult(t *testing.T) {
	s := newSite(t, nil)
	long := strings.Repeat("x", 70_000)
	for _, c := range []struct {
		row, body string
		status    int
	}{
		{"decision", ``, 400}, {"decision", `{`, 400}, {"decision", `{"input":{"a":1,"a":2}}`, 400}, {"decision", `{}`, 422},
		{"decision", `{"input":null}`, 422}, {"decision", `{"input":[]}`, 422}, {"decision", `{"input":"x"}`, 422},
		{"decision", `{"input":{}}`, 422},
		{"decision", `{"input":{"tool":null}}`, 422}, {"decision", `{"input":{"tool":{}}}`, 422}, {"decision", `{"input":{"tool":"x"}}`, 422},
		{"decision", `{"input":{"tool":{"name":5}}}`, 422}, {"decision", `{"input":{"tool":{"name":null}}}`, 422},
		{"decision", `{"input":{"tool":{"Name":"x"}}}`, 422},
		{"decision", `{"input":{"tool":{"name":"x","serverId":5}}}`, 422}, {"decision", `{"input":{"tool":{"name":"x"},"serverId":[]}}`, 422},
		{"decision", `{"input":{"tool":{"name":"x"},"sessionId":5}}`, 422}, {"decision", `{"input":{"tool":{"name":"x"},"cwd":{}}}`, 422},
		{"decision", `{"input":{"tool":{"name":"` + long + `"}}}`, 422},
		{"tools", `{}`, 422}, {"tools", `{"input":null}`, 422}, {"tools", `{"input":{"tools":"x"}}`, 422},
		{"tools", `{"input":{"tools":[5]}}`, 422}, {"tools", `{"input":{"tools":[{}]}}`, 422}, {"tools", `{"input":{"tools":[null]}}`, 422},
		{"tools", `{"input":{"tools":null}}`, 422},
		{"tools", `{"input":{"tools":[{"name":"x","serverId":5}]}}`, 422}, {"tools", `{"input":{"providerOptions":5}}`, 422},
		{"tools", `{"input":{"providerOptions":{"sekisho":[]}}}`, 422}, {"tools", `{"input":{"providerOptions":{"sekisho":{"tools":5}}}}`, 422},
		{"tools", `{"input":{"serverId":5}}`, 422}, {"tools", `{"input":{"tools":["` + long + `"]}}`, 422},
		{"tools", `{"input":{"tools":["x"` + strings.Repeat(`,"x"`, 1000) + `]}}`, 422},
	} {
		got := s.send("POST", "/v1/data/sekisho/"+c.row, tokenA, c.body)
		if got.status != c.status || strings.Contains(string(got.body), `"result"`) {
			t.Errorf("%s %.80s: %d %.200s", c.row, c.body, got.status, got.body)
		}
		got.problem(t)
	}
	if s.desk.counts["Evaluate"] > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

func TestOPANamesWhatIsBadByItsTruePath(t *testing.T) {
	s := newSite(t, nil)
	long := `"` + strings.Repeat("x", 70_000) + `"`
	for _, c := range []struct{ row, input, field string }{
		{"decision", `{"tool":{"name":5}}`, "input.tool.name"}, {"decision", `{"tool":{}}`, "input.tool.name"},
		{"decision", `{"tool":5}`, "input.tool"}, {"decision", `{"tool":{"name":"x","serverId":5}}`, "input.tool.serverId"},
		{"decision", `{"tool":{"name":"x"},"serverId":5}`, "input.serverId"},
		{"decision", `{"tool":{"name":"x"},"sessionId":5}`, "input.sessionId"}, {"decision", `{"tool":{"name":"x"},"cwd":5}`, "input.cwd"},
		{"decision", `{"tool":{"name":` + long + `}}`, "input.tool.name"},
		{"decision", `{"tool":{"name":"x","serverId":` + long + `},"serverId":"y"}`, "input.tool.serverId"},
		{"decision", `{"tool":{"name":"x"},"serverId":` + long + `}`, "input.serverId"},
		{"decision", `{"tool":{"name":"x"},"sessionId":` + long + `}`, "input.sessionId"},
		{"decision", `{"tool":{"name":"x"},"cwd":` + long + `}`, "input.cwd"},
		{"tools", `{"providerOptions":{"sekisho":5}}`, "input.providerOptions.sekisho"},
		{"tools", `{"providerOptions":5}`, "input.providerOptions"},
		{"tools", `{"providerOptions":{"sekisho":{"tools":5}}}`, "input.providerOptions.sekisho.tools"},
		{"tools", `{"providerOptions":{"sekisho":{"tools":["x",{"name":5}]}}}`, "input.providerOptions.sekisho.tools[1].name"},
		{"tools", `{"tools":[{"name":"x"},5]}`, "input.tools[1]"}, {"tools", `{"tools":[null]}`, "input.tools[0]"},
		{"tools", `{"tools":[{}]}`, "input.tools[0].name"}, {"tools", `{"tools":[{"name":"x","serverId":5}]}`, "input.tools[0].serverId"},
		{"tools", `{"tools":["x",` + long + `]}`, "input.tools[1]"},
		{"tools", `{"tools":[{"name":"x","serverId":` + long + `}]}`, "input.tools[0].serverId"},
		{"tools", `{"tools":["x"],"serverId":` + long + `}`, "input.serverId"},
		{"tools", `{"serverId":5}`, "input.serverId"},
	} {
		got := s.send("POST", "/v1/data/sekisho/"+c.row, tokenA, `{"input":`+c.input+`}`)
		if p := got.problem(t); got.status != 422 || p.Field != c.field || len(p.Errors) != 1 || p.Errors[0].Location != "body."+c.field {
			t.Errorf("%s %.60s: %d %.200s, want %s", c.row, c.input, got.status, got.body, c.field)
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
