package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/tool"
	"sekisho/backend/tooltest"
)

// lessened in the environment of this program says that it runs on a machine without confinement.
const lessened = "SEKISHO_TEST_UNCONFINED"

// TestAMachineWithoutConfinement: where there are neither Landlock nor namespaces, the servers, the dialog and the doctor
// say so, and a command that only reads asks.
func TestAMachineWithoutConfinement(t *testing.T) {
	if os.Getenv(lessened) == "" {
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestAMachineWithoutConfinement$")
		cmd.Env = append(os.Environ(), lessened+"=1")
		tooltest.Lessen(cmd, tooltest.Namespaces, tooltest.Landlock)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestAMachineWithoutConfinement ")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	missing := []string{"landlock", "landlock tcp", "pid namespace", "network namespace"}
	w := newWorkshop(t)
	if err := os.WriteFile(filepath.Join(w.folder, "a.txt"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}

	var listed struct {
		Servers []struct{ Confinement permission.Confinement }
	}
	operator := newClient(w.server.URL, operatorToken)
	if err := operator.Do(t.Context(), http.MethodGet, "/v1/servers", nil, &listed); err != nil {
		t.Fatal(err)
	}
	if c := listed.Servers[0].Confinement; c.Level != permission.Unconfined || !slices.Equal(c.Missing, missing) || c.Trouble != "" {
		t.Errorf("the servers: %+v", c)
	}

	doctor := exec.Command(os.Args[0], "doctor")
	doctor.Env = append(os.Environ(), roleEnv+"=sekisho", "HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	said, _ := doctor.CombinedOutput() // no client is here, and so none is closed
	for _, words := range append([]string{"workspaces: " + levelWords[tool.LevelNone]}, missing...) {
		if !strings.Contains(string(said), words) {
			t.Errorf("the doctor says nothing of %s: %s", words, said)
		}
	}

	if a := <-w.call(guard.ReadFile, map[string]any{"path": "a.txt"}); a.bad || deref(a.result.Content) != "one" {
		t.Errorf("read: %+v", a)
	}
	if c := w.last(permission.Completed); c.Risk != permission.RiskLow || c.Why.Rule == nil || c.Why.Rule.ID != "ws-low" {
		t.Errorf("a read is %s by %+v", c.Risk, c.Why)
	}

	got := w.call(guard.ExecuteCommand, map[string]any{"command": "ls"})
	c := w.last(permission.Pending)
	if c.Risk != permission.RiskMedium || len(c.RiskReasons) != 1 || c.RiskReasons[0].Code != permission.RiskUnconfined {
		t.Errorf("ls is %s for %+v", c.Risk, c.RiskReasons)
	}
	var look permission.Look
	err := operator.Do(t.Context(), http.MethodGet, callPath(c.ID)+"/look", nil, &look)
	if err != nil || look.Workspace == nil || look.Workspace.Confinement != permission.Unconfined ||
		!slices.Equal(look.Workspace.Missing, missing) {
		t.Errorf("the dialog has %+v: %v", look.Workspace, err)
	}
	w.approve(c, permission.Answer{})
	if a := <-got; a.bad || deref(a.result.Stdout) != "a.txt\n" {
		t.Errorf("ls: %+v", a)
	}
}
