package signin

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/secret"
)

// TestTheJournalTells of a sign-in, of one that is no good any more and of a sign-out, and
// of no renewal; never a token or a code.
func TestTheJournalTells(t *testing.T) {
	w := newTown(t)
	w.gives = "tools"
	b := w.book(t.TempDir(), Options{})
	wants := func(want string) {
		t.Helper()
		if got := w.noted(); got != want {
			t.Errorf("the journal says\n%s\nwant\n%s", got, want)
		}
	}
	w.signIn(b)
	wants("person signedIn far AS [tools] ")
	at := w.server().URL
	sent := b.Authorization(t.Context(), "far", at)
	if next := b.Renewed(t.Context(), "far", at, sent); next == "" || next == sent {
		t.Errorf("%q", next)
	}
	wants("")
	w.token = func(out http.ResponseWriter, form url.Values, _ func()) {
		answer(out, 400, map[string]any{"error": "invalid_grant", "error_description": "not " + form.Get("refresh_token")})
	}
	b.Renewed(t.Context(), "far", at, b.Authorization(t.Context(), "far", at))
	wants("desk signInExpired far AS [tools] the authorization server says invalid_grant not " + permission.Mask)
	if s := b.SignIn(w.server()); strings.Contains(s.Error, "refresh-") {
		t.Errorf("%+v", s)
	}
	if _, err := b.SignOut(t.Context(), "far"); err != nil {
		t.Error(err)
	}
	wants("") // there was nothing to sign out of
	w.token = func(_ http.ResponseWriter, _ url.Values, give func()) { give() }
	w.signIn(b)
	w.noted()
	b.Keep(nil)
	wants("person signedOut far AS [tools] the server was removed, or has another URL")
	w.signIn(b)
	w.noted()
	if _, err := b.SignOut(t.Context(), "far"); err != nil {
		t.Error(err)
	}
	wants("person signedOut far AS [tools] ")
	w.back = func(q url.Values) { q.Set("error", "access_denied") }
	if status, _ := w.browse(w.begun(b)); status == 200 {
		t.Error("a sign-in that was declined came to a good end")
	}
	wants("") // one that fails changes nothing
}

// TestARefusalRepeatsNoSecret: the code of a sign-in that failed.
func TestARefusalRepeatsNoSecret(t *testing.T) {
	w := newTown(t)
	w.back = func(q url.Values) { q.Set("code", "code-that-is-long") }
	w.token = func(out http.ResponseWriter, form url.Values, _ func()) {
		answer(out, 400, map[string]any{"error": "invalid_grant", "error_description": form.Get("code") + " " + form.Get("code_verifier")})
	}
	b := w.book(t.TempDir(), Options{})
	_, page := w.browse(w.begun(b))
	if want := "invalid_grant " + permission.Mask + " " + permission.Mask; !strings.Contains(page, want) ||
		!strings.Contains(b.SignIn(w.server()).Error, want) {
		t.Errorf("%s, %+v", page, b.SignIn(w.server()))
	}
}

// TestWhatIsKnownOfASignIn: its secrets, and the access tokens that the server was sent
// before, but not without end.
func TestWhatIsKnownOfASignIn(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	if known := b.Known("far"); known != nil {
		t.Errorf("%q", known)
	}
	w.signIn(b)
	var sent []string
	for range maxPast + 3 {
		value := b.Authorization(t.Context(), "far", w.server().URL)
		sent = append(sent, strings.TrimPrefix(value, "Bearer "))
		b.Renewed(t.Context(), "far", w.server().URL, value)
	}
	known := b.Known("far")
	w.mu.Lock()
	for token := range w.renewing {
		sent = append(sent, token)
	}
	w.mu.Unlock()
	for i, token := range sent {
		if slices.Contains(known, token) != (i >= 3) {
			t.Errorf("of %q, %q is known: %v", known, token, i < 3)
		}
	}
	w.token = func(out http.ResponseWriter, _ url.Values, _ func()) {
		answer(out, 400, map[string]any{"error": "invalid_grant"})
	}
	last := b.Authorization(t.Context(), "far", w.server().URL)
	b.Renewed(t.Context(), "far", w.server().URL, last)
	if b.SignIn(w.server()).State != permission.SignInExpired || !slices.Contains(b.Known("far"), strings.TrimPrefix(last, "Bearer ")) {
		t.Errorf("after its end %q is not among %q", last, b.Known("far"))
	}
}

// TestAServerWantsMoreRights: it is said, once in the journal; signing in again asks for
// what there was and for what is wanted, and ends it.
func TestAServerWantsMoreRights(t *testing.T) {
	w, dir := newTown(t), t.TempDir()
	b := w.book(dir, Options{})
	w.signIn(b)
	w.noted()
	if status, words := w.calls(b); status != 200 || words != "" {
		t.Fatalf("%d %s", status, words)
	}
	w.needs = "write"
	for range 3 {
		if status, words := w.calls(b); status != 403 || !strings.Contains(words, "(write)") ||
			!strings.Contains(words, "Nothing was executed") || !strings.Contains(words, "signing in again") {
			t.Fatalf("%d %s", status, words)
		}
	}
	if s := b.SignIn(w.server()); s.State != permission.SignedIn || !slices.Equal(s.Wants, []string{"write"}) || s.Error != "" {
		t.Errorf("%+v", s)
	}
	if got := w.noted(); got != "desk signInLacks far AS [write] " {
		t.Errorf("the journal says %s", got)
	}
	w.asks = "tools offline_access write"
	w.signIn(b)
	if got := w.noted(); got != "person signedIn far AS [tools offline_access write] " {
		t.Errorf("the journal says %s", got)
	}
	if status, words := w.calls(b); status != 200 || words != "" {
		t.Errorf("%d %s", status, words)
	}
	if s := b.SignIn(w.server()); s.Wants != nil || s.Error != "" {
		t.Errorf("%+v", s)
	}
	b.Close() // what it has is asked for after a new start, too
	b = w.book(dir, Options{})
	w.needs, w.asks = "more", "tools offline_access write more"
	w.calls(b)
	w.signIn(b)
}

// TestRightsThatAreNotGiven: nobody is sent round in circles.
func TestRightsThatAreNotGiven(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	w.needs = "write"
	w.calls(b)
	w.asks, w.gives = "tools offline_access write", "tools"
	w.signIn(b)
	w.noted()
	for range 2 {
		if status, words := w.calls(b); status != 403 || !strings.Contains(words, "did not give") || strings.Contains(words, "signing in") {
			t.Errorf("%d %s", status, words)
		}
	}
	if s := b.SignIn(w.server()); s.State != permission.SignedIn || s.Wants != nil || !strings.Contains(s.Error, "did not give: write") {
		t.Errorf("%+v", s)
	}
	if got := w.noted(); got != "desk signInLacks far AS [write] " {
		t.Errorf("the journal says %s", got)
	}
}

// TestRefusalsOfAllKinds: what is said, believed and kept of them.
func TestRefusalsOfAllKinds(t *testing.T) {
	many := ""
	for i := range 200 {
		many += fmt.Sprint(" scope-", i)
	}
	for name, c := range map[string]struct {
		challenge, says string
		wants           int
		error           string
	}{
		"none":                 {"", "", 0, ""},
		"another reason":       {`Bearer error="invalid_token"`, "", 0, ""},
		"another scheme":       {`DPoP error="insufficient_scope", scope="x"`, "", 0, ""},
		"not readable":         {`Bearer error="insufficient_scope`, "", 0, ""},
		"names none":           {`Bearer error="insufficient_scope"`, "does not say which", 0, "names none"},
		"what there is":        {`Bearer error="insufficient_scope", scope="tools"`, "that its sign-in has (tools)", 0, "names none"},
		"with others":          {`Basic realm="a, b", bearer ERROR="insufficient_scope", scope="x  y x"`, "(x y)", 2, ""},
		"what is no scope":     {`Bearer error="insufficient_scope", scope="a\"b \\ é ` + strings.Repeat("l", 200) + ` x"`, "(x)", 1, ""},
		"the token":            {`Bearer error="insufficient_scope", scope="x access-2 refresh-2"`, "(x)", 1, ""},
		"very many":            {`Bearer error="insufficient_scope", scope="` + many + `"`, "…", maxScopes, ""},
		"more than is read of": {`Bearer error="insufficient_scope", scope="x` + strings.Repeat(", ", maxChallenge) + `"`, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			b := w.book(t.TempDir(), Options{})
			w.signIn(b)
			sent := b.Authorization(t.Context(), "far", w.server().URL)
			words := b.Lacks("far", w.server().URL, sent, []string{c.challenge})
			if !strings.Contains(words, c.says) || (words == "") != (c.says == "") || len(words) > 300 {
				t.Errorf("says %q", words)
			}
			if s := b.SignIn(w.server()); len(s.Wants) != c.wants || !strings.Contains(s.Error, c.error) || (s.Error == "") != (c.error == "") {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestARefusalOfAnotherSignIn is nothing that this one lacks.
func TestARefusalOfAnotherSignIn(t *testing.T) {
	w := newTown(t)
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	sent := b.Authorization(t.Context(), "far", w.server().URL)
	b.Renewed(t.Context(), "far", w.server().URL, sent)
	words := b.Lacks("far", w.server().URL, sent, []string{`Bearer error="insufficient_scope", scope="x"`})
	if s := b.SignIn(w.server()); !strings.Contains(words, "repeat it") || s.Wants != nil || s.Error != "" {
		t.Errorf("%s %+v", words, s)
	}
}

// TestTokensAreTakenBack at a sign-out, after they are gone here; it says when that fails.
func TestTokensAreTakenBack(t *testing.T) {
	const both, first, none = "refresh-2 refresh_token client-0, access-2 access_token client-0", "refresh-2 refresh_token client-0", ""
	status := func(status int, body any) func(http.ResponseWriter, url.Values) {
		return func(out http.ResponseWriter, _ url.Values) { answer(out, status, body) }
	}
	for name, c := range map[string]struct {
		revoke func(http.ResponseWriter, url.Values)
		meta   func(map[string]any)
		got    string
		says   string
	}{
		"they are":          {status(200, nil), nil, both, ""},
		"it is not offered": {nil, nil, none, ""},
		"only those that last": {func(out http.ResponseWriter, form url.Values) {
			answer(out, map[bool]int{true: 200, false: 400}[form.Get("token_type_hint") == "refresh_token"],
				map[string]any{"error": "unsupported_token_type"})
		}, nil, both, ""},
		"none of these": {status(400, map[string]any{"error": "unsupported_token_type"}), nil, first,
			"does not take back tokens of this kind"},
		"it is in trouble": {status(503, nil), nil, first, "HTTP 503"},
		"it leads elsewhere": {func(out http.ResponseWriter, _ url.Values) {
			out.Header().Set("Location", "/revoke")
			out.WriteHeader(307)
		}, nil, first, "HTTP 307"},
		"it is not safe": {status(200, nil), func(m map[string]any) { m["revocation_endpoint"] = "http://bank.example/revoke" }, none, "https"},
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := newTown(t), t.TempDir()
			w.revoke = c.revoke
			if c.meta != nil {
				w.meta = c.meta
			}
			b := w.book(dir, Options{})
			w.signIn(b)
			w.noted()
			s, err := b.SignOut(t.Context(), "far")
			if err != nil || s.State != permission.SignedOut || !strings.Contains(s.Error, c.says) || (s.Error == "") != (c.says == "") {
				t.Errorf("%+v %v", s, err)
			}
			var got []string
			for _, form := range w.revoked {
				got = append(got, form.Get("token")+" "+form.Get("token_type_hint")+" "+form.Get("client_id"))
			}
			if strings.Join(got, ", ") != c.got {
				t.Errorf("taken back: %q", got)
			}
			want := "person signedOut far AS [tools offline_access] "
			if said := w.noted(); said != want && (c.says == "" || !strings.HasPrefix(said, want+"\ndesk tokensNotRevoked far AS ") ||
				!strings.Contains(said, c.says)) {
				t.Errorf("the journal says %s", said)
			}
			if raw, err := os.ReadFile(filepath.Join(dir, secret.FileName)); err != nil || strings.Contains(string(raw), "access-") ||
				b.SignIn(w.server()).State != permission.SignedOut {
				t.Errorf("kept: %s %v", raw, err)
			}
		})
	}
}

// TestTheTokensAreGoneFirst: while the authorization server is asked, which may take its
// time; removing a server does not wait for it, and the end of the desk cuts it short.
func TestTheTokensAreGoneFirst(t *testing.T) {
	w := newTown(t)
	asked, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	w.revoke = func(http.ResponseWriter, url.Values) {
		asked <- struct{}{}
		<-end
	}
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	b.Keep(nil)
	<-asked
	if got := b.Authorization(t.Context(), "far", w.server().URL); got != "" || b.SignIn(w.server()).State != permission.SignedOut {
		t.Errorf("%q", got)
	}
	w.signIn(b)
	out := make(chan permission.SignIn, 1)
	go func() {
		s, err := b.SignOut(t.Context(), "far")
		if err != nil {
			t.Error(err)
		}
		out <- s
	}()
	<-asked
	if got := b.Authorization(t.Context(), "far", w.server().URL); got != "" {
		t.Errorf("%q", got)
	}
	began := time.Now()
	b.Close()
	if s := <-out; s.Error == "" || time.Since(began) > revokeWithin/2 {
		t.Errorf("%+v after %s", s, time.Since(began))
	}
}

// TestASignOutDuringARenewal takes back what the renewal brought.
func TestASignOutDuringARenewal(t *testing.T) {
	w := newTown(t)
	w.revoke = func(http.ResponseWriter, url.Values) {}
	b := w.book(t.TempDir(), Options{})
	w.signIn(b)
	w.mu.Lock()
	w.slow = make(chan struct{})
	w.mu.Unlock()
	at := w.server().URL
	value := b.Authorization(t.Context(), "far", at)
	got := make(chan string, 1)
	go func() { got <- b.Renewed(t.Context(), "far", at, value) }()
	eventually(t, "a renewal", func() bool { return w.requests() == 2 })
	if _, err := b.SignOut(t.Context(), "far"); err != nil {
		t.Error(err)
	}
	close(w.slow)
	if next := <-got; next != "" {
		t.Errorf("%q after the sign-out", next)
	}
	eventually(t, "all is taken back", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.ContainsFunc(w.revoked, func(form url.Values) bool { return form.Get("token") == "access-3" })
	})
}

func FuzzScopes(f *testing.F) {
	for _, seed := range []string{"", `Bearer error="insufficient_scope", scope="a b"`, `Basic x, Bearer error=insufficient_scope,scope=a`,
		"Bearer \x00", `Bearer a="\"", b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		needs, lacks := insufficient(challengesIn([]string{header}))
		if !lacks && needs != nil || len(needs) > maxScopes {
			t.Errorf("%q %v", needs, lacks)
		}
		for i, s := range needs {
			if !isScope(s) || slices.Contains(needs[:i], s) {
				t.Errorf("%q", needs)
			}
		}
	})
}
