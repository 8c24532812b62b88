package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// guarded is an MCP server behind OAuth, and its authorization server, as one.
type guarded struct {
	*httptest.Server
	mu      sync.Mutex
	good    string // the access token that is taken
	renewal string
	made    int
	ran     int // tool calls
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{}
	mux := http.NewServeMux()
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	say := func(w http.ResponseWriter, status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, map[string]any{"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token",
			"registration_endpoint": g.URL + "/register", "code_challenge_methods_supported": []string{"S256"}})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, _ *http.Request) { say(w, 201, map[string]any{"client_id": "us"}) })
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") != g.renewal {
			say(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		g.made++
		g.good, g.renewal = fmt.Sprint("token-of-access-", g.made), fmt.Sprint("token-of-renewal-", g.made)
		say(w, 200, map[string]any{"access_token": g.good, "refresh_token": g.renewal, "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("POST /mcp", g.serve)
	return g
}

func (g *guarded) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.good == "" || r.Header.Get("Authorization") != "Bearer "+g.good {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
		http.Error(w, "sign in", http.StatusUnauthorized)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"g","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"seen"}]}`,
	}[m.Method]
	if result == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if m.Method == "tools/call" {
		g.ran++
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// expire makes the server refuse what it gave.
func (g *guarded) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.good = "none"
}

func (d *daemon) signInState() permission.SignIn {
	d.Helper()
	var got struct{ SignIn permission.SignIn }
	d.operate("GET", "/v1/servers/far/sign-in", "", &got)
	return got.SignIn
}

// TestAPersonSignsInToAServer, and agents reach it from then on: after kill -9 too, and
// when a token is over in the midst of a session. Tokens stand with the secrets alone.
func TestAPersonSignsInToAServer(t *testing.T) {
	dir, g := t.TempDir(), newGuarded(t)
	d := start(t, dir)
	token := d.agent("agent")
	d.says("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"far","transport":"http","url":%q}]}`, g.URL+"/mcp"))
	d.says("POST", "/v1/rules", `{"serverId":"far","toolName":"look","autoApprove":true}`)
	if got := d.tries("far"); got.OK || !strings.Contains(got.Error, "signs in on the servers screen") {
		t.Errorf("before: %+v", got)
	}
	if status := d.as(token, "POST", "/v1/servers/far/sign-in", "", nil); status != 403 {
		t.Errorf("an agent began to sign in: %d", status)
	}
	var begun struct{ SignIn permission.SignIn }
	d.operate("POST", "/v1/servers/far/sign-in", "", &begun)
	resp, err := http.Get(begun.SignIn.URL) // the browser
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%+v %v", resp, err)
	}
	resp.Body.Close()
	if s := d.signInState(); s.State != permission.SignedIn || s.Issuer != g.URL {
		t.Errorf("%+v", s)
	}
	d.kill()
	d = start(t, dir)
	if got := d.tries("far"); !got.OK {
		t.Errorf("after: %+v", got)
	}
	session := dial(t, d, token)
	if answer := session(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{}}}`); !strings.Contains(answer,
		"seen") {
		t.Errorf("%s", answer)
	}
	g.expire()
	if answer := session(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":{"n":2}}}`); !strings.Contains(
		answer, "seen") || g.ran != 2 || g.made != 2 {
		t.Errorf("%s, ran %d times, %d tokens", answer, g.ran, g.made)
	}
	d.quiet()
	only(t, dir, g.good, g.renewal)
	for _, path := range []string{"/v1/servers", "/v1/journal?limit=1000", "/v1/servers/far/sign-in"} {
		if said := d.says("GET", path, ""); strings.Contains(said, "token-of-") {
			t.Errorf("%s says %s", path, said)
		}
	}
	if strings.Contains(d.stderr.String(), "token-of-") {
		t.Errorf("the log:\n%s", d.stderr)
	}
	d.says("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"far","transport":"http","url":%q}]}`, g.URL+"/elsewhere"))
	if raw, err := os.ReadFile(filepath.Join(dir, "secrets.json")); err != nil || strings.Contains(string(raw), "token-of-") {
		t.Errorf("after the server moved: %s %v", raw, err)
	}
}

// dial opens a session of an agent with the server far, for one message after another.
func dial(t *testing.T, d *daemon, token string) func(message string) string {
	t.Helper()
	send := func(session, message string) *http.Response {
		req, err := http.NewRequest(http.MethodPost, d.URL+"/mcp/far", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		client := http.Client{Timeout: 20 * time.Second}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	first := send("",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	session := first.Header.Get("Mcp-Session-Id")
	text(t, first)
	text(t, send(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return func(message string) string { return text(t, send(session, message)) }
}
