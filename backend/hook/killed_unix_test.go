//go:build unix

package hook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/hook"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// dying is a desk whose process is killed between the claim of a call and its end.
type dying struct {
	*desk.Calls
	*desk.Policy
	*desk.Journal
	dies bool
}

func (d dying) Now() permission.Time { return d.Calls.Now() }

func (d dying) Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error) {
	if d.dies {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return d.Calls.Finish(ctx, agent, id, out)
}

// post gives an event to the door of a desk over a folder, and its answer.
func post(t *testing.T, dir string, dies bool) (answer string, calls []permission.Call) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := desk.Open(t.Context(), storetest.Stores(store), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	form, allow := permission.NewRuleForm(), permission.Allow
	form.Effect = &allow
	if _, _, err := d.Policy.CreateRule(t.Context(), form); err != nil {
		t.Fatal(err)
	}
	door := hook.New(dying{d.Calls, d.Policy, d.Journal, dies}, hook.Options{
		AgentFrom: func(*http.Request) (permission.Agent, bool) { return permission.Agent{ID: "a", Name: "Agent"}, true }})
	defer door.Close()
	w := httptest.NewRecorder()
	door.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/hooks/claude", strings.NewReader(`{"session_id":"s","tool_use_id":"t",`+
		`"cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"}}`)))
	calls, _, _, err = d.Calls.List(t.Context(), permission.Operator(), permission.CallFilter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return w.Body.String(), calls
}

// TestKilledBetweenClaimAndAnswer: the desk is really killed there. The client had no answer,
// which is a no; after a start the row is in doubt, and the same event is no yes either.
func TestKilledBetweenClaimAndAnswer(t *testing.T) {
	const folder = "SEKISHO_TEST_KILLED"
	if dir := os.Getenv(folder); dir != "" {
		answer, _ := post(t, dir, true)
		t.Fatalf("it lives, and answered %s", answer)
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledBetweenClaimAndAnswer$")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s", folder, dir))
	said, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v %s", err, said)
	}
	answer, calls := post(t, dir, false)
	if len(calls) != 1 || calls[0].Status != permission.InDoubt || calls[0].Result != nil {
		t.Errorf("rows: %+v", calls)
	}
	if !strings.Contains(answer, `"exit":2`) {
		t.Errorf("the same event again was answered %s", answer)
	}
}
