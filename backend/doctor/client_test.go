package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sekisho/backend/connect"
)

// TestMain is a client where the doctor's tests start one.
func TestMain(m *testing.M) {
	if client := os.Getenv("SEKISHO_TEST_CLIENT"); client != "" {
		if err := play(client, os.Getenv("SEKISHO_TEST_FAULT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// wire is how a client speaks to a model: where it is told of it, the path of a turn, how it
// offers its shell, and how it says what became of a call.
type wire struct{ at, path, offer, result string }

const chatTurn = "/chat/completions"

var wires = map[string]wire{
	"claude-code": {"$ANTHROPIC_BASE_URL", "/v1/messages", `{"name":"Bash"}`,
		`"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_call_doctor","content":"no"}]}]`},
	"codex": {`base_url="([^"]*)"`, "/responses", `{"type":"function","name":"exec_command"}`,
		`"input":[{"type":"function_call_output","call_id":"call_doctor","output":"no"}]`},
	"gemini": {"$GOOGLE_GEMINI_BASE_URL", "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
		`{"functionDeclarations":[{"name":"run_shell_command"}]}`,
		`"contents":[{"parts":[{"functionResponse":{"name":"run_shell_command","response":{"error":"no"}}}]}]`},
	"copilot": {"$COPILOT_PROVIDER_BASE_URL", chatTurn, `{"type":"function","function":{"name":"bash"}}`,
		`"messages":[{"role":"tool","tool_call_id":"call_doctor","content":"no"}]`},
	"opencode": {`"baseURL":"([^"]*)"`, chatTurn, `{"type":"function","function":{"name":"bash"}}`,
		`"messages":[{"role":"tool","tool_call_id":"call_doctor","content":"no"}]`},
}

// model finds the model that a client was started for.
func (w *wire) model() (string, error) {
	if name, env := strings.CutPrefix(w.at, "$"); env {
		return os.Getenv(name), nil
	}
	told := strings.Join(os.Args[1:], "\n") + os.Getenv("OPENCODE_CONFIG_CONTENT")
	found := regexp.MustCompile(w.at).FindStringSubmatch(told)
	if found == nil {
		return "", errors.New("no model in " + told)
	}
	return found[1], nil
}

// turn asks the model.
func (w *wire) turn(url, body string) (string, error) {
	resp, err := http.Post(url+w.path, "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s %w", resp.Status, raw, err)
	}
	return string(raw), nil
}

// play works for a model as a client does: a shell line, unless a hook of the settings refuses.
func play(client, fault string) error {
	w := wires[client]
	url, err := w.model()
	if err != nil || fault == "silent" {
		return err
	}
	if fault == "no shell" {
		w.offer = `{"name":"Read"}`
	}
	said, err := w.turn(url, `{"model":"m","stream":true,"tools":[`+w.offer+`]}`)
	if err != nil {
		return err
	}
	found := regexp.MustCompile(`touch (sekisho-canary-\w+)`).FindStringSubmatch(said)
	if found == nil {
		return errors.New("no line in " + said)
	}
	if !asks(client, found[1], fault) || fault == "asks and runs" {
		if err := os.WriteFile(found[1], nil, 0o600); err != nil {
			return err
		}
	}
	if fault == "ends early" {
		return nil
	}
	_, err = w.turn(url, `{"model":"m","stream":true,"tools":[`+w.offer+`],`+w.result+`}`)
	return err
}

// asks starts the first hook of a client's settings, and reports whether it refused.
func asks(client, nonce, fault string) bool {
	s := connect.Hooks(connect.Places{GOOS: "linux", Home: os.Getenv("HOME")}, client)
	if len(s.Hooks) == 0 || fault == "runs" || fault == "refuses" {
		return fault == "refuses"
	}
	h := s.Hooks[0]
	words := append(h.Words, []string{"/bin/sh", "-c", h.Command.Line}[min(len(h.Words), 3):]...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin = bytes.NewReader(event(h, nonce))
	var reason bytes.Buffer
	cmd.Stderr = &reason
	_ = cmd.Run()
	return cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 2 && reason.Len() > 0
}
