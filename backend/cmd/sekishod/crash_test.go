package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/storetest"
)

// TestCrash runs 16 agents and a person against a real sekishod, kills it with -9
// at random moments and starts it again over the same folder. It shows that no
// acknowledged call is lost, none is executed twice, none without a committed yes,
// and that the journal's chain is whole. SEKISHO_CRASH_KILLS says how often to kill:
// 12 when not set, 200 by `make crash`.
func TestCrash(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("SEKISHO_CRASH_KILLS")); err == nil {
		kills = n
	}
	w := &wreck{T: t, dir: t.TempDir(), ledger: map[permission.CallID]*ledger{}, stop: make(chan struct{})}
	d := w.launch()
	d.operate("POST", "/v1/rules", `{"toolName":"read","autoApprove":true}`, nil)
	d.operate("POST", "/v1/rules", `{"toolName":"drop","effect":"deny"}`, nil)
	var crew sync.WaitGroup
	for i := range 16 {
		token := d.agent(fmt.Sprint("agent-", i))
		crew.Go(func() { w.agent(i, token) })
	}
	crew.Go(w.person)
	for range kills {
		d = w.crash(d, 1+rand.IntN(20), 400*time.Millisecond)
	}
	close(w.stop)
	crew.Wait()
	w.settle(d)
	w.check(d)
}

// wreck is a desk that keeps being killed, and what its visitors remember.
type wreck struct {
	*testing.T
	dir string
	url atomic.Value // of the living desk
	got atomic.Int64 // answers

	lives atomic.Int64 // of the desk, so far

	mu     sync.Mutex
	ledger map[permission.CallID]*ledger

	stop chan struct{}
}

// ledger is what an agent knows of one call of its own.
type ledger struct {
	acknowledged permission.Status // the newest state that the desk told
	executed     int
	retries      int // how often a person said that it may be claimed again
}

func (w *wreck) launch() *daemon {
	d := start(w.T, w.dir)
	w.url.Store(d.URL)
	w.lives.Add(1)
	return d
}

// end is when whoever waits for a desk gives up: shortly before the test's own end, however slow a
// busy machine is.
func (w *wreck) end() time.Time {
	if end, ok := w.Deadline(); ok {
		return end.Add(-time.Minute)
	}
	return time.Now().Add(time.Hour)
}

// crash kills a desk at a random moment after it gave so many answers, however long a busy
// machine takes for them, and starts it again.
func (w *wreck) crash(d *daemon, answers int, within time.Duration) *daemon {
	w.Helper()
	enough := w.got.Load() + int64(answers)
	for deadline := w.end(); w.got.Load() < enough; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("a desk gave no %d answers", answers)
		}
	}
	time.Sleep(rand.N(within))
	d.kill()
	return w.launch()
}

func (w *wreck) stopped() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// ask sends a request until some desk answers it.
func (w *wreck) ask(token, method, path string, body any, out any) int {
	raw, err := json.Marshal(body)
	if err != nil {
		w.Error(err)
	}
	client := http.Client{Timeout: time.Minute}
	for end := w.end(); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		req, err := http.NewRequest(method, w.url.Load().(string)+path, bytes.NewReader(raw))
		if err != nil {
			w.Error(err)
			return 0
		}
		if body == nil {
			req.Body = http.NoBody
			req.ContentLength = 0
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if resp, err := client.Do(req); err == nil {
			answer, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && resp.StatusCode < 500 {
				w.got.Add(1)
				if out != nil && json.Unmarshal(answer, out) != nil {
					w.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
				}
				return resp.StatusCode
			}
		}
	}
	w.Errorf("%s %s: no desk answers", method, path)
	return 0
}

type callAnswer struct {
	Call permission.Call
}

// agent asks, waits, claims, executes and reports, over and over.
func (w *wreck) agent(n int, token string) {
	tools := []string{"read", "write", "write", "delete", "drop"}
	for i := 0; !w.stopped(); i++ {
		tool := tools[rand.IntN(len(tools))]
		var got callAnswer
		status := w.ask(token, "POST", "/v1/calls", map[string]any{
			"runId": fmt.Sprint("run", i/10), "toolCallId": fmt.Sprint(i), "toolName": tool, "input": map[string]any{"agent": n, "call": i},
		}, &got)
		if status != 201 && status != 200 {
			w.Errorf("ask: %d", status)
			return
		}
		w.acknowledge(got.Call)
		w.follow(token, got.Call, rand.IntN(20) == 0)
	}
}

// follow brings one call to its end; forgetful claims it and forgets to execute.
func (w *wreck) follow(token string, c permission.Call, forgetful bool) {
	key := fmt.Sprint("key-", c.ID)
	for !w.stopped() {
		got := callAnswer{c}
		switch c.Status {
		case permission.Pending:
			w.ask(token, "GET", fmt.Sprintf("/v1/calls/%s?wait=1&rev=%d", c.ID, c.Rev), nil, &got)
		case permission.Approved:
			if w.ask(token, "POST", "/v1/calls/"+string(c.ID)+"/claim",
				map[string]any{"inputHash": c.InputHash, "claimant": "test", "claimKey": key, "leaseSeconds": 1}, &got) == 200 {
				if !forgetful {
					w.execute(token, &got.Call)
				}
				forgetful = false // what a person lets run again is run
				key += "'"
			} else {
				w.ask(token, "GET", "/v1/calls/"+string(c.ID), nil, &got)
			}
		case permission.Claimed, permission.InDoubt: // forgotten: a person will see to it
			time.Sleep(20 * time.Millisecond)
			w.ask(token, "GET", "/v1/calls/"+string(c.ID), nil, &got)
		default:
			return
		}
		if got.Call.ID != c.ID {
			w.Errorf("asked for %s, got %s", c.ID, got.Call.ID)
			return
		}
		c = got.Call
		w.acknowledge(c)
	}
}

// execute is the side effect: it happens once for each claim that was granted.
func (w *wreck) execute(token string, c *permission.Call) {
	w.acknowledge(*c)
	w.mu.Lock()
	w.ledger[c.ID].executed++
	w.mu.Unlock()
	got := callAnswer{}
	status := w.ask(token, "POST", "/v1/calls/"+string(c.ID)+"/result", map[string]any{"claimId": c.ClaimID, "ok": true, "output": c.ID}, &got)
	switch {
	case status == 200:
		*c = got.Call
	case status == 409: // a person resolved it while the desk was away
		w.ask(token, "GET", "/v1/calls/"+string(c.ID), nil, &got)
		*c = got.Call
	default:
		w.Errorf("result: %d", status)
	}
}

// acknowledge notes what the desk told, and that it does not go back on its word.
func (w *wreck) acknowledge(c permission.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.ledger[c.ID]
	if l == nil {
		l = &ledger{acknowledged: c.Status}
		w.ledger[c.ID] = l
	}
	if !storetest.Reaches(l.acknowledged, c.Status) {
		w.Errorf("call %s was %s, and now is %s", c.ID, l.acknowledged, c.Status)
	}
	l.acknowledged = c.Status
}

// person answers what waits and resolves what is in doubt.
func (w *wreck) person() {
	for !w.stopped() {
		w.answer()
		time.Sleep(5 * time.Millisecond)
	}
}

func (w *wreck) answer() {
	var got struct{ Calls []permission.Call }
	w.ask(operator, "GET", "/v1/calls?status=pending,in_doubt&order=oldest", nil, &got)
	for _, c := range got.Calls {
		if c.Status == permission.InDoubt {
			w.resolve(c)
			continue
		}
		scope := permission.ScopeOnce
		if rand.IntN(20) == 0 {
			scope = permission.ScopeClass
		}
		approved := rand.IntN(4) > 0
		var out callAnswer
		status := w.ask(operator, "POST", "/v1/calls/"+string(c.ID)+"/decision",
			map[string]any{"approved": approved, "inputHash": c.InputHash, "rev": c.Rev, "scope": scope, "reason": "so"}, &out)
		if status == 200 && (out.Call.Decision == nil || out.Call.Decision.Approved != approved) {
			w.Errorf("decided %v, told %+v", approved, out.Call.Decision)
		}
	}
}

func (w *wreck) resolve(c permission.Call) {
	action := permission.Close
	if rand.IntN(2) == 0 {
		action = permission.Retry
		w.mu.Lock()
		if l := w.ledger[c.ID]; l != nil {
			l.retries++
		}
		w.mu.Unlock()
	}
	w.ask(operator, "POST", "/v1/calls/"+string(c.ID)+"/resolve", map[string]any{"action": action}, nil)
}

// settle waits until the leases of what was claimed are over.
func (w *wreck) settle(d *daemon) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var got struct{ Calls []permission.Call }
		d.operate("GET", "/v1/calls?status=claimed", "", &got)
		if len(got.Calls) == 0 {
			return
		}
	}
	w.Error("a claimed call never came into doubt")
}

func (w *wreck) check(d *daemon) {
	entries := w.journal(d)
	calls, complaints := storetest.Replay(entries)
	for _, c := range complaints {
		w.Error(c)
	}
	executed := 0
	for id, l := range w.ledger {
		now := d.status(id)
		if now.ID != id || !storetest.Reaches(l.acknowledged, now.Status) {
			w.Errorf("call %s was acknowledged as %s, and is %q", id, l.acknowledged, now.Status)
		}
		story := calls[id]
		if story == nil || story.Status != now.Status {
			w.Errorf("call %s is %s, the journal says %+v", id, now.Status, story)
			continue
		}
		if l.executed > 1+l.retries || l.executed > story.Claims {
			w.Errorf("call %s was executed %d times, with %d claims and %d retries", id, l.executed, story.Claims, l.retries)
		}
		executed += l.executed
	}
	w.Logf("%d calls acknowledged, %d executed, %d journal entries", len(w.ledger), executed, len(entries))
	if executed == 0 {
		w.Error("nothing ran at all: this shows nothing")
	}
}

// journal reads all of it and checks its chain by the contract's own words.
func (w *wreck) journal(d *daemon) (all []permission.Entry) {
	prev := ""
	for after := int64(0); ; {
		var page struct {
			Entries []json.RawMessage
			Next    *int64
		}
		d.operate("GET", fmt.Sprintf("/v1/journal?after=%d&limit=500", after), "", &page)
		for _, raw := range page.Entries {
			e, hash := entryOf(w.T, raw)
			if e.Seq != int64(len(all))+1 || e.PrevHash != prev || e.Hash != hash {
				w.Fatalf("the chain is broken at %s", raw)
			}
			prev = e.Hash
			all = append(all, e)
		}
		if page.Next == nil {
			return all
		}
		after = *page.Next
	}
}

// entryOf reads an entry and the hash that it ought to have.
func entryOf(t *testing.T, raw json.RawMessage) (e permission.Entry, hash string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	delete(fields, "hash")
	rest, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if rest, err = rawjson.Canonical(nil, rest); err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(rest)
	return e, hex.EncodeToString(digest[:])
}
