package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// tokens are sign-ins whose tokens are renewed by counting.
type tokens struct {
	mu      sync.Mutex
	now     string
	next    []string
	asked   []string
	renewed int
}

func (t *tokens) Authorization(_ context.Context, id, url string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = append(t.asked, id+" "+url)
	return t.now
}

func (t *tokens) Renewed(_ context.Context, _, _, refused string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renewed++
	if refused == t.now && len(t.next) > 0 {
		t.now, t.next = t.next[0], t.next[1:]
	}
	return t.now
}

// newSignedHouse has a server that takes one Authorization alone.
func newSignedHouse(t *testing.T, takes string, signIns *tokens) (*house, *far) {
	h, f := newFarHouse(t, gateway.Options{}, whole)
	inner := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != takes {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	f.put(h, map[string]string{"X-Tenant": "a"})
	h.gate.SignWith(signIns)
	return h, f
}

// TestASignInsTokenIsSent, and renewed where the server refuses it; what was refused is
// sent again, and runs once.
func TestASignInsTokenIsSent(t *testing.T) {
	for name, signIns := range map[string]*tokens{"good": {now: "Bearer good"}, "due": {now: "Bearer old", next: []string{"Bearer good"}}} {
		t.Run(name, func(t *testing.T) {
			h, f := newSignedHouse(t, "Bearer good", signIns)
			got := strings.Join(h.connect("a").ask(call("1", "run", `{}`)), "\n")
			if calls := f.calls(); len(calls) != 1 || calls[0].header.Get("X-Tenant") != "a" || strings.Contains(got, "error") {
				t.Errorf("%d calls, %s", len(calls), got)
			}
			for _, asked := range signIns.asked {
				if asked != fixtureID+" "+f.URL+"/mcp?x=1" {
					t.Errorf("asked for %s", asked)
				}
			}
			if want := map[string]int{"good": 0, "due": 1}[name]; signIns.renewed != want {
				t.Errorf("renewed %d times", signIns.renewed)
			}
		})
	}
}

// TestARefusedTokenIsTriedTwiceAtMost, and then a person is told what to do.
func TestARefusedTokenIsTriedTwiceAtMost(t *testing.T) {
	signIns := &tokens{now: "Bearer 1", next: []string{"Bearer 2", "Bearer 3", "Bearer 4"}}
	h, f := newSignedHouse(t, "Bearer none", signIns)
	server := h.desk.servers[fixtureID]
	_, _, err := h.gate.Try(t.Context(), server)
	if err == nil || !strings.Contains(err.Error(), "a person signs in on the servers screen") || signIns.renewed != 1 || len(f.calls()) > 0 {
		t.Errorf("%v, renewed %d times", err, signIns.renewed)
	}
}

// TestATokenGoesNowhereElse: not where the entry has its own, and not with a redirect.
func TestATokenGoesNowhereElse(t *testing.T) {
	signIns := &tokens{now: "Bearer good"}
	h, f := newSignedHouse(t, "Bearer own", signIns)
	f.put(h, map[string]string{"Authorization": "Bearer own"})
	if got := strings.Join(h.connect("a").ask(call("1", "run", `{}`)), "\n"); len(f.calls()) != 1 || len(signIns.asked) > 0 {
		t.Errorf("%s, asked %v", got, signIns.asked)
	}
	stolen := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("Authorization") }))
	defer thief.Close()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			t.Error("the server itself got no token")
		}
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	}))
	defer away.Close()
	if _, _, err := h.gate.Try(t.Context(), permission.Server{ID: "x", Transport: permission.TransportHTTP, URL: away.URL, Enabled: true}); err == nil || len(stolen) > 0 {
		t.Errorf("%v, %d came to the thief", err, len(stolen))
	}
}
