package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes()
		first, ok := l.enter(t.Context(), laneOf("a"), reading, turns-1)
		if !ok {
			t.Fatal("an idle agent waits")
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		ask := func(name string, weight int) {
			all.Go(func() {
				leave, ok := l.enter(t.Context(), laneOf("a"), reading, weight)
				if !ok {
					t.Errorf("%s did not come in", name)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(time.Second)
				leave()
			})
			synctest.Wait()
		}
		ask("large", 32)
		ask("small", 1) // has room, and waits behind the large one
		if other, ok := l.enter(t.Context(), laneOf("b"), reading, turns); !ok {
			t.Error("another agent waits")
		} else {
			other()
		}
		if len(order) != 0 {
			t.Errorf("came in early: %q", order)
		}
		first()
		all.Wait()
		if len(order) != 2 || len(l.of) != 0 {
			t.Errorf("came in: %q, lanes left: %d", order, len(l.of))
		}
	})
}

func TestAQueueEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes()
		leave, _ := l.enter(t.Context(), laneOf("a"), reading, turns)
		start := time.Now()
		var late, gone, full atomic.Int64
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range maxQueued {
			all.Go(func() {
				mine := t.Context()
				if i%2 == 0 {
					mine = ctx
				}
				if _, ok := l.enter(mine, laneOf("a"), reading, 1); ok {
					t.Error("came in")
				} else if took := time.Since(start); took == turnWithin {
					late.Add(1)
				} else if took == time.Second {
					gone.Add(1)
				}
			})
		}
		synctest.Wait()
		if _, ok := l.enter(t.Context(), laneOf("a"), reading, 1); !ok && time.Since(start) == 0 {
			full.Add(1)
		}
		time.Sleep(time.Second)
		cancel()
		all.Wait()
		if late.Load() != maxQueued/2 || gone.Load() != maxQueued/2 || full.Load() != 1 {
			t.Errorf("%d late, %d gone, %d refused at once", late.Load(), gone.Load(), full.Load())
		}
		leave()
		if len(l.of) != 0 {
			t.Errorf("%d lanes are left", len(l.of))
		}
	})
}

// TestLanesNeverOverflow has many requests of a few agents come, wait, give up and
// go at random.
func TestLanesNeverOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, random := newLanes(), rand.New(rand.NewPCG(1, 2))
		var used [3]atomic.Int64
		var came, gave atomic.Int64
		var all sync.WaitGroup
		for range 3000 {
			agent, weight := random.IntN(3), 1+random.IntN(40)
			stay, patience := time.Duration(random.IntN(500))*time.Millisecond, time.Duration(random.IntN(3000))*time.Millisecond
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				leave, ok := l.enter(ctx, laneOf(string(rune('a'+agent))), reading, weight)
				if !ok {
					gave.Add(1)
					return
				}
				came.Add(1)
				if n := used[agent].Add(int64(weight)); n > turns {
					t.Errorf("%d turns at once", n)
				}
				time.Sleep(stay)
				used[agent].Add(-int64(weight))
				leave()
			})
			time.Sleep(time.Duration(random.IntN(2)) * time.Millisecond)
		}
		all.Wait()
		if len(l.of) != 0 || came.Load() == 0 || gave.Load() == 0 {
			t.Errorf("%d lanes are left; %d came in, %d gave up", len(l.of), came.Load(), gave.Load())
		}
	})
}

func TestWeight(t *testing.T) {
	for length, want := range map[int64]int{-1: 32, 0: 1, 1: 1, turnSize: 1, turnSize + 1: 2, maxBody: 32, maxBody + 1: 32, 1 << 40: 32} {
		if got := weightOf(&http.Request{ContentLength: length}); got != want {
			t.Errorf("a body of %d bytes takes %d turns, want %d", length, got, want)
		}
	}
}

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
	inBubble(t, func(t *testing.T, p *pipes, f *fakeDesk, door *Handler) {
		f.slow, f.slowFor = 4*time.Second, "agent-a"
		got, start := answers{of: map[string]int{}}, time.Now()
		var all sync.WaitGroup
		const extra = 100
		ask := head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(goodAsk))) + goodAsk
		for range turns + maxQueued + extra {
			conn := p.dial(t, ask)
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
			conn := p.dial(t, head(method, path, token, "Content-Length: "+itoa(len(goodAsk)))+goodAsk)
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
		if len(door.lanes.of) != 0 {
			t.Errorf("%d lanes are left", len(door.lanes.of))
		}
	})
}

// TestLargeBodiesOfOneAgent: two of the largest fill its turns, whether they say
// their length or not.
func TestLargeBodiesOfOneAgent(t *testing.T) {
	for _, said := range []string{"Content-Length: " + itoa(maxBody), "Transfer-Encoding: chunked"} {
		inBubble(t, func(t *testing.T, p *pipes, f *fakeDesk, _ *Handler) {
			var large []net.Conn
			for range 2 {
				large = append(large, p.dial(t, head("POST", "/v1/calls", tokenA, said)))
			}
			synctest.Wait()
			small := p.dial(t, head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(goodAsk)))+goodAsk)
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
	inBubble(t, func(t *testing.T, p *pipes, f *fakeDesk, door *Handler) {
		var readers []*reader
		for range maxStreams {
			readers = append(readers, listen(t, p, "", tokenA))
		}
		refused := answers{of: map[string]int{}}
		refused.note(t, p.dial(t, head("GET", "/v1/events", tokenA)), time.Now())
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
		if len(door.lanes.of) != 0 || f.subscribers() != 0 {
			t.Errorf("%d lanes and %d subscribers are left", len(door.lanes.of), f.subscribers())
		}
	})
}

func TestLongPollsOfOneAgent(t *testing.T) {
	s := newSite(t, nil)
	leave := func() {}
	for range maxPolls {
		var ok bool
		if leave, ok = s.door.lanes.wait(laneOf(tokenA), polls); !ok {
			t.Fatal("too few long polls")
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
	if held := s.door.lanes.of[laneOf(tokenA)].held[polls]; held != maxPolls-1 {
		t.Errorf("%d long polls are counted, want those that did not end: %d", held, maxPolls-1)
	}
}
