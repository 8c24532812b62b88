package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// session is a browser's token.
func (s *site) session() string {
	s.t.Helper()
	o, now := s.door.opts.Operator, s.door.opts.Now()
	token, ok, _ := o.login(code(s.t, o.LoginURL("", now)), now)
	if !ok {
		s.t.Fatal("a fresh code does not work")
	}
	return token
}

// TestABrowserMustHaveTheCallInView goes through the door, by the desk's clock.
func TestABrowserMustHaveTheCallInView(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	mine, other := s.session(), s.session()
	yes := func(token, more string, status int) {
		t.Helper()
		before := s.desk.counts["Decide"]
		got := s.send("POST", "/v1/calls/call-a/decision", token, `{"approved":true,"rev":3,"inputHash":"sha256:00"`+more+`}`)
		if got.status != status || (s.desk.counts["Decide"] > before) != (status == 200) {
			t.Errorf("%d %s, want %d", got.status, got.body, status)
		}
		if status == 409 {
			if p := got.problem(t); p.Code != "not_armed" || p.Call == nil || p.Call.ID != "call-a" || !strings.Contains(p.Detail, "in view") {
				t.Errorf("%s", got.body)
			}
		}
	}
	attend := func(token, body string, status int, code permission.Code) {
		t.Helper()
		got := s.send("POST", "/v1/attention", token, body)
		if got.status != status || status != 204 && got.problem(t).Code != code {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	yes(tokenOp, "", 200) // a token of the person's own programs
	yes(mine, "", 409)
	if got := s.send("POST", "/v1/calls/call-a/decision", mine, `{"approved":false,"rev":3,"inputHash":"sha256:00"}`); got.status != 200 {
		t.Errorf("a decline needs nothing: %d %s", got.status, got.body)
	}
	attend(tokenOp, `{"callId":"call-a","rev":3}`, 204, "")
	attend(other, `{"callId":"call-a","rev":3}`, 204, "")
	attend(mine, `{"callId":"call-a","rev":3}`, 204, "")
	now = now.Add(699 * time.Millisecond)
	yes(mine, "", 409)
	now = now.Add(time.Millisecond)
	yes(mine, "", 200)
	call := s.desk.calls["call-a"]
	call.Rev = 5 // of what is shown, nothing changed
	s.desk.calls["call-a"] = call
	yes(mine, "", 200)
	call.Rev = 3
	s.desk.calls["call-a"] = call
	attend(mine, `{"callId":null,"rev":0}`, 204, "")
	yes(mine, "", 200)

	attend(other, `{"callId":"call-a","rev":2}`, 409, permission.CodeStale) // takes the earlier one back, unless it was full
	attend(other, `{"callId":"call-b","rev":1}`, 204, "")
	attend(other, `{"callId":"nope","rev":1}`, 404, permission.CodeNotFound)
	attend(other, `{"callId":"call-a","rev":3}`, 204, "")
	now = now.Add(699 * time.Millisecond)
	attend(other, `{"callId":"call-a","rev":4}`, 409, permission.CodeStale)
	now = now.Add(time.Millisecond)
	yes(other, "", 409)

	for _, body := range []string{`{}`, `{"callId":"call-a"}`, `{"rev":1}`, `{"callId":5,"rev":1}`, `{"callId":"call-a","rev":-1}`,
		`{"callId":"call-a","rev":1.5}`, `{"callId":"call-a","rev":null}`} {
		attend(mine, body, 422, permission.CodeInvalid)
	}
	attend(tokenA, `{"callId":"call-a","rev":3}`, 403, permission.CodeForbidden)
}

// TestWhatAFaceSaysOfAnOutdatedCall: the desk itself refuses it, in its own words; a
// rev that does not exist yet gets nowhere.
func TestWhatAFaceSaysOfAnOutdatedCall(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	mine := s.session()
	for rev, want := range map[int]int{2: 200, 3: 409, 4: 409} { // the fake desk takes all that reaches it
		if got := s.send("POST", "/v1/calls/call-a/decision", mine,
			fmt.Sprintf(`{"approved":true,"inputHash":"h","rev":%d}`, rev)); got.status != want {
			t.Errorf("pending, rev %d: %d %s", rev, got.status, got.body)
		}
	}
	c := s.desk.calls["call-a"]
	c.Status = permission.Approved
	s.desk.calls["call-a"] = c
	for rev, want := range map[int]int{2: 200, 3: 200, 4: 409} {
		if got := s.send("POST", "/v1/calls/call-a/decision", mine,
			fmt.Sprintf(`{"approved":true,"inputHash":"h","rev":%d}`, rev)); got.status != want {
			t.Errorf("approved, rev %d: %d %s", rev, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/attention", mine, `{"callId":"call-a","rev":1}`); got.status != 204 {
		t.Errorf("what waits no more: %d %s", got.status, got.body)
	}
	c.Status, now = permission.Pending, now.Add(time.Minute)
	s.desk.calls["call-a"] = c
	if got := s.send("POST", "/v1/calls/call-a/decision", mine, `{"approved":true,"inputHash":"h","rev":3}`); got.status != 409 {
		t.Errorf("armed by what waited no more: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/calls/nope/decision", mine, goodDecision); got.status != 404 {
		t.Errorf("unknown: %d", got.status)
	}
}
