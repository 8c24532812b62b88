package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// playEnv makes the test binary be a server that plays a part.
const playEnv = "GATEWAY_FIXTURE_PLAYS"

func namesOf(tools []permission.OfferedTool) (names []string) {
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

// servePart answers initialize and tools/list as the part says.
func servePart(part string) {
	page, asked := 0, 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor *string }
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			os.Exit(9)
		}
		say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
		answer := func(result string) { say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
		switch part + " " + m.Method {
		case "pages initialize", "endless initialize", "odd list initialize", "empty initialize", "fat initialize", "refuses initialize",
			"exits initialize":
			answer(fixtureInit)
		case "pages tools/list":
			if (page == 0) != (m.Params.Cursor == nil) || page > 0 && *m.Params.Cursor != fmt.Sprintf("\"%d\"", page) {
				os.Exit(8)
			}
			page++
			next := fmt.Sprintf(`,"nextCursor":"\"%d\""`, page)
			if page == 3 {
				next = ""
			}
			answer(fmt.Sprintf(`{"tools":[{"name":"a%d","x":{"k":1,"k":2}},{"name":"b%d \u202e\ud800"}]%s}`, page, page, next))
		case "endless tools/list":
			page++
			answer(fmt.Sprintf(`{"tools":[{"name":"t%d"},{"name":"u%d"},{"name":"v%d"}],"nextCursor":"on"}`, page, page, page))
		case "empty tools/list":
			answer(`{"tools":[],"nextCursor":"on"}`)
		case "fat tools/list":
			answer(`{"tools":[{"name":"` + strings.Repeat("x", 3<<20) + `"}],"nextCursor":"on"}`)
		case "odd list tools/list":
			answer(`{"tolls":[]}`)
		case "refuses tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such\nmethod"}}`, m.ID)
		case "exits tools/list":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		case "odd initialize":
			answer(`"hello"`)
		case "too long initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"x":"%s"}}`, m.ID, strings.Repeat("x", 9<<20))
		case "greets initialize":
			say("Listening on stdio...")
			say(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			say(`{"jsonrpc":"2.0","id":77,"method":"roots/list"}`)
			say(`{"jsonrpc":"2.0","id":99,"result":{}}`)
			fmt.Fprint(os.Stderr, strings.Repeat("noise ", 2000)+"the end\xff\n")
			answer(fixtureInit)
		case "greets ":
			asked++
			if want := map[string]string{`"p"`: "{}", "77": ""}[string(m.ID)]; string(m.Result) != want || (m.Error == nil) == (want == "") {
				os.Exit(7)
			}
		case "greets tools/list":
			if asked != 2 {
				os.Exit(6)
			}
			answer(fixtureList)
		}
	}
}

// part is a server that plays one, or a shell script.
func (h *house) part(name string) permission.Server {
	return permission.Server{ID: "tried", Transport: permission.TransportStdio, Command: os.Args[0],
		Env: map[string]string{playEnv: name, "GORACE": "atexit_sleep_ms=0"}}
}

func shell(script string) permission.Server {
	return permission.Server{ID: "tried", Transport: permission.TransportStdio, Command: "sh", Args: []string{"-c", script}}
}

func TestTryFindsTheTools(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	for part, want := range map[string]string{"pages": "a1,b1 \u202e\ufffd,a2,b2 \u202e\ufffd,a3,b3 \u202e\ufffd", "greets": "echo,die",
		"empty": ""} {
		tools, words, err := h.gate.Try(t.Context(), h.part(part))
		if err != nil || strings.Join(namesOf(tools), ",") != want {
			t.Errorf("%s: %q, %v; it said %.200q", part, tools, err, words)
		}
		if part == "greets" && (len(words) != 4<<10 || !strings.HasSuffix(words, "noise the end?\n")) {
			t.Errorf("the last words: %d bytes, …%q", len(words), words[max(0, len(words)-40):])
		}
	}
	tools, _, err := h.gate.Try(t.Context(), h.part("endless"))
	if err != nil || len(tools) != 1000 || tools[999].Name != "t334" {
		t.Errorf("endless: %d tools, %v", len(tools), err)
	}
	if state := h.gate.State("tried"); state != permission.ServerIdle || h.gate.Tools("tried") != nil {
		t.Errorf("a trial shows as %s with %v", state, h.gate.Tools("tried"))
	}
}

func TestTryTellsWhatIsWrong(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	gone := shell("true")
	gone.Cwd = filepath.Join(t.TempDir(), "gone")
	for want, server := range map[string]permission.Server{
		"the server cannot be started: exec: \"no-such-program\"":              {Command: "no-such-program"},
		"the server cannot be started: its folder: ":                           gone,
		"the server cannot be started: fork/exec /dev/null: permission denied": {Command: "/dev/null"},
		"the server ended (exit status 4) before it answered initialize":       shell("exit 4"),
		"the server ended (exit status 5) before it answered initialize; it wrote \"usage: \\x1b[31m\"": shell(
			`printf 'usage: \033[31m\n'; exit 5`),
		"the server ended (exit status 3) before it answered tools/list":                   h.part("exits"),
		"the server ended (signal: killed) before it answered initialize":                  shell("kill -9 $$"),
		"the server does not speak MCP on its output; it wrote \"y\", which is no message": {Command: "yes"},
		"the server does not speak MCP on its output; it wrote \"[1]\"":                    shell("while :; do echo '[1]'; done"),
		"the server's answer to initialize is not one of MCP":                              h.part("odd"),
		"the server's answer to tools/list is not one of MCP":                              h.part("odd list"),
		"the server's list of tools has more than 8 MiB":                                   h.part("fat"),
		"the server sent a message of more than 8 MiB":                                     h.part("too long"),
		"the server refused tools/list: no such\nmethod":                                   h.part("refuses"),
	} {
		tools, words, err := h.gate.Try(t.Context(), server)
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(tools) > 0 {
			t.Errorf("got %q, %v, want %s", tools, err, want)
		}
		if strings.Contains(want, "status 3") && words != "out of luck\n" {
			t.Errorf("its last words: %q", words)
		}
	}
}

// TestTryLeavesNoProcess: one that hangs is ended with all that it started, after its
// time, when nobody waits for it any more, and when the gateway closes.
func TestTryLeavesNoProcess(t *testing.T) {
	for name, stop := range map[string]func(h *house, leave context.CancelFunc) string{
		"its time is over": func(*house, context.CancelFunc) string { return "did not answer initialize within" },
		"nobody waits":     func(_ *house, leave context.CancelFunc) string { leave(); return "broken off" },
		"closing": func(h *house, _ context.CancelFunc) string {
			return fmt.Sprint(h.gate.Close(), "broken off")[len("<nil>"):]
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, gateway.Options{})
			file := filepath.Join(t.TempDir(), "pids")
			server := shell(`trap '' TERM; sleep 1000 & echo $$ $! > ` + file + `; echo waiting >&2; while :; do sleep 1000; done`)
			ctx, leave := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer leave()
			type outcome struct {
				words string
				err   error
			}
			done := make(chan outcome, 1)
			begun := time.Now()
			go func() {
				_, words, err := h.gate.Try(ctx, server)
				done <- outcome{words, err}
			}()
			pids := awaitPIDs(t, file)
			want := stop(h, leave)
			got := <-done
			if got.err == nil || !strings.Contains(got.err.Error(), want) || got.words != "waiting\n" {
				t.Errorf("%+v, want %s", got, want)
			}
			if took := time.Since(begun); took > 4*time.Second {
				t.Errorf("it took %s", took)
			}
			for _, pid := range pids {
				if !goneSoon(pid) {
					t.Errorf("process %d is left", pid)
				}
			}
			for end := time.Now().Add(5 * time.Second); goroutines() > 0; time.Sleep(beat) {
				if time.Now().After(end) {
					buf := make([]byte, 1<<20)
					t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
				}
			}
		})
	}
}

func awaitPIDs(t *testing.T, file string) (pids []int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(beat) {
		raw, _ := os.ReadFile(file)
		if !strings.HasSuffix(string(raw), "\n") {
			continue
		}
		for _, word := range strings.Fields(string(raw)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return pids
	}
	t.Fatal("the server did not start")
	return nil
}

// goneSoon also takes a process that is dead and whose new parent has not looked yet.
func goneSoon(pid int) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(beat) {
		if !runs(pid) {
			return true
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

func TestTryOfAClosedGateway(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	if err := h.gate.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.gate.Try(t.Context(), shell("true")); err == nil || !strings.Contains(err.Error(), "closing") {
		t.Errorf("got %v", err)
	}
}

// TestTryShowsNoSecret of the entry, though what is said of a line is cut.
func TestTryShowsNoSecret(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	server := shell(`echo "my key is $KEY"; exit 5`)
	server.Env = map[string]string{"KEY": "begins-so-" + strings.Repeat("0123456789", 60)}
	_, words, err := h.gate.Try(t.Context(), server)
	if want := `it wrote "my key is ` + permission.Mask + `", which`; err == nil || !strings.Contains(err.Error(), want) ||
		strings.Contains(err.Error()+words, "begins-so") {
		t.Errorf("got %v, %s, want %s", err, words, want)
	}
}
