package joined

import (
	"fmt"
	"testing"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// TestJoinedQuestionsAreShared: a member that asks without end loses its oldest questions,
// and its neighbour none.
func TestJoinedQuestionsAreShared(t *testing.T) {
	j := newConnection()
	var far [2]*noted
	var peers [2]*peer
	ask := func(i, id int) {
		raw := j.members.inward.message(peers[i], fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		peers[i].s.Receive(raw, upstream.Origin{})
	}
	for i := range peers {
		far[i] = &noted{}
		peers[i] = &peer{s: newSession()}
		peers[i].s.Far = far[i]
	}
	ask(0, 7)
	for i := range 3 * session.MaxInFlight {
		ask(1, i)
		if i%10 == 0 { // a question that is taken back leaves its place
			j.members.inward.message(peers[1], fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}
		if i%50 == 0 && asked(j.questions) != len(j.questions.open) { // counting takes its time
			t.Fatalf("%d questions, and %d that can be answered", len(j.questions.open), asked(j.questions))
		}
	}
	if len(j.questions.open) != session.MaxInFlight {
		t.Errorf("%d questions", len(j.questions.open))
	}
	for id, want := range map[int]string{1: "0:7", 2: "", 3 * session.MaxInFlight: fmt.Sprint("1:", 3*session.MaxInFlight-2)} {
		m, _ := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		if j.self.Answered(m.Key) != (want != "") {
			t.Errorf("%d is asked for, or is not", id)
		}
		j.questions.reply(t.Context(), m)
		got := ""
		for i := range far {
			for _, p := range far[i].got {
				got += fmt.Sprint(i, ":", p.Key[1:])
			}
			far[i].got = nil
		}
		if got != want {
			t.Errorf("the answer to %d came to %q, want %q", id, got, want)
		}
	}
}
