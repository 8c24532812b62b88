package rest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// fakeClients knows one file, cursor-1, and counts what it is asked.
type fakeClients struct {
	asked int
	fail  error
}

// Clients lists the file with something of all that an answer can have.
func (f *fakeClients) Clients(_ context.Context, choice ClientChoice) (ClientList, error) {
	f.asked++
	if !choice.Hooks {
		return ClientList{Machine: "without hooks, with " + strings.Join(choice.Carry, "+")}, f.fail
	}
	first := permission.Time(1_000)
	line := permission.DiffLine{Kind: permission.LineAdded, Text: "<x>", New: 1}
	return ClientList{Machine: "here", Program: "/bin/sekisho", Leftovers: []string{"old"}, Files: []ClientFile{
		{ID: "cursor-1", Client: "cursor", Name: "Cursor", Path: "/home/x/.cursor/mcp.json", State: "partly",
			Entries: []ClientEntry{{Key: "a", State: "direct", Off: true, ServerID: "a", Likely: []string{"A_TOKEN"}, Limit: "t"},
				{Key: "b", State: "left", Reason: "it does", Why: &ClientObstacle{Code: "signs_in", Field: "auth"}}},
			Move: &ClientMove{Shown: "s1", Difference: ClientDifference{Added: 1, Lines: []permission.DiffLine{line}}},
			Back: &ClientBack{Shown: "s2", Forced: true,
				Entries: []ClientReturn{{Key: "a", Outcome: "conflict", Reason: "its args was changed since",
					Why: &ClientObstacle{Code: "field_changed", Field: "args"}}}}},
		{ID: "zed-2", State: "broken", Error: "this file is empty"},
	}, Apps: []ClientApp{
		{Client: "cursor", Name: "Cursor", Found: true, Unasked: []string{"runs_commands"}, FirstAt: &first}, {Client: "zed"},
	}}, f.fail
}

// Connect takes "s1".
func (f *fakeClients) Connect(_ context.Context, id, shown string, choice ClientChoice) (ClientConnected, error) {
	return ClientConnected{Moved: 1 + len(choice.Carry), Hooks: choice.Hooks}, f.take(id, shown == "s1")
}

// Try takes "s1".
func (f *fakeClients) Try(_ context.Context, id, shown string, _ ClientChoice) ([]ClientTrial, error) {
	return []ClientTrial{{Key: "a", ServerID: "a", Tools: 2, Seconds: 0.5}, {Key: "b", Error: "it ended"}}, f.take(id, shown == "s1")
}

// Prove finds a server that is another behind the desk.
func (f *fakeClients) Prove(_ context.Context, id string) ([]ClientProof, error) {
	return []ClientProof{{ClientTrial: ClientTrial{Key: "a", Tools: 2}, State: "different", Changed: []string{"x"}}}, f.take(id, true)
}

// Disconnect takes "s2", and needs force for "s3".
func (f *fakeClients) Disconnect(_ context.Context, id, shown string, force bool) (ClientDisconnected, error) {
	if shown == "s3" && !force {
		return ClientDisconnected{}, &permission.Error{Code: "changed_since", Message: "by force only"}
	}
	return ClientDisconnected{Removed: []string{"a"}}, f.take(id, shown == "s2" || shown == "s3")
}

// Check finds a fault.
func (f *fakeClients) Check(_ context.Context, id string) (ClientCheck, error) {
	return ClientCheck{Client: "cursor", Name: "Cursor", State: "open",
		Reasons: []ClientFault{{Code: "no_hook", Repair: "connect it"}}}, f.take(id, true)
}

// RemoveLeftovers takes "old" alone.
func (f *fakeClients) RemoveLeftovers(_ context.Context, servers []string) (ClientDisconnected, error) {
	return ClientDisconnected{Removed: servers}, f.take("cursor-1", len(servers) == 1 && servers[0] == "old")
}

func (f *fakeClients) take(id string, same bool) error {
	f.asked++
	switch {
	case id != "cursor-1":
		return permission.NotFound("file of a client")
	case !same:
		return &permission.Error{Code: permission.CodeStale, Message: "it changed"}
	}
	return f.fail
}

func TestClientsAreListedConnectedAndPutBack(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("GET", "/v1/connections", tokenOp, "")
	for _, want := range []string{`"machine":"here"`, `"leftovers":["old"]`,
		`{"key":"a","folder":"","state":"direct","off":true,"reason":"","why":null,"hook":false,"serverId":"a","missesLikely":["A_TOKEN"],"missesOthers":[],"limit":"t"}`,
		`"reason":"it does","why":{"code":"signs_in","field":"auth","name":"","value":""}`,
		`"move":{"shown":"s1","difference":{"added":1,"removed":0,"lines":[{"kind":"added","text":"<x>"`,
		`{"key":"a","outcome":"conflict","reason":"its args was changed since","why":{"code":"field_changed","field":"args","name":"","value":""}}`, `"error":"","why":null,"exact":false`, `"theirs":{"added":0,"removed":0,"lines":[]`, `"state":"broken","error":"this file is empty","entries":[],"move":null,"back":null`} {
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%s is not in %s", want, got.body)
		}
	}
	if got := s.send("GET", "/v1/connections?hooks=false&carry=A,B", tokenOp, ""); !strings.Contains(string(got.body),
		"without hooks, with A+B") {
		t.Errorf("%s", got.body)
	}
	const file = "/v1/connections/cursor-1"
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{file + "/connect", `{"shown":"s1"}`, 200, `{"moved":1,"hooks":true,"left":[]}`},
		{file + "/connect", `{"shown":"s1","hooks":false}`, 200, `"hooks":false`}, {file + "/connect", `{"shown":"old"}`, 409, `"code":"stale"`},
		{file + "/connect", `{"shown":"s1","carry":["A_TOKEN"],"limits":true}`, 200, `{"moved":2,"hooks":true,"left":[]}`},
		{file + "/connect", `{"shown":"s1","carry":null}`, 422, `"field":"carry"`},
		{file + "/try", `{"shown":"s1","carry":["A_TOKEN"]}`, 200,
			`{"servers":[{"key":"a","serverId":"a","tools":2,"seconds":0.5,"error":""},{"key":"b","serverId":"","tools":0,"seconds":0,"error":"it ended"}]}`},
		{file + "/try", `{"shown":"old"}`, 409, `"code":"stale"`}, {"/v1/connections/none/try", `{"shown":"s1"}`, 404, `"code":"not_found"`},
		{file + "/prove", ``, 200,
			`{"servers":[{"key":"a","serverId":"","tools":2,"seconds":0,"error":"","state":"different","missing":[],"added":[],"changed":["x"]}]}`},
		{"/v1/connections/none/prove", ``, 404, `"code":"not_found"`},
		{file + "/connect", `{}`, 422, `"field":"shown"`},
		{file + "/disconnect", `{"shown":"s2"}`, 200, `{"removed":["a"],"kept":[]}`},
		{file + "/disconnect", `{"shown":"s3"}`, 409, `"code":"changed_since"`},
		{file + "/disconnect", `{"shown":"s3","force":true}`, 200, `"removed"`},
		{file + "/disconnect", `{"shown":"old","force":true}`, 409, `"code":"stale"`},
		{file + "/disconnect", `{"shown":"s2","force":1}`, 422, `"field":"force"`},
		{file + "/check", ``, 200, `"state":"open","reasons":[{"code":"no_hook","path":"","detail":"","repair":"connect it"}]`},
		{"/v1/connections/none/check", ``, 404, `"code":"not_found"`},
		{"/v1/connections/none/connect", `{"shown":"s1"}`, 404, `"code":"not_found"`},
		{"/v1/connections/leftovers/remove", `{"servers":["old"]}`, 200, `{"removed":["old"],"kept":[]}`},
		{"/v1/connections/leftovers/remove", `{"servers":["old","new"]}`, 409, `"code":"stale"`},
		{"/v1/connections/leftovers/remove", `{"servers":[]}`, 422, `"field":"servers"`},
		{"/v1/connections/leftovers/remove", `{}`, 422, `"field":"servers"`},
	} {
		if got := s.send("POST", c.path, tokenOp, c.body); got.status != c.status || !strings.Contains(string(got.body), c.says) {
			t.Errorf("%s %s: %d %s", c.path, c.body, got.status, got.body)
		}
	}
}

// TestAnAgentReachesNoClients: it is refused before any file is looked at.
func TestAnAgentReachesNoClients(t *testing.T) {
	clients := &fakeClients{}
	s := newSite(t, func(o *Options) { o.Connections = clients })
	for _, row := range []string{"GET /v1/connections", "POST /v1/connections/cursor-1/connect", "POST /v1/connections/none/connect",
		"POST /v1/connections/cursor-1/disconnect", "POST /v1/connections/cursor-1/try", "POST /v1/connections/cursor-1/prove",
		"POST /v1/connections/cursor-1/check", "POST /v1/connections/leftovers/remove"} {
		method, path, _ := strings.Cut(row, " ")
		for _, body := range []string{"", `{"shown":"s1"}`, "{"} {
			if got := s.send(method, path, tokenA, body); got.status != 403 || got.problem(t).Code != permission.CodeForbidden {
				t.Errorf("%s %s: %d %s", row, body, got.status, got.body)
			}
		}
	}
	if clients.asked > 0 {
		t.Errorf("%d questions were asked", clients.asked)
	}
}

func TestFaultsOfClientsAreNotTold(t *testing.T) {
	clients := &fakeClients{fail: errors.New("open /home/x/.cursor/secret")}
	s := newSite(t, func(o *Options) { o.Connections = clients })
	if got := s.send("GET", "/v1/connections", tokenOp, ""); got.status != 500 || got.problem(t).Code != codeInternal ||
		strings.Contains(string(got.body), "secret") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestADoorWithoutClientsListsNone(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Connections = nil })
	if got := s.send("GET", "/v1/connections", tokenOp, ""); got.status != 200 ||
		strings.TrimSpace(string(got.body)) != `{"machine":"","program":"","files":[],"apps":[],"leftovers":[]}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/connections/leftovers/remove", tokenOp, `{"servers":["a"]}`); got.status != 404 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/connections/cursor-1/connect", tokenOp, `{"shown":"s1"}`); got.status != 404 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
