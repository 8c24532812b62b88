package hookline_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sekisho/backend/hookline"
)

// TestOwnRefusal: where no desk answers, the program says no itself, with the reason on stderr
// and, for Copilot CLI alone, in its own JSON on stdout.
func TestOwnRefusal(t *testing.T) {
	garbage, silent := listener(t, "yes yes yes\n"), listener(t, "")
	stopped := make(chan struct{})
	close(stopped)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]hookline.Options{
		"no desk":             {Desk: "http://127.0.0.1:1", TokenFile: token},
		"no token":            {Desk: "http://127.0.0.1:1", TokenFile: token + "s"},
		"garbage":             {Desk: garbage, TokenFile: token},
		"no proof in time":    {Desk: silent, TokenFile: token, Found: 50 * time.Millisecond},
		"no answer in time":   {Desk: silent, TokenFile: token, Deadline: 50 * time.Millisecond},
		"ended by the client": {Desk: silent, TokenFile: token, Stop: stopped},
	} {
		for _, o.Client = range []string{"claude", "codex", "gemini", "copilot", "opencode"} {
			var out, errs bytes.Buffer
			code := hookline.Run(o, strings.NewReader("{}"), &out, &errs)
			reason := strings.TrimSpace(errs.String())
			if code != 2 || !strings.HasPrefix(reason, "Sekisho") {
				t.Errorf("%s, %s: exit %d, %q", name, o.Client, code, reason)
			}
			var said map[string]string
			switch {
			case o.Client != "copilot":
				if out.Len() > 0 {
					t.Errorf("%s, %s: wrote %q to stdout", name, o.Client, &out)
				}
			case json.Unmarshal(out.Bytes(), &said) != nil || len(said) != 2 || said["permissionDecision"] != "deny" ||
				said["permissionDecisionReason"] != reason:
				t.Errorf("%s: wrote %q to stdout, want a deny for %q", name, &out, reason)
			}
		}
	}
}

// TestUnheard: the program ends when nobody reads what it would print, so that the desk sees
// that its caller is gone.
func TestUnheard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing tells it there")
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := hookline.Options{Client: "claude", Desk: listener(t, ""), TokenFile: token, Found: 10 * time.Second, Deadline: 10 * time.Second}
	time.AfterFunc(100*time.Millisecond, func() { reader.Close() })
	var errs bytes.Buffer
	if code := hookline.Run(o, strings.NewReader("{}"), writer, &errs); code != 2 || !strings.Contains(errs.String(), "nobody reads") {
		t.Errorf("exit %d, %q", code, &errs)
	}
}

// listener is something that listens where a desk should be, and gives its URL; it answers so
// to whoever speaks to it, or never.
func listener(t *testing.T, answer string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if conn.Read(make([]byte, 1)); answer == "" {
					<-t.Context().Done()
				}
				_, _ = conn.Write([]byte(answer))
			}()
		}
	}()
	return "http://" + l.Addr().String()
}
