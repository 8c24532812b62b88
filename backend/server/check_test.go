package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sekisho/backend/rest"
)

// TestAConnectedClientIsChecked by this desk itself: its hook asks it, and what was not seen
// is not called closed.
func TestAConnectedClientIsChecked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of the test is a shell script")
	}
	program := filepath.Join(t.TempDir(), "sekisho-hook")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "sekisho/backend/cmd/sekisho-hook")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := newHouse(t)
	h.write("bin/sekisho", "#!/bin/sh\nshift\nexec '"+program+"' \"$@\"\n")
	h.write(".claude/settings.json", "{}\n")
	var list rest.ClientList
	find := func() rest.ClientFile {
		h.ask(200, "GET /v1/connections", nil, &list)
		for _, f := range list.Files {
			if f.Client == "claude-code" {
				return f
			}
		}
		t.Fatalf("%+v", list)
		return rest.ClientFile{}
	}
	file := find()
	h.ask(200, "POST /v1/connections/"+file.ID+"/connect", map[string]any{"shown": file.Move.Shown}, nil)
	var got rest.ClientCheck
	check := func() {
		t.Helper()
		got = rest.ClientCheck{}
		h.ask(200, "POST /v1/connections/"+file.ID+"/check", nil, &got)
	}
	if check(); got.State != "not_proved" || !got.CommandProved || got.ClientProved ||
		len(got.Reasons) != 1 || got.Reasons[0].Code != "client_not_run" {
		t.Errorf("%+v", got)
	}
	h.write("bin/sekisho", "#!/bin/sh\nexit 0\n")
	if check(); got.State != "open" || got.CommandProved || got.Reasons[0].Code != "desk_not_asked" || got.Reasons[0].Repair == "" {
		t.Errorf("a program that allows all: %+v", got)
	}
	right := h.read(".claude/settings.json")
	h.write(".claude/settings.json", strings.ReplaceAll(right, "--desk http://127.0.0.1:", "--desk http://127.0.0.1:9"))
	if check(); got.State != "open" || got.CommandProved || got.Reasons[0].Code != "desk_not_asked" ||
		!strings.Contains(got.Reasons[0].Detail, "asks another desk: http://127.0.0.1:9") {
		t.Errorf("a command that asks another desk: %+v", got)
	}
	h.write(".claude/settings.json", right)
	pwned := filepath.Join(h.home, "pwned")
	h.write(".claude/settings.json", strings.ReplaceAll(h.read(".claude/settings.json"), " || {", " ; echo x >> "+pwned+" || {"))
	if check(); got.State != "open" || got.CommandProved || len(got.Reasons) != 1 || got.Reasons[0].Code != "other_words" {
		t.Errorf("a command behind ours: %+v", got)
	}
	if _, err := os.Lstat(pwned); err == nil {
		t.Error("the desk ran a command that stands behind ours")
	}
	h.ask(404, "POST /v1/connections/none/check", nil, nil)
}
