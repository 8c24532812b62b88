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
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/claudecode"
	"sekisho/backend/permission"
	"sekisho/backend/process"
)

// bypassSwitch is the client's own switch that lets a person put it into the mode which asks
// nothing.
const bypassSwitch = "--allow-dangerously-skip-permissions"

// ourSwitches are those that make the client speak the control protocol: nobody else gives them.
var ourSwitches = []string{"--input-format", "--output-format", "--permission-prompt-tool"}

// newRunCommand starts Claude Code so that it asks at the desk.
func newRunCommand(f *finder) *cobra.Command {
	var without bool
	c := &cobra.Command{
		Use: "run [--without-approvals] -- claude [ARGUMENT]…", Short: "Start Claude Code so that it asks at the desk before it runs a tool",
		Args: cobra.MinimumNArgs(1),
		Long: "Start Claude Code so that it asks at the desk before it runs a tool.\n\n" +
			"The prompt is what follows -p, else each line of standard input is one. Standard output is the\n" +
			"client's stream of JSON, and the exit code is the client's. Without a desk nothing runs.",
		RunE: func(c *cobra.Command, words []string) error {
			client, err := readClient(words)
			if err != nil {
				return misused(err)
			}
			opts := claudecode.Options{Bypass: slices.Contains(words, bypassSwitch), Out: c.OutOrStdout()}
			if without {
				opts.Approvals = func(claudecode.Circumstances) claudecode.ExecutorApprovalService {
					return claudecode.Noop{Told: c.ErrOrStderr()}
				}
				opts.Allowed = func(context.Context, claudecode.Circumstances, string, json.RawMessage) (bool, error) {
					return true, nil
				}
			} else if err := atDesk(c.Context(), f, &opts); err != nil {
				return err
			}
			return client.run(c.Context(), opts, c.InOrStdin())
		},
	}
	c.Flags().BoolVar(&without, "without-approvals", false, "ask nobody: every tool runs, and a line on standard error says so")
	return c
}

// atDesk lets a desk decide. One that is not there, or does not know the token, is an error
// before anything starts.
func atDesk(ctx context.Context, f *finder, opts *claudecode.Options) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	if err := c.do(ctx, http.MethodGet, "/v1/calls?limit=1&brief=true", nil, nil); err != nil {
		return err
	}
	at := func(where claudecode.Circumstances) claudecode.Service {
		return claudecode.Service{Desk: agentDesk{c}, Circumstances: where}
	}
	opts.Approvals = func(where claudecode.Circumstances) claudecode.ExecutorApprovalService { return at(where) }
	opts.Allowed = func(ctx context.Context, where claudecode.Circumstances, tool string, input json.RawMessage) (bool, error) {
		return at(where).Allowed(ctx, tool, input)
	}
	return nil
}

// clientProgram is Claude Code as it is started.
type clientProgram struct {
	name   string
	args   []string
	prompt *string // nil: the lines of standard input
}

// readClient takes the words after -- apart.
func readClient(words []string) (c clientProgram, err error) {
	c.name = words[0]
	for i := 1; i < len(words); i++ {
		name, _, _ := strings.Cut(words[i], "=")
		switch {
		case slices.Contains(ourSwitches, name):
			return c, fmt.Errorf("%s is given by sekisho itself", name)
		case name != "-p" && name != "--print":
			c.args = append(c.args, words[i])
		case i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			i++
			c.prompt = &words[i]
		}
	}
	c.args = append(c.args, "-p", "--input-format", "stream-json", "--output-format", "stream-json",
		"--verbose", "--permission-prompt-tool", "stdio")
	return c, nil
}

// run starts the program, speaks with it, and ends with its exit code. Whatever ends this
// program ends the client, too.
func (c clientProgram) run(ctx context.Context, opts claudecode.Options, stdin io.Reader) error {
	child, err := startClient(c.name, c.args)
	if err != nil {
		return err
	}
	defer child.tree.Kill()
	err = claudecode.New(child.in, child.out, opts).Converse(ctx, c.prompts(ctx, stdin))
	if err != nil {
		child.tree.Terminate()
		return err
	}
	return child.wait()
}

// prompts gives what the client is to do.
func (c clientProgram) prompts(ctx context.Context, stdin io.Reader) <-chan string {
	all := make(chan string, 1)
	if c.prompt != nil {
		all <- *c.prompt
		close(all)
		return all
	}
	go func() {
		defer close(all)
		for lines := bufio.NewReader(stdin); ; {
			line, err := lines.ReadString('\n')
			if line = strings.TrimSpace(line); line != "" {
				select {
				case all <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return all
}

// child is a client program that runs, with our ends of its standard input and output.
type child struct {
	cmd     *exec.Cmd
	tree    *process.Tree
	in, out *os.File
}

// startClient starts an agent's program so that it ends with this one.
func startClient(name string, args []string) (*child, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), in.Close(), theirIn.Close())
	}
	c := &child{cmd: exec.Command(name, args...), in: in, out: out}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirIn, theirOut, os.Stderr
	c.tree, err = process.Start(c.cmd)
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), in.Close(), out.Close())
	}
	return c, nil
}

// wait waits for the end, and gives its exit code as an error where it is not 0.
func (c *child) wait() error {
	c.tree.Wait()
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		return exited(code)
	}
	return nil
}

// exited is the exit code of a program that ours stands for. It has said itself what is wrong.
type exited int

func (e exited) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// agentDesk is the desk as an agent reaches it.
type agentDesk struct{ *client }

func (d agentDesk) Evaluate(ctx context.Context, q claudecode.Question) (v permission.Verdict, err error) {
	err = d.do(ctx, http.MethodPost, "/v1/evaluate", map[string]any{
		"serverId": q.ServerID, "toolName": q.ToolName, "input": q.Input, "sessionId": q.SessionID, "cwd": q.Cwd}, &v)
	return v, said(err)
}

func (d agentDesk) Ask(ctx context.Context, q claudecode.Question) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodPost, "/v1/calls", q)
}

// waitSeconds is how long the desk may take to tell of a change.
const waitSeconds = 20

func (d agentDesk) Wait(ctx context.Context, id permission.CallID, rev int64) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodGet, fmt.Sprintf("%s?wait=%d&rev=%d", callPath(id), waitSeconds, rev), nil)
}

func (d agentDesk) Claim(ctx context.Context, c permission.Call) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodPost, callPath(c.ID)+"/claim", map[string]any{"inputHash": c.InputHash, "claimant": "claude-code",
		"claimKey": c.ToolCallID, "leaseSeconds": permission.HandedOverFor.Seconds()})
}

func (d agentDesk) Finish(ctx context.Context, c permission.Call, output string) error {
	_, err := d.exchanged(ctx, http.MethodPost, callPath(c.ID)+"/result",
		map[string]any{"claimId": c.ClaimID, "ok": true, "output": json.RawMessage(output)})
	return err
}

func (d agentDesk) Cancel(ctx context.Context, id permission.CallID, reason string) error {
	_, err := d.exchanged(ctx, http.MethodPost, callPath(id)+"/cancel", map[string]any{"reason": reason})
	return err
}

// exchanged sends a request that is answered with a call.
func (d agentDesk) exchanged(ctx context.Context, method, path string, body any) (permission.Call, error) {
	var got callAnswer
	err := d.do(ctx, method, path, body, &got)
	return got.Call, said(err)
}

// said gives what the desk itself has said as an error of its own kind.
func said(err error) error {
	var p *problem
	if errors.As(err, &p) {
		return &permission.Error{Code: p.Code, Message: p.Error(), Call: p.Call}
	}
	return err
}
