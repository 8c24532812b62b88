package era

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// earlier plays a server of the eras with sessions; calls plays its tools.
func earlier(calls func(s *script, m mcpwire.Message)) func(s *script, m mcpwire.Message) {
	return func(s *script, m mcpwire.Message) {
		switch m.Method {
		case mcpwire.Discover:
			s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		case mcpwire.Initialize:
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"tasks":{},"logging":{}},`+
				`"serverInfo":{"name":"old","big":9007199254740993}}}`, m.ID)
		case mcpwire.SetLevel, mcpwire.InitializedNote, mcpwire.CancelledNote:
			if m.ID != nil {
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
			}
		default:
			calls(s, m)
		}
	}
}

const word = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"a \u0041", "n":1.0}}`

// asks plays a tool that asks for a word, and answers with what it got.
func asks(s *script, m mcpwire.Message) {
	switch {
	case m.Method == mcpwire.CallTool:
		s.mu.Lock()
		s.got = append(s.got, "call "+string(m.ID))
		s.mu.Unlock()
		s.say("%s", word)
	case m.Kind == mcpwire.Response:
		s.say(`{"jsonrpc":"2.0","id":1,"result":{"content":[], "got":%s}}`, string(m.Result)+string(m.Fault))
	}
}

func TestWhatPassesToAnEarlierServerIsAsItWasWritten(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {
		s.say(`{"jsonrpc":"2.0","id":%s,"result":{ "a\u0062":1e2,"resultType":"input_required","resultTYPE":1,"n":9007199254740993}}`, m.ID)
	}))
	h.ask(1, mcpwire.CallTool, `{"name":"t\u0065","arguments":{"n":1.0, "x":null},"own":[1]}`)
	h.hears(`n1 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","a\u0062":1e2,"n":9007199254740993}}`)
	h.awaits(1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t\u0065","arguments":{"n":1.0, "x":null},"own":[1],"_meta":{"x":1}}}`)
	h.ask(2, mcpwire.Discover, `{}`)
	h.hears(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"old","big":9007199254740993}},"ttlMs":0,"cacheScope":"private"}}`)
	h.ask(3, mcpwire.ListTools, `{}`)
	h.hears("n3 ", `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private",`)
	if n := h.received(`"initialize"`); n != 1 {
		t.Errorf("%d times initialize", n)
	}
}

func TestWhatCannotBeBridgedSaysWhy(t *testing.T) {
	h := newHouse(t, true, earlier(func(*script, mcpwire.Message) {}))
	for i, tt := range []struct{ method, params, want string }{
		{"tasks/get", `{"taskId":"t"}`, `"code":-32601,"message":"tasks cannot be bridged between versions of MCP: `},
		{mcpwire.CallTool, `{"name":"t","task":{}}`, `"code":-32601,"message":"tasks cannot be bridged between versions of MCP: `},
		{mcpwire.CallTool, `{"name":"t","requestState":"S","inputResponses":{}}`, `"code":-32602,"message":"no call waits for this requestState: nothing`},
		{mcpwire.CallTool, `{"name":"t","inputResponses":{}}`, `no call waits for this requestState`},
		{mcpwire.Listen, `{"notifications":7}`, `"code":-32602,"message":"notifications of subscriptions/listen is an object`},
	} {
		h.ask(i+1, tt.method, tt.params)
		h.hears(fmt.Sprintf("n%d ", i+1), tt.want)
	}
	if n := h.received(mcpwire.CallTool); n != 0 {
		t.Errorf("%d calls reached the server", n)
	}
}

// A call is made once, whatever a client brings back.
func TestAHeldCallGoesOnOnce(t *testing.T) {
	h := newHouse(t, true, earlier(asks))
	h.ask(1, mcpwire.CallTool, `{"name":"t","arguments":{"a":1}}`)
	said := h.hears(`n1 {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"question":` +
		`{"method":"elicitation/create","params":{"message":"a \u0041", "n":1.0}}}`)
	round := func(id int, args, more string) {
		h.ask(id, mcpwire.CallTool, `{"arguments":`+args+`,"name":"t"`+more+`}`)
	}
	state := ticket(said)
	round(2, `{"a":2}`, `,"inputResponses":{"question":{}},"requestState":"`+state+`"`)
	h.hears("n2 ", "this requestState belongs to another call")
	round(3, `{"a":1}`, `,"inputResponses":{"other":{}},"requestState":"`+state+`"`)
	again := ticket(h.hears("n3 ", `"input_required"`))
	round(4, `{"a":1}`, `,"inputResponses":{"question":{}},"requestState":"`+state+`"`)
	h.hears("n4 ", "no call waits for this requestState")
	round(5, `{"a" : 1}`, `,"inputResponses":{"question":{"action":"accept", "n":1.0}},"requestState":"`+again+`"`)
	h.hears(`n5 {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[], "got":{"action":"accept", "n":1.0}}}`)
	round(6, `{"a":1}`, `,"inputResponses":{"question":{}},"requestState":"`+again+`"`)
	h.hears("n6 ", "no call waits for this requestState")
	if n := h.received("call "); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// Progress made while the client thinks of its answer is told when it comes back: the newest,
// before what follows it.
func TestProgressBetweenRounds(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {
		step := func(n int) {
			s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d,"of":1.0}}`, n)
		}
		switch {
		case m.Method == mcpwire.CallTool:
			step(1)
			s.say("%s", word)
			step(2)
			step(3)
		case m.Kind == mcpwire.Response:
			step(4)
			s.say(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		}
	}))
	h.token = "a"
	h.ask(1, mcpwire.CallTool, `{"name":"t"}`)
	state := ticket(h.hears("n1 ", "input_required"))
	h.token = "b"
	h.ask(2, mcpwire.CallTool, `{"name":"t","inputResponses":{"question":{"action":"accept"}},"requestState":"`+state+`"}`)
	h.hears("n2 ", `"complete"`)
	var steps []string
	for _, raw := range h.told {
		if _, after, ok := strings.Cut(raw, `"params":`); ok && strings.Contains(raw, "progress") {
			steps = append(steps, raw[:3]+after)
		}
	}
	want := []string{`n1 {"progressToken":"a","progress":1,"of":1.0}}`, `n2 {"progressToken":"b","progress":3,"of":1.0}}`,
		`n2 {"progressToken":"b","progress":4,"of":1.0}}`}
	if !slices.Equal(steps, want) {
		t.Errorf("the client heard %q", steps)
	}
}

// A further round goes on once, though the server takes its time.
func TestARoundIsTakenOnce(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {
		if m.Method == mcpwire.CallTool {
			s.say("%s", word)
		}
	}))
	h.ask(1, mcpwire.CallTool, `{"name":"t"}`)
	state := ticket(h.hears("input_required"))
	for id := 2; id < 4; id++ {
		h.ask(id, mcpwire.CallTool, `{"name":"t","inputResponses":{"question":{"action":"accept"}},"requestState":"`+state+`"}`)
	}
	h.hears("n3 ", "no call waits for this requestState")
	h.awaits(1, `"id":"q","result":{"action":"accept"}`)
	h.script.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	h.hears(`n2 {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`)
}

func TestAServerAsksNobodyButTheCaller(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {
		if m.Method == mcpwire.CallTool {
			s.say(`{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`)
			s.say(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
			s.say(`{"jsonrpc":"2.0","id":"odd","method":"tools/list"}`)
		}
	}))
	h.ask(1, mcpwire.ListTools, `{}`)
	h.script.say("%s", word)
	h.awaits(1, `"id":"q"`, "are asked only while a call")
	h.ask(2, mcpwire.CallTool, `{"name":"t"}`)
	h.awaits(1, `"id":"roots"`, "does not declare that it answers roots/list")
	h.awaits(1, `"id":"ping","result":{}`)
	h.awaits(1, `"id":"odd"`, `\"tools/list\" cannot be bridged between versions of MCP`)
	h.ask(3, mcpwire.CallTool, `{"name":"t"}`)
	h.script.say("%s", strings.Replace(word, `"q"`, `"q2"`, 1))
	h.awaits(1, `"id":"q2"`, "several calls are under way")
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.told) != 0 {
		t.Errorf("the client heard %q", h.told)
	}
}

func TestAnEndlessQuestionerIsEnded(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {
		if m.Method == mcpwire.CallTool || m.Kind == mcpwire.Response && m.Result != nil {
			s.say("%s", word)
		}
	}))
	more := ""
	for i := range maxRounds {
		h.ask(i+1, mcpwire.CallTool, `{"name":"t"`+more+`}`)
		more = `,"inputResponses":{"question":{}},"requestState":"` + ticket(h.hears(fmt.Sprintf("n%d ", i+1), "input_required")) + `"`
	}
	h.ask(maxRounds+1, mcpwire.CallTool, `{"name":"t"`+more+`}`)
	h.awaits(1, fmt.Sprintf("a call asks its client at most %d times", maxRounds))
}

// A client that does not come back costs its server the call, after a while.
func TestAHeldCallEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, true, earlier(asks))
		h.ask(1, mcpwire.CallTool, `{"name":"t"}`)
		said := h.hears("input_required")
		time.Sleep(heldWithin + time.Second)
		h.awaits(1, `"id":"q","error"`, "did not come back")
		h.awaits(1, mcpwire.CancelledNote, `"requestId":1`)
		h.ask(2, mcpwire.CallTool, `{"name":"t","inputResponses":{"question":{}},"requestState":"`+ticket(said)+`"}`)
		h.hears("n2 ", "no call waits for this requestState")
	})
}

func TestALeavingClientCancels(t *testing.T) {
	h := newHouse(t, true, earlier(func(s *script, m mcpwire.Message) {}))
	h.ask(1, mcpwire.CallTool, `{"name":"t"}`)
	if !upstream.Drop(h.bridge, "n1") {
		t.Error("there is no way to cancel")
	}
	h.awaits(1, mcpwire.CancelledNote, `"requestId":1`)
	h.script.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	h.ask(2, mcpwire.Discover, `{}`)
	h.hears("n2 ")
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.told) != 1 {
		t.Errorf("the client heard %q", h.told)
	}
}

// Some servers say nothing before initialize.
func TestASilentServerIsOfAnEarlierEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, true, func(s *script, m mcpwire.Message) {
			if m.Method != mcpwire.Discover {
				earlier(func(*script, mcpwire.Message) {})(s, m)
			}
		})
		began := time.Now()
		h.ask(1, mcpwire.Discover, `{}`)
		h.hears("n1 ", `"supportedVersions"`)
		if took := time.Since(began); took != probeWithin {
			t.Errorf("it took %s", took)
		}
		if !h.bridge.known.Sessions(&h.bridge.server) {
			t.Error("it is not remembered")
		}
	})
}

// A server that starts slowly is not taken for one of an earlier era, and keeps nobody who leaves.
func TestASlowServerOfTheLaterEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, true, func(s *script, m mcpwire.Message) {
			switch {
			case m.Method == mcpwire.Initialize:
				s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
			case m.Method != mcpwire.Discover || s.received(mcpwire.Discover) > 1:
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		raw := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
		p := upstream.Message{Raw: []byte(raw), Kind: mcpwire.Request, Key: "n1", Method: mcpwire.ListTools}
		if err := h.bridge.Send(ctx, p); err == nil || time.Since(began) != time.Second {
			t.Errorf("left after %s: %v", time.Since(began), err)
		}
		h.ask(2, mcpwire.ListTools, `{}`)
		h.hears(` {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"]}}`) // as it came
		if n := h.received(mcpwire.Initialize); n != 1 {
			t.Errorf("initialize came %d times", n)
		}
	})
}

func TestAServerThatSpeaksNothingKnown(t *testing.T) {
	for what, tt := range map[string]struct{ discover, initialize, want string }{
		"neither": {`"error":{"code":-32601,"message":"no"}`, `"error":{"code":1,"message":"go away"}`,
			"it speaks neither 2026-07-28 nor an earlier version of MCP: the server refused initialize: go away"},
		"a later version": {`"result":{"supportedVersions":["2030-01-01"]}`, ``, `the server speaks only the versions ["2030-01-01"] of MCP`},
		"later, refusing": {`"error":{"code":-32022,"message":"no","data":{"supported":["2030-01-01"]}}`, ``, "the server speaks only the versions"},
		"odd":             {`"result":7`, `"result":[]`, "the server's answer to initialize is not one of MCP"},
		"an odd version":  {`"result":{}`, `"result":{"protocolVersion":"1"}`, `the server speaks version "1" of MCP`},
	} {
		h := newHouse(t, true, func(s *script, m mcpwire.Message) {
			answer := tt.discover
			if m.Method == mcpwire.Initialize {
				answer = tt.initialize
			}
			s.say(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
		})
		raw := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`
		err := h.bridge.Send(t.Context(), upstream.Message{Raw: []byte(raw), Kind: mcpwire.Request, Key: "n1", Method: mcpwire.ListTools})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
