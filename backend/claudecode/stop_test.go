package claudecode_test

import (
	"strings"
	"testing"

	"sekisho/backend/handover"
)

// TestAPersonStopsTheAgent: while a long tool runs and nothing is asked, the client is interrupted
// at once, and what it asks for all the same is refused with the turn's end. The next prompt goes
// out when the turn has ended, and a stop beside a turn interrupts nothing.
func TestAPersonStopsTheAgent(t *testing.T) {
	d := &desk{stops: make(chan struct{}), answers: map[string]handover.ApprovalStatus{
		"Bash": handover.Denied{Reason: "A person stopped this agent.", Stopped: true}}}
	c := converse(t, d, false, "go", "on")
	d.stops <- struct{}{}
	stop := c.next()
	if stop["type"] != "control_request" || at(stop, "request", "subtype") != "interrupt" {
		t.Fatalf("told %v", stop)
	}
	got := c.request(`{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{}}`)
	if !strings.Contains(got, `"behavior":"deny","interrupt":true,"message":"A person stopped this agent."`) {
		t.Error(got)
	}
	c.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q}}`, stop["request_id"])
	c.say(`{"type":"result","subtype":"error_during_execution"}`)
	if second := c.next(); at(second, "message", "content") != "on" {
		t.Errorf("after the interrupt: %v", second)
	}
	c.end()
}

// TestAClientThatDoesNotHearTheStop keeps its turn, and is refused.
func TestAClientThatDoesNotHearTheStop(t *testing.T) {
	d := &desk{stops: make(chan struct{})}
	c := converse(t, d, false, "go")
	d.stops <- struct{}{}
	if stop := c.next(); at(stop, "request", "subtype") != "interrupt" {
		t.Fatalf("told %v", stop)
	}
	c.end()
}
