package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/tooltest"
)

// gate is a desk with the folders of the shared cases, and a way to ask it.
type gate struct {
	*project
	yard  *tooltest.Yard
	uid   int
	tmp   string // of the desk and all that it starts
	send  func(tool string, input map[string]any) outcome
	asked int
	last  permission.CallID // that was asked over MCP
}

// outcome is what came of a call.
type outcome struct {
	verdict string // refused, or allowed-low and so on
	ran     bool
	words   string // why not
	gave    string // its result
}

// TestContractSharedCases sends the shared cases in by each door, to a desk of root and to one of an ordinary
// user: nothing that is refused runs, nothing runs unasked that must not, and nothing that runs leaves
// anything outside of the folder. SEKISHO_CASES=all sends all by every door, else each gets a part.
func TestContractSharedCases(t *testing.T) {
	const nobody = 65534
	uids := []int{os.Getuid()}
	if uids[0] == 0 {
		uids = append(uids, nobody)
	}
	for i, uid := range uids {
		t.Run(fmt.Sprintf("as user %d", uid), func(t *testing.T) {
			g := newGate(t, uid)
			for j, door := range []func(string, map[string]any) outcome{g.overREST, g.overMCP(g.overHTTP()), g.overMCP(g.overBridge())} {
				g.send = door
				if j == 1 {
					g.decide()
				}
				mine := func(n int) bool { return os.Getenv("SEKISHO_CASES") == "all" || n%partsOfCases == 3*i+j }
				g.commands(mine)
				g.paths(mine)
			}
			eventually(t, "no scratch folder is left", func() bool {
				left, err := filepath.Glob(filepath.Join(g.tmp, "sekisho-tool-*"))
				return err == nil && len(left) == 0
			})
		})
	}
}

// partsOfCases is how many parts there are of the cases, where each door gets one for each user.
const partsOfCases = 12

// reachable is a new folder that every user can reach.
func reachable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func newGate(t *testing.T, uid int) *gate {
	t.Helper()
	program, err := cli()
	if err != nil {
		t.Fatal(err)
	}
	bin, home := reachable(t), reachable(t)
	g := &gate{yard: tooltest.NewYard(t, reachable(t)), uid: uid, tmp: reachable(t)}
	for from, to := range map[string]string{program: "sekisho", os.Args[0]: "sekishod"} {
		raw, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, to), raw, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{home, g.tmp} {
		if err := os.Chown(dir, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	g.yard.Owned(uid)
	prepare := func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "TMPDIR="+g.tmp)
		cmd.Dir = "/"
		if cmd.Path == os.Args[0] {
			cmd.Path = filepath.Join(bin, "sekishod")
		}
		if uid != os.Getuid() {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		}
	}
	g.project = &project{dir: filepath.Join(home, "desk"), folder: g.yard.Workspace, execution: "desk",
		program: filepath.Join(bin, "sekisho"), prepare: []func(*exec.Cmd){prepare}}
	g.boot(t)
	g.workspace("desk", "[]")
	g.agentToken = g.agent("coder")
	var listed struct {
		Servers []struct{ Confinement struct{ Level string } }
	}
	g.operate("GET", "/v1/servers", "", &listed)
	if level := listed.Servers[0].Confinement.Level; level == "none" || level == "" {
		t.Skipf("commands are confined at level %q", level)
	}
	return g
}

// refusals begin what a call is told that is refused, whatever a person says.
var refusals = []string{"Command not allowed: ", "Path outside workspace: ", "File type not allowed: ", "File too large: ",
	"Timeout too long: ", "Invalid input: "}

// settled is a call that is over, as an outcome.
func settled(risk, words string) outcome {
	for _, r := range refusals {
		if strings.HasPrefix(words, r) {
			return outcome{verdict: "refused", words: words}
		}
	}
	return outcome{verdict: "allowed-" + risk, words: words, ran: !strings.HasPrefix(words, "Command not found: ")}
}

// overREST asks by the door of projects. What asks a person is declined, but a file is written.
func (g *gate) overREST(tool string, input map[string]any) outcome {
	g.Helper()
	raw, err := json.Marshal(map[string]any{"tool_name": tool, "tool_params": input, "session_id": fmt.Sprint("s", g.asked)})
	if err != nil {
		g.Fatal(err)
	}
	if g.asked++; len(raw) > 32<<20 { // the desk hangs up on it
		req, _ := http.NewRequest("POST", g.URL+"/my/projects/site/tools/execute", strings.NewReader(string(raw)))
		req.Header.Set("Authorization", "Bearer "+g.agentToken)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		if err == nil && resp.StatusCode < 400 {
			return outcome{verdict: "allowed-low", ran: true}
		}
		return outcome{verdict: "refused", words: fmt.Sprint(err)}
	}
	var a toolAnswer
	if status := g.as(g.agentToken, "POST", "/my/projects/site/tools/execute", string(raw), &a); status >= 400 {
		return outcome{verdict: "refused", words: fmt.Sprint("HTTP ", status)}
	}
	risk, asks := a.Risk, a.Status == "pending"
	if asks {
		g.say(a, map[bool]string{true: "approve", false: "reject"}[tool == "tool_write_file"])
	}
	for a.Status == "pending" || a.Status == "approved" || a.Status == "executing" {
		a = g.wait(a.ToolID)
	}
	words := ""
	if a.Error != nil {
		words = *a.Error
	}
	o := settled(risk, words)
	o.gave = fmt.Sprint(a.Result)
	switch {
	case a.Status == "rejected" && !asks && o.verdict != "refused":
		g.Errorf("%s %v is rejected: %s", tool, input, words)
	case a.Status == "rejected":
		o.ran = false
	case asks && tool != "tool_write_file":
		g.Errorf("%s %v was declined, and is %s", tool, input, a.Status)
	case !asks && o.ran && risk != "low":
		g.Errorf("%s %v ran unasked, at %s", tool, input, risk)
	}
	return o
}

// decide makes rules that decide what would ask a person, for the doors at which an answer waits for that.
func (g *gate) decide() {
	g.Helper()
	g.operate("POST", "/v1/rules", `{"serverId":"site","effect":"allow","toolName":"tool_write_file","priority":9}`, nil)
	g.operate("POST", "/v1/rules", `{"serverId":"site","effect":"deny","condition":"risk != \"low\"","priority":8}`, nil)
}

func (g *gate) overHTTP() mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: g.URL + "/mcp/site", MaxRetries: -1,
		HTTPClient: &http.Client{Transport: bearer(g.agentToken)}}
}

func (g *gate) overBridge() mcp.Transport {
	cmd := exec.Command(g.program, "mcp", "--desk", g.URL, "--server", "site")
	cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+g.agentToken)
	g.prepare[0](cmd)
	return &mcp.CommandTransport{Command: cmd}
}

// overMCP asks as the official client.
func (g *gate) overMCP(to mcp.Transport) func(string, map[string]any) outcome {
	g.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(g.Context(), to,
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		g.Fatalf("connect: %v\n%s", err, g.stderr)
	}
	g.Cleanup(func() { session.Close() })
	return func(tool string, input map[string]any) outcome {
		g.Helper()
		result, err := session.CallTool(g.Context(), &mcp.CallToolParams{Name: tool, Arguments: input})
		var page struct{ Calls []permission.Call }
		g.operate("GET", "/v1/calls?limit=1", "", &page)
		if len(page.Calls) == 0 || page.Calls[0].ID == g.last {
			if err == nil && !result.IsError {
				g.Errorf("%s %v ran, and no call is kept", tool, input)
			}
			return outcome{verdict: "refused", words: fmt.Sprint(err)}
		}
		c := page.Calls[0]
		g.last = c.ID
		if c.Status == permission.Denied {
			o := outcome{verdict: "refused", words: c.Decision.Reason}
			if c.Decision.By != permission.ByGuard {
				o.verdict = "allowed-" + string(c.Risk)
			}
			return o
		}
		if err != nil {
			g.Fatalf("%s %v: %v", tool, input, err)
		}
		var said struct{ Error string }
		raw, _ := json.Marshal(result.StructuredContent)
		_ = json.Unmarshal(raw, &said)
		o := settled(string(c.Risk), said.Error)
		o.gave = string(raw)
		if o.ran && c.Risk != permission.RiskLow && tool != "tool_write_file" {
			g.Errorf("%s %v ran unasked, at %s", tool, input, c.Risk)
		}
		return o
	}
}

// commands sends the cases of commands.
func (g *gate) commands(mine func(int) bool) {
	for name, text := range map[string]string{"src/main.go": "package main // TODO", "README.md": "read", "log.txt": "panic",
		"conf.txt":    "#",
		"-weird-name": "", "vendor/x.py": "", "secrets/key.pem": "key", ".env": "password", ".npmrc": "token"} {
		for _, words := range [][]any{{"mkdir", filepath.Dir(name)}, {"file", name, text}} {
			if !g.yard.Set(words) {
				g.Fatal(words)
			}
		}
	}
	if !g.yard.Set([]any{"symlink", "{O}", "link-out"}) || !g.yard.Set([]any{"symlink", "/etc", "link-to-etc"}) {
		g.Fatal("no link can be made")
	}
	g.yard.Owned(g.uid)
	before, came := g.yard.State(true), map[string]int{}
	for i, c := range tooltest.Read[tooltest.Command](g, "../../guard/testdata/commands.json") {
		if !mine(i) {
			continue
		}
		input := c.Input(g.yard.Workspace)
		o := g.send("tool_execute_command", input)
		// What only the disk tells is looked at before a person is asked: a rule is quicker.
		byRule := strings.Contains(string(c.Args), "link-") && strings.HasPrefix(o.words, "rule ") && !o.ran
		if !slices.Contains(c.Accept, o.verdict) && !byRule {
			g.Errorf("%s %s: %.150v is %s (%s), want %v: %s", c.ID, c.Cls, input, o.verdict, o.words, c.Accept, c.Reason)
		}
		if came[o.verdict]++; o.ran {
			came["ran"]++
		}
		if strings.Contains(o.gave, "SECRET") {
			g.Errorf("%s %s: %.150v gives what is outside", c.ID, c.Cls, input)
		}
		if after := g.yard.State(true); after != before {
			g.Fatalf("%s %s: %.150v changed\n%s\nto\n%s", c.ID, c.Cls, input, before, after)
		}
	}
	if came["ran"] == 0 || came["refused"] == 0 {
		g.Error("this shows nothing")
	}
	g.Logf("commands: %v", came)
}

// paths sends the cases of paths, each to folders of its own.
func (g *gate) paths(mine func(int) bool) {
	for i, c := range tooltest.Read[tooltest.Path](g, "../../guard/testdata/paths.json") {
		if !mine(i) || c.ContentSize > 32<<20 && g.last != "" { // no message of MCP is as large
			continue
		}
		g.Run(c.ID+" "+c.Cls, func(t *testing.T) {
			g.yard.TB = t
			g.yard.Fill()
			for _, words := range c.Setup {
				if !g.yard.Set(words) {
					t.Skip("cannot be set up here: ", words)
				}
			}
			g.yard.Owned(g.uid)
			before := g.yard.State(false)
			input := c.Input(g.yard)
			o := g.send(c.Tool(), input)
			got := map[bool]string{true: "ok", false: "refused"}[o.ran && o.words == ""]
			if !slices.Contains(c.Accept, got) {
				t.Errorf("%s %.200v is %s (%s), want %v", c.Op, input, got, o.words, c.Accept)
			}
			if strings.Contains(o.gave, "SECRET") && c.Cls != "hardlink" {
				t.Errorf("%s %.200v gives what is outside", c.Op, input)
			}
			if c.Level != nil && got == "ok" && o.verdict != "allowed-"+*c.Level {
				t.Errorf("%s %.200v is %s, want %s", c.Op, input, o.verdict, *c.Level)
			}
			if after := g.yard.State(false); after != before {
				t.Errorf("%s %.200v changed\n%s\nto\n%s", c.Op, input, before, after)
			}
		})
	}
}
