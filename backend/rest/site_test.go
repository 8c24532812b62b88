package rest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sekisho/backend/desk"
)

// site is a door over a fake desk, reachable over 127.0.0.1.
type site struct {
	t    *testing.T
	desk *fakeDesk
	door *Handler
	url  string

	behind *behind    // the door has the fake desk that this has
	whole  *desk.Desk // the real one, where there is one
}

// behind is a fake desk that another may take the place of.
type behind struct{ *fakeDesk }

// whole is one desk that is asked for all.
type whole interface {
	Judge
	Calls
	Answers
	Rules
	Review
	Settings
	Servers
	Tools
	Agents
	Stops
	Sessions
	Demonstrator
	Journal
}

func deskOf(d whole) Desk { return Desk{d, d, d, d, d, d, d, d, d, d, d, d, d} }

func newSite(t *testing.T, change func(*Options)) *site {
	t.Helper()
	opts := Options{Version: "1.2.3", Operator: NewOperator(tokenOp), Logger: slog.New(slog.DiscardHandler), Connections: &fakeClients{},
		SignIns: newSignIns(), History: recorded, Insights: counted(), Roles: rolled(), Work: working(), WorkSwitch: turned{},
		Executors: served1(), Projects: someProjects(t)}
	if change != nil {
		change(&opts)
	}
	b := &behind{newFake()}
	door := New(deskOf(b), opts)
	s := httptest.NewUnstartedServer(door)
	s.Config = door.Server()
	s.Start()
	t.Cleanup(s.Close)
	t.Cleanup(door.Close)
	return &site{t: t, desk: b.fakeDesk, door: door, url: s.URL, behind: b}
}

// reply is an answer that has been read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r *reply) problem(t *testing.T) problem {
	t.Helper()
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type = %q, body %.200s", got, r.body)
	}
	var p problem
	if err := json.Unmarshal(r.body, &p); err != nil {
		t.Fatalf("problem: %v in %.200s", err, r.body)
	}
	if p.Status != r.status || p.Type != "about:blank" || p.Title == "" || p.Detail == "" || p.Code == "" {
		t.Errorf("incomplete problem %+v for status %d", p, r.status)
	}
	return p
}

func (r *reply) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		t.Fatalf("answer: %v in %.200s", err, r.body)
	}
}

// send makes one request; token "" sends none, headers are name, value pairs.
func (s *site) send(method, path, token, body string, headers ...string) *reply {
	s.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, s.url+path, in)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header[headers[i]] = []string{headers[i+1]}
	}
	return s.do(req)
}

func (s *site) do(req *http.Request) *reply {
	s.t.Helper()
	client := &http.Client{Timeout: 2 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		s.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	return &reply{resp.StatusCode, resp.Header, b.Bytes()}
}
