package era

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
)

// later plays a server of 2026-07-28 alone; calls plays what it has.
func later(calls func(s *script, m mcpwire.Message)) func(s *script, m mcpwire.Message) {
	return func(s *script, m mcpwire.Message) {
		switch m.Method {
		case mcpwire.Initialize:
			s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"speak 2026-07-28"}}`, m.ID)
		case mcpwire.Discover:
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"logging":{},`+
				`"resources":{"subscribe":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","n":1.0}}}}`, m.ID)
		default:
			calls(s, m)
		}
	}
}

// begins is a house whose client has begun a session with such a server.
func begins(t *testing.T, calls func(s *script, m mcpwire.Message)) *house {
	h := newHouse(t, false, later(calls))
	h.ask(1, mcpwire.Initialize, `{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","n":1.0}}`)
	h.hears(`n1 {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{},"resources":{"subscribe":true}},` +
		`"serverInfo":{"name":"new","n":1.0}}}`)
	return h
}

func TestWhatPassesToALaterServerIsAsItWasWritten(t *testing.T) {
	h := begins(t, func(s *script, m mcpwire.Message) {
		s.say(`{ "result":{"content":[],"n":9007199254740993, "resultType":"complete"},"id":%s,"jsonrpc":"2.0"}`, m.ID)
	})
	h.ask(2, mcpwire.SetLevel, `{"level":"info"}`)
	h.hears(`n2 {"jsonrpc":"2.0","id":2,"result":{}}`)
	h.ask(3, mcpwire.CallTool, `{"name":"t\u0065","arguments":{"n":1.0, "x":null},"_meta":{"progressToken":"p","x":1}}`)
	h.hears(` { "result":{"content":[],"n":9007199254740993, "resultType":"complete"},"id":3,"jsonrpc":"2.0"}`)
	h.awaits(1, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t\u0065","arguments":{"n":1.0, "x":null},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","n":1.0},`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"info","x":1,"progressToken":"p"}}}`)
	h.ask(4, mcpwire.Ping, `{}`)
	h.hears(`n4 {"jsonrpc":"2.0","id":4,"result":{}}`)
	h.ask(5, "tasks/list", `{}`)
	h.hears("n5 ", "tasks cannot be bridged between versions of MCP")
	h.ask(6, mcpwire.SetLevel, `{"level":"loud"}`)
	h.hears("n6 ", "none of MCP")
}

// A server that speaks sessions is left alone, to the byte, and so is what it refuses.
func TestAServerOfTheClientsEraIsLeftAlone(t *testing.T) {
	const odd = ` {"id":1 ,"result":{"protocolVersion":"2025-06-18"},"jsonrpc":"2.0"}`
	h := newHouse(t, false, func(s *script, m mcpwire.Message) { s.say("%s", odd) })
	h.ask(1, mcpwire.Initialize, `{ }`)
	h.hears(odd)
	h.ask(1, mcpwire.CallTool, `{ "name" : 1}`)
	h.awaits(1, `"params":{ "name" : 1}}`)
	const refused = ` {"id":1 ,"error":{"code":1, "message":"no"},"jsonrpc":"2.0"}`
	h = newHouse(t, false, func(s *script, m mcpwire.Message) {
		if m.Method == mcpwire.Initialize {
			s.say("%s", refused)
			return
		}
		s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	})
	h.ask(1, mcpwire.Initialize, `{}`)
	h.hears(refused)
}

// A server that asks for what it may not, or without an end, costs its client an error.
func TestRoundsOfALaterServer(t *testing.T) {
	ask := func(more string) func(s *script, m mcpwire.Message) {
		return func(s *script, m mcpwire.Message) {
			if m.Kind == mcpwire.Request && m.Method != mcpwire.Listen {
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required"%s}}`, m.ID, more)
			}
		}
	}
	for what, tt := range map[string]struct{ more, method, want string }{
		"nothing to go on by":    {``, mcpwire.CallTool, "not in the form of MCP"},
		"an odd state":           {`,"requestState":7`, mcpwire.CallTool, "not in the form of MCP"},
		"odd questions":          {`,"inputRequests":[]`, mcpwire.CallTool, "not in the form of MCP"},
		"questions twice":        {`,"inputRequests":{},"inputRequests":{}`, mcpwire.CallTool, "not in the form of MCP"},
		"where none is allowed":  {`,"requestState":"s"`, mcpwire.ListTools, "not in the form of MCP"},
		"an unknown question":    {`,"inputRequests":{"q":{"method":"tools/call"}}`, mcpwire.CallTool, "which cannot be bridged"},
		"what the client cannot": {`,"inputRequests":{"q":{"method":"roots/list"}}`, mcpwire.CallTool, "the client does not declare"},
	} {
		h := begins(t, ask(tt.more))
		h.ask(2, tt.method, `{"name":"t"}`)
		if raw := h.hears("n2 ", `"error"`); !strings.Contains(raw, tt.want) {
			t.Errorf("%s: %s", what, raw)
		}
	}
	synctest.Test(t, func(t *testing.T) { // a busy server is not asked at once, nor for ever
		h := begins(t, ask(`,"requestState":"s"`))
		h.ask(2, mcpwire.CallTool, `{"name":"t"}`)
		time.Sleep(maxTurns * lastPause)
		h.hears("n2 ", fmt.Sprintf("asked for input %d times", maxTurns))
		if n := h.received(mcpwire.CallTool, `"requestState":"s"`); n != maxTurns {
			t.Errorf("%d further rounds", n)
		}
	})
}

// A call that its client cancels while its server is busy does not go on.
func TestACancelledCallDoesNotGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begins(t, func(s *script, m mcpwire.Message) {
			if m.Method == mcpwire.CallTool {
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":"s"}}`, m.ID)
			}
		})
		h.ask(2, mcpwire.CallTool, `{"name":"t"}`)
		h.tell(mcpwire.Notification, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		time.Sleep(time.Minute)
		if n := h.received(mcpwire.CallTool); n != 1 {
			t.Errorf("the server got the call %d times", n)
		}
	})
}

func TestAQuestionOfALaterServerReachesTheClient(t *testing.T) {
	h := begins(t, func(s *script, m mcpwire.Message) {
		switch {
		case m.Method == mcpwire.CallTool && !strings.Contains(string(m.Raw), "inputResponses"):
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"b\u0062":{"method":"elicitation/create",`+
				`"id":9,"params":{"message":"a", "n":1.0}}},"requestState":"\u0053"}}`, m.ID)
		case m.Method == mcpwire.CallTool:
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
		}
	})
	answer := func(call int, body string) {
		h.ask(call, mcpwire.CallTool, `{"name":"t","arguments":{"n":1.0}}`)
		question := fmt.Sprintf(`"sekisho-question-%d"`, call-1)
		h.hears(fmt.Sprintf("n%d ", call), `{"jsonrpc":"2.0","id":`+question+`,"method":"elicitation/create","params":{"message":"a", "n":1.0}}`)
		h.tell(mcpwire.Response, `{"jsonrpc":"2.0","id":`+question+`,`+body+`}`)
		h.tell(mcpwire.Response, `{"jsonrpc":"2.0","id":`+question+`,`+body+`}`) // the second is for nobody
		h.hears(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, call))
	}
	answer(2, `"result":{"action":"accept", "n":1.0}`)
	h.awaits(1, `"arguments":{"n":1.0},"inputResponses":{"bb":{"action":"accept", "n":1.0}},"requestState":"\u0053",`)
	answer(3, `"error":{"code":1,"message":"no"}`)
	h.awaits(1, `"inputResponses":{"bb":{"action":"cancel"}}`)
	h.ask(4, mcpwire.CallTool, `{"name":"t"}`)
	h.hears("n4 ", "sekisho-question-3")
	h.tell(mcpwire.Notification, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	h.tell(mcpwire.Response, `{"jsonrpc":"2.0","id":"sekisho-question-3","result":{"action":"accept"}}`)
	if n := h.received(mcpwire.CallTool, "inputResponses"); n != 2 {
		t.Errorf("%d further rounds", n)
	}
}

// A call goes on when all of its questions are answered, and not when one is answered twice.
func TestAllQuestionsOfALaterServerAreAnswered(t *testing.T) {
	h := begins(t, func(s *script, m mcpwire.Message) {
		if m.Method == mcpwire.CallTool && !strings.Contains(string(m.Raw), "inputResponses") {
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},`+
				`"b":{"method":"elicitation/create"}}}}`, m.ID)
		}
	})
	h.ask(2, mcpwire.CallTool, `{"name":"t"}`)
	h.hears("n2 ", "sekisho-question-2")
	for _, question := range []string{"1", "1", "2"} {
		if n := h.received("inputResponses"); n != 0 {
			t.Errorf("%d further rounds too early", n)
		}
		h.tell(mcpwire.Response, `{"jsonrpc":"2.0","id":"sekisho-question-`+question+`","result":{"from":`+question+`}}`)
		time.Sleep(10 * time.Millisecond) // for what must not happen
	}
	h.awaits(1, `"a":{"from":1}`, `"b":{"from":2}`)
}

func TestNewsOfALaterServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first string
		h := begins(t, func(s *script, m mcpwire.Message) {
			if m.Method != mcpwire.Listen {
				return
			}
			if strings.Contains(string(m.Params), `"no"`) {
				s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`, m.ID)
				return
			}
			if first == "" {
				first = string(m.ID)
			}
			s.say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{`+
				`"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"resourceSubscriptions":["yes"]}}}`, m.ID)
		})
		const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{` +
			`"io.modelcontextprotocol/subscriptionId":%s},"uri":"yes"}}`
		h.ask(2, mcpwire.Subscribe, `{"uri":"yes"}`)
		h.hears(`n2 {"jsonrpc":"2.0","id":2,"result":{}}`)
		h.script.say(updated, first)
		h.hears(" " + fmt.Sprintf(updated, first))
		h.ask(3, mcpwire.Subscribe, `{"uri":"no"}`)
		h.hears("n3 ", `news of the resource \"no\" cannot be had: the server does not bring them`)
		h.ask(4, mcpwire.Subscribe, `{"uri":"other"}`)
		h.hears("n4 ", `cannot be had`)
		h.script.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, first) // the server ends the stream
		h.awaits(2, mcpwire.Listen, `"resourceSubscriptions":["yes"]`)
		h.ask(5, mcpwire.Unsubscribe, `{"uri":"yes"}`)
		h.hears(`n5 {"jsonrpc":"2.0","id":5,"result":{}}`)
	})
}
