package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// wantAnswers holds all decided calls against lines "server tool folder input risk answer",
// in any order. What is not there is written as -.
func wantAnswers(t *testing.T, s Store, want ...string) {
	t.Helper()
	answers, err := s.Answers(context.Background(), 100)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(answers))
	for i, a := range answers {
		input := a.Input
		if input == nil {
			input = json.RawMessage("-")
		}
		got[i] = fmt.Sprintf("%s %s %s %s %s %s", orDash(a.ServerID), a.ToolName, orDash(a.Cwd), input, a.Risk, a.Answer)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("answers:\n%q\nwant\n%q", got, want)
	}
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

// answersByInput: decided calls are there with their folder, and with their input where it can
// be looked at; those that wait are not.
func answersByInput(t *testing.T, s Store) {
	ctx := context.Background()
	n := 0
	call := func(tool, input string, change func(*permission.Call)) permission.CallID {
		t.Helper()
		n++
		c := NewCall(fmt.Sprint(n))
		c.ToolName, c.Input, c.AgentID = tool, json.RawMessage(input), permission.AgentID(fmt.Sprint(n)) // each within its limit
		if change != nil {
			change(&c)
		}
		var err error
		if c.InputHash, err = rawjson.Hash(c.ServerID, tool, c.Input); err != nil {
			t.Fatal(err)
		}
		keep(t, s, c)
		return c.ID
	}
	answer := func(id permission.CallID, yes bool, edit *permission.Edit) {
		t.Helper()
		r := reply(string(id), yes, nil)
		r.Transition.Edited = edit
		if _, _, err := s.Reply(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	folder := "/w"
	inFolder := func(c *permission.Call) { c.Cwd = &folder }
	high := func(c *permission.Call) { c.Risk = permission.RiskHigh }
	for range 2 {
		answer(call("run", `{"command":"ls"}`, nil), true, nil)
	}
	answer(call("run", `{"command":"ls"}`, nil), false, nil)
	answer(call("run", `{"command":"ls"}`, inFolder), true, nil)
	answer(call("run", `{"command":"rm"}`, func(c *permission.Call) { high(c); inFolder(c) }), true, nil)
	answer(call("none", `{}`, func(c *permission.Call) { c.ServerID = nil }), true, nil)
	answer(call("edited", `{"a":1}`, nil), true, &permission.Edit{Input: json.RawMessage(`{"a":2}`), InputHash: "sha256:edited"})
	answer(call("wiped", `{"a":1}`, nil), false, nil)
	large := fmt.Sprintf(`{"a":"%s"}`, bytes.Repeat([]byte("x"), 1<<20))
	answer(call("large", large, nil), true, nil)
	call("drop", `{"b":1}`, nil)
	if wiped, err := s.WipeInputs(ctx, 0, []permission.CallID{"8"}); err != nil || wiped != 1 {
		t.Fatalf("wiped %d, %v", wiped, err)
	}
	answer(call("wiped", `{"a":1}`, nil), true, nil) // the same, and known
	wantAnswers(t, s,
		`filesystem run - {"command":"ls"} medium approved`, `filesystem run - {"command":"ls"} medium approved`,
		`filesystem run - {"command":"ls"} medium declined`, `filesystem run /w {"command":"ls"} medium approved`,
		`filesystem run /w {"command":"rm"} high approved`, `- none - {} medium approved`,
		`filesystem edited - - medium approved`, `filesystem wiped - - medium declined`, `filesystem wiped - {"a":1} medium approved`,
		`filesystem large - - medium approved`)
	answers, err := s.Answers(ctx, 1)
	if err != nil || len(answers) != 1 || answers[0].ToolName != "wiped" || answers[0].ID == "" || answers[0].At == 0 {
		t.Errorf("of the newest: %+v %v", answers, err)
	}
}
