package gateway

import (
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// TestJoinedBacklogIsShared: a member that speaks without end loses its own words, and not
// those of the others, while the client does not listen.
func TestJoinedBacklogIsShared(t *testing.T) {
	for what, word := range map[string]string{"many": "", "long": strings.Repeat("x", maxKept/100)} {
		t.Run(what, func(t *testing.T) {
			j := &joined{self: newSession(), open: map[*session]bool{}}
			hear := func(member *session, raws ...string) {
				for _, raw := range raws {
					member.enqueue([]byte(raw))
				}
				j.listen(member)
			}
			a, b := newSession(), newSession()
			for _, s := range []*session{a, b} {
				s.over = make(chan struct{})
				close(s.over)
			}
			j.say([]byte("desk"))
			hear(b, "b1", "b2")
			for i := range 2 * maxBacklog {
				hear(a, fmt.Sprint("a", i, word))
			}
			hear(b, "b3")
			var got []string
			kept := 0
			for raw := j.self.dequeue(); raw != nil; raw = j.self.dequeue() {
				kept += len(raw)
				got = append(got, string(raw))
			}
			last := fmt.Sprint("a", 2*maxBacklog-1, word)
			if len(got) > maxBacklog || kept > maxKept || j.self.kept != 0 || len(got) < 50 {
				t.Errorf("%d messages of %d bytes, and then %d", len(got), kept, j.self.kept)
			}
			if strings.Join(got[:3], " ") != "desk b1 b2" || got[len(got)-2] != last || got[len(got)-1] != "b3" {
				t.Errorf("it begins with %.20q, and ends with %.20q", got[:3], got[len(got)-2:])
			}
		})
	}
}

// TestJoinedQuestionsAreShared: a member that asks without end loses its oldest questions,
// and its neighbour none.
func TestJoinedQuestionsAreShared(t *testing.T) {
	j := &joined{g: &Gateway{}, self: newSession(), questions: map[string]*question{}}
	var far [2]*noted
	var peers [2]*peer
	ask := func(i, id int) {
		raw := j.inward(peers[i], fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		peers[i].s.receive(raw, upstream.Origin{})
	}
	for i := range peers {
		far[i] = &noted{}
		peers[i] = &peer{s: newSession()}
		peers[i].s.far = far[i]
	}
	ask(0, 7)
	for i := range 3 * maxInFlight {
		ask(1, i)
		if i%10 == 0 { // a question that is taken back leaves its place
			j.inward(peers[1], fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}
		if len(j.self.asked) != len(j.questions) {
			t.Fatalf("%d questions, and %d that can be answered", len(j.questions), len(j.self.asked))
		}
	}
	if len(j.questions) != maxInFlight {
		t.Errorf("%d questions", len(j.questions))
	}
	for id, want := range map[int]string{1: "0:7", 2: "", 3 * maxInFlight: fmt.Sprint("1:", 3*maxInFlight-2)} {
		m, _ := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		if j.self.answered(m.Key) != (want != "") {
			t.Errorf("%d is asked for, or is not", id)
		}
		j.reply(t.Context(), m)
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
