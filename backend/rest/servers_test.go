package rest

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestTheListOfServersIsGuardedAgainstLostUpdates(t *testing.T) {
	s := newSite(t, nil)
	s.desk.servers = []permission.Server{{ID: "a", Transport: permission.TransportStdio, Command: "x"}}
	got := s.send("GET", "/v1/servers", tokenOp, "")
	if etag := got.header.Get("ETag"); etag != `"v9"` || !strings.Contains(string(got.body), `"version":"v9"`) {
		t.Errorf("ETag %s, %s", etag, got.body)
	}
	for ifMatch, status := range map[string]int{`"v8"`: 412, `v9`: 412, `"v9`: 412, `""`: 412, `W/"v9"`: 412, `"v9"`: 200, `*`: 200, ``: 412,
		`"v8", "v9"`: 200, `"v7", "v8"`: 412} {
		before := s.desk.counts["ReplaceServers"]
		answer := s.send("PUT", "/v1/servers", tokenOp, string(got.body), "If-Match", ifMatch)
		if answer.status != status || status == 412 &&
			(answer.problem(t).Code != permission.CodeLostUpdate || s.desk.counts["ReplaceServers"] != before) {
			t.Errorf("If-Match %s: %d %s", ifMatch, answer.status, answer.body)
		}
		if answer.status == 200 && answer.header.Get("ETag") != `"v9"` {
			t.Errorf("If-Match %s: ETag %s", ifMatch, answer.header.Get("ETag"))
		}
	}
}
