package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestALongTokenIsHiddenWhole, though what is said of a refusal is cut.
func TestALongTokenIsHiddenWhole(t *testing.T) {
	const begins = "long-token-"
	long := begins + strings.Repeat("0123456789", 60)
	w := newTown(t)
	w.token = func(out http.ResponseWriter, form url.Values, _ func()) {
		if form.Get("grant_type") == "refresh_token" {
			answer(out, 400, map[string]any{"error": "invalid_grant", "error_description": "unknown token " + form.Get("refresh_token")})
			return
		}
		answer(out, 200, map[string]any{"access_token": "access-of-it", "refresh_token": long, "token_type": "Bearer", "expires_in": 3600})
	}
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	at := w.server().URL
	b.Renewed(t.Context(), "far", at, b.Authorization(t.Context(), "far", at))
	if s, n := b.SignIn(w.server()), w.noted(); strings.Contains(s.Error+n, begins) || !strings.Contains(s.Error, permission.Mask) ||
		!strings.Contains(n, permission.Mask) {
		t.Errorf("it says %s, and the journal %s", s.Error, n)
	}
	w.back = func(q url.Values) {
		q.Set("code", long)
		q.Set("error", "access_denied")
		q.Set("error_description", "no to "+long)
	}
	if _, page := w.browse(w.begun(b)); strings.Contains(page+b.SignIn(w.server()).Error, begins) || !strings.Contains(page, permission.Mask) {
		t.Errorf("the page says %s", page)
	}
	if got := hidden("begun-12 begun-12-more", []string{"begun-12", "begun-12-more"}); got != permission.Mask+" "+permission.Mask {
		t.Errorf("of two that begin alike %q is left", got)
	}
}

// TestServersAreListedDuringRenewals: both look at the same pages.
func TestServersAreListedDuringRenewals(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	at := w.server().URL
	var all sync.WaitGroup
	all.Go(func() {
		for range 20 {
			b.Renewed(t.Context(), "far", at, b.Authorization(t.Context(), "far", at))
		}
	})
	for range 2000 {
		b.Keep([]permission.Server{w.server()})
	}
	all.Wait()
	if b.SignIn(w.server()).State != permission.SignedIn {
		t.Errorf("%+v", b.SignIn(w.server()))
	}
}

// TestWhatEndsASignIn is what the authorization server says of the token, and nothing that
// another time or way may change.
func TestWhatEndsASignIn(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		ends   bool
	}{
		"the token is none": {400, "invalid_grant", true}, "the client is none": {401, "invalid_client", true},
		"GitHub":         {200, "bad_refresh_token", true},
		"no code":        {400, "", true},
		"no code either": {401, "", true},
		"too many":       {429, "", false}, "too many, said": {429, "slow_down", false}, "too slow": {408, "", false},
		"a proxy":      {403, "", false},
		"no such page": {404, "", false}, "a request that is wrong": {400, "invalid_request", false},
		"later":     {400, "temporarily_unavailable", false},
		"elsewhere": {307, "", false}, "in trouble": {500, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			b := w.book(t.TempDir(), Options{})
			w.signIn(b)
			at := w.server().URL
			value := b.Authorization(t.Context(), "far", at)
			w.token = func(out http.ResponseWriter, _ url.Values, _ func()) {
				if c.code == "" {
					out.WriteHeader(c.status)
				} else {
					answer(out, c.status, map[string]any{"error": c.code})
				}
			}
			if next := b.Renewed(t.Context(), "far", at, value); next != "" {
				t.Errorf("renewed to %s", next)
			}
			if s := b.SignIn(w.server()); (s.State == permission.SignInExpired) != c.ends || (s.State == permission.SignedIn) == c.ends {
				t.Errorf("%+v", s)
			}
			w.token = func(_ http.ResponseWriter, _ url.Values, give func()) { give() }
			if next := b.Renewed(t.Context(), "far", at, value); (next == "") != c.ends {
				t.Errorf("later it is %q", next)
			}
		})
	}
}

// slowly makes requests for tokens wait until they are released.
func (w *town) slowly() (release func()) {
	slow := make(chan struct{})
	w.mu.Lock()
	w.slow = slow
	w.mu.Unlock()
	release = sync.OnceFunc(func() { close(slow) })
	w.Cleanup(release)
	return release
}

// TestWhoLeavesWaitsForNoRenewal, be it the first who asked; it goes on for the others.
func TestWhoLeavesWaitsForNoRenewal(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	release := w.slowly()
	at := w.server().URL
	value := b.Authorization(t.Context(), "far", at)
	ctx, leave := context.WithCancel(t.Context())
	left, stayed := make(chan string, 2), make(chan string, 1)
	go func() { left <- b.Renewed(ctx, "far", at, value) }()
	eventually(t, "a renewal", func() bool { return w.requests() == 2 })
	go func() { left <- b.Renewed(ctx, "far", at, value) }()
	go func() { stayed <- b.Renewed(t.Context(), "far", at, value) }()
	leave()
	for range 2 {
		select {
		case got := <-left:
			if got != "" {
				t.Errorf("who left got %q", got)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("who has left waits for the authorization server")
		}
	}
	release()
	if got := <-stayed; got == value || !w.takes(got) || w.requests() != 2 {
		t.Errorf("who stayed got %q after %d requests", got, w.requests())
	}
}

// TestAfterAFailureRenewalsRest while the token is good, and no longer.
func TestAfterAFailureRenewalsRest(t *testing.T) {
	w := newTown(t)
	w.lifetime = 20 // which is less than the desk waits for
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	w.token = func(out http.ResponseWriter, _ url.Values, _ func()) { out.WriteHeader(429) }
	at := w.server().URL
	value := b.Authorization(t.Context(), "far", at)
	for range 3 {
		if got := b.Authorization(t.Context(), "far", at); got != value || !w.takes(got) {
			t.Errorf("%q in the place of %q", got, value)
		}
	}
	if n := w.requests(); n != 2 {
		t.Errorf("%d requests for tokens", n)
	}
	if b.Renewed(t.Context(), "far", at, value); w.requests() != 3 {
		t.Error("one that the server refuses is not renewed")
	}
	spent := *b.ticket("far", at)
	spent.Expiry = time.Now()
	b.mu.Lock()
	b.pages["far"].ticket = &spent
	b.mu.Unlock()
	if b.Authorization(t.Context(), "far", at); w.requests() != 4 {
		t.Error("one that is good no more is not renewed")
	}
	b.mu.Lock()
	spent.Expiry, b.pages["far"].rests = time.Now().Add(time.Second*20), time.Now()
	b.mu.Unlock()
	if b.Authorization(t.Context(), "far", at); w.requests() != 5 {
		t.Error("it rests for ever")
	}
}

// TestTheEndOfTheDeskEndsARenewal whose authorization server does not answer, and leaves it
// a while to do so.
func TestTheEndOfTheDeskEndsARenewal(t *testing.T) {
	for name, answers := range map[string]bool{"it answers": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			w, dir := newTown(t), t.TempDir()
			b := w.book(dir, Options{})
			w.signIn(b)
			release := w.slowly()
			at := w.server().URL
			value := b.Authorization(t.Context(), "far", at)
			go b.Renewed(t.Context(), "far", at, value)
			eventually(t, "a renewal", func() bool { return w.requests() == 2 })
			closed := make(chan time.Duration, 1)
			go func() {
				began := time.Now()
				b.Close()
				closed <- time.Since(began)
			}()
			<-b.life.Done()
			if answers {
				release()
			}
			if took := <-closed; took > lastWithin+3*time.Second {
				t.Errorf("it took %s", took)
			}
			release()
			if next := w.book(dir, Options{}).Authorization(t.Context(), "far", at); (next == value) == answers {
				t.Errorf("%q is kept", next)
			}
		})
	}
}
