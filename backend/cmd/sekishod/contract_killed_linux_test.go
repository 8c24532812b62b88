package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/tooltest"
)

// worker notes its beginning and its end, and leaves a child behind in a session of its own.
const worker = `import os, sys, time
def note(word):
    f = os.open("log.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(f, (word + " " + sys.argv[1] + ";").encode())
    os.close(f)
note("began")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for f in range(3): os.close(f)
        while True: time.sleep(0.01)
    os._exit(0)
time.sleep(0.3)
note("ended")
`

// killed is what a test of kills has done so far.
type killed struct {
	*project
	rounds  int
	within  time.Duration // in which nothing of a command may be left
	longest time.Duration
	caught  int // kills while a command ran
	did     map[string]int
	calls   map[string]string // ids of calls, by what they note
}

// TestKilledOverBothExecutions kills the desk, the executor or the process of the tools at random moments, while a
// file is appended to or a command runs: nothing runs twice, what is said to have run did, and of a command nothing
// is left, also where no namespaces are allowed. SEKISHO_KILLS says how often; then that is after a second.
func TestKilledOverBothExecutions(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("there is no python3")
	}
	kills, within := 8, time.Minute // which says nothing of how fast this machine is
	n, err := strconv.Atoi(os.Getenv("SEKISHO_KILLS"))
	if err == nil {
		kills, within = n, time.Second
	}
	for _, less := range []string{"", tooltest.Namespaces} {
		for _, execution := range []string{"desk", "client"} {
			if err != nil && (execution == "desk") != (less == "") { // a sample
				continue
			}
			t.Run(execution+" without "+cmp.Or(less, "nothing"), func(t *testing.T) {
				var prepare []func(*exec.Cmd)
				if less != "" {
					prepare = append(prepare, func(cmd *exec.Cmd) { tooltest.Lessen(cmd, less) })
				}
				k := &killed{project: newProject(t, execution, prepare...), within: within, did: map[string]int{},
					calls: map[string]string{}}
				if err := os.WriteFile(filepath.Join(k.folder, "work.py"), []byte(worker), 0o600); err != nil {
					t.Fatal(err)
				}
				for range max(1, kills/4) {
					k.round()
				}
				k.check()
				t.Logf("%d rounds, %d of which caught a command: %v; the last of one was gone %v after its kill", k.rounds, k.caught, k.did,
					k.longest.Round(time.Millisecond))
			})
		}
	}
}

// round asks for a call, approves it, and kills.
func (k *killed) round() {
	k.Helper()
	k.rounds++
	mark := fmt.Sprintf("mark-%s-%d", filepath.Base(filepath.Dir(k.folder)), k.rounds)
	tool, params := "tool_execute_command", map[string]any{"command": "python", "args": []string{"work.py", mark}, "timeout": 20}
	if k.rounds%4 == 0 {
		tool, params = "tool_write_file", map[string]any{"path": "log.txt", "mode": "append",
			"content": "began " + mark + ";ended " + mark + ";"}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		k.Fatal(err)
	}
	call := k.ask(mark, tool, string(raw), 0)
	k.calls[mark] = call.ToolID
	k.say(call, "approve")
	victims := []string{"desk", "tools", "executor"}
	if k.execution == "desk" {
		victims = victims[:2]
	}
	victim := victims[rand.IntN(len(victims))]
	if victim == "tools" {
		soon(func() bool { return len(k.tools()) > 0 })
	}
	if tool == "tool_execute_command" && rand.IntN(2) == 0 {
		soon(func() bool { return len(running(mark)) > 0 })
	}
	time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
	if len(running(mark)) > 0 {
		k.caught++
	}
	began := time.Now()
	hit := k.kill(victim)
	if hit && (victim != "desk" || k.execution == "desk") { // else the executor runs on
		k.gone(mark, began)
	}
	k.again(victim)
	var done toolAnswer
	k.as(k.agentToken, "GET", "/my/projects/site/tools/"+call.ToolID+"?wait=3", "", &done)
	k.did[fmt.Sprintf("%s killed, %s", victim, done.Status)]++
	k.holds(mark, done.Status)
}

// soon waits until something is, or a while where it has been already.
func soon(is func() bool) {
	for deadline := time.Now().Add(2 * time.Second); !is() && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// tools are the processes that run tools in the folder.
func (k *killed) tools() []int {
	return slices.DeleteFunc(running("tools", "--root", k.folder), func(pid int) bool {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		line := strings.Split(string(raw), "\x00")
		return strings.HasPrefix(line[0], "sekisho-") || slices.Contains(line, "--check") || slices.Contains(line, "--look")
	})
}

// kill is kill -9. It reports whether there was something to kill.
func (k *killed) kill(victim string) bool {
	switch victim {
	case "desk":
		k.daemon.kill()
	case "executor":
		_ = k.process.Process.Kill()
		_ = k.process.Wait()
	default:
		pids := k.tools()
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(pids) > 0
	}
	return true
}

// again starts what was killed.
func (k *killed) again(victim string) {
	k.Helper()
	if victim == "desk" {
		k.boot(k.T)
		if k.execution == "client" { // which knows the desk's old address
			k.kill("executor")
		}
	}
	if victim != "tools" && k.execution == "client" {
		k.execute()
	}
}

// gone waits until nothing of a command is left.
func (k *killed) gone(mark string, since time.Time) {
	k.Helper()
	for {
		left := running(mark)
		took := time.Since(since)
		if len(left) == 0 {
			k.longest = max(k.longest, took)
			return
		}
		if took > k.within {
			k.Fatalf("%s: after %v there are still %d processes", mark, took, len(left))
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// holds compares what a call noted with what is said of it.
func (k *killed) holds(mark, status string) {
	k.Helper()
	raw, _ := os.ReadFile(filepath.Join(k.folder, "log.txt"))
	began, ended := strings.Count(string(raw), "began "+mark+";"), strings.Count(string(raw), "ended "+mark+";")
	if began > 1 || ended > began || status == "completed" && ended != 1 || status == "rejected" && began != 0 {
		k.Errorf("%s: it is %s, and began %d times and ended %d times", mark, status, began, ended)
	}
}

// check looks at all calls once more.
func (k *killed) check() {
	k.Helper()
	for mark, id := range k.calls {
		var now toolAnswer
		k.as(k.agentToken, "GET", "/my/projects/site/tools/"+id, "", &now)
		k.holds(mark, now.Status)
		if left := running(mark); len(left) > 0 && now.Status != "executing" && now.Status != "approved" {
			k.Errorf("%s: it is %s, and %d processes of it run", mark, now.Status, len(left))
		}
	}
}
