package rest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/pipetest"
	"sekisho/backend/restwire"
)

func itoa(n int) string { return fmt.Sprint(n) }

// reader reads a stream event by event, as "id event data"; comments are ": text".
type reader struct {
	t    *testing.T
	conn net.Conn
	body *bufio.Reader
}

// listen opens a stream inside a bubble and reads its greeting.
func listen(t *testing.T, p *pipetest.Listener, query, token string, headers ...string) *reader {
	t.Helper()
	conn := dial(t, p, head("GET", "/v1/events"+query, token, headers...))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || kind != "text/event-stream" ||
		resp.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("status %d %v", resp.StatusCode, resp.Header)
	}
	r := &reader{t, conn, bufio.NewReader(resp.Body)}
	if got := r.next(); got != ": sekisho" {
		t.Fatalf("greeting %q", got)
	}
	return r
}

// next gives the next event or comment, or "end".
func (r *reader) next() string {
	var parts []string
	for {
		line, err := r.body.ReadString('\n')
		if err != nil {
			return "end"
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return strings.Join(parts, " ")
		}
		if _, value, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, ":") {
			line = value
		}
		parts = append(parts, line)
	}
}

func (r *reader) take(n int) []string {
	var got []string
	for range n {
		got = append(got, r.next())
	}
	return got
}

func happened(seq int64, kind permission.EntryKind, call, agent string) permission.Event {
	return permission.Event{Seq: seq, Kind: kind, CallID: permission.CallID(call), Agent: permission.AgentID(agent),
		Run: "run-" + permission.RunID(agent), Session: "session-" + permission.SessionID(agent)}
}

func TestEventsAreToldLive(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		f.happen(happened(1, permission.CallCreated, "c0", "agent-a"))
		r := listen(t, p, "", tokenOp)
		synctest.Wait()
		f.happen(happened(2, permission.CallCreated, "c1", "agent-a"), happened(3, permission.RulesChanged, "", ""))
		want := []string{`2 call.created {"seq":2,"kind":"call.created","callId":"c1","desk":"the run"}`,
			`3 rules.changed {"seq":3,"kind":"rules.changed","callId":null,"desk":"the run"}`}
		if got := r.take(2); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		start := time.Now()
		if got := r.next(); got != ": " || time.Since(start) != restwire.Heartbeat {
			t.Errorf("got %q after %v, want a comment after %v", got, time.Since(start), restwire.Heartbeat)
		}
		_ = r.conn.Close()
		synctest.Wait()
		if n := f.subscribers(); n != 0 {
			t.Errorf("%d subscribers are left", n)
		}
	})
}

// TestAnEventOutsideOfTheJournalIsTold to persons, with the place where the reader is.
func TestAnEventOutsideOfTheJournalIsTold(t *testing.T) {
	for token, want := range map[string][]string{
		tokenOp: {"3 rules.changed", `3 agents.arrived {"seq":3,"kind":"agents.arrived","callId":null,"desk":"the run"}`, "4 call.created"},
		tokenA:  {"4 call.created"},
	} {
		inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
			f.happen(happened(2, permission.RulesChanged, "", ""))
			r := listen(t, p, "", token)
			synctest.Wait()
			f.happen(happened(3, permission.RulesChanged, "", ""), permission.Event{Kind: "agents.arrived"},
				happened(4, permission.CallCreated, "c", "agent-a"))
			for i, got := range r.take(len(want)) {
				if !strings.HasPrefix(got, want[i]) {
					t.Errorf("got %q, want %q", got, want[i])
				}
			}
			_ = r.conn.Close()
		})
	}
}

func TestEventsAreFiltered(t *testing.T) {
	for _, c := range []struct {
		name, query, token string
		seqs               []string
	}{
		{"an agent hears of its own calls", "", tokenA, []string{"1", "5"}},
		{"a person hears of all", "", tokenOp, []string{"1", "2", "3", "4", "5", "6"}},
		{"of one run", "?runId=run-agent-b", tokenOp, []string{"2", "6"}},
		{"of one session", "?sessionId=session-agent-a", tokenOp, []string{"1", "5"}},
		{"not of another agent's run", "?runId=run-agent-b", tokenA, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
				past := []permission.Event{happened(1, permission.CallCreated, "a1", "agent-a"), happened(2, permission.CallCreated, "b1", "agent-b"),
					happened(3, permission.RulesChanged, "", "")}
				live := []permission.Event{happened(4, permission.ServersChanged, "", ""), happened(5, permission.CallDecided, "a1", "agent-a"),
					happened(6, permission.CallDecided, "b1", "agent-b")}
				f.happen(past...)
				r := listen(t, p, c.query, c.token, "Last-Event-ID: 0")
				go f.happen(live...)
				var seqs []string
				for {
					got := r.next()
					if got == ": " {
						break
					}
					seq, _, _ := strings.Cut(got, " ")
					seqs = append(seqs, seq)
				}
				if !slices.Equal(seqs, c.seqs) {
					t.Errorf("got %q, want %q", seqs, c.seqs)
				}
				_ = r.conn.Close()
			})
		})
	}
}

func TestEventsResumeWithoutGapOrRepeat(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		const before, during = 2500, 300
		for seq := range int64(before) {
			f.happen(happened(seq+1, permission.CallCreated, "c", "agent-a"))
		}
		f.missed = func() {
			if f.after < before-restwire.ReplayPage {
				t.Errorf("subscribed when only what follows %d was read: the subscription overflows meanwhile", f.after)
			}
		}
		r := listen(t, p, "", tokenA, "Last-Event-ID: 7")
		go func() {
			for seq := int64(before + 1); seq <= before+during; seq++ {
				f.happen(happened(seq, permission.CallChanged, "c", "agent-a"))
				time.Sleep(time.Millisecond)
			}
		}()
		for want := 8; want <= before+during; want++ {
			if got := r.next(); !strings.HasPrefix(got, itoa(want)+" call.") {
				t.Fatalf("got %q, want event %d", got, want)
			}
		}
		if got := r.next(); got != ": " {
			t.Errorf("then %q", got)
		}
		_ = r.conn.Close()
	})
}

func TestEventsAroundTheSubscription(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		f.missed = func() { f.happen(happened(1, permission.CallCreated, "c", "agent-a")) }
		f.doubled = func() { f.happen(happened(2, permission.CallChanged, "c", "agent-a")) }
		r := listen(t, p, "", tokenA)
		for _, want := range []string{"1 call.created", "2 call.changed", ": "} {
			if got := r.next(); !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		_ = r.conn.Close()
	})
}

func TestEventsReset(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		f.happen(happened(12, permission.CallCreated, "c", "agent-a"))
		r := listen(t, p, "", tokenA, "Last-Event-ID: 999999999")
		if got, want := r.next(), `12 reset {"seq":12,"kind":"reset","callId":null,"desk":"the run"}`; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		synctest.Wait()
		f.happen(happened(13, permission.CallChanged, "c", "agent-a"))
		if got := r.next(); !strings.HasPrefix(got, "13 call.changed") {
			t.Errorf("after the reset %q", got)
		}
		_ = r.conn.Close()
	})
}

// What a person does to the desk is told to persons, though it names an agent's
// call.
func TestAgentsHearOfStepsOfCallsOnly(t *testing.T) {
	kinds := []permission.EntryKind{permission.RulesChanged, permission.ServersChanged, permission.GrantsChanged, permission.SettingsChanged,
		permission.InputsWiped, permission.JournalTrimmed}
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		agent, person, ofRun := listen(t, p, "", tokenA), listen(t, p, "", tokenOp), listen(t, p, "?runId=run-agent-a", tokenOp)
		synctest.Wait()
		for i, kind := range kinds {
			call := ""
			if kind == permission.InputsWiped || kind == permission.GrantsChanged {
				call = "c"
			}
			f.happen(happened(int64(i+1), kind, call, "agent-a"))
		}
		f.happen(happened(99, permission.CallFinished, "c", "agent-a"))
		for i, kind := range kinds {
			if got := person.next(); !strings.HasPrefix(got, itoa(i+1)+" "+string(kind)+" ") {
				t.Errorf("a person hears %q, want %s", got, kind)
			}
		}
		if got := agent.next(); !strings.HasPrefix(got, "99 call.finished") {
			t.Errorf("an agent hears %q", got)
		}
		if got := ofRun.take(3); !strings.HasPrefix(got[0], "3 grants.changed") || !strings.HasPrefix(got[1], "5 inputs.wiped") ||
			!strings.HasPrefix(got[2], "99 ") {
			t.Errorf("of a run a person hears %q", got)
		}
		for _, r := range []*reader{agent, person, ofRun} {
			_ = r.conn.Close()
		}
	})
}

func TestEventsResetWhenTheJournalWasTrimmed(t *testing.T) {
	for last, want := range map[string]string{"0": "9 reset", "3": "9 reset", "4": "5 call.created", "8": "9 call.created", "9": ": ",
		"10": "9 reset"} {
		t.Run("after "+last, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
				for seq := range int64(5) {
					f.happen(happened(seq+5, permission.CallCreated, "c", "agent-a"))
				}
				r := listen(t, p, "", tokenA, "Last-Event-ID: "+last)
				if got := r.next(); !strings.HasPrefix(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				_ = r.conn.Close()
			})
		})
	}
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		f.happen(happened(5, permission.CallCreated, "c", "agent-a"))
		r := listen(t, p, "", tokenA, "Last-Event-ID: 1")
		if got, want := r.next(), `5 reset {"seq":5,"kind":"reset","callId":null,"desk":"the run"}`; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		synctest.Wait()
		f.happen(happened(6, permission.CallChanged, "c", "agent-a"))
		if got := r.next(); !strings.HasPrefix(got, "6 call.changed") {
			t.Errorf("after the reset %q", got)
		}
		_ = r.conn.Close()
	})
}

func TestASlowReaderIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		slow := listen(t, p, "", tokenOp)
		quick := listen(t, p, "", tokenOp)
		synctest.Wait()
		told := make(chan int)
		go func() {
			n := 0
			for got := quick.next(); got != "end" && got != ": "; got = quick.next() {
				n++
			}
			told <- n
		}()
		const many = 10_000
		for seq := range int64(many) {
			f.happen(happened(seq+1, permission.CallCreated, "c", "agent-a"))
			if seq%100 == 0 {
				synctest.Wait() // lets the quick one keep up
			}
		}
		if n := <-told; n != many {
			t.Errorf("the quick reader was told %d of %d", n, many)
		}
		if n := f.subscribers(); n != 1 {
			t.Errorf("%d subscribers are left, want the quick one alone", n)
		}
		time.Sleep(restwire.WriteWithin)
		_ = slow.conn.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.Copy(io.Discard, slow.conn); err != nil {
			t.Errorf("the slow reader's connection is open: %v", err)
		}
		_, _ = slow.conn.Close(), quick.conn.Close()
	})
}

func TestStreamsEnd(t *testing.T) {
	for name, end := range map[string]func(*fakeDesk, *Handler){
		"with the door": func(_ *fakeDesk, h *Handler) { h.Close() },
		"with the desk": func(f *fakeDesk, _ *Handler) {
			for c := range f.subs {
				f.drop(c)
			}
		},
		"with the agent": func(f *fakeDesk, _ *Handler) {
			delete(f.agents, tokenA)
			f.happen(happened(1, permission.AgentsChanged, "", ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler) {
				r := listen(t, p, "", tokenA)
				synctest.Wait()
				end(f, door)
				if got := r.next(); got != "end" {
					t.Errorf("got %q", got)
				}
				_ = r.conn.Close()
			})
		})
	}
}

func TestAnotherAgentsEndIsNotMine(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		r := listen(t, p, "", tokenA)
		synctest.Wait()
		delete(f.agents, tokenB)
		f.happen(happened(1, permission.AgentsChanged, "", ""), happened(2, permission.CallCreated, "c", "agent-a"))
		if got := r.next(); !strings.HasPrefix(got, "2 call.created") {
			t.Errorf("got %q", got)
		}
		_ = r.conn.Close()
	})
}
