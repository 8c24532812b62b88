package signin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/secret"
)

// town is an authorization server and a protected MCP server, both real and small.
type town struct {
	*testing.T
	auth, mcp *httptest.Server

	mu       sync.Mutex
	clients  map[string]string     // redirects of registered clients
	codes    map[string]url.Values // what was asked with each code
	good     map[string]bool       // access tokens
	renewing map[string]bool       // refresh tokens
	made     int
	lifetime int           // of tokens, in seconds; 0 says nothing
	asked    []http.Header // of the MCP server
	tokens   []url.Values  // requests for tokens
	slow     chan struct{} // when not nil, a renewal waits for it
	asks     string        // the scopes that the authorization server is asked for
	gives    string        // that it says it gave; "" says nothing
	needs    string        // a scope without which the MCP server forbids
	rights   map[string]string
	own      *permission.SignInClient // that a person registered; its secret is asked for
	revoked  []url.Values
	notes    []permission.SignInChange
	books    []*Book

	meta     func(map[string]any)                                      // changes what the authorization server says of itself
	resource func(map[string]any)                                      // and the MCP server
	back     func(url.Values)                                          // and the redirect
	token    func(w http.ResponseWriter, form url.Values, give func()) // and the token endpoint
	revoke   func(w http.ResponseWriter, form url.Values)              // and how it takes tokens back; nil: it does not
}

func newTown(t *testing.T) *town {
	w := &town{T: t, clients: map[string]string{}, codes: map[string]url.Values{}, good: map[string]bool{}, renewing: map[string]bool{},
		rights: map[string]string{}, lifetime: 3600, asks: "tools offline_access",
		meta: func(map[string]any) {}, resource: func(map[string]any) {}, back: func(url.Values) {},
		token: func(_ http.ResponseWriter, _ url.Values, give func()) { give() }}
	auth, mcp := http.NewServeMux(), http.NewServeMux()
	w.auth, w.mcp = httptest.NewServer(auth), httptest.NewServer(mcp)
	t.Cleanup(w.auth.Close)
	t.Cleanup(w.mcp.Close)
	auth.HandleFunc("GET /.well-known/oauth-authorization-server", func(out http.ResponseWriter, _ *http.Request) {
		say := map[string]any{"issuer": w.auth.URL, "authorization_endpoint": w.auth.URL + "/authorize", "token_endpoint": w.auth.URL + "/token",
			"registration_endpoint":    w.auth.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"authorization_response_iss_parameter_supported": true, "scopes_supported": []string{"tools", "offline_access"}}
		if w.revoke != nil {
			say["revocation_endpoint"] = w.auth.URL + "/revoke"
		}
		w.meta(say)
		answer(out, 200, say)
	})
	auth.HandleFunc("POST /register", w.register)
	auth.HandleFunc("GET /authorize", w.authorize)
	auth.HandleFunc("POST /token", w.giveToken)
	auth.HandleFunc("POST /revoke", w.takeBack)
	mcp.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(out http.ResponseWriter, _ *http.Request) {
		say := map[string]any{"resource": w.mcp.URL + "/mcp", "authorization_servers": []string{w.auth.URL},
			"scopes_supported": []string{"tools"}}
		w.resource(say)
		answer(out, 200, say)
	})
	mcp.HandleFunc("POST /mcp", w.serve)
	return w
}

func answer(out http.ResponseWriter, status int, value any) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(value)
}

func (w *town) register(out http.ResponseWriter, r *http.Request) {
	var said struct {
		RedirectURIs []string `json:"redirect_uris"`
		Method       string   `json:"token_endpoint_auth_method"`
		Type         string   `json:"application_type"`
	}
	if err := json.NewDecoder(r.Body).Decode(&said); err != nil || len(said.RedirectURIs) != 1 || said.Method != "none" ||
		said.Type != "native" || !strings.HasPrefix(said.RedirectURIs[0], "http://127.0.0.1:") {
		w.Errorf("registered with %+v, %v", said, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprint("client-", len(w.clients))
	w.clients[id] = said.RedirectURIs[0]
	answer(out, 201, map[string]any{"client_id": id, "redirect_uris": said.RedirectURIs, "token_endpoint_auth_method": "none"})
}

func (w *town) authorize(out http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.mu.Lock()
	defer w.mu.Unlock()
	if q.Get("resource") != w.mcp.URL+"/mcp" || q.Get("code_challenge_method") != "S256" || len(q.Get("state")) < 32 ||
		q.Get("scope") != w.asks || !w.knows(q.Get("client_id"), q.Get("redirect_uri")) || q.Get("response_type") != "code" {
		w.Errorf("asked to authorize %v", q)
	}
	w.made++
	code := fmt.Sprint("code-", w.made)
	w.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {w.auth.URL}}
	w.back(back)
	http.Redirect(out, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// knows reports whether a redirect is that of a client.
func (w *town) knows(id, redirect string) bool {
	if w.own == nil || id != w.own.ID {
		return w.clients[id] == redirect
	}
	port := "[0-9]+"
	if w.own.CallbackPort != 0 {
		port = fmt.Sprint(w.own.CallbackPort)
	}
	return regexp.MustCompile("^http://127.0.0.1:" + port + "/callback$").MatchString(redirect)
}

// authenticate takes the client out of a header, where it is there, and reports whether
// its secret is right.
func (w *town) authenticate(r *http.Request, form url.Values) bool {
	if id, secret, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
		form.Set("client_id", id)
		form.Set("client_secret", secret)
		form.Set("style", "basic")
	}
	return w.own == nil || form.Get("client_id") != w.own.ID || form.Get("client_secret") == w.own.Secret
}

func (w *town) giveToken(out http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := maps.Clone(r.PostForm)
	known := w.authenticate(r, form)
	w.mu.Lock()
	w.tokens = append(w.tokens, form)
	slow := w.slow
	w.mu.Unlock()
	if slow != nil {
		<-slow
	}
	w.token(out, form, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !known {
			answer(out, 401, map[string]any{"error": "invalid_client"})
			return
		}
		switch form.Get("grant_type") {
		case "authorization_code":
			asked := w.codes[form.Get("code")]
			delete(w.codes, form.Get("code"))
			sum := sha256.Sum256([]byte(form.Get("code_verifier")))
			if asked == nil || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") ||
				form.Get("redirect_uri") != asked.Get("redirect_uri") || form.Get("client_id") != asked.Get("client_id") ||
				form.Get("resource") != asked.Get("resource") {
				answer(out, 400, map[string]any{"error": "invalid_grant"})
				return
			}
		case "refresh_token":
			if !w.renewing[form.Get("refresh_token")] || form.Get("resource") != w.mcp.URL+"/mcp" {
				answer(out, 400, map[string]any{"error": "invalid_grant"})
				return
			}
			delete(w.renewing, form.Get("refresh_token"))
		default:
			answer(out, 400, map[string]any{"error": "unsupported_grant_type"})
			return
		}
		w.made++
		access, refresh := fmt.Sprint("access-", w.made), fmt.Sprint("refresh-", w.made)
		w.good[access], w.renewing[refresh] = true, true
		say := map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer"}
		if w.rights[access] = w.asks; w.gives != "" {
			say["scope"], w.rights[access] = w.gives, w.gives
		}
		if w.lifetime > 0 {
			say["expires_in"] = w.lifetime
		}
		answer(out, 200, say)
	})
}

// serve is the MCP server.
func (w *town) serve(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, r.Header)
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !w.good[token] {
		out.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+w.mcp.URL+`/.well-known/oauth-protected-resource/mcp"`)
		http.Error(out, "sign in", http.StatusUnauthorized)
		return
	}
	if w.needs != "" && !slices.Contains(strings.Fields(w.rights[token]), w.needs) {
		out.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="tools `+w.needs+`", error_description="no"`)
		http.Error(out, "forbidden", http.StatusForbidden)
		return
	}
	answer(out, 200, map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{}})
}

// takeBack is how the authorization server revokes tokens.
func (w *town) takeBack(out http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := maps.Clone(r.PostForm)
	if !w.authenticate(r, form) {
		w.Errorf("revoked as %v", form)
	}
	w.mu.Lock()
	w.revoked = append(w.revoked, form)
	w.mu.Unlock()
	w.revoke(out, form)
}

// NoteSignIn makes the town a journal.
func (w *town) NoteSignIn(_ context.Context, c permission.SignInChange) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, c)
	return nil
}

// noted is what the journal says since it was last asked, a line for each entry.
func (w *town) noted() string {
	for _, b := range w.books {
		b.disk.settle()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, c := range w.notes {
		lines = append(lines, fmt.Sprintf("%s %s %s %s [%s] %s", c.What.Actor(), c.What, c.ServerID,
			strings.Replace(c.Issuer, w.auth.URL, "AS", 1), strings.Join(c.Scopes, " "), c.Why))
	}
	w.notes = nil
	return strings.Join(lines, "\n")
}

// calls asks the MCP server for something, and gives the words that the book has for a
// refusal.
func (w *town) calls(b *Book) (status int, words string) {
	w.Helper()
	s := w.server()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, s.URL, strings.NewReader("{}"))
	if err != nil {
		w.Fatal(err)
	}
	value := b.Authorization(w.Context(), s.ID, s.URL)
	req.Header.Set("Authorization", value)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode, b.Lacks(s.ID, s.URL, value, resp.Header.Values("WWW-Authenticate"))
}

func (w *town) server() permission.Server {
	return permission.Server{ID: "far", Transport: permission.TransportHTTP, URL: w.mcp.URL + "/mcp",
		Headers: map[string]string{"X-Tenant": "a"}, Enabled: true}
}

func (w *town) book(dir string, opts Options) *Book {
	opts.Logger, opts.Journal = slog.New(slog.DiscardHandler), w
	b := New(secret.New(dir), opts)
	w.Cleanup(b.Close)
	w.books = append(w.books, b)
	return b
}

// begun starts a sign-in and gives the URL for the browser.
func (w *town) begun(b *Book) string { return w.begunAs(b, nil) }

func (w *town) begunAs(b *Book, as *permission.SignInClient) string {
	w.Helper()
	s, err := b.Begin(w.Context(), w.server(), as)
	if err != nil || s.State != permission.SignInWaiting || s.URL == "" {
		w.Fatalf("%+v %v", s, err)
	}
	return s.URL
}

// browse is the person's browser, to the page that it ends on.
func (w *town) browse(at string) (status int, page string) {
	w.Helper()
	resp, err := http.Get(at)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// signIn goes the whole way.
func (w *town) signIn(b *Book) {
	w.Helper()
	if status, page := w.browse(w.begun(b)); status != 200 || !strings.Contains(page, "signed in") {
		w.Fatalf("%d %s", status, page)
	}
	if s := b.SignIn(w.server()); s.State != permission.SignedIn || s.Issuer != w.auth.URL || s.URL != "" || s.Error != "" {
		w.Fatalf("%+v", s)
	}
}

// takes reports whether the MCP server takes a header's value.
func (w *town) takes(value string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.good[strings.TrimPrefix(value, "Bearer ")]
}

func (w *town) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tokens)
}

// eventually waits for what another goroutine does.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}
