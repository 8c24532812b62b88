package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
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
	past    []string // what is not to be shown
	lacked  []string // what the servers said of rights, with what they were sent
	words   string   // for whoever asked
}

func (t *tokens) Known(string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{strings.TrimPrefix(t.now, "Bearer ")}, t.past...)
}

func (t *tokens) Lacks(id, url, sent string, challenges []string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lacked = append(t.lacked, strings.Join(append([]string{id, url, sent}, challenges...), "|"))
	return t.words
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
		t.past = append(t.past, strings.TrimPrefix(t.now, "Bearer "))
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
			signIns.mu.Lock() // the stream of what the server says by itself asks too
			defer signIns.mu.Unlock()
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
	if _, _, err := h.gate.Try(t.Context(), permission.Server{ID: "x", Transport: permission.TransportHTTP, URL: away.URL,
		Enabled: true}); err == nil || len(stolen) > 0 {
		t.Errorf("%v, %d came to the thief", err, len(stolen))
	}
}

const (
	oldToken = `old-token-"1"/a`
	newToken = `new-token-\2\/b`
)

// spelt is a text between the quotes of JSON, in ways that are seldom used.
func spelt(text string) string {
	var out strings.Builder
	for i, c := range text {
		switch {
		case c == '/':
			out.WriteString(`\/`)
		case i%3 == 0 || c == '"' || c == ' ':
			fmt.Fprintf(&out, `\u%04X`, c)
		case c == '\\':
			out.WriteString(`\\`)
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// echo repeats in a refusal what it was sent, now and before.
func echo(status int, kind string) func(http.ResponseWriter, farRequest) {
	return withoutStream(func(w http.ResponseWriter, r farRequest) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		said, _ := json.Marshal(map[string]string{"plain": r.header.Get("Authorization") + " was " + oldToken})
		fmt.Fprintf(w, "no: %s, %s, was %s, \"%s %s\"", r.header.Get("Authorization"), said, oldToken, spelt(r.header.Get("Authorization")),
			spelt(oldToken))
	})
}

func shows(text string) bool {
	return strings.Contains(text, "ld-token") || strings.Contains(text, "ew-token") || strings.Contains(text, `\/`)
}

// TestWhatRefusesShowsNoToken: neither of now nor of before a renewal, neither to agents
// nor to whoever tries the server, in the error and in the server's last words.
func TestWhatRefusesShowsNoToken(t *testing.T) {
	for _, c := range []struct {
		status int
		kind   string
	}{{403, "text/plain"}, {500, "text/plain"}, {400, "application/json"}, {401, "text/html"}} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			signIns := &tokens{now: "Bearer " + oldToken, next: []string{"Bearer " + newToken}}
			h, f := newSignedHouse(t, "Bearer "+newToken, signIns)
			f.play = echo(c.status, c.kind)
			got := h.connect("a").ask(call("1", "run", `{}`))
			if _, words := errorCode(t, got[0]); shows(words) || c.status != 401 && !strings.Contains(words, "no: Bearer "+permission.Mask) ||
				signIns.renewed == 0 {
				t.Errorf("an agent is told %s", words)
			}
			_, said, err := h.gate.Try(t.Context(), h.desk.servers[fixtureID])
			if err == nil || shows(err.Error()+said) || !strings.Contains(said, "HTTP "+fmt.Sprint(c.status)) {
				t.Errorf("who tries it is told %v, %s", err, said)
			}
		})
	}
}

// TestAnAnswerShowsNoToken to whoever tries the server: neither an error of JSON-RPC, which
// agents get as it is, nor the name of a tool.
func TestAnAnswerShowsNoToken(t *testing.T) {
	signIns := &tokens{now: "Bearer " + newToken, past: []string{oldToken}}
	h, f := newSignedHouse(t, "Bearer "+newToken, signIns)
	f.put(h, map[string]string{"X-Key": "key-of-the-entry"})
	long := strings.Repeat("0123456789", 60)
	signIns.past = append(signIns.past, "ew-token-"+long)
	said := spelt(newToken + " " + oldToken + " ew-token-" + long)
	refuses := true
	f.play = withoutStream(func(w http.ResponseWriter, r farRequest) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, fixtureInit)
		case refuses:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no: %s %s"}}`, r.ID, r.header.Get("X-Key"), said)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"},{"name":"%s"},{"name":"%s"}]}}`, r.ID, said,
				r.header.Get("X-Key"))
		}
	})
	if got := h.connect("a").ask(call("1", "run", `{}`)); !strings.Contains(got[0], said) {
		t.Errorf("an agent is told %s", got[0])
	}
	const three = permission.Mask + " " + permission.Mask + " " + permission.Mask
	_, words, err := h.gate.Try(t.Context(), h.desk.servers[fixtureID])
	if err == nil || shows(err.Error()+words) || !strings.HasSuffix(err.Error(), "no: "+permission.Mask+" "+three) {
		t.Errorf("who tries it is told %v, %s", err, words)
	}
	refuses = false
	tools, words, err := h.gate.Try(t.Context(), h.desk.servers[fixtureID])
	if want := []string{"a", three, permission.Mask}; err != nil || !slices.Equal(namesOf(tools), want) || shows(words) {
		t.Errorf("the tools are %q, %s, %v", tools, words, err)
	}
}

// TestAStatusLineShowsNoToken.
func TestAStatusLineShowsNoToken(t *testing.T) {
	signIns := &tokens{now: "Bearer " + newToken}
	h, f := newSignedHouse(t, "Bearer "+newToken, signIns)
	f.play = withoutStream(func(w http.ResponseWriter, _ farRequest) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprintf(conn, "HTTP/1.1 418 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", newToken)
		conn.Close()
	})
	got := h.connect("a").ask(call("1", "run", `{}`))
	if _, words := errorCode(t, got[0]); shows(words) || !strings.Contains(words, "HTTP 418 "+permission.Mask) {
		t.Errorf("%s", words)
	}
}

// watching is a desk that notes what it is told of tools.
type watching struct {
	*memory
	saw []string
}

func (d *watching) Saw(_ context.Context, id string, offered []permission.OfferedTool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range offered {
		d.saw = append(d.saw, id+" "+o.Name+" "+string(o.Raw))
		if !json.Valid(o.Raw) {
			d.saw = append(d.saw, "this is no JSON")
		}
	}
	return nil
}

// TestADefinitionIsKeptWithoutTokens, so that one that is renewed changes no tool; agents
// get what the server wrote.
func TestADefinitionIsKeptWithoutTokens(t *testing.T) {
	signIns := &tokens{now: "Bearer " + oldToken, next: []string{"Bearer " + newToken}}
	f := newFar(t, withoutStream(func(w http.ResponseWriter, r farRequest) {
		w.Header().Set("Content-Type", "application/json")
		said := spelt(r.header.Get("Authorization"))
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look", "description":"for %s"},{"name":"%s"}]}}`, r.ID, said, said)
	}))
	d := &watching{memory: newMemory()}
	gate := gateway.New(d, d, gateway.Options{Logger: slog.New(slog.DiscardHandler), AgentFrom: func(*http.Request) (permission.Agent, bool) {
		return permission.Agent{ID: "a"}, true
	}})
	h := &house{t: t, desk: d.memory, gate: gate, http: httptest.NewServer(gate)}
	t.Cleanup(h.close)
	f.put(h, nil)
	gate.SignWith(signIns)
	c := h.connect("a")
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	before := strings.Join(c.ask(list), "")
	signIns.Renewed(t.Context(), "", "", "Bearer "+oldToken)
	after := strings.Join(c.ask(list), "")
	if !strings.Contains(before, `"for `+spelt("Bearer "+oldToken)+`"`) ||
		!strings.Contains(after, `{"name":"`+spelt("Bearer "+newToken)+`"}`) {
		t.Errorf("the agent got %s and %s", before, after)
	}
	hidden := spelt("Bearer ") + permission.Mask
	want := fixtureID + ` look {"name":"look", "description":"for ` + hidden + `"} ` + fixtureID + " Bearer " + permission.Mask +
		` {"name":"` + hidden + `"}`
	if strings.Join(d.saw, " ") != want+" "+want {
		t.Errorf("the desk saw %q", d.saw)
	}
}

// TestWantOfRightsIsSaid to the agent, in words of the desk; what was refused so has not
// run, and is not sent again.
func TestWantOfRightsIsSaid(t *testing.T) {
	const challenge = `Bearer error="insufficient_scope", scope="write"`
	for name, c := range map[string]struct{ kind, words, want string }{
		"for want of rights": {"text/plain", "more rights", "HTTP 403 Forbidden: more rights"},
		"as JSON":            {"application/json", "more rights", "HTTP 403 Forbidden: more rights"},
		"for another reason": {"text/plain", "", "HTTP 403 Forbidden: its own words"},
	} {
		t.Run(name, func(t *testing.T) {
			signIns := &tokens{now: "Bearer good", next: []string{"Bearer better"}, words: c.words}
			h, f := newSignedHouse(t, "Bearer good", signIns)
			f.play = withoutStream(func(w http.ResponseWriter, r farRequest) {
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("WWW-Authenticate", challenge)
				w.WriteHeader(http.StatusForbidden)
				if c.kind == "application/json" {
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"its own words"}}`, r.ID)
					return
				}
				fmt.Fprint(w, "its own words")
			})
			got := h.connect("a").ask(call("1", "run", `{}`))
			if _, words := errorCode(t, got[0]); !strings.Contains(words, c.want) {
				t.Errorf("an agent is told %s", words)
			}
			h.desk.awaitStatus(t, permission.Failed)
			want := fixtureID + "|" + f.URL + "/mcp?x=1|Bearer good|" + challenge
			if len(f.calls()) != 1 || signIns.renewed > 0 || len(signIns.lacked) != 1 || signIns.lacked[0] != want {
				t.Errorf("%d calls, renewed %d times, %q", len(f.calls()), signIns.renewed, signIns.lacked)
			}
		})
	}
}
