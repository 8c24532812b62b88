package hookline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sekisho/backend/hookline"
	"sekisho/backend/proof"
)

// TestOwnRefusal: where no desk answers, the program says no itself, with the reason on stderr
// and, for Copilot CLI alone, in its own JSON on stdout.
func TestOwnRefusal(t *testing.T) {
	garbage, silent := listener(t, "yes yes yes\n"), listener(t, "")
	stopped := make(chan struct{})
	close(stopped)
	token := tokenFile(t)
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
	token := tokenFile(t)
	o := hookline.Options{Client: "claude", Desk: listener(t, ""), TokenFile: token, Found: 10 * time.Second, Deadline: 10 * time.Second}
	time.AfterFunc(100*time.Millisecond, func() { reader.Close() })
	var errs bytes.Buffer
	if code := hookline.Run(o, strings.NewReader("{}"), writer, &errs); code != 2 || !strings.Contains(errs.String(), "nobody reads") {
		t.Errorf("exit %d, %q", code, &errs)
	}
}

// TestSilentAfterItsProof: a desk that proves itself, takes the event and does not answer in
// full is a no, by the deadline.
func TestSilentAfterItsProof(t *testing.T) {
	for what, said := range map[string]string{
		"nothing":        "",
		"half a head":    "HTTP/1.1 200 OK\r\nContent-Le",
		"half an answer": "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n" + `{"exit":0,"stdout":"","stderr":`,
		"half a chunk":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n" + `{"exit":0,"stdout":"","stderr":""}`[:20],
		"no last chunk":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + `{"exit":0,"stdout":"","stderr":""}` + "\r\n",
	} {
		o := hookline.Options{Client: "claude", Desk: "https://desk", TLS: proving(t, []byte(said), true), TokenFile: tokenFile(t),
			Deadline: time.Second}
		var out, errs bytes.Buffer
		began := time.Now()
		code := hookline.Run(o, strings.NewReader("{}"), &out, &errs)
		if code != 2 || out.Len() > 0 || !strings.Contains(errs.String(), "did not answer in time") {
			t.Errorf("%s: exit %d, %q, %q", what, code, &out, &errs)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %s", what, took)
		}
	}
}

// FuzzAnswer: whatever a desk that has proved itself answers, exit code 0 is for an answer of
// 200 alone that says so, as a stranger's reader of HTTP and JSON takes it, too.
func FuzzAnswer(f *testing.F) {
	const yes = `{"exit":0,"stdout":"{}","stderr":""}`
	for _, body := range []string{yes, `{"exit":2,"stdout":"","stderr":"no"}`, `{"exit":2,"Exit":0,"stdout":"","stderr":""}`,
		`{"exit":2,"exit":0,"stdout":"","stderr":""}`, yes + yes, `{"exit":0}`, `{"exit":null,"stdout":"","stderr":""}`, `[]`, ``} {
		f.Add(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		f.Add(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x;a=b\r\n%s\r\n0\r\n\r\n", len(body), body))
		f.Add(fmt.Appendf(nil, "HTTP/1.1 403 No\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		f.Add(fmt.Appendf(nil, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		f.Add(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n24\n" + yes + "\n0\n\n"))
	token := tokenFile(f)
	f.Fuzz(func(t *testing.T, said []byte) {
		o := hookline.Options{Client: "claude", Desk: "https://desk", TLS: proving(t, said, false), TokenFile: token}
		var out, errs bytes.Buffer
		code := hookline.Run(o, strings.NewReader("{}"), &out, &errs)
		if code != 0 {
			if code != 2 || out.Len() > 0 && !bytes.Contains(said, []byte("2")) || strings.TrimSpace(errs.String()) == "" {
				t.Errorf("exit %d, %q, %q to %q", code, &out, &errs, said)
			}
			return
		}
		var got map[string]any
		response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(said)), nil)
		if err == nil {
			err = json.NewDecoder(response.Body).Decode(&got)
		}
		if err != nil || response.StatusCode != 200 || len(got) != 3 || got["exit"] != 0.0 || got["stdout"] != out.String() {
			t.Errorf("exit 0, %q to %q: %v, %v", &out, said, got, err)
		}
	})
}

func tokenFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// proving dials a desk that proves itself, and then says something, and nothing more: it
// hangs, or hangs up.
func proving(t testing.TB, said []byte, hangs bool) func(string) (net.Conn, error) {
	return func(string) (net.Conn, error) {
		theirs, conn := net.Pipe()
		go func() {
			defer conn.Close()
			br := bufio.NewReader(conn)
			var q proof.Question
			if r, err := http.ReadRequest(br); err != nil || json.NewDecoder(r.Body).Decode(&q) != nil {
				return
			}
			body, _ := json.Marshal(proof.Answer{Proof: proof.HashOf("a token").Of(q.Nonce, q.Address)})
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			if r, err := http.ReadRequest(br); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			if _, _ = conn.Write(said); hangs {
				<-t.Context().Done()
			}
		}()
		return theirs, nil
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
