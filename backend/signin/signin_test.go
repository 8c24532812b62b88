package signin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/secret"
)

// TestASignIn goes from the refusal to a token that the server takes, which outlives the
// desk, is for this URL alone, and ends with a sign-out.
func TestASignIn(t *testing.T) {
	w, dir := newTown(t), t.TempDir()
	b := w.book(dir, Options{})
	if s := b.SignIn(w.server()); s.State != permission.SignedOut {
		t.Errorf("%+v", s)
	}
	w.signIn(b)
	if w.asked[0].Get("X-Tenant") != "a" || w.asked[0].Get("Authorization") != "" {
		t.Errorf("the server was asked with %v", w.asked[0])
	}
	b.Close()
	b = w.book(dir, Options{})
	value := b.Authorization(t.Context(), "far", w.server().URL)
	if !w.takes(value) || b.SignIn(w.server()).State != permission.SignedIn {
		t.Errorf("%q after a new start", value)
	}
	for _, other := range []string{w.mcp.URL + "/mcp2", w.mcp.URL, strings.Replace(w.mcp.URL, "127.0.0.1", "localhost", 1) + "/mcp"} {
		if got := b.Authorization(t.Context(), "far", other); got != "" {
			t.Errorf("%s would get %q", other, got)
		}
	}
	if got := b.Authorization(t.Context(), "near", w.server().URL); got != "" {
		t.Errorf("another server's entry has %q", got)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil ||
		!strings.Contains(string(raw), strings.TrimPrefix(value, "Bearer ")) {
		t.Errorf("%s %v", raw, err)
	}
	if s, err := b.SignOut(t.Context(), "far"); err != nil || s.State != permission.SignedOut || s.Error != "" {
		t.Fatalf("%+v %v", s, err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil || strings.Contains(string(raw), "access-") ||
		b.Authorization(t.Context(), "far", w.server().URL) != "" {
		t.Errorf("after the sign-out: %s %v", raw, err)
	}
}

// TestTokensAreRenewed when they are due and when the server refuses them, once, however
// many ask; and one that is not renewed any more is said.
func TestTokensAreRenewed(t *testing.T) {
	w, dir := newTown(t), t.TempDir()
	w.lifetime = 5 // which is less than the desk waits for
	b := w.book(dir, Options{})
	w.signIn(b)
	ctx, at := t.Context(), w.server().URL
	w.mu.Lock()
	w.slow, w.lifetime = make(chan struct{}), 3600
	w.mu.Unlock()
	var all sync.WaitGroup
	values := make([]string, 8)
	for i := range values {
		all.Go(func() { values[i] = b.Authorization(ctx, "far", at) })
	}
	eventually(t, "a renewal", func() bool { return w.requests() == 2 })
	close(w.slow)
	all.Wait()
	for _, v := range values {
		if v != values[0] || !w.takes(v) {
			t.Errorf("%q and %q", v, values[0])
		}
	}
	if n := w.requests(); n != 2 {
		t.Errorf("%d requests for tokens", n)
	}
	w.mu.Lock()
	clear(w.good) // as if they had been withdrawn
	w.slow = nil
	w.mu.Unlock()
	next := b.Renewed(ctx, "far", at, values[0])
	if !w.takes(next) || b.Renewed(ctx, "far", at, values[0]) != next || w.requests() != 3 {
		t.Errorf("%q, %d requests", next, w.requests())
	}
	b.Close()
	if b = w.book(dir, Options{}); b.Authorization(ctx, "far", at) != next {
		t.Error("a renewed token was not kept")
	}
	w.token = func(out http.ResponseWriter, _ url.Values, _ func()) {
		http.Error(out, "later", http.StatusServiceUnavailable)
	}
	if got := b.Renewed(ctx, "far", at, next); got != "" || b.SignIn(w.server()).State != permission.SignedIn {
		t.Errorf("a server in trouble: %q, %+v", got, b.SignIn(w.server()))
	}
	w.token = func(out http.ResponseWriter, _ url.Values, _ func()) {
		answer(out, 400, map[string]any{"error": "invalid_grant"})
	}
	if got := b.Renewed(ctx, "far", at, next); got != "" {
		t.Errorf("%q", got)
	}
	if s := b.SignIn(w.server()); s.State != permission.SignInExpired || !strings.Contains(s.Error, "invalid_grant") ||
		b.Authorization(ctx, "far", at) != "" {
		t.Errorf("%+v", s)
	}
}

// TestWhatComesBackIsChecked: only the redirect of this sign-in, from the server that was
// asked, and only once.
func TestWhatComesBackIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		back  func(url.Values)
		says  string
		state permission.SignInState
	}{
		"another state": {func(q url.Values) { q.Set("state", "."+q.Get("state")[1:]) }, "not the sign-in", permission.SignInWaiting},
		"no state":      {func(q url.Values) { q.Del("state") }, "not the sign-in", permission.SignInWaiting},
		"two states":    {func(q url.Values) { q.Add("state", "x") }, "not the sign-in", permission.SignInWaiting},
		"another issuer": {func(q url.Values) {
			q.Set("iss", "https://evil.example")
		}, "not from the authorization server", permission.SignInFailed},
		"no issuer": {func(q url.Values) { q.Del("iss") }, "not from the authorization server", permission.SignInFailed},
		"another's error": {func(q url.Values) {
			q.Del("code")
			q.Set("error", "x")
			q.Del("iss")
		}, "not from the authorization server", permission.SignInFailed},
		"a no":           {func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, "access_denied", permission.SignInFailed},
		"no code":        {func(q url.Values) { q.Del("code") }, "no code", permission.SignInFailed},
		"another's code": {func(q url.Values) { q.Set("code", "stolen") }, "invalid_grant", permission.SignInFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			b := w.book(t.TempDir(), Options{})
			w.back = c.back
			status, page := w.browse(w.begun(b))
			if status != 400 || !strings.Contains(page, c.says) {
				t.Errorf("%d %s", status, page)
			}
			if s := b.SignIn(w.server()); s.State != c.state || b.Authorization(t.Context(), "far", w.server().URL) != "" {
				t.Errorf("%+v", s)
			}
			if c.state == permission.SignInWaiting { // the true one is still taken
				w.back = func(url.Values) {}
				if status, page := w.browse(b.SignIn(w.server()).URL); status != 200 {
					t.Errorf("%d %s", status, page)
				}
			}
		})
	}
}

// TestARedirectIsTakenOnce, and by its own host alone.
func TestARedirectIsTakenOnce(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	var back string
	client := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		back = r.URL.String()
		return http.ErrUseLastResponse
	}}
	resp, err := client.Get(w.begun(b))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if status, page := w.browse(strings.Replace(back, "127.0.0.1", "localhost", 1)); status != 400 {
		t.Errorf("by another name: %d %s", status, page)
	}
	if status, page := w.browse(back); status != 200 {
		t.Errorf("%d %s", status, page)
	}
	eventually(t, "the port is closed", func() bool {
		resp, err := http.Get(back)
		if err == nil {
			resp.Body.Close()
		}
		return err != nil
	})
	if n := w.requests(); n != 1 {
		t.Errorf("%d requests for tokens", n)
	}
}

// TestASignInEnds when nobody comes, when another one begins, and with the desk; an
// earlier one stays good meanwhile.
func TestASignInEnds(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{Wait: 50 * time.Millisecond})
	w.begun(b)
	eventually(t, "it fails", func() bool { return b.SignIn(w.server()).State == permission.SignInFailed })
	b = w.book(t.TempDir(), Options{})
	first := w.begun(b)
	second := w.begun(b)
	if first == second || b.SignIn(w.server()).URL != second {
		t.Error("the second is not the one that waits")
	}
	if resp, err := http.Get(first); err == nil { // the second may have got the port of the first
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("the first is taken still")
		}
	}
	if status, _ := w.browse(second); status != 200 {
		t.Errorf("the second: %d", status)
	}
	value := b.Authorization(t.Context(), "far", w.server().URL)
	w.begun(b)
	if got := b.Authorization(t.Context(), "far", w.server().URL); got != value {
		t.Errorf("while another one waits: %q", got)
	}
	b.Close()
	if _, err := b.Begin(t.Context(), w.server(), nil); err == nil {
		t.Error("one began after the end")
	}
}

// TestServersThatMoveAreSignedOut, and those that are gone.
func TestServersThatMoveAreSignedOut(t *testing.T) {
	w, dir := newTown(t), t.TempDir()
	b := w.book(dir, Options{})
	w.signIn(b)
	b.Keep([]permission.Server{w.server()})
	if b.SignIn(w.server()).State != permission.SignedIn {
		t.Error("one that stayed is signed out")
	}
	moved := w.server()
	moved.URL += "2"
	if s := b.SignIn(moved); s.State != permission.SignedOut {
		t.Errorf("%+v", s)
	}
	b.Keep([]permission.Server{moved})
	if all, err := secret.New(dir).Secrets(); err != nil || len(all) > 0 || b.SignIn(w.server()).State != permission.SignedOut {
		t.Errorf("%v %v", all, err)
	}
}

// TestHostileServersAreRefused: what a server or its authorization server names is not
// used where it is not safe, and nothing is registered or opened then.
func TestHostileServersAreRefused(t *testing.T) {
	set := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[name] = value }
	}
	for name, c := range map[string]struct {
		meta, resource func(map[string]any)
		says           string
	}{
		"no PKCE":             {meta: set("code_challenge_methods_supported", nil), says: "PKCE"},
		"plain PKCE":          {meta: set("code_challenge_methods_supported", []string{"plain"}), says: "S256"},
		"no registration":     {meta: set("registration_endpoint", ""), says: "header with a token"},
		"another issuer":      {meta: set("issuer", "https://bank.example"), says: "issuer"},
		"http token":          {meta: set("token_endpoint", "http://bank.example/token"), says: "HTTPS"},
		"http authorization":  {meta: set("authorization_endpoint", "http://bank.example/a"), says: "HTTPS"},
		"a script":            {meta: set("authorization_endpoint", "javascript:alert(1)"), says: "scheme"},
		"a file":              {meta: set("authorization_endpoint", "file:///etc/passwd"), says: "HTTPS"},
		"a name in it":        {meta: set("token_endpoint", "https://user:pass@bank.example/"), says: "no address"},
		"the cloud's secrets": {meta: set("token_endpoint", "https://169.254.169.254/token"), says: ""},
		"http issuer":         {resource: set("authorization_servers", []string{"http://bank.example"}), says: ""},
		"nobody":              {resource: set("authorization_servers", []string{}), says: "no authorization server"},
		"a large description": {meta: set("x", strings.Repeat("x", 2<<20)), says: ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			if c.meta != nil {
				w.meta = c.meta
			}
			if c.resource != nil {
				w.resource = c.resource
			}
			b := w.book(t.TempDir(), Options{})
			_, err := b.Begin(t.Context(), w.server(), nil)
			if err == nil || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 500 {
				t.Errorf("%v", err)
			}
			if len(w.clients) > 0 || b.SignIn(w.server()).State != permission.SignedOut {
				t.Errorf("%v registered, %+v", w.clients, b.SignIn(w.server()))
			}
		})
	}
}

// TestNoRedirectIsFollowed with a code or a registration.
func TestNoRedirectIsFollowed(t *testing.T) {
	w := newTown(t)
	stolen := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen++ }))
	defer thief.Close()
	b := w.book(t.TempDir(), Options{})
	w.token = func(out http.ResponseWriter, _ url.Values, _ func()) {
		out.Header().Set("Location", thief.URL)
		out.WriteHeader(http.StatusTemporaryRedirect)
	}
	if status, page := w.browse(w.begun(b)); status != 400 {
		t.Errorf("%d %s", status, page)
	}
	if stolen > 0 || b.SignIn(w.server()).State != permission.SignInFailed {
		t.Errorf("%d came to the thief, %+v", stolen, b.SignIn(w.server()))
	}
}

// TestOddTokensAreNotTaken, nor repeated.
func TestOddTokensAreNotTaken(t *testing.T) {
	for name, token := range map[string]map[string]any{
		"another kind": {"access_token": "HIDDEN", "token_type": "mac"},
		"two lines":    {"access_token": "HIDDEN\r\nX: y", "token_type": "Bearer"},
		"none":         {"token_type": "Bearer", "refresh_token": "HIDDEN"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			b := w.book(t.TempDir(), Options{})
			w.token = func(out http.ResponseWriter, _ url.Values, _ func()) { answer(out, 200, token) }
			status, page := w.browse(w.begun(b))
			if s := b.SignIn(w.server()); status != 400 || s.State != permission.SignInFailed || strings.Contains(page+s.Error, "HIDDEN") {
				t.Errorf("%d %s %+v", status, page, s)
			}
		})
	}
}

func TestWhoNeedsNoSignIn(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	own, process, lacking := w.server(), permission.Server{ID: "p", Transport: permission.TransportStdio, Command: "x"}, w.server()
	own.Headers = map[string]string{"authorization": "Bearer mine"}
	lacking.Lacks = "its values are not at hand"
	w.good[""] = true // open to all
	for says, s := range map[string]permission.Server{"token of its own": own, "over HTTP": process, "not at hand": lacking,
		"asks for no sign-in": w.server()} {
		if _, err := b.Begin(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestTheGuard: a server of the public network leads nobody into this one.
func TestTheGuard(t *testing.T) {
	public, inside, here := guard{}, guard{inside: true}, guard{inside: true, loopback: true}
	for _, c := range []struct {
		endpoint             string
		public, inside, here bool
	}{
		{"https://auth.example/token", true, true, true},
		{"http://auth.example/token", false, false, false},
		{"http://127.0.0.1:9/token", false, false, true},
		{"http://localhost:9/token", false, false, true},
		{"https://localhost/token", false, true, true},
		{"https://127.0.0.1/token", false, false, true},
		{"https://[::1]/token", false, false, true},
		{"https://10.0.0.1/token", false, true, true},
		{"https://100.64.1.1/token", false, true, true},
		{"https://169.254.169.254/token", false, false, false},
		{"https://[fd00::1]/token", false, true, true},
		{"https://8.8.8.8/token", true, true, true},
		{"ftp://auth.example/", false, false, false},
		{"https:///token", false, false, false},
		{"https://u@auth.example/", false, false, false},
		{"https://auth.example/#x", false, false, false},
	} {
		for g, want := range map[guard]bool{public: c.public, inside: c.inside, here: c.here} {
			if err := g.check("endpoint", c.endpoint); (err == nil) != want {
				t.Errorf("%+v %s: %v", g, c.endpoint, err)
			}
		}
	}
	for ip, want := range map[string][3]bool{"127.0.0.1": {false, false, true}, "::ffff:127.0.0.1": {false, false, true},
		"192.168.1.1": {false, true, true}, "169.254.169.254": {}, "0.0.0.0": {}, "1.1.1.1": {true, true, true}} {
		at := netip.MustParseAddr(ip)
		if got := [3]bool{public.reaches(at), inside.reaches(at), here.reaches(at)}; got != want {
			t.Errorf("%s: %v", ip, got)
		}
	}
	for raw, want := range map[string]guard{"http://127.0.0.1:1/": here, "http://[::1]/": here, "https://10.1.2.3/": inside,
		"https://8.8.8.8/": public} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := guardOf(context.Background(), u); err != nil || got != want {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
	}
	w := newTown(t) // by the address that is connected to, whatever its name
	if resp, err := public.client().Get(w.auth.URL); err == nil || !strings.Contains(err.Error(), "inside of this network") {
		t.Errorf("%v %v", resp, err)
	}
}
