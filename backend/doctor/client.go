package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sekisho/backend/connect"
	"sekisho/backend/process"
)

// clientWithin bounds one run of a client.
const clientWithin = 2 * time.Minute

// proveClient lets the client itself, with its own configuration, work for a model that asks
// for a shell line which holds a canary: the desk has to have refused it, the client to have
// told the model so, and no file may be there. A client that cannot be started so is not proved.
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
	desk, nonce, ok := d.canary(ctx, r, s.File, s.Hooks[0].Command)
	if !ok {
		return
	}
	work, err := os.MkdirTemp("", "sekisho-doctor-")
	if err != nil {
		r.add(NotRun, "", err.Error())
		return
	}
	defer os.RemoveAll(work)
	m, err := openModel("touch " + nonce)
	if err != nil {
		r.add(NotRun, "", err.Error())
		return
	}
	defer m.close()
	cmd := exec.Command(program, start.args(m.url)...)
	cmd.Dir, cmd.Env = work, append(append(environment(), quiet...), start.env(work, m.url)...)
	if d.Starts != nil {
		d.Starts(r.Name, program)
	}
	stopped := finish(ctx, cmd)
	_, missing := os.Stat(filepath.Join(work, nonce))
	seen, err := desk.Refused(context.WithoutCancel(ctx), nonce)
	switch {
	case missing == nil:
		r.add(ToolRan, "", r.Name+" ran a line that the desk refuses")
	case err != nil:
		r.add(NoDesk, "", err.Error())
	case stopped != nil:
		r.add(NotRun, "", stopped.Error())
	case !m.asked.Load():
		r.add(NotRun, "", "it did not ask the scripted model, or offered it no shell")
	case !m.told.Load():
		r.add(NotRun, "", "it ended before it told the scripted model what became of the line")
	case !seen && r.open(): // what is known of it already is why, and says better what to do
	case !seen:
		r.add(DeskNotAsked, "", r.Name+" did not ask about a line")
	default:
		r.Whole = true
	}
}

// finish runs a client to its end, with all that it started; an error when it was ended, or
// did not start. A client that is told no may end with any code.
func finish(ctx context.Context, cmd *exec.Cmd) error {
	tree, err := process.Start(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, clientWithin)
	defer cancel()
	stop := context.AfterFunc(ctx, tree.Kill)
	tree.Wait()
	tree.Kill()
	if !stop() {
		return fmt.Errorf("it was ended, after %s at most", clientWithin)
	}
	return nil
}

// quiet keeps what a client sends to other hosts than the model on this computer.
var quiet = []string{"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	"https_proxy=http://127.0.0.1:9", "http_proxy=http://127.0.0.1:9", "no_proxy=127.0.0.1,localhost", "DO_NOT_TRACK=1"}

// starter is how a client is made to work for a scripted model.
type starter struct {
	program   string
	args      func(url string) []string
	env       func(work, url string) []string // work is the folder that it works in
	elsewhere func(connect.Places) error      // why its own settings lead it to another model; nil never do
}

const prompt = "Go on."

var starts = map[string]starter{
	"claude-code": {"claude", func(string) []string { return []string{"-p", prompt, "--model", "claude-sonnet-4-5"} },
		func(_, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1"}
		}, claudeElsewhere},
	"codex": {"codex", func(url string) []string {
		provider := `model_providers.sekisho_doctor={name="doctor",base_url="` + url + `/v1",wire_api="responses",env_key="SEKISHO_DOCTOR_KEY"}`
		return []string{"exec", "--skip-git-repo-check", "--sandbox", "workspace-write",
			"-c", "model_provider=\"sekisho_doctor\"", "-c", provider,
			"-c", "model=\"gpt-5\"", prompt}
	}, func(string, string) []string { return []string{"SEKISHO_DOCTOR_KEY=none"} }, nil},
	"gemini": {"gemini", func(string) []string {
		return []string{"-p", prompt, "--approval-mode", "yolo", "--model", "gemini-2.5-flash"}
	},
		geminiEnv, nil},
	"copilot": {"copilot", func(string) []string {
		return []string{"-p", prompt, "--no-color", "--no-auto-update", "--allow-all-tools"}
	},
		func(_, url string) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_MODEL=gpt-4.1", "COPILOT_AUTO_UPDATE=false"}
		}, nil},
	"opencode": {"opencode", func(string) []string { return []string{"run", "--format", "json", "--model", "sekisho/doctor", prompt} },
		opencodeEnv, nil},
}

// claudeElsewhere reports settings that lead Claude Code to a model of their own: they stand
// above the environment.
func claudeElsewhere(p connect.Places) error {
	for _, path := range settingsOf(p, "claude-code") {
		raw, err := os.ReadFile(path)
		if err == nil && (bytes.Contains(raw, []byte(`"env"`)) || bytes.Contains(raw, []byte(`"apiKeyHelper"`))) {
			return fmt.Errorf("%s sets an environment, which may lead it to another model", path)
		}
	}
	return nil
}

// geminiEnv has Gemini CLI use a key in place of the account that its settings may name: by
// settings of the folder that it works in, which stand above them.
func geminiEnv(work, url string) []string {
	const settings = `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`
	folder := filepath.Join(work, ".gemini")
	if os.Mkdir(folder, 0o700) == nil { // else it works for the model all the same or does not, which is seen
		_ = os.WriteFile(filepath.Join(folder, "settings.json"), []byte(settings), 0o600)
	}
	return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_TELEMETRY_ENABLED=false"}
}

// opencodeEnv gives opencode the model in a configuration that is laid over its own.
func opencodeEnv(_, url string) []string {
	type object = map[string]any
	raw, err := json.Marshal(object{"provider": object{"sekisho": object{"npm": "@ai-sdk/openai-compatible",
		"options": object{"baseURL": url + "/v1", "apiKey": "none"}, "models": object{"doctor": object{"name": "doctor", "tool_call": true}}}},
		"model": "sekisho/doctor", "small_model": "sekisho/doctor", "share": "disabled", "autoupdate": false})
	if err != nil {
		panic("texts always marshal: " + err.Error())
	}
	return []string{"OPENCODE_CONFIG_CONTENT=" + string(raw), "OPENCODE_DISABLE_AUTOUPDATE=true", "OPENCODE_DISABLE_MODELS_FETCH=true",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=true"}
}
