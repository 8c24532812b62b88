package opa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// door has the rows of the dialect alone, and allows all that it is asked.
type door struct {
	api   *restwire.API
	query permission.Query // the latest
	asked int
}

func newDoor() *door {
	d := &door{api: restwire.New(restwire.Options{SchemaName: huma.DefaultSchemaNamer, Words: func(huma.Registry) {},
		Operator:     func(string) (string, bool) { return "", true },
		InputMembers: func() int { return 50_000 }, Logger: slog.New(slog.DiscardHandler)})}
	Add(d.api, d)
	d.api.Finish(nil)
	return d
}

func (d *door) Check(q permission.Query) error {
	var errs []error
	for field, s := range map[string]string{"toolName": q.ToolName, "serverId": orEmpty(q.ServerID), "sessionId": string(q.SessionID),
		"cwd": orEmpty(q.Cwd)} {
		if len(s) > 1000 {
			errs = append(errs, permission.Invalid(field, permission.FieldTooLong, "long").With(permission.Param("most", 1000)))
		}
	}
	return errors.Join(errs...)
}

func (d *door) Judge(_ context.Context, q permission.Query) (permission.Verdict, error) {
	d.query, d.asked = q, d.asked+1
	return permission.Verdict{Decision: permission.Allow}, nil
}

func (d *door) Known(context.Context, *string) ([]string, error) { return []string{"known"}, nil }

func (d *door) send(row, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://localhost/v1/data/sekisho/"+row, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, r)
	return w
}

func problemOf(t *testing.T, got *httptest.ResponseRecorder) (p restwire.Problem) {
	t.Helper()
	if err := json.Unmarshal(got.Body.Bytes(), &p); err != nil || p.Status != got.Code || p.Code == "" {
		t.Errorf("no problem: %d %s", got.Code, got.Body)
	}
	return p
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestDecisionReadsWhatIsThere(t *testing.T) {
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
			s := newDoor()
			got := s.send("decision", c.body)
			q := s.query
			if got.Code != 200 || q.ToolName != "x" || orEmpty(q.ServerID) != c.server || (q.ServerID == nil) != (c.server == "") ||
				string(q.SessionID) != c.session || orEmpty(q.Cwd) != c.cwd || string(q.Input) != c.input || q.AgentID != "" {
				t.Errorf("%d %s: asked %+v, input %q", got.Code, got.Body, q, q.Input)
			}
		})
	}
}

// What a question says beside what is read is any JSON: JSON.stringify writes half of a
// pair for a text that was cut in the middle of an emoji.
func TestPassesOverWhatItDoesNotRead(t *testing.T) {
	const levels = 60_000
	for name, other := range map[string]string{
		"half an emoji": `[{"role":"tool","content":"cut \ud83d"}]`, "half an emoji as a key": `{"\ude00":1}`, "a key twice": `{"a":1,"a":2}`,
		"deep":              strings.Repeat("[", 200) + strings.Repeat("]", 200),
		"as deep as can be": strings.Repeat(`[{"a":`, levels) + "0" + strings.Repeat("}]", levels),
	} {
		s := newDoor()
		got := s.send("decision", `{"metrics":`+other+`,"input":{"messages":`+other+
			`,"tool":{"name":"x"},"args":{"a":[1.0, "\ud83d\ude00"]},"tools":`+other+`,"sessionId":"s","x":`+other+`}}`)
		if q := s.query; got.Code != 200 || q.ToolName != "x" || string(q.Input) != `{"a":[1.0, "\ud83d\ude00"]}` || q.SessionID != "s" {
			t.Errorf("decision, %s: %d %.200s: asked %+v", name, got.Code, got.Body, q)
		}
		got = s.send("tools", `{"input":{"messages":`+other+`,"args":`+other+`,"providerOptions":{"openai":`+
			other+`,"sekisho":{"x":`+other+`,"tools":["b"]}},"cwd":"/"},"x":`+other+`}`)
		if got.Code != 200 || strings.TrimSpace(got.Body.String()) != `{"result":["b"]}` || orEmpty(s.query.Cwd) != "/" {
			t.Errorf("tools, %s: %d %.200s", name, got.Code, got.Body)
		}
	}
}

func TestIsStrictWithWhatItReads(t *testing.T) {
	s := newDoor()
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
		got := s.send(c.row, c.body)
		p := problemOf(t, got)
		if got.Code != 400 || p.Code != permission.CodeMalformed || len(p.Errors) != 1 ||
			!strings.HasPrefix(p.Errors[0].Location+": "+p.Errors[0].Message, c.at) {
			t.Errorf("%s %.100s: %d %.300s, want %s", c.row, c.body, got.Code, got.Body, c.at)
		}
	}
	body := `{"input":{"messages":` + half + `,"tool":{"name":"x"},"args":{"a":` + half + `}}}`
	if got := s.send("decision", body); !strings.Contains(got.Body.String(),
		fmt.Sprintf("(byte %d)", strings.LastIndex(body, `\ud83d`))) {
		t.Errorf("where it is: %s", got.Body)
	}
	if s.asked > 0 {
		t.Errorf("judged %d times", s.asked)
	}
	if got := s.send("decision", `{"input":{"tool":{"name":"x"},"args":`+deep(128)+`}}`); got.Code != 200 {
		t.Errorf("args as deep as an input may be: %d %s", got.Code, got.Body)
	}
}

// Whatever is wrong, the answer is no 200, which an SDK takes for "no opinion".
func TestNeverAnswersWithoutAResult(t *testing.T) {
	s := newDoor()
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
		{"tools", `{"input":{"tools":["x"` + strings.Repeat(`,"x"`, maxNames) + `]}}`, 422},
	} {
		got := s.send(c.row, c.body)
		if got.Code != c.status || strings.Contains(got.Body.String(), `"result"`) {
			t.Errorf("%s %.80s: %d %.200s", c.row, c.body, got.Code, got.Body)
		}
		problemOf(t, got)
	}
	if s.asked > 0 {
		t.Errorf("judged %d times", s.asked)
	}
}

func TestNamesWhatIsBadByItsTruePath(t *testing.T) {
	s := newDoor()
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
		got := s.send(c.row, `{"input":`+c.input+`}`)
		if p := problemOf(t, got); got.Code != 422 || p.Field != c.field || len(p.Errors) != 1 || p.Errors[0].Location != "body."+c.field {
			t.Errorf("%s %.60s: %d %.200s, want %s", c.row, c.input, got.Code, got.Body, c.field)
		} else if told := p.Errors[0].Code == permission.FieldTooLong && strings.Contains(got.Body.String(), `"most":1000`); !told &&
			strings.Contains(c.input, long) {
			t.Errorf("%s %.60s: what is wrong is said so: %s", c.row, c.input, got.Body)
		}
	}
}
