package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/process"
	"sekisho/backend/server"
)

// marker is in the command line of every process that a server of the soak starts.
const marker = "86399.25"

// TestMain lets this test binary be the supervisor of its servers.
func TestMain(m *testing.M) {
	process.Begin()
	os.Exit(m.Run())
}

// TestSoakServer is no test but the program of the soak's servers.
func TestSoakServer(t *testing.T) {
	if os.Getenv("SEKISHO_SOAK_SERVER") == "" {
		return
	}
	grandchild := exec.Command("sleep", marker)
	stray := exec.Command("setsid", "sh", "-c", "(setsid sleep "+marker+" </dev/null >/dev/null 2>&1 &) ; exit 0")
	if err := errors.Join(grandchild.Start(), stray.Run()); err != nil {
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if answer := answerTo(lines.Bytes()); answer != "" {
			fmt.Println(answer)
		}
	}
	os.Exit(0)
}

// answerTo is what a server of the soak says to a message.
func answerTo(raw []byte) string {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(raw, &m) != nil || m.ID == nil {
		return ""
	}
	result := `{"content":[]}`
	if m.Method == "initialize" {
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"soak","version":"1"}}`
	}
	if rand.IntN(20) == 0 {
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// TestSoak keeps a desk busy over MCP, with servers that are killed at random, callers
// that leave and a table of held calls that fills and empties. Afterwards nothing of it
// is left: no goroutine, descriptor, process or memory. SEKISHO_SOAK says for how long:
// 4 s when not set, ten minutes by `make soak`.
func TestSoak(t *testing.T) {
	long := 4 * time.Second
	if d, err := time.ParseDuration(os.Getenv("SEKISHO_SOAK")); err == nil {
		long = d
	}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if answer := answerTo(body); answer != "" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer far.Close()
	b := &bath{T: t}
	b.open(far.URL)
	defer b.close()
	b.run(long / 4) // whatever is made once is made
	base := b.rest()
	b.run(long)
	for rounds := 0; rounds < 10 && b.idle(); rounds++ {
		b.run(long) // the machine has other things to do
	}
	after := b.rest()
	t.Logf("%d calls answered, %d left, %d held; %d servers killed; before %+v, after %+v", b.answered.Load(), b.left.Load(), b.held.Load(),
		b.killed.Load(), base, after)
	const idle = 20 // connections to the far server come and go: three goroutines and two files each
	if after.goroutines > base.goroutines+idle || after.files > base.files+idle || after.processes > 0 || after.heap > base.heap+16<<20 ||
		after.resident > base.resident+128<<20 {
		stacks := make([]byte, 1<<20)
		t.Errorf("something is left: before %+v, after %+v\n%s", base, after, stacks[:runtime.Stack(stacks, true)])
	}
	if b.idle() {
		t.Error("too little happened: this shows nothing")
	}
}

// bath is a desk under load.
type bath struct {
	*testing.T
	*server.Server
	answered, left, held, killed, agents atomic.Int64
}

// idle reports whether something that the load is made of has not happened.
func (b *bath) idle() bool {
	return b.answered.Load() == 0 || b.left.Load() == 0 || b.killed.Load() == 0 || b.held.Load() == 0
}

func (b *bath) open(far string) {
	ctx := context.Background()
	s, err := server.Open(ctx, server.Config{Data: b.TempDir(), Listen: "127.0.0.1:0", Patience: 2 * time.Second,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Server = s
	_, _, err = s.Desk.Catalogue.ReplaceServers(ctx, "", []permission.Server{
		{ID: "near", Transport: permission.TransportStdio, Command: os.Args[0], Args: []string{"-test.run=^TestSoakServer$"},
			Env: map[string]string{"SEKISHO_SOAK_SERVER": "1"}, Enabled: true},
		{ID: "far", Transport: permission.TransportHTTP, URL: far, Enabled: true},
	})
	if err != nil {
		b.Fatal(err)
	}
	form := permission.NewRuleForm()
	effect, pattern := permission.Allow, "read*"
	form.Effect, form.ToolPattern = &effect, &pattern
	if _, _, err := s.Desk.Policy.CreateRule(ctx, form); err != nil {
		b.Fatal(err)
	}
}

func (b *bath) close() {
	if err := b.Close(); err != nil {
		b.Error(err)
	}
}

// run keeps the desk busy for a while, with agents that go at its end.
func (b *bath) run(long time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	var crew sync.WaitGroup
	for range 6 {
		agent, token, err := b.Desk.Catalogue.CreateAgent(context.Background(), fmt.Sprint("agent-", b.agents.Add(1)))
		if err != nil {
			b.Fatal(err)
		}
		crew.Go(func() {
			for ctx.Err() == nil {
				b.visit(ctx, token)
			}
			if err := b.Desk.Catalogue.DeleteAgent(context.Background(), agent.ID); err != nil {
				b.Error(err)
			}
		})
	}
	crew.Go(func() { b.person(ctx) })
	crew.Go(func() { b.killer(ctx) })
	crew.Go(func() { b.table(ctx) })
	crew.Wait()
}

// visit is one session: some calls, each of which may be left, and mostly a goodbye.
func (b *bath) visit(ctx context.Context, token string) {
	url := b.URL + "/mcp/" + []string{"near", "far"}[rand.IntN(2)]
	_, session := b.post(ctx, url, token, "",
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`)
	if session == "" {
		return
	}
	for i := range 1 + rand.IntN(20) {
		tool := []string{"read", "read", "read", "write"}[rand.IntN(4)]
		ctx, cancel := context.WithTimeout(ctx, time.Duration(5+rand.IntN(200))*time.Millisecond)
		said, _ := b.post(ctx, url, token, session,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, i+1, tool, rand.Int64()))
		cancel()
		if strings.Contains(said, `"result"`) {
			b.answered.Add(1)
		} else {
			b.left.Add(1)
		}
	}
	if rand.IntN(4) > 0 {
		req, err := http.NewRequest(http.MethodDelete, url, nil)
		if err != nil {
			b.Error(err)
			return
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Mcp-Session-Id": {session}}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}
}

func (b *bath) post(ctx context.Context, url, token, session, message string) (said, opened string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		b.Error(err)
		return "", ""
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + token}}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", ""
	}
	return string(raw), resp.Header.Get("Mcp-Session-Id")
}

// person answers what waits.
func (b *bath) person(ctx context.Context) {
	for ctx.Err() == nil {
		calls, _, _, err := b.Desk.Calls.List(ctx, permission.Operator(),
			permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Limit: 20})
		if err != nil {
			return // it is over
		}
		for _, c := range calls {
			b.Desk.Calls.Decide(ctx, c.ID, permission.Answer{Approved: rand.IntN(3) > 0, InputHash: c.InputHash, Rev: c.Rev}) // it may be gone
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// killer kills servers, not what they have started.
func (b *bath) killer(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond)
		if running := processes("TestSoakServer"); len(running) > 0 {
			if pid := running[rand.IntN(len(running))]; !supervises(pid) && syscall.Kill(pid, syscall.SIGKILL) == nil {
				b.killed.Add(1)
			}
		}
	}
}

// table fills the table of held calls and empties it again.
func (b *bath) table(ctx context.Context) {
	agent, _, err := b.Desk.Catalogue.CreateAgent(context.Background(), fmt.Sprint("holder-", b.agents.Add(1)))
	if err != nil {
		b.Error(err)
		return
	}
	for wave := 0; ctx.Err() == nil; wave++ {
		run := permission.RunID(fmt.Sprint("wave-", wave))
		var crew sync.WaitGroup
		for i := range 300 {
			crew.Go(func() {
				c, _, err := b.Desk.Calls.Ask(context.Background(), agent,
					permission.Request{Identity: permission.Identity{RunID: run, ToolCallID: fmt.Sprint(i)}, ToolName: "hold"})
				if err != nil {
					b.Error(err)
					return
				}
				b.held.Add(1)
				b.Desk.Calls.Wait(ctx, permission.Party{Agent: &agent}, c.ID, c.Rev) // until it is answered or cancelled, or the soak is over
			})
			if i%100 == 99 {
				time.Sleep(time.Millisecond)
			}
		}
		for range 20 {
			if _, _, err := b.Desk.Calls.CancelRun(context.Background(), permission.Party{Agent: &agent}, run); err != nil {
				b.Error(err)
			}
			time.Sleep(5 * time.Millisecond)
		}
		crew.Wait()
	}
	if err := b.Desk.Catalogue.DeleteAgent(context.Background(), agent.ID); err != nil {
		b.Error(err)
	}
}

// supervises reports whether a process stands between the desk and a server.
func supervises(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err != nil || strings.HasPrefix(string(raw), "sekisho-supervisor")
}

// footprint is what a desk takes.
type footprint struct {
	goroutines, files, processes int
	heap, resident               uint64 // bytes
}

// rest waits until nobody is busy any more, and measures.
func (b *bath) rest() (f footprint) {
	for end, still := time.Now().Add(20*time.Second), 0; time.Now().Before(end) && still < 10; time.Sleep(50 * time.Millisecond) {
		http.DefaultClient.CloseIdleConnections()
		now := measure()
		if still++; now.goroutines != f.goroutines || now.files != f.files || now.processes > 0 {
			still = 0
		}
		f = now
	}
	runtime.GC()
	runtime.GC()
	return measure()
}

func measure() footprint {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd")
	f := footprint{goroutines: runtime.NumGoroutine(), files: len(files), processes: len(processes("TestSoakServer")) + len(processes(marker)),
		heap: m.HeapAlloc}
	raw, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(raw)); len(fields) > 1 {
		pages, _ := strconv.ParseUint(fields[1], 10, 64)
		f.resident = pages * uint64(os.Getpagesize())
	}
	return f
}

// processes are those whose command line has a word, but for this one and those of
// another run of the test.
func processes(word string) (ids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		raw, err := os.ReadFile(path)
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || id == os.Getpid() || !strings.Contains(string(raw), word) {
			continue
		}
		if env, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ")); err == nil &&
			slices.Contains(strings.Split(string(env), "\x00"), "SEKISHO_SOAK_SERVER=1") {
			ids = append(ids, id)
		}
	}
	return ids
}
