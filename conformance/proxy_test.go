package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// say serves an answer that is the same for all.
func say(t *testing.T, text string) (address string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", text, body)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func open(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	url, end, err := serve(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return url
}

func TestTokenIsAdded(t *testing.T) {
	seen := make(chan *http.Request, 1)
	desk := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r }))
	defer desk.Close()
	url := open(t, withToken(desk.Listener.Addr().String(), "secret"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp/everything", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example.com"
	r.Header.Set("Origin", "http://evil.example.com")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := <-seen
	for what, pair := range map[string][2]string{
		"authorization": {got.Header.Get("Authorization"), "Bearer secret"},
		"host":          {got.Host, "evil.example.com"},
		"origin":        {got.Header.Get("Origin"), "http://evil.example.com"},
		"forwarded for": {got.Header.Get("X-Forwarded-For"), ""},
		"path":          {got.URL.Path, "/mcp/everything"},
		"method":        {got.Method, http.MethodPost},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
		}
	}
}

// An event that waits in the proxy for the next would never arrive here.
func TestEventsComeAtOnce(t *testing.T) {
	read := make(chan struct{})
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "first\n")
		http.NewResponseController(w).Flush()
		<-read
		io.WriteString(w, "second\n")
	}))
	defer desk.Close()
	resp, err := http.Get(open(t, withToken(desk.Listener.Addr().String(), "secret")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for _, want := range []string{"first\n", "second\n"} {
		if got, err := in.ReadString('\n'); err != nil || got != want {
			t.Fatalf("read %q, %v; want %q", got, err, want)
		}
		if want == "first\n" {
			close(read)
		}
	}
}

// A server may answer before it has read the whole request.
func TestAnswerBeforeRequestEnds(t *testing.T) {
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		rc.EnableFullDuplex()
		io.WriteString(w, "first\n")
		rc.Flush()
		io.Copy(w, r.Body)
	}))
	defer desk.Close()
	body, sender := io.Pipe()
	resp, err := http.Post(open(t, withToken(desk.Listener.Addr().String(), "secret")), "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	if got, err := in.ReadString('\n'); err != nil || got != "first\n" {
		t.Fatalf("read %q, %v", got, err)
	}
	go func() {
		io.WriteString(sender, "the rest")
		sender.Close()
	}()
	if got, err := io.ReadAll(in); err != nil || string(got) != "the rest" {
		t.Errorf("read %q, %v; want the rest", got, err)
	}
}

func TestSameURL(t *testing.T) {
	url := open(t, sameURL([2]string{sessions: say(t, "sessions"), stateless: say(t, "stateless")}))
	for _, c := range []struct {
		version, session, body string
		want                   string
	}{
		{"", "", `{"method":"initialize"}`, "sessions"},
		{"", "abc", `{"method":"tools/list"}`, "sessions"},
		{"2025-11-25", "", `{"method":"tools/list"}`, "sessions"},
		{"2025-11-25", "abc", ``, "sessions"},
		{"", "", `{"method":"tools/list"}`, "stateless"},
		{"", "", `{`, "stateless"},
		{"2026-07-28", "", `{"method":"server/discover"}`, "stateless"},
		{"2026-07-28", "", `{"method":"initialize"}`, "stateless"},
		{"v999.0.0", "", `{"method":"server/discover"}`, "stateless"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Mcp-Protocol-Version": c.version, "Mcp-Session-Id": c.session} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := c.want + " " + c.body; err != nil || string(got) != want {
			t.Errorf("version %q, session %q: %q, %v; want %q", c.version, c.session, got, err, want)
		}
	}
}
