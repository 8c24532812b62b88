package rest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestLook(t *testing.T) {
	var asked permission.Call
	var fail error
	at := "/bin/rm"
	full := permission.Look{
		Summary: permission.Summary{Code: permission.SummaryRuns, Params: permission.Param("count", 1), Text: "runs",
			Programs: []permission.ProgramSummary{{Program: "rm", Effects: []permission.PartEffect{permission.EffectDeletes}}},
			Rest:     []permission.PartEffect{}},
		File: &permission.FileLook{Path: "a", Resolved: "/w/a", State: permission.FileChanged, Code: "links", Reason: "r", Version: "v", Size: 3,
			Added: 1, Removed: 1, More: 2,
			Lines: []permission.DiffLine{{Kind: permission.LineRemoved, Text: "<&>\u202e", Old: 1, Ending: permission.EndingCRLF},
				{Kind: permission.LineGap, Count: 7}}},
		Command: &permission.CommandLook{Text: "rm x", Parsed: true, Cwd: "/w",
			Lines:    [][]permission.CommandPiece{{{Kind: permission.PieceProgram, Text: "rm"}}},
			Parts:    []permission.CommandPart{{Name: "rm", Effects: []permission.PartEffect{permission.EffectDeletes}, Writes: []string{}}},
			Programs: []permission.Program{{Word: "rm", Path: &at}, {Word: "$X"}}, More: 4, DeskPath: true},
		Last: &permission.LastLook{CallID: "before", DecidedAt: 1_700_000_000_000, Cwd: &at,
			Changed: []permission.Earlier{{Key: "n", Before: "9007199254740993", Cut: true}},
			Added:   []string{"k"}, Removed: []permission.Earlier{}},
	}
	s := newSite(t, func(o *Options) {
		o.Look = func(_ context.Context, c permission.Call) (permission.Look, error) {
			asked = c
			return full, fail
		}
	})
	got := s.send("GET", "/v1/calls/call-a/look", tokenOp, "")
	if got.status != 200 || asked.ID != "call-a" || string(asked.Input) != string(rawInput) {
		t.Fatalf("%d %s for %+v", got.status, got.body, asked)
	}
	const want = `{"summary":{"code":"runs","params":{"count":1},"programs":[{"program":"rm","effects":["deletes"]}],"rest":[],"text":"runs"},"file":{"path":"a","resolved":"/w/a","state":"changed","code":"links","reason":"r","version":"v","size":3,"added":1,"removed":1,` +
		`"lines":[{"kind":"removed","text":"<&>` + "\u202e" +
		`","old":1,"new":0,"count":0,"ending":"crlf"},{"kind":"gap","text":"","old":0,"new":0,"count":7,"ending":""}],"more":2},` +
		`"command":{"text":"rm x","parsed":true,"error":"","argv":false,"lines":[[{"kind":"program","text":"rm"}]],"parts":[{"name":"rm","effects":["deletes"],"writes":[]}],"programs":[{"word":"rm","path":"/bin/rm"},{"word":"$X","path":null}],"more":4,"deskPath":true,"cwd":"/w"},` +
		`"last":{"callId":"before","decidedAt":"2023-11-14T22:13:20.000Z","same":false,"cwd":"/bin/rm","changed":[{"key":"n","before":"9007199254740993","cut":true}],"added":["k"],"removed":[]},"flags":[]}`
	if strings.TrimSpace(string(got.body)) != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	doc, _ := readSpec(t)
	var answer any
	got.into(t, &answer)
	for _, complaint := range mismatches(doc, doc.Paths["/v1/calls/{id}/look"]["get"].Responses["200"].Content["application/json"].Schema,
		answer, "$") {
		t.Error(complaint)
	}

	asked = permission.Call{}
	for path, status := range map[string]int{"/v1/calls/nope/look": 404, "/v1/calls/call-a/look?x=1": 422} {
		if got := s.send("GET", path, tokenOp, ""); got.status != status || asked.ID != "" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := s.send("GET", "/v1/calls/call-a/look", tokenA, ""); got.status != 403 || asked.ID != "" {
		t.Errorf("an agent, of its own call: %d %s", got.status, got.body)
	}
	fail = errors.New("the store broke: /home/secret")
	if got := s.send("GET", "/v1/calls/call-a/look", tokenOp, ""); got.status != 500 || strings.Contains(string(got.body), "secret") ||
		strings.Contains(string(got.body), "rm x") {
		t.Errorf("a fault: %d %s", got.status, got.body)
	}
}

func TestADeskThatDoesNotLook(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("GET", "/v1/calls/call-a/look", tokenOp, "")
	var look permission.Look
	if err := json.Unmarshal(got.body, &look); err != nil || got.status != 200 || look.File != nil || look.Command != nil ||
		look.Last != nil || len(look.Flags) > 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
