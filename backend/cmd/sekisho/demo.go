package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/proved"
	"sekisho/backend/restclient"
	"sekisho/backend/terminal"
)

// fileServer is the MCP server of the demo, and fileServerVersion the one that is tested
// with it: without a version npx would run whatever is published last.
const (
	fileServer        = "@modelcontextprotocol/server-filesystem"
	fileServerVersion = "2026.8.31"
)

func newDemoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Show the main job on a throwaway desk: a call allowed by a rule, one that waits for you, one that is declined",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d := &demo{out: c.OutOrStdout()}
			if f, ok := c.InOrStdin().(*os.File); ok && isatty.IsTerminal(f.Fd()) {
				d.person = lines(f)
			}
			defer d.close()
			return d.run(c.Context())
		},
	}
}

// lines gives what a person types, line by line, until the input ends.
func lines(r io.Reader) <-chan string {
	c := make(chan string)
	go func() {
		defer close(c)
		for s := bufio.NewScanner(r); s.Scan(); {
			c <- strings.TrimSpace(s.Text())
		}
	}()
	return c
}

// demo is one run: its scratch folder, its desk and who answers.
type demo struct {
	out      io.Writer
	person   <-chan string // nil: the demo answers itself
	dir      string
	daemon   *exec.Cmd
	desk     *client
	operator string // their token
	token    string // the agent's
	shown    permission.Call
}

func (d *demo) close() {
	if d.daemon != nil {
		d.daemon.Process.Signal(syscall.SIGTERM)
		d.daemon.Wait()
	}
	if d.dir != "" {
		os.RemoveAll(d.dir)
	}
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

func (d *demo) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{d.prepare, d.startDesk, d.setUp, d.play, d.journal, d.check} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	d.say("\nWhat ran is exactly what was allowed or approved.")
	return nil
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, "files", name) }

func (d *demo) prepare(context.Context) (err error) {
	if d.dir, err = os.MkdirTemp("", "sekisho-demo-"); err != nil {
		return err
	}
	if d.dir, err = filepath.EvalSymlinks(d.dir); err != nil {
		return err
	}
	return errors.Join(os.Mkdir(filepath.Join(d.dir, "files"), 0o700),
		os.WriteFile(d.path("letter.txt"), []byte("The barrier opens at dawn.\n"), 0o600),
		os.WriteFile(d.path("precious.txt"), []byte("Do not move me.\n"), 0o600))
}

// startDesk starts the sekishod beside this program on a folder of its own.
func (d *demo) startDesk(ctx context.Context) error {
	d.operator = secret()
	d.desk = newClient("", d.operator)
	tokens, give, err := os.Pipe()
	if err != nil {
		return err
	}
	defer tokens.Close()
	d.daemon = exec.Command(beside("sekishod"), "--data", filepath.Join(d.dir, "desk"), "--listen", "127.0.0.1:0", "--operator-token-file",
		"/dev/fd/3",
		"--journal-key", filepath.Join(d.dir, "journal.key"))
	d.daemon.ExtraFiles = []*os.File{tokens}
	d.daemon.Stderr = os.Stderr
	out, err := d.daemon.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.daemon.Start(); err != nil {
		d.daemon = nil
		return fmt.Errorf("start sekishod: %w", err)
	}
	if _, err := io.WriteString(give, d.operator); err != nil {
		return err
	}
	give.Close()
	var ready struct{ URL, LoginURL string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		return fmt.Errorf("start sekishod: %w", err)
	}
	d.desk.URL = ready.URL
	d.say("A throwaway desk is open. In a browser: %s", ready.LoginURL)
	return nil
}

// beside finds a program of ours in this one's folder, else on PATH.
func beside(name string) string {
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); exists(path) {
			return path
		}
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// setUp makes the rules, the server and the agent.
func (d *demo) setUp(ctx context.Context) error {
	command, args, err := d.fileServerCommand()
	if err != nil {
		return err
	}
	server := permission.Server{ID: "filesystem", Transport: permission.TransportStdio, Command: command, Args: args, Enabled: true}
	var made struct{ Token string }
	if err := errors.Join(
		d.desk.Do(ctx, http.MethodPut, "/v1/rules", map[string]any{"rules": exampleRules()}, nil),
		d.desk.Do(ctx, http.MethodPut, "/v1/servers", map[string]any{"servers": []permission.Server{server}}, nil),
		d.desk.Do(ctx, http.MethodPost, "/v1/agents", map[string]any{"name": "demo agent"}, &made),
	); err != nil {
		return err
	}
	d.token = made.Token
	d.say("Five example rules: what begins with read_ on the server \"filesystem\" is allowed, all else waits for a person.")
	return nil
}

// fileServerCommand finds the file server where make has installed it, else lets
// npx bring it.
func (d *demo) fileServerCommand() (string, []string, error) {
	script := filepath.Join("node_modules", filepath.FromSlash(fileServer), "dist", "index.js")
	node, err := exec.LookPath("node")
	if err != nil {
		return "", nil, fmt.Errorf("the demo's file server needs Node.js: %w", err)
	}
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), "..", "..", "frontend", script); exists(path) {
			return node, []string{path, d.path("")}, nil
		}
	}
	npx, err := exec.LookPath("npx")
	return npx, []string{"-y", fileServer + "@" + fileServerVersion, d.path("")}, err
}

// exampleRules are the brief's five.
func exampleRules() []permission.RuleForm {
	rule := func(id permission.RuleID, priority int64, server, tool, pattern string, effect permission.Effect,
		note string) permission.RuleForm {
		return permission.RuleForm{ID: &id, Priority: priority, ServerID: some(server), ToolName: some(tool), ToolPattern: some(pattern),
			Effect: &effect, Enabled: true, Note: note}
	}
	return []permission.RuleForm{
		rule("read-files", 100, "filesystem", "", "read_*", permission.Allow, "reading files is always allowed"),
		rule("delete-files", 100, "filesystem", "", "delete_*", permission.Ask, "deleting files always asks"),
		rule("shell", 50, "shell", "execute_command", "", permission.Ask, "shell commands always ask"),
		rule("weather", 10, "weather-server", "", "", permission.Allow, "the weather is harmless"),
		rule("all-else", 0, "", "", "", permission.Ask, "everything else asks"),
	}
}

func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// bearer adds the agent's token to each request, to a desk that has proved itself.
type bearer struct {
	token string
	desk  *http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.desk.RoundTrip(r)
}

// play is the agent's part: an MCP client that knows nothing of the desk.
func (d *demo) play(ctx context.Context) error {
	agent := mcp.NewClient(&mcp.Implementation{Name: "sekisho-demo", Version: "1"}, nil)
	session, err := agent.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: d.desk.URL + "/mcp/filesystem",
		HTTPClient: &http.Client{Transport: bearer{d.token, proved.NewTransport(d.token)}}}, nil)
	if err != nil {
		return fmt.Errorf("connect the agent: %w", err)
	}
	defer session.Close()
	for _, call := range []struct {
		tool   string
		args   map[string]any
		answer bool // of the demo, where no person is
		reason string
	}{
		{"read_text_file", map[string]any{"path": d.path("letter.txt")}, false, ""},
		{"write_file", map[string]any{"path": d.path("notes.txt"), "content": "Seen at the barrier.\n"}, true, ""},
		{"move_file", map[string]any{"source": d.path("precious.txt"), "destination": d.path("gone.txt")}, false, "Leave that file where it is."},
	} {
		d.say("\nThe agent calls %s.", call.tool)
		done := make(chan error, 1)
		go func() {
			done <- d.call(ctx, session, &mcp.CallToolParams{Name: call.tool, Arguments: call.args})
		}()
		if err := d.attend(ctx, done, call.answer, call.reason); err != nil {
			return fmt.Errorf("%s: %w", call.tool, err)
		}
	}
	return nil
}

// call makes one call as a patient agent does: told that it is pending, it asks
// the same again.
func (d *demo) call(ctx context.Context, session *mcp.ClientSession, params *mcp.CallToolParams) error {
	for {
		result, err := session.CallTool(ctx, params)
		if err != nil {
			return err
		}
		d.say("The agent got: %s", text(result))
		if !strings.HasPrefix(text(result), "PENDING") {
			return nil
		}
		d.say("The agent asks the same again.")
	}
}

func text(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, strings.TrimSpace(t.Text))
		}
	}
	return strings.Join(parts, " ")
}

// attend answers what comes up while a call runs.
func (d *demo) attend(ctx context.Context, done <-chan error, answer bool, reason string) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	asked := permission.CallID("")
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-d.person:
			if !ok {
				return errors.New("the terminal was closed before an answer came")
			}
			if err := d.typed(ctx, line); err != nil {
				return err
			}
		case <-tick.C:
			var oldest permission.Call
			err := d.desk.Pending(ctx, func(c permission.Call) error {
				if oldest.ID == "" {
					oldest = c
				}
				return nil
			})
			if err != nil {
				return err
			}
			if oldest.ID == "" || oldest.ID == asked {
				continue
			}
			asked = oldest.ID
			if err := d.ask(ctx, oldest, answer, reason); err != nil {
				return err
			}
		}
	}
}

// ask shows a call to the person, or answers it where there is none.
func (d *demo) ask(ctx context.Context, c permission.Call, answer bool, reason string) error {
	d.say("It waits for a person:")
	if err := terminal.Show(d.out, c, nil); err != nil {
		return err
	}
	if d.person != nil {
		d.shown = c
		d.say("Approve? [y, or the reason why not]")
		return nil
	}
	verb := map[bool]string{true: "approves", false: "declines"}[answer]
	d.say("No terminal: the demo %s it.", verb)
	_, err := d.answer(ctx, c, answer, reason)
	return err
}

// answer answers the call that was shown.
func (d *demo) answer(ctx context.Context, c permission.Call, approved bool, reason string) (restclient.Decided, error) {
	return d.desk.Decide(ctx, c.ID, restclient.Answer{Approved: approved, Reason: reason, InputHash: c.InputHash, Rev: c.Rev})
}

// typed takes a line as the answer to the call that was shown.
func (d *demo) typed(ctx context.Context, line string) error {
	if d.shown.ID == "" || line == "" {
		return nil
	}
	yes := strings.EqualFold(line, "y") || strings.EqualFold(line, "yes")
	if yes || strings.EqualFold(line, "n") || strings.EqualFold(line, "no") {
		line = ""
	}
	_, err := d.answer(ctx, d.shown, yes, line)
	d.shown = permission.Call{}
	var late *problem
	if errors.As(err, &late) {
		d.say("Too late: %s", late)
		return nil
	}
	return err
}

func (d *demo) entries(ctx context.Context) ([]permission.Entry, error) {
	var got struct{ Entries []permission.Entry }
	err := d.desk.Do(ctx, http.MethodGet, "/v1/journal?limit=1000", nil, &got)
	return got.Entries, err
}

func (d *demo) journal(ctx context.Context) error {
	entries, err := d.entries(ctx)
	if err != nil {
		return err
	}
	d.say("\nThe journal:")
	for _, e := range entries {
		var about struct{ ToolName, Status, Reason, What string }
		if err := json.Unmarshal(e.Data, &about); err != nil {
			return err
		}
		d.say("%4d  %s  %-16s %-12.12s %s", e.Seq, e.At.Std().Local().Format(time.TimeOnly), e.Kind, e.Actor,
			strings.TrimSpace(strings.Join([]string{about.ToolName, about.Status, about.What, about.Reason}, " ")))
	}
	return nil
}

// check compares what is on disk with what was said.
func (d *demo) check(ctx context.Context) error {
	var got struct{ Calls []permission.Call }
	if err := d.desk.Do(ctx, http.MethodGet, "/v1/calls", nil, &got); err != nil {
		return err
	}
	ran := map[string]bool{}
	for _, c := range got.Calls {
		yes := c.Decision != nil && c.Decision.Approved
		ran[c.ToolName] = c.Status == permission.Completed
		if ran[c.ToolName] != yes {
			return fmt.Errorf("%s is %s, though its approval says %v", c.ToolName, c.Status, yes)
		}
	}
	if len(got.Calls) != 3 || !ran["read_text_file"] {
		return fmt.Errorf("the desk saw %d calls, and reading completed: %v", len(got.Calls), ran["read_text_file"])
	}
	if exists(d.path("notes.txt")) != ran["write_file"] || exists(d.path("gone.txt")) != ran["move_file"] ||
		exists(d.path("precious.txt")) == ran["move_file"] {
		return errors.New("the files on disk are not what was approved")
	}
	return nil
}
