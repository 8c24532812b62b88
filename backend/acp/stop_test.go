package acp

import (
	"fmt"
	"testing"
	"testing/synctest"

	"sekisho/backend/handover"
)

func prompted(id, session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`+"\n", id, session)
}

func cancels(session string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", session)
}

// TestAPersonStopsTheAgent: while a long tool runs and nothing is asked, each turn that is under way
// is cancelled at once and once, and permission requests are answered as cancelled. A stop beside a
// turn cancels none.
func TestAPersonStopsTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{stops: make(chan struct{}), answers: map[string]handover.ApprovalStatus{
			"execute": handover.Denied{Reason: "A person stopped this agent.", Stopped: true}}}
		s := stage(t, d)
		pass := func(line string) {
			t.Helper()
			s.say(s.editor, line)
			s.hear(s.toAgent, line)
		}
		over := func(line string) {
			t.Helper()
			s.say(s.agent, line+"\n")
			s.hear(s.toEditor, line+"\n")
		}
		stop := func() {
			d.stops <- struct{}{}
			synctest.Wait() // the relay has acted on it, or waits until it is heard
		}
		stop() // no turn is under way
		pass(prompted("1", "s1"))
		over(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
		pass(prompted("2", "s2"))
		over(`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}`)
		stop() // none any more
		pass(prompted(`"3"`, "s3"))
		over(`{"jsonrpc":"2.0","method":"session/update","params":{"text":"an error, and no stopReason"}}`)
		stop()
		s.hear(s.toAgent, cancels("s3"))
		stop() // it is cancelled already
		s.say(s.agent, permit("7", "s3", "execute"))
		s.hear(s.toAgent, off("7"))
		over(`{"jsonrpc":"2.0","id":"3","result":{"stopReason":"cancelled"}}`)
		pass(prompted("4", "s3")) // refused before the stop is heard of
		s.say(s.agent, permit("8", "s3", "execute"))
		s.hear(s.toAgent, cancels("s3"))
		s.hear(s.toAgent, off("8"))
		stop() // which comes late
		over(`{"jsonrpc":"2.0","id":4,"result":{"stopReason":"cancelled"}}`)
		pass(prompted("5", "s3"))
	})
}
