package rest

import (
	"context"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// fakeSignIns is a sign-in that waits as soon as it is begun.
type fakeSignIns struct{ waits map[string]bool }

func newSignIns() *fakeSignIns { return &fakeSignIns{map[string]bool{}} }

func (f *fakeSignIns) Begin(_ context.Context, s permission.Server) (permission.SignIn, error) {
	if s.Transport != permission.TransportHTTP {
		return permission.SignIn{}, permission.Invalid("transport", "only a server over HTTP can ask for a sign-in")
	}
	f.waits[s.ID] = true
	return f.SignIn(s), nil
}

func (f *fakeSignIns) SignIn(s permission.Server) permission.SignIn {
	if !f.waits[s.ID] {
		return permission.SignIn{State: permission.SignedOut}
	}
	return permission.SignIn{State: permission.SignInWaiting, Issuer: "https://auth.example", URL: "https://auth.example/authorize?x=1"}
}

func (f *fakeSignIns) SignOut(id string) error { delete(f.waits, id); return nil }

func TestSigningIn(t *testing.T) {
	s := newSite(t, nil)
	const waits, none = `{"state":"waiting","issuer":"https://auth.example","url":"https://auth.example/authorize?x=1","error":""}`, `{"state":"none","issuer":"","url":"","error":""}`
	for _, step := range []struct{ method, want string }{{"GET", none}, {"POST", waits}, {"GET", waits}, {"DELETE", none}, {"GET", none}} {
		if got := s.send(step.method, "/v1/servers/far/sign-in", tokenOp, ""); got.status != 200 || strings.TrimSpace(string(got.body)) != `{"signIn":`+step.want+`}` {
			t.Errorf("%s: %d %s", step.method, got.status, got.body)
		}
	}
	s.send("POST", "/v1/servers/far/sign-in", tokenOp, "")
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
