package rest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestAServerIsTried(t *testing.T) {
	var tried permission.Server
	var tools []permission.OfferedTool
	words, fault := "hello\n", error(nil)
	s := newSite(t, func(o *Options) {
		o.TestServer = func(_ context.Context, s permission.Server) ([]permission.OfferedTool, string, error) {
			tried = s
			return tools, words, fault
		}
	})
	const body = `{"server":{"id":"a","command":"b","args":["c"],"env":{"KEY":"********"},"cwd":"/d","enabled":false}}`
	for _, c := range []struct {
		tools []permission.OfferedTool
		fault error
		want  string
	}{
		{[]permission.OfferedTool{{Name: "read"}, {Name: "write"}}, nil,
			`{"ok":true,"tools":["read","write"],"flaggedTools":[],"error":"","stderr":"hello\n"}`},
		{nil, nil, `{"ok":true,"tools":[],"flaggedTools":[],"error":"","stderr":"hello\n"}`},
		{[]permission.OfferedTool{{Name: "read\u200b"}}, nil, "{\"ok\":true,\"tools\":[\"read\u200b\"]," +
			`"flaggedTools":[{"toolName":"read` + "\u200b" +
			`","flags":[{"at":"/name","kind":"hidden","count":1,"characters":["U+200B"],"looksLike":""}]}],"error":"","stderr":"hello\n"}`},
		{nil, errors.New("it ended"), `{"ok":false,"tools":[],"flaggedTools":[],"error":"it ended","stderr":"hello\n"}`},
	} {
		tools, fault = c.tools, c.fault
		if got := s.send("POST", "/v1/servers/test", tokenOp, body); got.status != 200 || strings.TrimSpace(string(got.body)) != c.want {
			t.Errorf("%d %s, want %s", got.status, got.body, c.want)
		}
		if tried.Command != "b" || tried.Args[0] != "c" || tried.Cwd != "/d" || tried.Env["KEY"] != "unmasked" {
			t.Errorf("tried %+v", tried)
		}
	}
	if s.desk.counts["ReplaceServers"] > 0 {
		t.Error("it was saved")
	}
	tried = permission.Server{}
	for body, field := range map[string]string{
		`{"server":{"id":"bad id","command":"b"}}`: "server.id", `{"server":{"id":"a","transport":"pipe","command":"b"}}`: "server.transport",
		`{}`:                         "server",
		`{"server":{"command":"b"}}`: "server.id", `{"server":{"id":"a","command":5}}`: "server.command", `{"server":null}`: "server",
	} {
		if got := s.send("POST", "/v1/servers/test", tokenOp, body); got.status != 422 || got.problem(t).Field != field {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if tried.ID != "" {
		t.Errorf("tried %+v", tried)
	}
}

func TestADoorWithoutServersSaysSo(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("POST", "/v1/servers/test", tokenOp, `{"server":{"id":"a","command":"b"}}`); got.status != 200 ||
		!strings.Contains(string(got.body), `"ok":false`) || !strings.Contains(string(got.body), "starts no servers") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
