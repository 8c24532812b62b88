package rest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// inside sends a request to the window's rows, in this process.
func (s *site) inside(method, path, body string, headers ...string) *reply {
	s.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, path, in)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	got := httptest.NewRecorder()
	s.door.Window().ServeHTTP(got, req)
	return &reply{got.Code, got.Header(), got.Body.Bytes()}
}

// remoteRows are not for the window.
var remoteRows = []string{"POST /v1/login", "POST /v1/login-codes", "POST /v1/operator/challenge", "POST /v1/operator/challenge/answer",
	"POST /v1/proof", "GET /v1/events",
	"GET /my/projects/{project_id}/events"}

// TestTheWindowHasEveryRowOfAPerson needs no credential, and there is none at such a
// desk; what agents alone may do, it may not.
func TestTheWindowHasEveryRowOfAPerson(t *testing.T) {
	for i := range samples {
		c := samples[i]
		t.Run(c.row, func(t *testing.T) {
			s := newSite(t, func(o *Options) { o.Operator = nil })
			op := operation(t, s.door, &c)
			got := s.inside(c.method(), c.url(), c.body)
			switch {
			case slices.Contains(remoteRows, c.row):
				if got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
					t.Errorf("served: %d %s", got.status, got.body)
				}
			case len(op.Security) > 0 && !admits(op, restwire.Operators):
				if got.status != 403 || s.desk.touched() > 0 {
					t.Errorf("a row for agents: %d %s", got.status, got.body)
				}
			case c.row == "POST /v1/calls/{id}/decision", strings.HasSuffix(c.row, "/approve"):
				if got.status != 409 || got.problem(t).Code != "not_armed" {
					t.Errorf("unseen: %d %s", got.status, got.body)
				}
			case got.status != c.status:
				t.Errorf("%d %s, want %d", got.status, got.body, c.status)
			}
			if out := s.send(c.method(), c.url(), "", c.body); len(op.Security) > 0 && out.status != 401 {
				t.Errorf("over the connection: %d %s", out.status, out.body)
			}
		})
	}
}

func TestTheWindowServesNothingElse(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.Operator = nil
		o.Gateway = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the gateway was reached") })
		o.Files = fstest.MapFS{"index.html": {Data: []byte("page")}}
	})
	for _, path := range []string{"/", "/index.html", "/openapi.json", "/mcp", "/mcp/fs", "/v1/login", "/v1/events", "/v1", "/v1/calls/",
		"/v1//calls", "/v1/../v1/calls", "//v1/calls", "/V1/calls", ""} {
		for _, method := range []string{"GET", "POST"} {
			if got := s.inside(method, path, ""); got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
				t.Errorf("%s %q: %d %.200s", method, path, got.status, got.body)
			}
		}
	}
	if got := s.inside("BREW", "/v1/rules", ""); got.status != 405 || got.header.Get("Allow") == "" {
		t.Errorf("a wrong method: %d", got.status)
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

// TestNoConnectionReachesTheWindow: nothing that a request can say makes it the
// window's, and the window's rows behind a listener are of no use.
func TestNoConnectionReachesTheWindow(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Operator = nil })
	for _, row := range operatorRows {
		path := strings.ReplaceAll(row[1], "{id}", "call-a")
		for _, headers := range [][]string{{}, {"Authorization", "Bearer window"},
			{"X-Face", "window"}, {"Origin", s.url}, {"Authorization", "Bearer " + tokenOp}} {
			if got := s.send(row[0], path, "", `{}`, headers...); got.status != 401 {
				t.Errorf("%s %s %v: %d", row[0], path, headers, got.status)
			}
		}
	}
	wrong := httptest.NewServer(s.door.Window())
	defer wrong.Close()
	for _, path := range []string{"/v1/rules", "/v1/calls", "/healthz", "/"} {
		resp, err := http.Get(wrong.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s behind a listener: %d", path, resp.StatusCode)
		}
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

// TestTheWindowChecksWhatItIsSent as the other way in does.
func TestTheWindowChecksWhatItIsSent(t *testing.T) {
	s := newSite(t, nil)
	for i := range samples {
		c := samples[i]
		op := operation(t, s.door, &c)
		if op.RequestBody == nil || !admits(op, restwire.Operators) || slices.Contains(remoteRows, c.row) {
			continue
		}
		for _, body := range []string{"{", `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
			if got := s.inside(c.method(), c.url(), body); got.status != 400 || got.problem(t).Code != permission.CodeMalformed {
				t.Errorf("%s %q: %d %s", c.row, body, got.status, got.body)
			}
		}
	}
	for _, headers := range [][]string{{"If-Match", oldETag}, {"If-Match", `"x"`}} {
		if got := s.inside("PATCH", "/v1/rules/r1", `{"note":"x"}`, headers...); got.status != 412 {
			t.Errorf("%v: %d %s", headers, got.status, got.body)
		}
	}
	if got := s.inside("GET", "/v1/calls?q=x&limit=0", ""); got.status != 422 {
		t.Errorf("a bad parameter: %d", got.status)
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

// TestTheWindowArmsAsABrowserDoes, and neither helps the other.
func TestTheWindowArmsAsABrowserDoes(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	browser := s.session()
	decide := func() int {
		return s.inside("POST", "/v1/calls/call-a/decision", `{"approved":true,"rev":3,"inputHash":"h"}`).status
	}
	s.send("POST", "/v1/attention", browser, `{"callId":"call-a","rev":3}`)
	now = now.Add(time.Minute)
	if got := decide(); got != 409 {
		t.Errorf("seen by a browser alone: %d", got)
	}
	if got := s.inside("POST", "/v1/attention", `{"callId":"call-a","rev":3}`); got.status != 204 || len(got.body) > 0 {
		t.Errorf("attention: %d %s", got.status, got.body)
	}
	now = now.Add(699 * time.Millisecond)
	if got := decide(); got != 409 {
		t.Errorf("too early: %d", got)
	}
	now = now.Add(time.Millisecond)
	if got := decide(); got != 200 {
		t.Errorf("in time: %d", got)
	}
}

// TestALongPollOfTheWindow waits, and ends with its context and with the door.
func TestALongPollOfTheWindow(t *testing.T) {
	for name, end := range map[string]func(context.CancelFunc, *Handler){
		"page": func(leave context.CancelFunc, _ *Handler) { leave() },
		"door": func(_ context.CancelFunc, h *Handler) { h.Close() },
	} {
		f := newFake()
		door := New(deskOf(f), Options{Logger: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, "GET", "/v1/calls/call-a?wait=50&rev=3", nil)
		done := make(chan int)
		go func() {
			got := httptest.NewRecorder()
			door.Window().ServeHTTP(got, req)
			done <- got.Code
		}()
		<-f.waiting
		end(cancel, door)
		<-f.waiting
		if got := <-done; got != 200 {
			t.Errorf("%s: %d", name, got)
		}
		cancel()
		door.Close()
	}
}

// TestAPanicIsAnAnswer: the window's process goes on.
func TestAPanicIsAnAnswer(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.ServerState = func(permission.Server) (string, []string) { panic("on purpose") }
	})
	s.desk.servers = []permission.Server{{ID: "a"}}
	if got := s.inside("GET", "/v1/servers", ""); got.status != 500 || got.problem(t).Code != codeInternal {
		t.Errorf("%d %s", got.status, got.body)
	}
}
