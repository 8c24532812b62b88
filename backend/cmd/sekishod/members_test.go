package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// memberRoom is what bodies that are refused for their members may take beside their bytes.
const memberRoom = 64 << 20

// manyKeys is an object of so many members.
func manyKeys(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%07d":1`, i)
	}
	b.WriteByte('}')
	return b.String()
}

// TestMembersAreBounded: eight bodies of a million members at once are each refused, by
// every door that takes an agent's JSON, and cost the desk no memory for each member.
func TestMembersAreBounded(t *testing.T) {
	t.Setenv("GOGC", "25") // of the desk: what is resident is less of a matter of when garbage was collected last
	p := newParty(t)
	server := "/mcp/none"
	before, keys := p.resident(), manyKeys(1_000_000)
	for _, c := range []struct{ line, body, at string }{
		{"POST /v1/calls", `{"runId":"r","toolCallId":"t","toolName":"x","input":` + keys + "}", "input"},
		{"POST /v1/evaluate", `{"toolName":"x","input":{"in":[` + keys + "]}}", "input"},
		{"POST /v1/calls/x/result", `{"claimId":"c","ok":true,"output":` + keys + "}", "output"},
	} {
		refused := make([]reply, 8)
		var all sync.WaitGroup
		for i := range refused {
			all.Go(func() { refused[i] = p.a.send(c.line, c.body) })
		}
		all.Wait()
		for _, r := range refused {
			if r.status != 422 || r.text("code") != "too_many_members" || r.text("field") != c.at {
				t.Fatalf("%s: %d %.300s", c.line, r.status, r.raw)
			}
		}
	}
	for _, params := range []string{`{"name":"x","arguments":` + keys + "}", `{"name":"x","_meta":{"a":` + keys + "}}",
		`{"name":"x","inputResponses":` + keys + "}"} {
		r := p.a.send("POST "+server, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+"}", "Accept",
			"application/json, text/event-stream")
		if r.status != 422 || !strings.Contains(string(r.raw), "too many members and elements at $.params") {
			t.Fatalf("over MCP: %d %.300s", r.status, r.raw)
		}
	}
	if after := p.resident(); after > before+8*len(keys)+memberRoom {
		t.Errorf("the desk has %d MB resident, before %d MB", after>>20, before>>20)
	}
}

// TestTheBoundOnMembersIsASetting: an input has exactly as many as the settings say.
func TestTheBoundOnMembersIsASetting(t *testing.T) {
	p := newParty(t)
	p.op.refused(422, "invalid", "PATCH /v1/settings", fields{"limits": fields{"inputMembers": 99}})
	p.op.do(200, "PATCH /v1/settings", fields{"limits": fields{"inputMembers": 500}}).has("limits.inputMembers",
		"500").has("limits.pendingPerAgent", "1000")
	ask := func(want int, n int) reply {
		return p.a.do(want, "POST /v1/calls", fmt.Sprintf(`{"runId":"r","toolCallId":"%d","toolName":"x","input":%s}`, n, manyKeys(n)))
	}
	call := ask(http.StatusCreated, 500)
	ask(422, 501).has("code", "too_many_members").has("field", "input")
	edited := fmt.Sprintf(`{"approved":true,"rev":1,"inputHash":%q,"input":%s}`, call.text("call.inputHash"), manyKeys(501))
	p.op.refused(422, "too_many_members", "POST /v1/calls/"+call.id()+"/decision", edited)
	p.op.decide(200, call.id(), fields{"approved": true, "rev": 1})
}
