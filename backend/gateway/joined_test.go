package gateway_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

func TestJoinedListsAllAndLeavesOutWhatFails(t *testing.T) {
	hangs, missing, garbage, pages, exits, odd := shell("cat >/dev/null"), shell(""), shell("yes | head -10000; cat >/dev/null"),
		permission.Server{}, permission.Server{}, permission.Server{}
	hangs.ID, garbage.ID, missing.ID, missing.Command = "hangs", "garbage", "missing", "/nowhere/at-all"
	off := shell("exit 1")
	h := joinedHouse(t, gateway.Options{Patience: 4 * time.Second}, hangs, missing, garbage)
	pages, exits, odd = h.part("pages"), h.part("exits"), h.part("odd list")
	pages.ID, exits.ID, odd.ID, off.ID = "pages", "exits", "odd", "disabled"
	for _, s := range []permission.Server{pages, exits, odd} {
		h.put(s)
	}
	h.desk.servers[off.ID] = off
	c := h.join("a")
	if strings.Contains(h.received(), "pid") {
		t.Error("a server was started before it was needed")
	}
	heard := c.listen()
	began := time.Now()
	tools := c.list()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the list took %s", took)
	}
	if want := `{"name":"one__echo","inputSchema":{"type":"object"},"x-b":1e2,"x-a":null}`; tools["one__echo"] != want ||
		tools["two__echo"] != strings.Replace(want, "one", "two", 1) {
		t.Errorf("one__echo: %s\ntwo__echo: %s", tools["one__echo"], tools["two__echo"])
	}
	if want := `{"name":"pages__a2","x":{"k":1,"k":2}}`; tools["pages__a2"] != want {
		t.Errorf("pages__a2: %s", tools["pages__a2"])
	}
	if len(tools) != 2+2+6 {
		t.Errorf("tools: %s", sortedNames(tools))
	}
	said := map[string]bool{}
	for range 5 {
		m := hear(t, heard, `"method":"notifications/message"`, `"level":"warning","logger":"sekisho"`)
		for _, id := range []string{"hangs", "missing", "garbage", "exits", "odd"} {
			said[id] = said[id] || strings.Contains(m, "the server "+id+" are left out: ")
		}
	}
	if len(said) != 5 || slices.Contains([]bool{said["hangs"], said["missing"], said["garbage"], said["exits"], said["odd"]}, false) {
		t.Errorf("what was said: %v", said)
	}
	if log := h.received(); strings.Count(log,
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`) != 2 ||
		strings.Count(log, "notifications/initialized") != 2 {
		t.Errorf("the servers were told %s", log)
	}
}

func TestJoinedCallsReachTheOriginal(t *testing.T) {
	odd := `日本 \/ "x\\`
	tools := `{"x":1,"name" : "r/w","y":[1.0]}, {"name":"r_w"},{"name":"r_w","again":true},{"name":"` + strings.Repeat("x", 80) +
		`1"},{"name":"` + strings.Repeat("x", 80) + `2"},` +
		`{"name":` + string(mustJSON(odd)) + `},{"name":7},{"Name":"case"},{"name":"a","name":"b"},{"n\u0061me":"escaped"},7`
	a, f := httpServer(t, "a.b", tools)
	b, g := httpServer(t, "a_b", tools)
	h := joinedHouse(t, gateway.Options{}, a, b)
	h.desk.allow["r/w"], h.desk.allow["r_w"], h.desk.allow[odd] = true, true, true
	h.desk.allow[strings.Repeat("x", 80)+"1"], h.desk.allow[strings.Repeat("x", 80)+"2"] = true, true
	c := h.join("a")
	listed := c.list()
	if len(listed) != 2+2+5+5 {
		t.Fatalf("tools: %s", sortedNames(listed))
	}
	if def := listed["a.b__r_w"]; def != `{"name":"a.b__r_w"}` {
		t.Errorf("a.b__r_w is %s", def)
	}
	asked := map[string]bool{}
	for name := range listed {
		if strings.HasSuffix(name, "__echo") || strings.HasSuffix(name, "__die") {
			continue
		}
		if len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", r)
		}) {
			t.Errorf("name %q", name)
		}
		body := `{"jsonrpc":"2.0", "id":"` + name + `","method":"tools/call","params":{"arguments":{"name":"` + name + `","n":1.0},"name" : "` +
			name + `" ,"x-vendor":9007199254740993}}`
		if got := c.ask(body); got != `{"jsonrpc":"2.0","result":`+fixtureEcho+`,"id":"`+name+`"}` {
			t.Errorf("%s: %s", name, got)
		}
		asked[name] = true
	}
	for _, far := range []*far{f, g} {
		calls := far.calls()
		seen := map[string]bool{}
		for _, r := range calls {
			seen[r.Params.Name] = true
			var id string
			json.Unmarshal(r.ID, &id)
			own, _ := json.Marshal(r.Params.Name)
			want := `{"jsonrpc":"2.0", "id":"` + id + `","method":"tools/call","params":{"arguments":{"name":"` + id + `","n":1.0},"name" : ` +
				string(own) + ` ,"x-vendor":9007199254740993}}`
			if r.body != want || !asked[id] || r.header.Get("Mcp-Protocol-Version") != "2025-06-18" {
				t.Errorf("sent\n %s\nwant\n %s", r.body, want)
			}
		}
		if len(calls) != 5 || len(seen) != 5 {
			t.Errorf("%d calls of %d tools", len(calls), len(seen))
		}
	}
	for _, call := range h.desk.calls {
		if strings.Contains(call.ToolName, "__") || *call.ServerID != "a.b" && *call.ServerID != "a_b" || string(call.SessionID) != c.session {
			t.Errorf("the desk was asked for %q of %q in session %s", call.ToolName, *call.ServerID, call.SessionID)
		}
	}
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func TestJoinedCallsPassTheGate(t *testing.T) {
	h := joinedHouse(t, gateway.Options{})
	c := h.join("a")
	// Without a list before, and a rule for the joined name says nothing.
	h.desk.allow["one__log"], h.desk.allow["one__write"], h.desk.allow["one__die"] = true, true, true
	c.list()
	h.desk.deny["echo"] = "not today"
	if words := toolText(t, c.ask(call("1", "two__echo", `{}`))); !strings.Contains(words, "Denied by a rule: not today") {
		t.Errorf("a rule for the tool: %s", words)
	}
	got := c.start(t.Context(), http.MethodPost, callWithToken("2", "one__die", `{"a":1}`, `"tok"`))
	if p := progressOf(t, next(t, got)); p.Params.Message != "Waiting for a person at Sekisho (die)" {
		t.Errorf("progress %+v", p)
	}
	waiting := h.desk.awaitStatus(t, permission.Pending)
	if waiting.ToolName != "die" || *waiting.ServerID != "one" || !strings.Contains(h.desk.seen["die"], "destructiveHint") {
		t.Errorf("waiting: %+v", waiting)
	}
	h.desk.decide(waiting.ID, permission.Declined, "not on a Friday")
	if words := toolText(t, last(t, got)); !strings.Contains(words, "not on a Friday") {
		t.Errorf("declined: %s", words)
	}
	if code, words := errorCode(t, c.ask(call("4", "one__nothing", `{}`))); code != -32602 || !strings.Contains(words, "unknown tool") {
		t.Errorf("an unknown tool: %d %s", code, words)
	}
	if code, _ := errorCode(t, c.ask(call("5", "echo", `{}`))); code != -32602 {
		t.Errorf("a tool by its own name: %d", code)
	}
	if strings.Contains(h.received(), "tools/call") {
		t.Errorf("the servers have got %s", h.received())
	}
}

// playing is a fixture that lists all the parts that it plays.
func (h *house) playing(id string) {
	h.desk.mu.Lock()
	fixture := h.desk.servers["one"]
	h.desk.mu.Unlock()
	fixture.ID = id
	var list []string
	for _, part := range []string{"echo", "log", "patient", "ask", "die", "later", "deaf"} {
		list = append(list, `{"name":"`+part+`","inputSchema":{"type":"object"}}`)
	}
	fixture.Env = map[string]string{fixtureEnv: fixture.Env[fixtureEnv], "GORACE": "atexit_sleep_ms=0",
		toolsEnv: `{"tools":[` + strings.Join(list, ",") + `]}`}
	h.put(fixture)
}

// playHouse has two servers that play all parts.
func playHouse(t *testing.T, opts gateway.Options) (*house, *joint) {
	t.Helper()
	h := joinedHouse(t, opts)
	h.playing("one")
	h.playing("two")
	return h, h.join("a")
}

func TestJoinedHoldApproveAndCancel(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	// Without a list before: the desk looks by itself.
	got := c.start(t.Context(), http.MethodPost, callWithToken("1", "two__log", `{"a":1}`, `7`))
	before := progressOf(t, next(t, got)).Params.Progress
	h.desk.decide(h.desk.awaitStatus(t, permission.Pending).ID, permission.Approved, "")
	logs, m := 0, ""
	for m = range got {
		switch {
		case strings.Contains(m, "notifications/progress"):
			p := progressOf(t, m)
			if p.Params.Progress <= before {
				t.Errorf("progress %v after %v", p.Params.Progress, before)
			}
			before = p.Params.Progress
		case strings.Contains(m, "notifications/message"):
			logs++
		}
	}
	if want := `{"jsonrpc":"2.0", "result":` + fixtureEcho + ` ,"id":1}`; m != want || logs != 3 {
		t.Errorf("approved: %d logs, %s", logs, m)
	}
	if log := h.received(); !strings.Contains(log,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","arguments":{"a":1},"_meta":{"progressToken":7}}}`) {
		t.Errorf("the server got %s", log)
	}
	// Cancelled while it is held: the server never hears of it.
	got = c.start(t.Context(), http.MethodPost, call("2", "one__echo", `{}`))
	next(t, got)
	c.tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	h.desk.awaitGone(t)
	last(t, got)
	if log := h.received(); strings.Contains(log, `"id":2,`) || strings.Contains(log, "cancelled") {
		t.Errorf("the server got %s", log)
	}
	// Cancelled while it runs: the one server that has it hears of it.
	h.desk.allow["patient"] = true
	got = c.start(t.Context(), http.MethodPost, call("3", "one__patient", `{}`))
	h.desk.await(t, "runs", func(c permission.Call) bool { return c.ToolName == "patient" && c.Status == permission.Claimed })
	h.awaitReceived(`"name":"patient"`)
	c.tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	if m := last(t, got); !strings.Contains(m, fixtureEcho) || strings.Count(h.received(), "cancelled") != 1 {
		t.Errorf("cancelled: %s", m)
	}
}

// awaitReceived waits until the servers have got some words.
func (h *house) awaitReceived(words string) {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(h.received(), words); time.Sleep(beat) {
		if time.Now().After(deadline) {
			h.t.Fatalf("the servers never got %s: %s", words, h.received())
		}
	}
}

func TestJoinedTwiceTheSameID(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	first := c.start(t.Context(), http.MethodPost, call("1", "one__echo", `{}`))
	waiting := h.desk.awaitStatus(t, permission.Pending)
	if code, words := errorCode(t, c.ask(call("1", "two__echo", `{}`))); code != -32600 || !strings.Contains(words, "in flight") {
		t.Errorf("%d %s", code, words)
	}
	h.desk.decide(waiting.ID, permission.Approved, "")
	if m := last(t, first); !strings.Contains(m, fixtureEcho) {
		t.Errorf("the first: %s", m)
	}
}

func TestJoinedPending(t *testing.T) {
	h, c := playHouse(t, gateway.Options{Patience: 3 * time.Second})
	c.list()
	if words := toolText(t, c.ask(call("1", "one__echo", `{}`))); !strings.HasPrefix(words, "PENDING") {
		t.Errorf("%s", words)
	}
	h.desk.decide(h.desk.awaitGone(t).ID, permission.Approved, "")
	if m := c.ask(call("2", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) || strings.Count(h.received(), "tools/call") != 1 {
		t.Errorf("repeated: %s", m)
	}
}
