package signin

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/secret"
)

// halted makes the next discovery wait in the middle, until goOn: asked is closed when it
// does.
func (w *town) halted() (asked chan struct{}, goOn func()) {
	asked = make(chan struct{})
	waits := make(chan struct{})
	goOn = sync.OnceFunc(func() { close(waits) })
	w.Cleanup(goOn)
	meta, once := w.meta, sync.Once{}
	w.meta = func(say map[string]any) {
		meta(say)
		first := false
		once.Do(func() { first = true })
		if first {
			close(asked)
			<-waits
		}
	}
	return asked, goOn
}

// TestAClientIsForgottenAtOnce, though no sign-in can begin without it.
func TestAClientIsForgottenAtOnce(t *testing.T) {
	own := permission.SignInClient{ID: "mine", Secret: "hush+hush %"}
	w, dir := registered(t, own), t.TempDir()
	b := w.book(dir, Options{})
	w.begunAs(b, &own)
	if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil || !strings.Contains(string(raw), "hush") {
		t.Errorf("kept: %s %v", raw, err)
	}
	if _, err := b.Begin(t.Context(), w.server(), &permission.SignInClient{}); err == nil {
		t.Error("one began without a client")
	}
	if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil || strings.Contains(string(raw), "hush") ||
		b.SignIn(w.server()).Client != nil {
		t.Errorf("kept: %s %v", raw, err)
	}
}

// TestAClientEnteredMeanwhileStays: a sign-in with the one before does not write that back,
// nor does one without any forget it.
func TestAClientEnteredMeanwhileStays(t *testing.T) {
	for name, was := range map[string]*permission.SignInClient{"another before": {ID: "old-client"}, "none before": nil} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			w.own = &permission.SignInClient{ID: "old-client"}
			b := w.book(t.TempDir(), Options{})
			if was != nil {
				w.browse(w.begunAs(b, was))
			}
			asked, goOn := w.halted()
			done := make(chan error, 1)
			go func() {
				_, err := b.Begin(t.Context(), w.server(), nil)
				done <- err
			}()
			<-asked
			w.begunAs(b, &permission.SignInClient{ID: "new-client"})
			goOn()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if c := b.SignIn(w.server()).Client; c == nil || c.ID != "new-client" {
				t.Errorf("kept is %+v", c)
			}
		})
	}
}

// TestAServerThatGoesMeanwhile is not signed in to, and nothing of it is kept.
func TestAServerThatGoesMeanwhile(t *testing.T) {
	own := permission.SignInClient{ID: "mine", Secret: "hush+hush %"}
	for name, left := range map[string]func(permission.Server) []permission.Server{
		"removed": func(permission.Server) []permission.Server { return nil },
		"moved":   func(s permission.Server) []permission.Server { s.URL += "2"; return []permission.Server{s} },
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := registered(t, own), t.TempDir()
			b := w.book(dir, Options{})
			keepsNothing := func() {
				t.Helper()
				if all, err := secret.New(dir).Secrets(); err != nil || len(all) > 0 {
					t.Errorf("kept: %v %v", all, err)
				}
				if s := b.SignIn(w.server()); s.State != permission.SignedOut || s.Client != nil {
					t.Errorf("%+v", s)
				}
			}
			asked, goOn := w.halted()
			done := make(chan error, 1)
			go func() {
				_, err := b.Begin(t.Context(), w.server(), &own)
				done <- err
			}()
			<-asked
			b.Keep(left(w.server()))
			goOn()
			if err := <-done; err == nil || !strings.Contains(err.Error(), "removed, or has another URL") {
				t.Errorf("during the discovery: %v", err)
			}
			keepsNothing()
			at := w.begunAs(b, &own)
			b.Keep(left(w.server()))
			if resp, err := http.Get(at); err == nil { // its port may close later
				resp.Body.Close()
				if resp.StatusCode == 200 {
					t.Error("while the person is in the browser: signed in")
				}
			}
			keepsNothing()
			w.browse(w.begunAs(b, &own)) // one that begins now may
			if s := b.SignIn(w.server()); s.State != permission.SignedIn || len(b.begins) > 0 {
				t.Errorf("%+v, %d begin", s, len(b.begins))
			}
		})
	}
}

// TestASignOutTellsOfTheClient that stays.
func TestASignOutTellsOfTheClient(t *testing.T) {
	own := permission.SignInClient{ID: "mine", Secret: "hush+hush %"}
	w := registered(t, own)
	b := w.book(t.TempDir(), Options{})
	w.browse(w.begunAs(b, &own))
	if s, err := b.SignOut(t.Context(), "far"); err != nil || s.Client == nil || s.Client.ID != own.ID || s.Client.Secret != permission.Mask {
		t.Errorf("%+v %v", s.Client, err)
	}
	if s, err := newTown(t).book(t.TempDir(), Options{}).SignOut(t.Context(), "far"); err != nil || s.Client != nil {
		t.Errorf("%+v %v", s.Client, err)
	}
}

// TestScopesShowNoToken: neither those that the authorization server says it gave, nor
// those that the server and it offer.
func TestScopesShowNoToken(t *testing.T) {
	w := newTown(t)
	w.token = func(out http.ResponseWriter, form url.Values, _ func()) {
		answer(out, 200, map[string]any{"access_token": "access-secret-1", "refresh_token": "refresh-secret-1", "token_type": "Bearer",
			"scope": "tools refresh-secret-1 x:access-secret-1"})
	}
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	if n := w.noted(); n != "person signedIn far AS [tools] " {
		t.Errorf("the journal says %s", n)
	}
	w.resource = func(say map[string]any) { say["scopes_supported"] = []string{"tools", "refresh-secret-1"} }
	if at := w.begun(b); strings.Contains(at, "secret-1") || !strings.Contains(at, "scope=tools+offline_access") {
		t.Errorf("the browser is sent to %s", at)
	}
}

// TestSigningInAgainTakesBackWhatWas, unless both are of one client: an authorization
// server may then take back all of it.
func TestSigningInAgainTakesBackWhatWas(t *testing.T) {
	own := permission.SignInClient{ID: "mine"}
	for name, c := range map[string]struct {
		as          *permission.SignInClient
		want, after string
	}{"a client for each": {nil, "access-2 refresh-2", "access-2 access-4 refresh-2 refresh-4"},
		"one client": {&own, "", "access-4 refresh-4"}} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			w.own = &own
			w.revoke = func(http.ResponseWriter, url.Values) {}
			b := w.book(t.TempDir(), Options{})
			w.browse(w.begunAs(b, c.as))
			w.browse(w.begunAs(b, c.as))
			taken := func() string {
				w.mu.Lock()
				defer w.mu.Unlock()
				var all []string
				for _, form := range w.revoked {
					all = append(all, form.Get("token"))
				}
				slices.Sort(all)
				return strings.Join(all, " ")
			}
			eventually(t, "what was is taken back", func() bool { return taken() == c.want })
			if _, err := b.SignOut(t.Context(), "far"); err != nil {
				t.Error(err)
			}
			if got := taken(); got != c.after {
				t.Errorf("taken back: %s", got)
			}
		})
	}
}
