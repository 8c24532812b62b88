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
	"time"

	"sekisho/backend/connect"
)

// commandWithin bounds one run of a hook: a canary waits for nobody.
const commandWithin = 20 * time.Second

// proveCommands runs each command as it is configured, with an event that holds a canary: it
// has to end with 2, and the desk to have refused that very call.
func (d *Doctor) proveCommands(ctx context.Context, r *Report, s *connect.HookState) {
	proved := 0
	for _, h := range s.Hooks {
		desk, nonce, ok := d.canary(ctx, r, h.Command)
		if !ok {
			return
		}
		exit, err := run(ctx, h, event(h, nonce))
		if err != nil {
			r.add(LetPass, s.File, err.Error())
			continue
		}
		seen, err := desk.Refused(ctx, nonce)
		switch {
		case err != nil:
			r.add(NoDesk, "", err.Error())
		case !seen:
			r.add(DeskNotAsked, s.File, h.Event)
		case exit != 2 && h.Event != "PermissionRequest": // which says no in JSON
			r.add(LetPass, s.File, fmt.Sprintf("%s: exit %d", h.Event, exit))
		default:
			proved++
		}
	}
	r.Command = proved > 0 && proved == len(s.Hooks)
}

// canary asks the desk of a command for a nonce.
func (d *Doctor) canary(ctx context.Context, r *Report, c connect.HookCommand) (desk Desk, nonce string, ok bool) {
	err := errors.New("the desk cannot be asked")
	if d.Desk != nil {
		if desk, err = d.Desk(c); err == nil {
			nonce, err = desk.NewCanary(ctx)
		}
	}
	if err != nil {
		r.add(NoDesk, "", err.Error())
	}
	return desk, nonce, err == nil
}

// run starts a command as its client does.
func run(ctx context.Context, h connect.HookAt, stdin []byte) (exit int, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandWithin)
	defer cancel()
	words := h.Words
	switch {
	case words != nil:
	case runtime.GOOS == "windows":
		words = []string{"cmd", "/C", h.Command.Line}
	default:
		words = []string{"/bin/sh", "-c", h.Command.Line}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Dir, cmd.WaitDelay = bytes.NewReader(stdin), os.TempDir(), time.Second
	err = cmd.Run()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && ctx.Err() == nil {
		return ended.ExitCode(), nil
	}
	return 0, err
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

// clientWithin bounds one run of a client.
const clientWithin = 2 * time.Minute

// proveClient lets the client itself, with its own configuration, work for a model that asks
// for a shell line which holds a canary: no file may be there, and the desk has to have
// refused it. A client that cannot be started so is not proved.
func (d *Doctor) proveClient(ctx context.Context, r *Report, s *connect.HookState) {
	start, known := starts[r.Client]
	switch {
	case len(s.Hooks) == 0:
		return
	case !known || d.Runs == nil:
		r.add(NotRun, "", "it cannot be made to work for a scripted model here")
		return
	}
	program, err := d.Runs(start.program)
	if err == nil && start.elsewhere != nil {
		err = start.elsewhere(d.Places)
	}
	if err != nil {
		r.add(NotRun, "", err.Error())
		return
	}
	desk, nonce, ok := d.canary(ctx, r, s.Hooks[0].Command)
	if !ok {
		return
	}
	folder, err := os.MkdirTemp("", "sekisho-doctor-")
	if err != nil {
		r.add(NotRun, "", err.Error())
		return
	}
	defer os.RemoveAll(folder)
	m, err := openModel("touch " + nonce)
	if err != nil {
		r.add(NotRun, "", err.Error())
		return
	}
	defer m.close()
	ctx, cancel := context.WithTimeout(ctx, clientWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, start.args(m.url)...)
	cmd.Dir, cmd.WaitDelay = folder, time.Second
	cmd.Env = append(append(os.Environ(), "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost"),
		start.env(m.url)...)
	_ = cmd.Run() // a client that is told no may end with any code
	_, missing := os.Stat(filepath.Join(folder, nonce))
	seen, err := desk.Refused(context.WithoutCancel(ctx), nonce)
	switch {
	case missing == nil:
		r.add(ToolRan, "", r.Name+" ran a line that the desk refuses")
	case err != nil:
		r.add(NoDesk, "", err.Error())
	case !m.asked():
		r.add(NotRun, "", "it did not ask the scripted model, or offered it no shell")
	case !seen:
		r.add(DeskNotAsked, "", r.Name+" did not ask about a line")
	default:
		r.Whole = true
	}
}

// starter is how a client is made to work for a scripted model.
type starter struct {
	program   string
	args      func(url string) []string
	env       func(url string) []string
	elsewhere func(connect.Places) error // why its own settings lead it to another model; nil never do
}

const prompt = "Go on."

var starts = map[string]starter{
	"claude-code": {"claude", func(string) []string { return []string{"-p", prompt, "--model", "claude-sonnet-4-5"} },
		func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1"}
		}, claudeElsewhere},
	"codex": {"codex", func(url string) []string {
		provider := `model_providers.sekisho_doctor={name="doctor",base_url="` + url + `/v1",wire_api="responses",env_key="SEKISHO_DOCTOR_KEY"}`
		return []string{"exec", "--skip-git-repo-check", "--sandbox", "workspace-write",
			"-c", "model_provider=\"sekisho_doctor\"", "-c", provider,
			"-c", "model=\"gpt-5\"", prompt}
	}, func(string) []string { return []string{"SEKISHO_DOCTOR_KEY=none"} }, nil},
}

// claudeElsewhere reports settings that lead Claude Code to a model of their own: they stand
// above the environment.
func claudeElsewhere(p connect.Places) error {
	for _, path := range settingsOf(p, "claude-code") {
		raw, err := os.ReadFile(path)
		if err == nil && bytes.Contains(raw, []byte(`"env"`)) || bytes.Contains(raw, []byte(`"apiKeyHelper"`)) {
			return fmt.Errorf("%s sets an environment, which may lead it to another model", path)
		}
	}
	return nil
}
