package rest

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/pipetest"
	"sekisho/backend/restwire"
)

// answers counts the statuses of requests by the second in which they came.
type answers struct {
	mu sync.Mutex
	of map[string]int
}

func (a *answers) note(t *testing.T, conn net.Conn, start time.Time) {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Error(err)
		return
	}
	body, _ := io.ReadAll(resp.Body)
	_ = conn.Close()
	if resp.StatusCode == http.StatusTooManyRequests {
		var p problem
		if err := json.Unmarshal(body, &p); err != nil || p.Code != codeBusy || !strings.Contains(p.Detail, "this agent has") ||
			resp.Header.Get("Retry-After") != "1" || !resp.Close {
			t.Errorf("%v %s", resp.Header, body)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of[resp.Status[:3]+" after "+time.Since(start).String()]++
}

// TestAFloodStandsInItsOwnWay: one agent asks far more at once than it may, and
// another agent's ask is answered as if nothing were.
func TestAFloodStandsInItsOwnWay(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler) {
		f.slow, f.slowFor = 4*time.Second, "agent-a"
		got, start := answers{of: map[string]int{}}, time.Now()
		var all sync.WaitGroup
		const extra = 100
		ask := head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(goodAsk))) + goodAsk
		for range turns + maxQueued + extra {
			conn := dial(t, p, ask)
			all.Go(func() { got.note(t, conn, start) })
		}
		synctest.Wait()
		if got.of["429 after 0s"] != extra {
			t.Errorf("at once: %v, want %d refused", got.of, extra)
		}
		if f.lookups != turns {
			t.Errorf("%d tokens were looked up, want one for each turn", f.lookups)
		}
		for _, token := range []string{tokenB, tokenOp} {
			row := "GET /v1/calls"
			if token == tokenB {
				row = "POST /v1/calls"
			}
			method, path, _ := strings.Cut(row, " ")
			conn := dial(t, p, head(method, path, token, "Content-Length: "+itoa(len(goodAsk)))+goodAsk)
			other := answers{of: map[string]int{}}
			other.note(t, conn, start)
			if other.of["200 after 0s"] != 1 {
				t.Errorf("%s by another: %v", row, other.of)
			}
		}
		all.Wait()
		want := map[string]int{"429 after 0s": extra, "200 after 4s": turns, "200 after 8s": turns, "200 after 12s": turns,
			"429 after 10s": maxQueued - 2*turns}
		for key, n := range want {
			if got.of[key] != n {
				t.Errorf("%s: %d, want %d", key, got.of[key], n)
			}
		}
		if lanesLeft(door) != 0 {
			t.Errorf("%d lanes are left", lanesLeft(door))
		}
	})
}

// TestLargeBodiesOfOneAgent: two of the largest fill its turns, whether they say
// their length or not.
func TestLargeBodiesOfOneAgent(t *testing.T) {
	for _, said := range []string{"Content-Length: " + itoa(maxBody), "Transfer-Encoding: chunked"} {
		inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
			var large []net.Conn
			for range 2 {
				large = append(large, dial(t, p, head("POST", "/v1/calls", tokenA, said)))
			}
			synctest.Wait()
			small := dial(t, p, head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(goodAsk)))+goodAsk)
			synctest.Wait()
			if f.touched() != 0 {
				t.Errorf("%s: the small one did not wait", said)
			}
			start, got := time.Now(), answers{of: map[string]int{}}
			go func() {
				time.Sleep(3 * time.Second)
				_ = large[0].Close() // breaks off: its turns are free
			}()
			if got.note(t, small, start); got.of["200 after 3s"] != 1 {
				t.Errorf("%s: the small one: %v", said, got.of)
			}
			_ = large[1].Close()
		})
	}
}

func TestStreamsOfOneAgent(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler) {
		var readers []*reader
		for range maxStreams {
			readers = append(readers, listen(t, p, "", tokenA))
		}
		refused := answers{of: map[string]int{}}
		refused.note(t, dial(t, p, head("GET", "/v1/events", tokenA)), time.Now())
		if refused.of["429 after 0s"] != 1 {
			t.Errorf("one too many: %v", refused.of)
		}
		readers = append(readers, listen(t, p, "", tokenB), listen(t, p, "", tokenOp))
		_ = readers[0].conn.Close()
		synctest.Wait()
		readers = append(readers[1:], listen(t, p, "", tokenA))
		for _, r := range readers {
			_ = r.conn.Close()
		}
		synctest.Wait()
		if lanesLeft(door) != 0 || f.subscribers() != 0 {
			t.Errorf("%d lanes and %d subscribers are left", lanesLeft(door), f.subscribers())
		}
	})
}

func TestLongPollsOfOneAgent(t *testing.T) {
	s := newSite(t, nil)
	a := s.desk.agents[tokenA]
	poll := func() (leave func(), err error) {
		return s.door.api.Lanes.Wait(restwire.Caller{Party: permission.Party{Agent: &a}, Token: tokenA}, restwire.Polls)
	}
	leave := func() {}
	for range maxPolls {
		var err error
		if leave, err = poll(); err != nil {
			t.Fatal(err)
		}
	}
	got := s.send("GET", "/v1/calls/call-a?wait=1", tokenA, "")
	if got.status != 429 || got.problem(t).Code != codeBusy || got.header.Get("Retry-After") != "1" || s.desk.touched() != 0 {
		t.Errorf("one too many: %d %s", got.status, got.body)
	}
	for _, c := range [][2]string{{"/v1/calls/call-a", tokenA}, {"/v1/calls/call-a?wait=0.01", tokenOp},
		{"/v1/calls/call-b?wait=0.01", tokenB}} {
		if got := s.send("GET", c[0], c[1], ""); got.status != 200 {
			t.Errorf("%s: %d %s", c[0], got.status, got.body)
		}
	}
	leave()
	if got := s.send("GET", "/v1/calls/call-a?wait=0.01", tokenA, ""); got.status != 200 {
		t.Errorf("after one has ended: %d %s", got.status, got.body)
	}
	if _, err := poll(); err != nil {
		t.Error("one that ended is counted")
	}
	if _, err := poll(); err == nil {
		t.Error("one that did not end is not counted")
	}
}
