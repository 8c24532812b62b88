package signin

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/secret"
)

// registered is a town whose authorization server lets no program register itself.
func registered(t *testing.T, own permission.SignInClient, methods ...string) *town {
	w := newTown(t)
	w.own = &own
	w.meta = func(say map[string]any) {
		delete(say, "registration_endpoint")
		if methods != nil {
			say["token_endpoint_auth_methods_supported"] = methods
		}
	}
	return w
}

// TestAClientThatAPersonRegistered is used, kept with its secret among the secrets and
// shown without; it outlives sign-outs and the desk, and ends with the server's entry.
func TestAClientThatAPersonRegistered(t *testing.T) {
	own := permission.SignInClient{ID: "Iv1.a b", Secret: "hush+hush %"}
	for name, c := range map[string]struct {
		methods []string
		style   string
	}{"basic": {nil, "basic"}, "basic of two": {[]string{"client_secret_post", "client_secret_basic"}, "basic"},
		"post": {[]string{"client_secret_post"}, ""}} {
		t.Run(name, func(t *testing.T) {
			w, dir := registered(t, own, c.methods...), t.TempDir()
			w.revoke = func(http.ResponseWriter, url.Values) {}
			b := w.book(dir, Options{})
			if _, err := b.Begin(t.Context(), w.server(), nil); err == nil || !strings.Contains(err.Error(), "client ID that you got there") {
				t.Errorf("%v", err)
			}
			if status, page := w.browse(w.begunAs(b, &own)); status != 200 {
				t.Fatalf("%d %s", status, page)
			}
			at := w.server().URL
			b.Renewed(t.Context(), "far", at, b.Authorization(t.Context(), "far", at))
			if w.requests() != 2 || w.tokens[0].Get("style") != c.style || w.tokens[1].Get("style") != c.style ||
				!w.takes(b.Authorization(t.Context(), "far", at)) {
				t.Errorf("tokens by %v", w.tokens)
			}
			b.Close()
			b = w.book(dir, Options{})
			want := &permission.SignInClient{ID: own.ID, Secret: permission.Mask}
			if s := b.SignIn(w.server()); !reflect.DeepEqual(s.Client, want) || !slices.Contains(b.Known("far"), own.Secret) {
				t.Errorf("%+v", s.Client)
			}
			if s, err := b.SignOut(t.Context(), "far"); err != nil || s.Error != "" || len(w.revoked) != 2 {
				t.Errorf("%+v %v, %v", s, err, w.revoked)
			}
			if known := b.Known("far"); !slices.Contains(known, own.Secret) {
				t.Errorf("after the sign-out %q are known", known)
			}
			w.signIn(b) // with what is kept
			if status, _ := w.browse(w.begunAs(b, want)); status != 200 {
				t.Error("not with the mask put back")
			}
			moved := w.server()
			moved.URL += "2"
			if s := b.SignIn(moved); s.Client != nil {
				t.Errorf("at another URL: %+v", s.Client)
			}
			if _, err := b.Begin(t.Context(), moved, want); err == nil || !strings.Contains(err.Error(), "no kept secret") {
				t.Errorf("at another URL the mask is taken: %v", err)
			}
			b.Keep([]permission.Server{w.server()})
			if s := b.SignIn(w.server()); s.Client == nil {
				t.Error("a client whose server stayed is gone")
			}
			b.Keep([]permission.Server{moved})
			if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil || strings.Contains(string(raw), "hush") {
				t.Errorf("kept: %s %v", raw, err)
			}
		})
	}
}

// TestAClientIsForgotten by one with an empty ID, and then the desk registers itself.
func TestAClientIsForgotten(t *testing.T) {
	w := newTown(t)
	w.own = &permission.SignInClient{ID: "mine"}
	b := w.book(t.TempDir(), Options{})
	if status, page := w.browse(w.begunAs(b, w.own)); status != 200 || w.tokens[0].Get("client_id") != "mine" || len(w.clients) > 0 {
		t.Errorf("%d %s", status, page)
	}
	if status, page := w.browse(w.begunAs(b, &permission.SignInClient{})); status != 200 || w.tokens[1].Get("client_id") != "client-0" ||
		b.SignIn(w.server()).Client != nil {
		t.Errorf("%d %s %+v", status, page, b.SignIn(w.server()).Client)
	}
}

// TestAClientsScopesAndPort are those that are used, also when a sign-in waits there.
func TestAClientsScopesAndPort(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	own := permission.SignInClient{ID: "mine", Scopes: []string{"repo", "user"}, CallbackPort: port}
	w := registered(t, own)
	w.asks = "repo user"
	b := w.book(t.TempDir(), Options{})
	if _, err := b.Begin(t.Context(), w.server(), &own); err == nil || !strings.Contains(err.Error(), "open the port") {
		t.Errorf("on a port that is taken: %v", err)
	}
	if b.SignIn(w.server()).Client != nil {
		t.Error("a client is kept whose sign-in did not begin")
	}
	free.Close()
	w.begunAs(b, &own)
	if status, page := w.browse(w.begun(b)); status != 200 {
		t.Errorf("%d %s", status, page)
	}
	if s := b.SignIn(w.server()); s.State != permission.SignedIn || !reflect.DeepEqual(s.Client, &own) {
		t.Errorf("%+v", s)
	}
}

// TestASecretIsForOneAuthorizationServer: a server that names another one later does not
// get it there.
func TestASecretIsForOneAuthorizationServer(t *testing.T) {
	own := permission.SignInClient{ID: "mine", Secret: "hush-hush"}
	w := registered(t, own)
	b := w.book(t.TempDir(), Options{})
	w.begunAs(b, &own)
	thief := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		at := "http://" + r.Host
		answer(out, 200, map[string]any{"issuer": at, "authorization_endpoint": at + "/a", "token_endpoint": at + "/t",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}})
	}))
	defer thief.Close()
	w.resource = func(say map[string]any) { say["authorization_servers"] = []string{thief.URL} }
	for name, as := range map[string]*permission.SignInClient{"kept": nil, "masked": {ID: "mine", Secret: permission.Mask}} {
		if _, err := b.Begin(t.Context(), w.server(), as); err == nil || !strings.Contains(err.Error(), "another authorization server") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, err := b.Begin(t.Context(), w.server(), &own); err != nil || !strings.HasPrefix(s.URL, thief.URL) {
		t.Errorf("entered again: %+v %v", s, err)
	}
}

func TestClientsThatAreNone(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	for field, as := range map[string]permission.SignInClient{
		"client.id":            {ID: "a\n"},
		"client.id ":           {ID: " a"},
		"client.id  ":          {ID: strings.Repeat("x", maxClientID+1)},
		"client.secret":        {ID: "a", Secret: "é"},
		"client.secret ":       {ID: "a", Secret: permission.Mask},
		"client.scopes":        {ID: "a", Scopes: []string{"a b"}},
		"client.scopes ":       {ID: "a", Scopes: slices.Repeat([]string{"a"}, maxScopes+1)},
		"client.callbackPort":  {ID: "a", CallbackPort: 80},
		"client.callbackPort ": {ID: "a", CallbackPort: -1},
	} {
		_, err := b.Begin(t.Context(), w.server(), &as)
		if e, ok := err.(*permission.Error); !ok || e.Field != strings.TrimSpace(field) {
			t.Errorf("%+v: %v", as, err)
		}
	}
	if len(w.asked) > 0 || !maps.Equal(w.clients, map[string]string{}) {
		t.Errorf("the server was asked %d times", len(w.asked))
	}
}
