package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/claudecode"
	"sekisho/backend/handover"
	"sekisho/backend/process"
	"sekisho/backend/usage"
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
				return usage.Wrong(err)
			}
			opts := claudecode.Options{Bypass: slices.Contains(words, bypassSwitch), Out: c.OutOrStdout()}
			if without {
				opts.Approvals = func(handover.Circumstances) handover.ExecutorApprovalService {
					return handover.Noop{Told: c.ErrOrStderr()}
				}
				opts.Allowed = func(context.Context, handover.Circumstances, string, json.RawMessage) (bool, error) {
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
	at, stops, err := f.service(ctx, "Claude Code", "claude-code")
	if err != nil {
		return err
	}
	opts.Stopped = stops
	opts.Approvals = func(where handover.Circumstances) handover.ExecutorApprovalService { return at(where) }
	opts.Allowed = func(ctx context.Context, where handover.Circumstances, tool string, input json.RawMessage) (bool, error) {
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
