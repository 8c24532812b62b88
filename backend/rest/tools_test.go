package rest

import (
	"context"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// ChangedTools, Tool and AcceptTool are of a server pinned with one tool, whose name has a
// slash.
func (f *fakeDesk) ChangedTools(server string) []string {
	if server == "pinned" {
		return []string{"a/b"}
	}
	return nil
}

func (f *fakeDesk) Tool(_ context.Context, server, name string) (permission.KeptTool, error) {
	if server != "pinned" || name != "a/b" {
		return permission.KeptTool{}, permission.NotFound("tool")
	}
	return permission.KeptTool{ServerID: server, ToolName: name, Change: permission.ChangedDefinition,
		Before: permission.ToolText{Hash: "h1", Text: "one\n"}, After: permission.ToolText{Hash: "h2", Text: "two\n"}}, f.did("Tool")
}

func (f *fakeDesk) AcceptTool(ctx context.Context, server, name string, shown permission.SeenTool) (permission.KeptTool, error) {
	kept, err := f.Tool(ctx, server, name)
	if shown.Definition != nil && *shown.Definition != "h2" || shown.Launch != nil && *shown.Launch != "" || shown.Back != nil && *shown.Back {
		return kept, &permission.Error{Code: permission.CodeStale, Message: "this tool changed again since it was shown"}
	}
	kept.Change = ""
	return kept, err
}

// AcceptTools takes the one tool.
func (f *fakeDesk) AcceptTools(ctx context.Context, server string, shown map[string]permission.ShownTool) (accepted []string, err error) {
	for name, s := range shown {
		if _, err := f.AcceptTool(ctx, server, name,
			permission.SeenTool{Definition: &s.Definition, Launch: &s.Launch, Back: &s.Back}); err != nil {
			return nil, err
		}
		accepted = append(accepted, name)
	}
	return accepted, nil
}

// SetToolLevel gives the one tool a risk.
func (f *fakeDesk) SetToolLevel(ctx context.Context, server, name string, level permission.Risk) (permission.KeptTool, error) {
	kept, err := f.Tool(ctx, server, name)
	if level != "" {
		kept.Level = &permission.ToolLevel{ToolName: name, Risk: level, At: 1}
	}
	return kept, err
}

// ToolLevels has a level that is void.
func (f *fakeDesk) ToolLevels(server string) []permission.ToolLevel {
	if server != "pinned" {
		return nil
	}
	return []permission.ToolLevel{{ToolName: "a/b", Risk: permission.RiskLow, At: 1, Void: true}}
}

func TestToolsAreGivenARisk(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"/v1/servers/pinned/tools/a%2Fb/risk", `{"risk":"medium"}`, 200, `"risk":"medium"`},
		{"/v1/servers/pinned/tools/a%2Fb/risk", `{"risk":null}`, 200, `"risk":null`},
		{"/v1/servers/pinned/tools/a%2Fb/risk", `{"risk":"none"}`, 422, `risk`},
		{"/v1/servers/pinned/tools/a%2Fb/risk", `{}`, 422, `risk`},
		{"/v1/servers/pinned/tools/a%2Fb/risk", `{"risk":"low","at":1}`, 422, `at`},
		{"/v1/servers/pinned/tools/a/risk", `{"risk":"low"}`, 404, `not_found`},
	} {
		if r := s.send("PUT", c.path, tokenOp, c.body); r.status != c.status || !strings.Contains(string(r.body), c.says) {
			t.Errorf("%s %s: %d %s", c.path, c.body, r.status, r.body)
		}
	}
	s.desk.servers = []permission.Server{{ID: "pinned", Transport: permission.TransportStdio, Command: "x"}}
	if r := s.send("GET", "/v1/servers", tokenOp, ""); !strings.Contains(string(r.body),
		`"toolLevels":[{"toolName":"a/b","risk":"low","at":"1970-01-01T00:00:00.001Z","void":true}]`) {
		t.Errorf("%s", r.body)
	}
	if r := s.send("PUT", "/v1/servers/pinned/tools/a%2Fb/risk", tokenA, `{"risk":"low"}`); r.status != 403 {
		t.Errorf("an agent sets a risk: %d", r.status)
	}
}

func TestChangedToolsAreAcceptedTogether(t *testing.T) {
	s := newSite(t, nil)
	const seen = `{"name":"a/b","definition":"h2","launch":"","back":false}`
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		`{"tools":[` + seen + `]}`:                                             {200, `{"accepted":["a/b"]}`},
		`{"tools":[` + seen + `,` + seen + `]}`:                                {422, `"field":"tools[1].name"`},
		`{"tools":[{"name":"a/b","definition":"h1","launch":""}]}`:             {409, `"code":"stale"`},
		`{"tools":[{"name":"a/b","definition":"h2","launch":"x"}]}`:            {409, `"code":"stale"`},
		`{"tools":[{"name":"a/b","definition":"h2","launch":"","back":true}]}`: {409, `"code":"stale"`},
		`{"tools":[` + seen + `,{"name":"c","definition":"h2","launch":""}]}`:  {404, `"code":"not_found"`},
		`{"tools":[{"name":"a/b","launch":""}]}`:                               {422, `definition`},
		`{"tools":[{"name":"a/b","definition":"h2"}]}`:                         {422, `launch`},
		`{"tools":[]}`: {422, `tools`},
		`{}`:           {422, `tools`},
	} {
		if got := s.send("POST", "/v1/servers/pinned/tools/accept", tokenOp, body); got.status != want.status ||
			!strings.Contains(string(got.body), want.says) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestAChangedToolIsShownAndAccepted(t *testing.T) {
	s := newSite(t, nil)
	s.desk.servers = []permission.Server{{ID: "pinned", Transport: permission.TransportStdio, Command: "x"},
		{ID: "other", Transport: permission.TransportStdio, Command: "x"}}
	if got := s.send("GET", "/v1/servers", tokenOp, ""); !strings.Contains(string(got.body), `"changedTools":["a/b"]`) ||
		!strings.Contains(string(got.body), `"changedTools":[]`) {
		t.Errorf("%s", got.body)
	}
	const path = "/v1/servers/pinned/tools/a%2Fb"
	var answer struct{ Tool permission.ToolLook }
	got := s.send("GET", path, tokenOp, "")
	if got.into(t, &answer); got.status != 200 || answer.Tool.Changed != permission.ChangedDefinition ||
		answer.Tool.Definition.After != "h2" || len(answer.Tool.Definition.Lines) != 2 ||
		!strings.Contains(string(got.body), `"launch":null`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	for body, status := range map[string]int{"": 200, "{}": 200, `{"definition":"h2"}`: 200, `{"definition":"h1"}`: 409,
		`{"definition":""}`: 409, `{"launch":"x"}`: 409, `{"back":true}`: 409, `{"definition":"h2","launch":"","back":false}`: 200,
		`{"hash":"h2"}`: 422} {
		if got := s.send("POST", path+"/accept", tokenOp, body); got.status != status {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/servers/pinned/tools/a/accept", tokenOp, ""); got.status != 404 {
		t.Errorf("another tool: %d", got.status)
	}
}

// What was read can be written.
func TestChangedToolsAreReadOnly(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("PUT", "/v1/servers", tokenOp,
		`{"servers":[{"id":"a","command":"b","tools":["x"],"changedTools":["x"]}]}`); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// FlaggedTools and ToolFlags are of a server with one tool whose name hides a character.
func (f *fakeDesk) FlaggedTools(server string) []permission.FlaggedTool {
	if server != "fs" {
		return nil
	}
	return f.ToolFlags([]permission.OfferedTool{{Name: "read\u200b"}})
}

func (f *fakeDesk) ToolFlags(offered []permission.OfferedTool) (flagged []permission.FlaggedTool) {
	for _, o := range offered {
		if strings.Contains(o.Name, "\u200b") {
			flagged = append(flagged, permission.FlaggedTool{ToolName: o.Name,
				Flags: []permission.TextFlag{{At: "/name", Kind: permission.TextHidden, Count: 1, Characters: []string{"U+200B"}}}})
		}
	}
	return flagged
}
