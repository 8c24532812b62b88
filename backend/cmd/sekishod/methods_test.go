package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// recordingServer is an MCP server of both eras that writes down every message it gets,
// and has an answer for everything.
const recordingServer = `
const fs = require('fs');
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  fs.appendFileSync(process.env.LOG, line + '\n');
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method] ?? {} }) + '\n');
});`

// recordedAnswers are what that server says to some methods.
const recordedAnswers = `{
  "initialize": {"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}},"serverInfo":{"name":"rec","version":"1"}},
  "server/discover": {"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}},
  "tools/list": {"tools":[{"name":"echo","inputSchema":{"type":"object"}}]},
  "resources/list": {"resources":[{"uri":"file:///etc/passwd","name":"passwd"}]},
  "prompts/list": {"prompts":[{"name":"greet"}]},
  "resources/read": {"contents":[{"uri":"file:///etc/passwd","text":"root"}]},
  "prompts/get": {"messages":[]},
  "tools/call": {"content":[], "task":{"taskId":"begun"}}
}`

// recorder is a desk with the recording server behind it, once as a program and once over
// HTTP.
type recorder struct {
	*party
	logs map[string]string // by the server's id
}

func newRecorder(t *testing.T) *recorder {
	r := &recorder{party: newParty(t), logs: map[string]string{}}
	dir := t.TempDir()
	r.logs["child"], r.logs["far"] = filepath.Join(dir, "child"), filepath.Join(dir, "far")
	var answers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.ReplaceAll(recordedAnswers, "/etc/", "/far/")), &answers); err != nil {
		t.Fatal(err)
	}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(raw, &m)
		f, err := os.OpenFile(r.logs["far"], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintf(f, "%s\n", raw)
			f.Close()
		}
		if req.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := answers[m.Method]
		if result == nil {
			result = json.RawMessage("{}")
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(far.Close)
	script := strings.ReplaceAll(recordingServer, "ANSWERS", "("+recordedAnswers+")")
	r.op.do(200, "PUT /v1/servers", fields{"servers": []any{
		fields{"id": "child", "transport": "stdio", "command": "node", "args": []any{"-e", script}, "env": fields{"LOG": r.logs["child"]}},
		fields{"id": "far", "transport": "http", "url": far.URL},
	}})
	return r
}

// reached reports whether a server got a message with these words since the desk began.
func (r *recorder) reached(server, words string) bool {
	r.Helper()
	raw, err := os.ReadFile(r.logs[server])
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return strings.Contains(string(raw), words)
}

// speaker is a client at one of the desk's doors to a recording server.
type speaker struct {
	*recorder
	visitor
	what, path, server string
	session            string // "" in the era without
	named              string // how a name of the server's stands at this door
}

// speakers are clients of both eras at both servers, and one at the joined endpoint.
func (r *recorder) speakers(t *testing.T) (all []*speaker) {
	for _, server := range []string{"child", "far"} {
		all = append(all,
			&speaker{recorder: r, visitor: r.a, what: "a session at " + server, path: "/mcp/" + server, server: server, session: "new"},
			&speaker{recorder: r, visitor: r.a, what: "no session at " + server, path: "/mcp/" + server, server: server},
			&speaker{recorder: r, visitor: r.a, what: "the joined endpoint with " + server, path: "/mcp", server: server, session: "new",
				named: server + "__"})
	}
	for _, s := range all {
		s.visitor.T = t
		if s.session == "" {
			continue
		}
		first := s.visitor.send("POST "+s.path,
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, "Accept", bothKinds)
		if s.session = first.header.Get("Mcp-Session-Id"); s.session == "" {
			t.Fatalf("initialize: %d %s", first.status, first.raw)
		}
		s.ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return all
}

// say sends a request with params, or a notification where id is "".
func (s *speaker) say(id, method, params string) reply {
	s.visitor.Helper()
	if s.session == "" {
		params = strings.Replace(params, "{",
			`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
		params = strings.Replace(params, ",}", "}", 1)
	}
	if id != "" {
		id = `"id":` + id + `,`
	}
	return s.ask(fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":%s}`, id, method, params))
}

// ask sends a message as it is; an answer in a stream is its last message.
func (s *speaker) ask(body string) reply {
	s.visitor.Helper()
	headers := []string{"Accept", bothKinds, "Mcp-Session-Id", s.session}
	if s.session == "" {
		var m struct {
			Method string
			Params struct{ Name, URI string }
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			s.visitor.Fatal(err)
		}
		name := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(m.Params.Name+m.Params.URI)) + "?="
		headers = []string{"Accept", bothKinds, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", m.Method, "Mcp-Name", name}
	}
	r := s.visitor.send("POST "+s.path, body, headers...)
	for text := range strings.Lines(string(r.raw)) {
		if data, ok := strings.CutPrefix(text, "data: "); ok && r.status == 200 {
			r.body = s.visitor.decode([]byte(data))
		}
	}
	return r
}

// TestOnlyWhatTheProtocolNamesPasses: a request that MCP does not name, by a byte, does not
// leave the desk, whatever the rules say; nor does a notification.
func TestOnlyWhatTheProtocolNamesPasses(t *testing.T) {
	r := newRecorder(t)
	r.op.rules(fields{"id": "all", "autoApprove": true})
	for _, s := range r.speakers(t) {
		t.Run(s.what, func(t *testing.T) {
			s.visitor.T = t
			for _, method := range []string{"x/execute", "Tools/Call", "tools/call ", " tools/call", "tools/call\u200b", "tools//call", "TOOLS/CALL",
				"tools/call/", "resources/Read", "rpc.execute", "sampling/createMessage", ""} {
				got := s.say("7", method, `{"name":"`+s.named+`echo","arguments":{"marker":"unnamed"}}`)
				if got.text("error.code") != "-32601" {
					// What a header cannot say is refused for that.
					if s.session == "" && got.status == 400 && got.text("error.code") == "-32020" {
						continue
					}
					t.Errorf("%q: %d %s", method, got.status, got.raw)
				}
			}
			for _, method := range []string{"x/execute", "notifications/x", "Notifications/cancelled", "tools/list"} {
				if got := s.say("", method, `{"marker":"unnamed"}`); got.status != http.StatusAccepted || len(got.raw) > 0 {
					t.Errorf("the notification %q: %d %s", method, got.status, got.raw)
				}
			}
			if got := s.say("8", "tools/list", `{}`); got.at("result.tools") == missing {
				t.Errorf("tools/list: %d %s", got.status, got.raw)
			}
			if s.session != "" {
				s.say("", "notifications/roots/list_changed", `{}`)
			}
			if r.reached(s.server, "unnamed") {
				t.Errorf("the server got what MCP does not name")
			}
		})
	}
}

// TestMethodsInRules: a rule names a method that is judged or none, and the tester asks
// about each.
func TestMethodsInRules(t *testing.T) {
	p := newParty(t)
	p.op.rules(fields{"id": "read", "method": "resources/read", "toolPattern": "file:///home/*", "effect": "allow"},
		fields{"id": "no", "effect": "deny", "serverId": "shut"})
	for _, bad := range []any{"x/execute", "", "Resources/Read", "resources/list", 1} {
		p.op.do(422, "POST /v1/rules", fields{"effect": "deny", "method": bad})
		p.op.do(422, "POST /v1/evaluate", fields{"toolName": "x", "input": fields{}, "method": bad})
	}
	p.op.do(200, "GET /v1/rules/read", nil).has("rule.method", "resources/read", "rule.toolPattern", "file:///home/*")
	p.op.do(200, "GET /v1/rules/no", nil).has("rule.method", nil)
	ask := func(server, method, name string) reply {
		return p.a.do(200, "POST /v1/evaluate", fields{"serverId": server, "method": method, "toolName": name, "input": fields{}})
	}
	ask("s", "resources/read", "file:///home/x").has("decision", "allow", "rule.id", "read")
	ask("s", "tools/call", "file:///home/x").has("decision", "ask", "rule", nil)
	ask("s", "resources/read", "file:///etc/passwd").has("decision", "allow", "rule", nil)
	ask("shut", "prompts/get", "x").has("decision", "deny", "rule.id", "no")
	ask("shut", "resources/subscribe", "x").has("decision", "deny", "rule.id", "no")
	p.op.do(200, "PATCH /v1/settings", fields{"reads": fields{"resources": "deny"}}).has("reads.resources", "deny", "reads.prompts", "allow")
	p.op.do(422, "PATCH /v1/settings", fields{"reads": fields{"prompts": "maybe"}})
	ask("s", "resources/read", "file:///etc/passwd").has("decision", "deny", "rule", nil)
	ask("s", "prompts/get", "greet").has("decision", "allow", "rule", nil)
	p.op.do(200, "POST /v1/hold", fields{"on": true})
	ask("s", "prompts/get", "greet").has("decision", "ask", "rule", nil)
	p.op.do(200, "PATCH /v1/rules/read", fields{"method": nil, "effect": "ask"}).has("rule.method", nil)
}

// TestTasksAreOfACall: what is said of a task passes where a call began it, with nothing in
// it that nobody judged, whatever the rules say of what is new.
func TestTasksAreOfACall(t *testing.T) {
	r := newRecorder(t)
	for _, s := range r.speakers(t) {
		if s.path == "/mcp" {
			continue // tasks are not joined
		}
		t.Run(s.what, func(t *testing.T) {
			s.visitor.T, r.op.T = t, t
			answer := "tasks/cancel"
			if s.session == "" {
				answer = "tasks/update"
			}
			r.op.rules(fields{"id": "all", "autoApprove": true})
			for _, params := range []string{`{"taskId":"never-made","marker":1}`, `{"taskId":"never-made"}`, `{"taskId":7}`, `{}`} {
				s.say("7", "tasks/get", params).has("error.code", -32602)
				s.say("8", answer, params).has("error.code", -32602)
			}
			s.say("9", "tools/call", `{"name":"`+s.named+`echo"}`)
			r.op.rules(fields{"id": "none", "effect": "deny"})
			if got := s.say("10", "tasks/get", `{"taskId":"begun"}`); got.at("error") != missing {
				t.Errorf("%s", got.raw)
			}
			s.say("11", "tasks/get", `{"taskId":"begun","marker":1}`).has("error.code", -32602)
			if r.reached(s.server, "marker") || r.reached(s.server, "never-made") || !r.reached(s.server, `"tasks/get"`) {
				t.Errorf("the server got something else")
			}
		})
	}
}

// readings are the judged requests beside tool calls, with what of them a server would show
// that it got.
func (s *speaker) readings() []struct{ method, params, name string } {
	uri := "file:///etc/passwd"
	if s.server == "far" {
		uri = "file:///far/passwd"
	}
	all := []struct{ method, params, name string }{
		{"resources/read", `{"uri":"` + uri + `"}`, uri},
		{"prompts/get", `{"name":"` + s.named + `greet","arguments":{"who":"me"}}`, "greet"},
	}
	if s.session != "" {
		all = append(all, struct{ method, params, name string }{"resources/subscribe", `{"uri":"` + uri + `"}`, uri})
	} else {
		all = append(all, struct{ method, params, name string }{"subscriptions/listen", `{"notifications":{"resourceSubscriptions":["` + uri +
			`"]}}`, uri})
	}
	return all
}

// judged is the method that a reading is judged as.
func judged(method string) string {
	if method == "subscriptions/listen" {
		return "resources/subscribe"
	}
	return method
}

// TestReadingsAreJudged: a deny rule for everything stops reading too, hold makes it wait
// for a person, and without either the settings let it pass; each time the journal says so.
func TestReadingsAreJudged(t *testing.T) {
	r := newRecorder(t)
	speakers := r.speakers(t)
	each := func(t *testing.T, try func(t *testing.T, s *speaker, method, params, name string)) {
		for _, s := range speakers {
			t.Run(s.what, func(t *testing.T) {
				s.visitor.T = t
				for _, read := range s.readings() {
					try(t, s, read.method, read.params, read.name)
				}
			})
		}
	}
	last := func(t *testing.T) reply { r.op.T = t; return r.op.do(200, "GET /v1/calls?limit=1", nil) }
	t.Run("denied", func(t *testing.T) {
		r.op.rules(fields{"id": "none", "effect": "deny", "note": "not here"})
		each(t, func(t *testing.T, s *speaker, method, params, name string) {
			got := s.say("7", method, params)
			got.has("error.code", -32001, "error.data.code", "denied").says("error.message", "not here")
			last(t).has("calls.0.id", got.text("error.data.callId"), "calls.0.method", judged(method), "calls.0.toolName", name, "calls.0.serverId",
				s.server, "calls.0.status", "denied", "calls.0.why.rule.id", "none")
			if r.reached(s.server, `"method":"`+method) {
				t.Errorf("%s reached the server", method)
			}
		})
	})
	t.Run("held", func(t *testing.T) {
		r.op.T = t
		r.op.rules(fields{"id": "all", "effect": "allow"})
		r.op.do(200, "PATCH /v1/settings", fields{"patience": fields{"test": 5}})
		r.op.do(200, "POST /v1/hold", fields{"on": true})
		pending := map[string]*reply{}
		var waiting sync.WaitGroup // all wait at once: each does for seconds
		for _, s := range speakers {
			s.visitor.T = t
			for i, read := range s.readings() {
				if s.session == "" && read.method != "subscriptions/listen" {
					continue // has no name to set its patience by
				}
				answer := &reply{}
				pending[s.what+read.method] = answer
				waiting.Go(func() { *answer = s.say(fmt.Sprint(80+i), read.method, read.params) })
			}
		}
		waiting.Wait()
		each(t, func(t *testing.T, s *speaker, method, params, name string) {
			got := pending[s.what+method]
			if got == nil {
				return
			}
			got.T = t
			got.has("error.code", -32001, "error.data.code", "pending").says("error.message", "PENDING")
			r.op.T = t
			r.op.do(200, "GET /v1/calls/"+got.text("error.data.callId"), nil).has("call.status", "pending", "call.toolName", name, "call.method",
				judged(method), "call.why.rule", nil)
			if r.reached(s.server, `"method":"`+method) {
				t.Errorf("%s reached the server", method)
			}
			s.say("9", "completion/complete", `{"ref":{"type":"ref/prompt","name":"`+s.named+
				`greet"},"argument":{"name":"who","value":"m"}}`).has("error.code", -32001, "error.data.code", "on_hold")
			if s.say("10", "tools/list", `{}`).at("result.tools") == missing {
				t.Error("lists do not pass on hold")
			}
		})
		r.op.T = t
		r.op.do(200, "POST /v1/hold", fields{"on": false})
	})
	t.Run("by the settings", func(t *testing.T) {
		r.op.T = t
		r.op.do(200, "PUT /v1/rules", fields{"rules": []any{}})
		each(t, func(t *testing.T, s *speaker, method, params, name string) {
			got := s.say("11", method, params)
			if got.at("result") == missing {
				t.Errorf("%s: %d %s", method, got.status, got.raw)
			}
			if !r.reached(s.server, `"method":"`+method) {
				t.Errorf("%s did not reach the server", method)
			}
			last(t).has("calls.0.method", judged(method), "calls.0.toolName", name, "calls.0.serverId", s.server, "calls.0.status", "completed",
				"calls.0.why.rule", nil, "calls.0.why.code", "reads_setting", "calls.0.decision.by", "guard")
		})
	})
	t.Run("asked and approved", func(t *testing.T) {
		r.op.T = t
		r.op.do(200, "PATCH /v1/settings", fields{"reads": fields{"resources": "ask", "prompts": "deny"}, "patience": fields{"test": 60}})
		s := speakers[0]
		s.visitor.T = t
		s.say("12", "prompts/get", `{"name":"greet"}`).has("error.code", -32001, "error.data.code", "denied")
		answers := make(chan reply, 1)
		go func() { answers <- s.say("13", "resources/read", `{"uri":"file:///etc/passwd"}`) }()
		at := ""
		waits := r.op.until("waiting", "GET /v1/calls?status=pending", func(l reply) bool {
			for i, c := range l.list("calls") {
				if at = fmt.Sprint("calls.", i, "."); c.(fields)["callerGone"] == false {
					return true
				}
			}
			return false
		})
		r.op.do(200, "POST /v1/calls/"+waits.text(at+"id")+"/decision",
			fields{"approved": true, "inputHash": waits.text(at + "inputHash"), "rev": waits.at(at + "rev"), "scope": "session"})
		if got := <-answers; got.text("result.contents.0.text") != "root" {
			t.Errorf("%d %s", got.status, got.raw)
		}
		s.say("14", "resources/read", `{"uri":"`+strings.Repeat("u", 2049)+`"}`).has("error.code", -32602)
		s.say("15", "tools/call", `{"name":"`+strings.Repeat("t", 2049)+`"}`).has("error.code", -32602)
	})
}
