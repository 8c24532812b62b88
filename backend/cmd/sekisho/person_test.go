package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// stub is a desk that knows one waiting call and notes what it is told.
func stub(t *testing.T, call permission.Call) (url string, told *[]string) {
	told = new([]string)
	mux := http.NewServeMux()
	note := func(f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var body bytes.Buffer
			body.ReadFrom(r.Body)
			*told = append(*told, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+body.String())
			f(w, r)
		}
	}
	mux.HandleFunc("GET /v1/calls", note(func(w http.ResponseWriter, r *http.Request) {
		page := map[string]any{"calls": []permission.Call{call}, "next": 7}
		if r.URL.Query().Get("cursor") == "7" {
			last := call
			last.ID = secondID
			page = map[string]any{"calls": []permission.Call{last}, "next": nil}
		}
		json.NewEncoder(w).Encode(page)
	}))
	mux.HandleFunc("GET /v1/calls/{id}", note(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"call": call})
	}))
	mux.HandleFunc("POST /v1/calls/{id}/decision", note(func(w http.ResponseWriter, r *http.Request) {
		if call.ShownRev > 4 {
			w.WriteHeader(http.StatusConflict)
			json.NewEncoder(w).Encode(map[string]any{"code": "stale", "detail": "what is shown has changed"})
			return
		}
		if call.Status != permission.Pending {
			w.WriteHeader(http.StatusConflict)
			json.NewEncoder(w).Encode(map[string]any{"code": "expired", "detail": "this call is expired"})
			return
		}
		done := call
		done.Status = permission.Approved
		json.NewEncoder(w).Encode(map[string]any{"call": done})
	}))
	mux.HandleFunc("POST /v1/login-codes", note(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"loginUrl":"http://x/#login=c"}`))
	}))
	s := httptest.NewServer(proving(mux, "operators", "kept", "from file"))
	t.Cleanup(s.Close)
	return s.URL, told
}

// The calls of a stub.
const (
	firstID  = "01890a5d-ac96-774b-bcce-000000000001"
	secondID = "01890a5d-ac96-774b-bcce-000000000002"
)

func waiting() permission.Call {
	server := "filesystem"
	return permission.Call{ID: firstID, Rev: 4, Caller: permission.Caller{AgentName: "Agent"}, ServerID: &server,
		ToolName:  "write\u202e_file\n  {} risk low",
		Input:     json.RawMessage(`{"path":"a\u200bb","n":9007199254740993}`),
		InputHash: "sha256:1", Status: permission.Pending, Risk: permission.RiskMedium,
		RiskReasons: []permission.RiskReason{{Code: permission.RiskHint, Text: "it may destroy"}},
		Why:         permission.Why{Explanation: permission.Said("no rule applies")}}
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := root()
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestAPersonAtATerminal(t *testing.T) {
	url, told := stub(t, waiting())
	t.Setenv("SEKISHO_URL", url)
	t.Setenv("SEKISHO_TOKEN", "operators")
	out, err := run(t, "pending")
	for _, want := range []string{firstID, secondID, "the risk: it may destroy\n", "write⟦U+202E⟧_file⟦U+000A⟧  {} risk low on filesystem\n",
		`a\u200bb`, "9007199254740993", "no rule applies"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("pending does not show %q: %s %v", want, out, err)
		}
	}
	if out, err := run(t, "approve", firstID, "--reason", "fine"); err != nil || !strings.Contains(out, "approved") {
		t.Errorf("approve: %s %v", out, err)
	}
	last := (*told)[len(*told)-1]
	if want := `POST /v1/calls/` + firstID +
		`/decision Bearer operators {"approved":true,"reason":"fine","inputHash":"sha256:1","rev":4}`; last != want {
		t.Errorf("told %s", last)
	}
	if out, err := run(t, "login-url"); err != nil || strings.TrimSpace(out) != "http://x/#login=c" {
		t.Errorf("login-url: %s %v", out, err)
	}
}

func TestALateAnswerIsAnError(t *testing.T) {
	late := waiting()
	late.Status = permission.Expired
	url, _ := stub(t, late)
	t.Setenv("SEKISHO_TOKEN", "operators")
	if _, err := run(t, "decline", firstID, "--desk", url); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("late: %v", err)
	}
}

// TestAYesIsToWhatWasShown: what changed since is shown anew, and nothing is decided.
func TestAYesIsToWhatWasShown(t *testing.T) {
	changed := waiting()
	changed.Rev, changed.ShownRev = 6, 6
	url, told := stub(t, changed)
	t.Setenv("SEKISHO_TOKEN", "operators")
	out, err := run(t, "approve", "0001.4", "--desk", url)
	if err == nil || !strings.Contains(err.Error(), "has changed since rev 4") || !strings.Contains(err.Error(), "sekisho approve 000001.6") ||
		!strings.Contains(out, "wants to run") {
		t.Errorf("%s %v", out, err)
	}
	if last := (*told)[len(*told)-1]; !strings.Contains(last, `"rev":4`) {
		t.Errorf("told %s", last)
	}
}

func TestWhereTheDeskAndTheTokenComeFrom(t *testing.T) {
	url, told := stub(t, waiting())
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("SEKISHO_URL", "")
	t.Setenv("SEKISHO_TOKEN", "")
	if _, err := run(t, "pending"); err == nil || !strings.Contains(err.Error(), "not running") {
		t.Errorf("no desk: %v", err)
	}
	if err := place.WriteDesk(filepath.Join(data, "sekisho"), place.Desk{URL: url, PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "pending"); err == nil || !strings.Contains(err.Error(), "no token") {
		t.Errorf("no token: %v", err)
	}
	if _, err := place.WriteToken("Claude Code", "kept"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for token, args := range map[string][]string{"kept": {"pending", "--agent", "Claude Code"},
		"from file": {"pending", "--token-file", file}} {
		if _, err := run(t, args...); err != nil || !strings.Contains((*told)[len(*told)-1], "Bearer "+token) {
			t.Errorf("%v: %v %v", args, err, *told)
		}
	}
	if _, err := run(t, "pending", "--agent", "../../etc/passwd"); err == nil {
		t.Error("an agent's name left its folder")
	}
}
