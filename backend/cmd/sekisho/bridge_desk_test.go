package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/server"
)

// serveTally is a server that notes each call of it as a line of the file that is its
// argument, before it takes as long as it is told.
func serveTally() {
	type run struct {
		Text string `json:"text"`
		For  int    `json:"for,omitempty"` // in milliseconds
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "tally", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "note"}, func(_ context.Context, _ *mcp.CallToolRequest, in run) (*mcp.CallToolResult, any, error) {
		f, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, "%.20s\n", in.Text)
			err = errors.Join(err, f.Close())
		}
		time.Sleep(time.Duration(in.For) * time.Millisecond)
		if in.Text == "bad" {
			err = errors.New("it is bad")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted"}}}, nil, err
	})
	s.Run(context.Background(), &mcp.StdioTransport{})
}

// serveDesk is a desk over the folder that is its argument, with the patience that it has for
// unknown clients, and the address where it is reached. Its person sits at standard
// input: "calls" prints them, "approve" says yes to all that wait, and "end" ends the desk.
func serveDesk() {
	ctx := context.Background()
	patience, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	s, err := server.Open(ctx, server.Config{Data: os.Args[1], Listen: "127.0.0.1:0", Address: os.Args[3], Patience: patience})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.URL)
	say := json.NewEncoder(os.Stdout)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, _, _ := strings.Cut(in.Text(), " "); word {
		case "calls":
			calls, _, _, err := s.Desk.Calls.List(ctx, permission.Operator(), permission.CallFilter{Limit: 1000, Oldest: true, Brief: true})
			if err != nil {
				panic(err)
			}
			say.Encode(calls)
		case "approve":
			calls, _, _, err := s.Desk.Calls.List(ctx, permission.Operator(),
				permission.CallFilter{Limit: 1000, Statuses: []permission.Status{permission.Pending}, Brief: true})
			for _, c := range calls {
				s.Desk.Calls.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev}) // or it has left just now
			}
			say.Encode(fmt.Sprint(len(calls), err))
		case "end":
			s.Close()
			return
		}
	}
}

// mortal is a desk in a process of its own, started again and again, with the tally behind it
// and a bridge before it.
type mortal struct {
	t       *testing.T
	waits   time.Duration // for unknown clients
	path    string        // of the endpoint
	address string        // where it is reached, if that is not where it listens
	data    string
	file    string // of the tally
	token   string
	url     atomic.Pointer[string]

	desk  *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

// newMortal prepares the data, and starts no desk. A rule of effect is the only one.
func newMortal(t *testing.T, effect permission.Effect) *mortal {
	t.Helper()
	m := &mortal{t: t, waits: 10 * time.Minute, path: "/mcp/tally",
		data: filepath.Join(t.TempDir(), "desk"), file: filepath.Join(t.TempDir(), "tally")}
	m.found(m.data, effect)
	t.Cleanup(m.kill)
	return m
}

// found makes a data folder with the tally and an agent, whose token is the same in each.
func (m *mortal) found(data string, effect permission.Effect) {
	m.t.Helper()
	ctx := context.Background()
	s, err := server.Open(ctx, server.Config{Data: data, Listen: "127.0.0.1:0"})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	tally := permission.Server{ID: "tally", Transport: permission.TransportStdio, Command: os.Args[0], Args: []string{m.file}, Enabled: true,
		Env: map[string]string{roleEnv: "tally", "GORACE": "atexit_sleep_ms=0"}}
	if _, _, err = s.Desk.Catalogue.ReplaceServers(ctx, "", []permission.Server{tally}); err != nil {
		m.t.Fatal(err)
	}
	if effect != permission.Ask {
		if _, _, err := s.Desk.Policy.CreateRule(ctx, permission.RuleForm{Effect: &effect, Enabled: true}); err != nil {
			m.t.Fatal(err)
		}
	}
	if _, m.token, err = s.Desk.Catalogue.CreateAgent(ctx, "tester"); err != nil {
		m.t.Fatal(err)
	}
}

// start starts a desk, at another address than the one before.
func (m *mortal) start() {
	m.t.Helper()
	m.desk = exec.Command(os.Args[0], m.data, m.waits.String(), m.address)
	m.desk.Env = append(os.Environ(), roleEnv+"=desk", "GORACE=atexit_sleep_ms=0")
	m.desk.Stderr = os.Stderr
	out, err := m.desk.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if m.stdin, err = m.desk.StdinPipe(); err != nil {
		m.t.Fatal(err)
	}
	if err := m.desk.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.out = bufio.NewReader(out)
	url := strings.TrimSpace(m.line())
	m.url.Store(&url)
}

func (m *mortal) line() string {
	m.t.Helper()
	line, err := m.out.ReadString('\n')
	if err != nil {
		m.t.Fatal(err)
	}
	return line
}

// kill ends the desk with -9. Its address stays what the bridge knows, as desk.json does.
func (m *mortal) kill() {
	if m.desk != nil {
		m.desk.Process.Kill()
		m.desk.Wait()
		m.desk = nil
	}
}

// end ends the desk as it is asked to.
func (m *mortal) end() {
	m.t.Helper()
	io.WriteString(m.stdin, "end\n")
	if err := m.desk.Wait(); err != nil {
		m.t.Error(err)
	}
	m.desk = nil
}

func (m *mortal) calls() (calls []permission.Call) {
	m.t.Helper()
	io.WriteString(m.stdin, "calls\n")
	if err := json.Unmarshal([]byte(m.line()), &calls); err != nil {
		m.t.Fatal(err)
	}
	return calls
}

func (m *mortal) approve() {
	m.t.Helper()
	io.WriteString(m.stdin, "approve\n")
	m.line()
}

// await waits until n calls are in a state.
func (m *mortal) await(n int, is func(permission.Call) bool) {
	m.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		all := m.calls()
		found := 0
		for _, c := range all {
			if is(c) {
				found++
			}
		}
		if found == n {
			return
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("%d of %d calls are so, not %d", found, len(all), n)
		}
	}
}

// ran counts the calls that reached the tally, by their text.
func (m *mortal) ran() map[string]int {
	raw, err := os.ReadFile(m.file)
	if err != nil && !os.IsNotExist(err) {
		m.t.Error(err)
	}
	ran := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		ran[strings.TrimSpace(line)]++
	}
	return ran
}

func (m *mortal) endpoint() (endpoint, error) {
	url := m.url.Load()
	if url == nil {
		return endpoint{}, errNoDesk
	}
	return endpoint{desk: *url, url: *url + m.path, token: m.token}, nil
}

// attended is a client behind a bridge, and what the bridge says to its person.
type attended struct {
	*mcp.ClientSession
	leave func() // ends the bridge's input
	tool  string // the one that there is
	told  *remarks
	notes chan *mcp.ProgressNotificationParams
}

type remarks struct{ all chan string }

func (l *remarks) Write(raw []byte) (int, error) {
	l.all <- string(raw)
	return len(raw), nil
}

// attend connects a client of an era through a bridge of its own.
func (m *mortal) attend(era string) *attended {
	m.t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	a := &attended{told: &remarks{all: make(chan string, 1000)}, notes: make(chan *mcp.ProgressNotificationParams, 1000),
		leave: func() { stdin.Close() }}
	done := make(chan error, 1)
	go func() {
		done <- bridge(context.Background(), way{find: m.endpoint, first: time.Minute, told: a.told}, in, out)
		out.Close()
	}()
	m.t.Cleanup(func() {
		stdin.Close()
		go io.Copy(io.Discard, stdout)
		if err := <-done; err != nil {
			m.t.Error(err)
		}
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { a.notes <- r.Params }})
	var err error
	if a.ClientSession, err = client.Connect(context.Background(), &mcp.IOTransport{Reader: stdout, Writer: stdin},
		&mcp.ClientSessionOptions{ProtocolVersion: era}); err != nil {
		m.t.Fatal(err)
	}
	tools, err := a.ListTools(context.Background(), nil)
	if err != nil || len(tools.Tools) != 1 {
		m.t.Fatalf("tools: %v, %v", tools, err)
	}
	a.tool = tools.Tools[0].Name
	return a
}

// said is the text of a call's result, or its error.
func (a *attended) said(ctx context.Context, text string, takes time.Duration) string {
	p := &mcp.CallToolParams{Name: a.tool, Arguments: map[string]any{"text": text, "for": takes.Milliseconds()}}
	p.SetProgressToken(text)
	r, err := a.CallTool(ctx, p)
	if err != nil {
		return "error: " + err.Error()
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// call is said beside what its caller does.
func (a *attended) call(text string, takes time.Duration) <-chan string {
	got := make(chan string, 1)
	go func() { got <- a.said(context.Background(), text, takes) }()
	return got
}

func (a *attended) hears(t *testing.T, words string) {
	t.Helper()
	select {
	case line := <-a.told.all:
		if !strings.Contains(line, words) {
			t.Errorf("the bridge says %q", line)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("the bridge does not say %q", words)
	}
}

// held is a desk where a call "it" of a client of the eras with sessions waits.
func held(t *testing.T) (m *mortal, a *attended, got <-chan string) {
	t.Helper()
	m = newMortal(t, permission.Ask)
	m.start()
	a = m.attend(eras[0])
	got = a.call("it", 0)
	m.await(1, waits)
	return m, a, got
}

func waits(c permission.Call) bool { return c.Status == permission.Pending && !c.CallerGone }

// TestADeskThatEndsUnderWaitingCalls, killed or asked to: with the next desk, wherever that
// listens, the same calls go on, and a yes runs each once.
func TestADeskThatEndsUnderWaitingCalls(t *testing.T) {
	for _, at := range []struct{ era, path string }{{eras[0], "/mcp/tally"}, {eras[1], "/mcp/tally"}, {eras[0], "/mcp"}} {
		for name, end := range map[string]func(*mortal){"killed": (*mortal).kill, "ended": (*mortal).end} {
			t.Run(name+" "+at.era+" "+at.path, func(t *testing.T) {
				m := newMortal(t, permission.Ask)
				m.path = at.path
				m.start()
				a := m.attend(at.era)
				const n = 10
				var got [n]<-chan string
				for i := range n {
					got[i] = a.call(fmt.Sprintf("call %d%s", i, strings.Repeat(" ", i/9*1_000_000)), 0)
				}
				m.await(n, waits)
				before := m.calls()
				end(m)
				a.hears(t, "the desk is not there; waiting for it")
				m.start()
				m.await(n, waits)
				a.hears(t, "the desk is there again")
				after := m.calls()
				for i := range after {
					if len(after) != n || after[i].ID != before[i].ID {
						t.Fatalf("%d calls after %d, and one is %s", len(after), len(before), after[i].ID)
					}
				}
				m.approve()
				for i := range n {
					if words := <-got[i]; words != "noted" {
						t.Errorf("call %d: %s", i, words)
					}
				}
				for i := range n {
					if k := m.ran()[fmt.Sprint("call ", i)]; k != 1 {
						t.Errorf("call %d ran %d times", i, k)
					}
				}
			})
		}
	}
}

// TestADeskThatStartsAgainUnderNoCall: what a rule allows is not asked about then.
func TestADeskThatStartsAgainUnderNoCall(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			m := newMortal(t, permission.Allow)
			m.start()
			a := m.attend(era)
			for n := range 3 {
				m.kill()
				time.Sleep(100 * time.Millisecond) // the bridge sees the end of its connections
				m.start()
				if words := a.said(context.Background(), fmt.Sprint(n), 0); words != "noted" {
					t.Errorf("it says %s", words)
				}
			}
		})
	}
}

// TestADeskThatEndsUnderARunningCall: it is not run again, though a rule allows it, and its
// caller is told that nobody knows how it ended.
func TestADeskThatEndsUnderARunningCall(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			m := newMortal(t, permission.Allow)
			m.start()
			a := m.attend(era)
			got := a.call("long", time.Minute)
			until(t, "the call", func() bool { return m.ran()["long"] == 1 })
			m.kill()
			m.start()
			if words := <-got; !strings.HasPrefix(words, "It is not known whether the call ran") {
				t.Errorf("it says %s", words)
			}
			m.await(1, func(c permission.Call) bool { return c.Status == permission.InDoubt })
			if words := <-a.call("next", 0); words != "noted" || m.ran()["long"] != 1 {
				t.Errorf("then it says %s; ran %v", words, m.ran())
			}
		})
	}
}

// TestADeskWithOtherData that has no record of a call which a desk had asks a person, though
// a rule allows it.
func TestADeskWithOtherData(t *testing.T) {
	m := newMortal(t, permission.Allow)
	m.start()
	other := filepath.Join(t.TempDir(), "copy")
	m.kill()
	if err := os.CopyFS(other, os.DirFS(m.data)); err != nil {
		t.Fatal(err)
	}
	m.start()
	a := m.attend(eras[0])
	got := a.call("long", time.Minute)
	until(t, "the call", func() bool { return m.ran()["long"] == 1 })
	m.kill()
	m.data = other
	m.start()
	m.await(1, func(c permission.Call) bool { return waits(c) && c.Why.Code == "unknown_repeat" })
	if n := m.ran()["long"]; n != 1 {
		t.Errorf("it ran %d times unasked", n)
	}
	a.leave()
	<-got
}

// TestWhoStandsInForADesk and cannot prove that it is one is sent nothing; the call waits for
// the desk.
func TestWhoStandsInForADesk(t *testing.T) {
	m, _, got := held(t)
	m.kill()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 1000)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			raw := make([]byte, 4096)
			n, _ := conn.Read(raw)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
			more, _ := conn.Read(raw[n:])
			conn.Close()
			asked <- string(raw[:n+more])
		}
	}()
	stranger := "http://" + listener.Addr().String()
	m.url.Store(&stranger)
	for range 3 {
		if words := <-asked; strings.Contains(words, m.token) || strings.Contains(words, "tools/call") {
			t.Errorf("a stranger was told %q", words)
		}
	}
	m.start()
	m.await(1, waits)
	m.approve()
	if words := <-got; words != "noted" || m.ran()["it"] != 1 {
		t.Errorf("it says %s; ran %v", words, m.ran())
	}
	listener.Close()
}

// TestAClientThatLeavesWhileTheDeskIsAway: nothing runs for it later.
func TestAClientThatLeavesWhileTheDeskIsAway(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			m := newMortal(t, permission.Ask)
			m.start()
			a := m.attend(era)
			ctx, leave := context.WithCancel(context.Background())
			got := make(chan string, 1)
			go func() { got <- a.said(ctx, "it", 0) }()
			m.await(1, waits)
			other := m.attend(era) // whose bridge ends
			gone := other.call("other", 0)
			m.await(2, waits)
			m.kill()
			a.hears(t, "the desk is not there")
			leave()
			<-got
			other.hears(t, "the desk is not there")
			other.leave()
			<-gone
			m.start()
			if tools, err := a.ListTools(context.Background(), nil); err != nil || len(tools.Tools) != 1 {
				t.Errorf("the bridge goes on with %v, %v", tools, err)
			}
			m.approve()
			m.await(2, func(c permission.Call) bool { return c.Status == permission.Approved && c.CallerGone })
			time.Sleep(300 * time.Millisecond)
			if ran := m.ran(); len(ran) > 0 {
				t.Errorf("ran %v", ran)
			}
			got2 := a.call("it", 0) // a late yes is honoured once
			if words := <-got2; words != "noted" || m.ran()["it"] != 1 {
				t.Errorf("it says %s; ran %v", words, m.ran())
			}
		})
	}
}

// TestProgressWhileTheDeskIsAway: it goes on, and always rises.
func TestProgressWhileTheDeskIsAway(t *testing.T) {
	m, a, got := held(t)
	m.kill()
	last, away := 0.0, false
	for n := range 100 {
		note := <-a.notes
		if note.Progress <= last {
			t.Errorf("%v after %v", note.Progress, last)
		}
		last = note.Progress
		switch {
		case strings.Contains(note.Message, "waiting for it"):
			if !away {
				m.start()
			}
			away = true
		case away: // the next desk
			m.approve()
			if words := <-got; words != "noted" {
				t.Errorf("it says %s", words)
			}
			return
		case n > 10:
			t.Fatal("nothing is said of the desk")
		}
	}
}

// TestAPatientClient is told PENDING later each time, by the next desk too.
func TestAPatientClient(t *testing.T) {
	t.Parallel()
	m := newMortal(t, permission.Ask)
	m.waits = time.Second
	m.start()
	a := m.attend(eras[0])
	for n, want := range []time.Duration{900 * time.Millisecond, 1800 * time.Millisecond, 3600 * time.Millisecond, 3600 * time.Millisecond} {
		if n == 3 {
			m.kill()
			m.start()
		}
		began := time.Now()
		if words, took := a.said(context.Background(), "it", 0), time.Since(began); !strings.HasPrefix(words, "PENDING") || took < want {
			t.Errorf("number %d: after %s %s", n, took, words)
		}
	}
}

// TestAClientBeforeItsDesk waits for it to be there.
func TestAClientBeforeItsDesk(t *testing.T) {
	for _, era := range eras {
		m := newMortal(t, permission.Allow)
		time.AfterFunc(time.Second, m.start)
		a := m.attend(era)
		a.hears(t, "the desk is not there; waiting for it")
		if words := <-a.call("it", 0); words != "noted" {
			t.Errorf("it says %s", words)
		}
	}
}

// TestADeskThatIsKilledAgainAndAgain at random moments: no call runs twice, and each is
// answered.
func TestADeskThatIsKilledAgainAndAgain(t *testing.T) {
	m := newMortal(t, permission.Allow)
	m.start()
	answers, stop := make(chan string, 1000), make(chan struct{})
	const clients = 4
	for i := range clients {
		a := m.attend(eras[i%2])
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					answers <- ""
					return
				default:
				}
				text := fmt.Sprintf("%d-%d", i, n)
				answers <- text + " " + a.said(context.Background(), text, 0)
			}
		}()
	}
	outcome, asked := map[string]string{}, map[string]int{}
	for kills := 0; kills < 12; {
		for range 1 + rand.IntN(30) {
			select {
			case answer := <-answers:
				text, words, _ := strings.Cut(answer, " ")
				outcome[text] = words
				asked[words[:min(len(words), 30)]]++
			case <-time.After(100 * time.Millisecond): // one waits for a person, since a desk had it
				m.approve()
			}
		}
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		m.kill()
		kills++
		m.start()
	}
	close(stop)
	for left := clients; left > 0; {
		select {
		case answer := <-answers:
			if answer == "" {
				left--
				continue
			}
			text, words, _ := strings.Cut(answer, " ")
			outcome[text] = words
		case <-time.After(100 * time.Millisecond):
			m.approve()
		}
	}
	ran := m.ran()
	for text, n := range ran {
		if n > 1 {
			t.Errorf("%s ran %d times, and was answered %q", text, n, outcome[text])
		}
	}
	for text, words := range outcome {
		if words != "noted" && !strings.HasPrefix(words, "It is not known whether") || words == "noted" && ran[text] != 1 {
			t.Errorf("%s ran %d times, and was answered %q", text, ran[text], words)
		}
	}
	t.Logf("%d calls: %v", len(outcome), asked)
}
