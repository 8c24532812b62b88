package rest

import (
	"context"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// fakeSignIns is a sign-in that waits as soon as it is begun.
type fakeSignIns struct {
	waits  map[string]bool
	client *permission.SignInClient // what the last one that began said
}

func newSignIns() *fakeSignIns { return &fakeSignIns{waits: map[string]bool{}} }

func (f *fakeSignIns) Begin(_ context.Context, s permission.Server, as *permission.SignInClient) (permission.SignIn, error) {
	if s.Transport != permission.TransportHTTP {
		return permission.SignIn{}, permission.Invalid("transport", permission.FieldOther, "only a server over HTTP can ask for a sign-in")
	}
	f.waits[s.ID], f.client = true, as
	return f.SignIn(s), nil
}

func (f *fakeSignIns) SignIn(s permission.Server) permission.SignIn {
	if !f.waits[s.ID] {
		return permission.SignIn{State: permission.SignedOut}
	}
	return permission.SignIn{State: permission.SignInWaiting, Issuer: "https://auth.example", URL: "https://auth.example/authorize?x=1",
		Wants: []string{"write"}, Client: f.client}
}

func (f *fakeSignIns) SignOut(_ context.Context, id string) (permission.SignIn, error) {
	delete(f.waits, id)
	return permission.SignIn{State: permission.SignedOut, Issuer: "https://auth.example", Error: "not taken back", Client: f.client}, nil
}

func TestSigningIn(t *testing.T) {
	s := newSite(t, nil)
	const waits,
		none = `{"state":"waiting","issuer":"https://auth.example","url":"https://auth.example/authorize?x=1","error":"","wants":["write"]}`,
		`{"state":"none","issuer":"","url":"","error":"","wants":[]}`
	const out = `{"state":"none","issuer":"https://auth.example","url":"","error":"not taken back","wants":[]}`
	for _, step := range []struct{ method, want string }{{"GET", none}, {"POST", waits}, {"GET", waits}, {"DELETE", out}, {"GET", none}} {
		if got := s.send(step.method, "/v1/servers/far/sign-in", tokenOp, ""); got.status != 200 ||
			strings.TrimSpace(string(got.body)) != `{"signIn":`+step.want+`}` {
			t.Errorf("%s: %d %s", step.method, got.status, got.body)
		}
	}
	const client = `"client":{"id":"mine","secret":"hush","scopes":["a","b"],"callbackPort":7777}`
	if got := s.send("POST", "/v1/servers/far/sign-in", tokenOp, `{`+client+`}`); got.status != 200 ||
		!strings.Contains(string(got.body), client) {
		t.Errorf("with a client: %d %s", got.status, got.body)
	}
	if got := s.send("DELETE", "/v1/servers/far/sign-in", tokenOp, ""); got.status != 200 ||
		!strings.Contains(string(got.body), `"state":"none"`) || !strings.Contains(string(got.body), client) {
		t.Errorf("signed out, with a client that stays: %d %s", got.status, got.body)
	}
	for _, body := range []string{`{"client":{}}`, `{"client":{"id":7}}`, `{"client":{"id":"a","key":"b"}}`, `{"clientId":"a"}`,
		`{"client":null}`} {
		if got := s.send("POST", "/v1/servers/far/sign-in", tokenOp, body); got.status != 422 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	s.send("POST", "/v1/servers/far/sign-in", tokenOp, "{}")
	if got := s.send("GET", "/v1/servers", tokenOp, ""); !strings.Contains(string(got.body), `"signIn":`+waits) {
		t.Errorf("the list: %s", got.body)
	}
	s.desk.servers = append(s.desk.servers, permission.Server{ID: "near", Transport: permission.TransportStdio, Command: "x"})
	if got := s.send("POST", "/v1/servers/near/sign-in", tokenOp, ""); got.status != 422 {
		t.Errorf("a process: %d %s", got.status, got.body)
	}
	s = newSite(t, func(o *Options) { o.SignIns = nil })
	if got := s.send("POST", "/v1/servers/far/sign-in", tokenOp, ""); got.status != 503 {
		t.Errorf("a desk that signs in nowhere: %d %s", got.status, got.body)
	}
	if got := s.send("GET", "/v1/servers/far/sign-in", tokenOp, ""); got.status != 200 || !strings.Contains(string(got.body), none) {
		t.Errorf("%d %s", got.status, got.body)
	}
}
