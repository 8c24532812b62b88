package rest

import (
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestADemonstrationOfARealDesk is approved like any call and then says its greeting.
func TestADemonstrationOfARealDesk(t *testing.T) {
	s, agent := newWhole(t)
	c := s.call(s.send("POST", "/v1/demo", tokenOp, ""))
	if c.Status != permission.Pending || c.AgentName != "sekisho-demo" {
		t.Fatalf("got %+v", c)
	}
	if again := s.call(s.send("POST", "/v1/demo", tokenOp, "")); again.ID != c.ID {
		t.Errorf("a second one waits beside it: %+v", again)
	}
	path := "/v1/calls/" + string(c.ID)
	if got := s.send("GET", path, agent, ""); got.status != 404 {
		t.Errorf("another agent sees it: %d", got.status)
	}
	if got := s.send("POST", path+"/decision", tokenOp, `{"approved":true,"rev":1,"inputHash":"`+c.InputHash+`"}`); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		done := s.call(s.send("GET", path, tokenOp, ""))
		if done.Status == permission.Completed && string(done.Result) == string(done.Input) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it is %s with %s", done.Status, done.Result)
		}
	}
	for _, row := range []string{"/v1/demo", "/v1/servers/test", "/v1/attention"} {
		if got := s.send("POST", row, agent, "{}"); got.status != 403 {
			t.Errorf("%s by an agent: %d", row, got.status)
		}
	}
}

// TestADemonstrationEndsWithTheDoor, is played once, and not after the end.
func TestADemonstrationEndsWithTheDoor(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("POST", "/v1/demo", tokenOp, ""); got.status != 200 || s.call(got).ID != "call-a" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	s.desk.repeat = true // it waits still
	if got := s.send("POST", "/v1/demo", tokenOp, "{}"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	played := func() int {
		s.desk.mu.Lock()
		defer s.desk.mu.Unlock()
		return s.desk.counts["PlayDemo call-a"]
	}
	for end := time.Now().Add(5 * time.Second); played() == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	s.door.Close()
	if s.desk.counts["PlayDemo ended"] != 1 || played() != 1 {
		t.Errorf("after the end: %v", s.desk.counts)
	}
	s.desk.repeat = false
	if got := s.send("POST", "/v1/demo", tokenOp, ""); got.status != 200 || played() != 1 {
		t.Errorf("after the end: %d, %v", got.status, s.desk.counts)
	}
}
