package rest

import (
	"testing"
	"testing/synctest"

	"sekisho/backend/permission"
	"sekisho/backend/pipetest"
)

// TestAnAgentHearsThatItIsStopped, once for each stop and at once where it is stopped already. It does
// not hear of another agent's.
func TestAnAgentHearsThatItIsStopped(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		set := func(seq int64, until permission.Time) {
			f.mu.Lock()
			f.known = []permission.Agent{{ID: "agent-b", StoppedUntil: until + 1}, {ID: "agent-a", StoppedUntil: until}}
			f.mu.Unlock()
			if seq > 0 {
				f.happen(permission.Event{Seq: seq, Kind: permission.AgentsChanged})
				synctest.Wait() // the stream has looked
			}
		}
		want := func(r *reader, want string) {
			t.Helper()
			if got := r.next(); got != want {
				t.Errorf("told %s, want %s", got, want)
			}
		}
		stopped := func(seq string) string {
			return seq + ` agent.stopped {"seq":` + seq + `,"kind":"agent.stopped","callId":null,"desk":"the run"}`
		}
		set(1, 0)
		r := listen(t, p, "", tokenA)
		synctest.Wait()
		set(2, 100)
		want(r, stopped("2"))
		set(3, 100) // of another agent
		set(4, 0)
		set(5, 50) // anew
		want(r, stopped("5"))
		want(listen(t, p, "?runId=run", tokenA), stopped("5"))
	})
}
