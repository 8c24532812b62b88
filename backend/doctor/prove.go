package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sekisho/backend/connect"
	"sekisho/backend/hookcommand"
)

// commandWithin bounds one run of a hook: a canary waits for nobody.
const commandWithin = 20 * time.Second

// proveCommands runs each command as it is configured, with an event that holds a canary: it
// has to say no as its client reads it, and the desk to have refused that very call. All of
// them are as connecting writes them, and of our program.
func (d *Doctor) proveCommands(ctx context.Context, r *Report, s *connect.HookState) {
	proved := 0
	for _, h := range s.Hooks {
		desk, nonce, ok := d.canary(ctx, r, s.File, h.Command)
		if !ok {
			return
		}
		got, err := run(ctx, started(h), event(h, nonce))
		if ctx.Err() != nil {
			r.add(NotRun, "", "the check was ended")
			return
		}
		if err != nil {
			r.add(LetPass, s.File, h.Event+": "+err.Error())
			continue
		}
		seen, err := desk.Refused(ctx, nonce)
		no := got.refuses(r.Client, h.Event)
		switch {
		case err != nil:
			r.add(NoDesk, "", err.Error())
		case !seen:
			r.add(DeskNotAsked, s.File, h.Event)
		case no != nil:
			r.add(LetPass, s.File, h.Event+": "+no.Error())
		case d.fails(ctx, r, s, h):
			proved++
		}
	}
	r.Command = proved > 0 && proved == len(s.Hooks)
}

// fails proves that a command is a no when its program is gone, for a client that takes that
// for leave to run the tool.
func (d *Doctor) fails(ctx context.Context, r *Report, s *connect.HookState, h connect.HookAt) bool {
	if !slices.Contains([]string{"claude-code", "codex", "gemini"}, r.Client) || r.Client == "claude-code" && h.Event == "PermissionRequest" {
		return true
	}
	if d.Places.GOOS == "windows" {
		r.add(FailsUnknown, s.File, h.Event)
		return false
	}
	folder, err := os.MkdirTemp("", "sekisho-doctor-") // of its own: nobody puts a program there
	if err != nil {
		r.add(FailsUnknown, s.File, h.Event)
		return false
	}
	defer os.RemoveAll(folder)
	gone := hookcommand.Quote(filepath.Join(folder, "sekisho"), d.Places.GOOS)
	line := gone + strings.TrimPrefix(h.Command.Line, hookcommand.Quote(h.Command.Program, d.Places.GOOS))
	got, err := run(ctx, shell(line), []byte("{}"))
	if err == nil {
		err = got.refuses(r.Client, h.Event)
	}
	if err != nil {
		r.add(NoOnFailure, s.File, h.Event+" without its program: "+err.Error())
	}
	return err == nil
}

// canary asks the desk of a command for a nonce.
func (d *Doctor) canary(ctx context.Context, r *Report, file string, c hookcommand.Command) (desk Desk, nonce string, ok bool) {
	err := errors.New("the desk cannot be asked")
	if d.Desk != nil {
		if desk, err = d.Desk(c); err == nil {
			nonce, err = desk.NewCanary(ctx)
		}
	}
	switch {
	case errors.Is(err, ErrOtherDesk):
		r.add(DeskNotAsked, file, err.Error())
	case err != nil:
		r.add(NoDesk, "", err.Error())
	}
	return desk, nonce, err == nil
}

// ended is how a command did.
type ended struct {
	exit           int
	stdout, stderr bytes.Buffer
}

// started are the words by which a client starts a command: its own, or those of a shell. On
// Windows, whose shells quote each in its own way, they are those that the line stands for.
func started(h connect.HookAt) []string {
	switch {
	case h.Words != nil:
		return h.Words
	case runtime.GOOS == "windows":
		return h.Command.Words()
	}
	return shell(h.Command.Line)
}

func shell(line string) []string { return []string{"/bin/sh", "-c", line} }

// run starts words to their end.
func run(ctx context.Context, words []string, stdin []byte) (*ended, error) {
	ctx, cancel := context.WithTimeout(ctx, commandWithin)
	defer cancel()
	got := &ended{}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Dir, cmd.WaitDelay, cmd.Env = bytes.NewReader(stdin), os.TempDir(), time.Second, environment()
	cmd.Stdout, cmd.Stderr = &got.stdout, &got.stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("it did not end within %s", commandWithin)
	}
	if exited := (*exec.ExitError)(nil); errors.As(err, &exited) {
		got.exit, err = exited.ExitCode(), nil
	}
	return got, err
}

// environment is this program's without what leads a hook to a desk: a client that is started
// elsewhere does not have it.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SEKISHO_URL=") || strings.HasPrefix(v, "SEKISHO_TOKEN=")
	})
}

// refuses says why what a command did is no refusal to its client; nil: it is one.
func (e *ended) refuses(client, event string) error {
	said := strings.TrimSpace(e.stdout.String())
	denies := deniesIn(client, event, said)
	switch {
	case client == "claude-code" && event == "PermissionRequest": // whose exit code 2 is none
		if e.exit != 0 || !denies {
			return fmt.Errorf("exit %d, and no denial on standard output", e.exit)
		}
	case e.exit != 2:
		return fmt.Errorf("exit %d", e.exit)
	case strings.TrimSpace(e.stderr.String()) == "":
		return errors.New("exit 2 without a reason")
	case said != "" && !denies:
		return errors.New("exit 2 with something else than a denial on standard output")
	}
	return nil
}

// deniesIn reports whether JSON is the denial of an event that a client reads, with a reason.
func deniesIn(client, event, said string) bool {
	type reply struct{ Decision, Reason, Behavior, Message, PermissionDecision, PermissionDecisionReason string }
	var got struct {
		reply
		HookSpecificOutput *struct {
			HookEventName, PermissionDecision, PermissionDecisionReason string
			Decision                                                    *reply
		}
	}
	if json.Unmarshal([]byte(said), &got) != nil {
		return false
	}
	no := func(word, reason string) bool { return word == "deny" && strings.TrimSpace(reason) != "" }
	switch inner := got.HookSpecificOutput; client {
	case "claude-code", "codex":
		if inner == nil || inner.HookEventName != event {
			return false
		}
		if event == "PermissionRequest" {
			return inner.Decision != nil && no(inner.Decision.Behavior, inner.Decision.Message)
		}
		return no(inner.PermissionDecision, inner.PermissionDecisionReason)
	case "gemini":
		return no(got.Decision, got.Reason)
	case "copilot":
		return no(got.PermissionDecision, got.PermissionDecisionReason)
	}
	return false
}

// event is one of the client's before it runs a shell line.
func event(h connect.HookAt, nonce string) []byte {
	line := "touch " + nonce
	said := map[string]any{"session_id": "doctor-" + nonce, "cwd": os.TempDir(), "hook_event_name": h.Event, "tool_name": "Bash",
		"tool_input": map[string]any{"command": line}}
	switch h.Command.Door {
	case "claude", "codex":
		if h.Event == "PreToolUse" {
			said["tool_use_id"] = "doctor-" + nonce
		}
	case "gemini":
		said["tool_name"] = "run_shell_command"
	case "copilot":
		args, _ := json.Marshal(map[string]any{"command": line})
		said = map[string]any{"sessionId": "doctor-" + nonce, "timestamp": time.Now().UnixMilli(), "cwd": os.TempDir(), "toolName": "bash",
			"toolArgs": string(args)}
	case "cursor":
		said["conversation_id"], said["tool_name"] = "doctor-"+nonce, "Shell"
	case "opencode":
		said = map[string]any{"event": "tool.execute.before", "directory": os.TempDir(),
			"input":  map[string]any{"tool": "bash", "sessionID": "doctor-" + nonce, "callID": "doctor-" + nonce},
			"output": map[string]any{"args": map[string]any{"command": line}}}
	}
	raw, err := json.Marshal(said)
	if err != nil {
		panic("texts and numbers always marshal: " + err.Error())
	}
	return raw
}
