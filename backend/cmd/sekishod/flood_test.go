package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	floodAsks    = 10_000
	floodClients = 256
	floodWithin  = 10 * time.Second // then it ends, however many were sent
	pendingLimit = 1000             // per agent, of a new desk
	// floodMemory bounds what the desk's process takes in a flood. It is far above
	// what was seen (some 60 MB, with -race some 260), and far below what 10,000
	// requests would take that are held one by one without bounds.
	floodMemory  = 1 << 30
	visibleIn    = 5 * time.Second // a second is promised; a busy machine must not fail this
	askedBetween = 300 * time.Millisecond
)

// flood is one agent that asks as fast as it can.
type flood struct {
	*testing.T
	url, token string
	client     *http.Client

	sent                    atomic.Int64
	created, limited, other atomic.Int64
}

// TestFlood: one agent's flood is answered, to the last request, with a row or with
// a 429 and its reason; another agent is seen in time, and the desk stays small.
func TestFlood(t *testing.T) {
	p := newParty(t)
	f := &flood{T: t, url: p.URL, token: p.a.token,
		client: &http.Client{Timeout: 60 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: floodClients, MaxConnsPerHost: floodClients}}}
	defer f.client.CloseIdleConnections()
	begun := time.Now()
	var clients sync.WaitGroup
	for range floodClients {
		clients.Go(func() {
			for time.Since(begun) < floodWithin {
				n := f.sent.Add(1)
				if n > floodAsks {
					return
				}
				f.ask(n)
			}
		})
	}
	over := make(chan struct{})
	go func() { clients.Wait(); close(over) }()
	var worst time.Duration
	looks, most := 0, 0
	for running := true; running; looks++ {
		worst = max(worst, p.visible())
		most = max(most, p.resident())
		p.bounded()
		select {
		case <-over:
			running = false
		case <-time.After(askedBetween):
		}
	}
	sent := f.created.Load() + f.limited.Load() + f.other.Load()
	t.Logf("%d asks in %v: %d created, %d limited; another agent seen within %v (worst of %d); %d MB resident",
		sent, time.Since(begun).Round(time.Millisecond), f.created.Load(), f.limited.Load(), worst.Round(time.Millisecond), looks, most>>20)
	if f.other.Load() > 0 || f.created.Load() > pendingLimit || sent > 2*pendingLimit && f.limited.Load() == 0 {
		t.Errorf("%d created, %d limited, %d otherwise", f.created.Load(), f.limited.Load(), f.other.Load())
	}
	if worst > visibleIn {
		t.Errorf("another agent's ask was seen after %v", worst)
	}
	if most > floodMemory {
		t.Errorf("the desk took %d MB", most>>20)
	}
	p.afterwards(int(f.created.Load()))
}

// ask sends one, as a real client does: all of an answer is read.
func (f *flood) ask(n int64) {
	body := fmt.Sprintf(`{"runId":"flood","toolCallId":"%d","toolName":"tool","input":{"n":%d,"pad":%q}}`, n, n, strings.Repeat("x", 500))
	req, err := http.NewRequestWithContext(f.Context(), "POST", f.url+"/v1/calls", strings.NewReader(body))
	if err != nil {
		f.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	resp, err := f.client.Do(req)
	if err != nil {
		f.other.Add(1)
		f.Errorf("ask %d: %v", n, err)
		return
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	switch {
	case err == nil && resp.StatusCode == 201:
		f.created.Add(1)
	case err == nil && resp.StatusCode == 429 && wait > 0 && bytes.Contains(raw, []byte(`"detail":"`)) &&
		!bytes.Contains(raw, []byte(`"detail":""`)):
		f.limited.Add(1)
	default:
		f.other.Add(1)
		f.Errorf("ask %d: %d %v %s %v", n, resp.StatusCode, resp.Header, raw, err)
	}
}

// visible is how long another agent's ask takes until the operator sees it.
func (p *party) visible() time.Duration {
	p.Helper()
	begun := time.Now()
	c := p.b.ask(201, fields{"runId": "calm"})
	p.op.until("seen", "GET /v1/calls?status=pending&runId=calm", func(r reply) bool { return strings.Contains(string(r.raw), c.id()) })
	took := time.Since(begun)
	p.b.do(200, "POST /v1/calls/"+c.id()+"/cancel", fields{"reason": "seen"})
	return took
}

var residentLine = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// resident is the memory of the desk's process, where the system tells.
func (p *party) resident() int {
	p.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	found := residentLine.FindSubmatch(raw)
	if err != nil || found == nil {
		p.Fatalf("%v: %s", err, raw)
	}
	kilobytes, _ := strconv.Atoi(string(found[1]))
	return kilobytes << 10
}

// bounded wants no more calls to wait than the limit allows, and gives how many do.
func (p *party) bounded() (waiting int) {
	p.Helper()
	for cursor := ""; cursor != "<nil>"; {
		page := p.op.do(200, "GET /v1/calls?status=pending&runId=flood&limit=500&cursor="+cursor, nil)
		waiting += len(page.list("calls"))
		cursor = page.text("next")
	}
	if waiting > pendingLimit {
		p.Errorf("%d calls of one agent wait", waiting)
	}
	return waiting
}

// afterwards everything works, for the flooding agent as well.
func (p *party) afterwards(created int) {
	p.Helper()
	if waiting := p.bounded(); waiting != created {
		p.Errorf("%d calls were acknowledged, %d wait", created, waiting)
	}
	p.a.do(200, "POST /v1/runs/flood/cancel", nil).has("cancelled", created)
	for _, v := range []visitor{p.a, p.b} {
		c := v.ask(201, nil)
		p.op.decide(200, c.id(), fields{"approved": true})
		got := v.claim(200, c, "k")
		v.do(200, "POST /v1/calls/"+c.id()+"/result", fields{"claimId": got.at("call.claimId"), "ok": true}).has("call.status", "completed")
	}
	p.op.do(200, "GET /healthz", nil).has("ok", true)
}
