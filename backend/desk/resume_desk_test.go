package desk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// An agent's schema ends no desk: what it asks is refused when it asks, and what a
// person answers to any other is judged, or refused, and the call goes on waiting.
func TestResumeSchemaLeavesTheDeskStanding(t *testing.T) {
	h := open(t)
	defer h.close()
	var defs []string
	for i := range 28 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$REF":"#/$defs/d%d"},{"$REF":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	for _, bad := range []string{`{"$Ref":"#"}`, `{"$DynamicRef":"#"}`, `{"anyOf":[{"$REF":"#"},{}]}`,
		`{"$REF":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `,"d28":{}}}`} {
		r := h.request("ask_user")
		r.ResumeSchema = json.RawMessage(bad)
		if _, _, err := h.Ask(ctx, h.agent, r); code(err) != permission.CodeInvalid {
			t.Errorf("%.60s: %v", bad, err)
		}
	}
	r := h.request("ask_user")
	r.ResumeSchema = json.RawMessage(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"items":{"minimum":0}},`, 400), ",") + `]}`)
	c := h.askAll(r)
	large := json.RawMessage("[" + strings.Repeat("0,", 20000) + "0]")
	if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, ResumeData: large}); code(
		err) != permission.CodeInvalid || !strings.Contains(err.Error(), "more work") {
		t.Errorf("eight million visits: %v", err)
	}
	h.want(c, permission.Pending, false)
	h.answer(c, permission.Answer{Approved: true, ResumeData: json.RawMessage(`[1,2]`)})
}

// What of a schema is not checked is in the call, also when it is judged again.
func TestCallSaysWhatIsNotChecked(t *testing.T) {
	h := open(t)
	defer h.close()
	form, effect, pattern := permission.NewRuleForm(), permission.Allow, "ask_*"
	form.Effect, form.ToolPattern = &effect, &pattern
	rule, _, err := h.CreateRule(ctx, form)
	if err != nil {
		t.Fatal(err)
	}
	r := h.request("ask_user")
	r.ResumeSchema = json.RawMessage(`{"properties":{"a":{"pattern":"^(?=.*1)"}}}`)
	c := h.askAll(r)
	if _, _, err := h.DeleteRule(ctx, rule.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err = h.claim(c)
	var e *permission.Error
	if !errors.As(err, &e) || e.Call == nil || e.Call.Status != permission.Pending {
		t.Fatalf("claimed: %v", err)
	}
	for _, why := range []permission.Why{c.Why, e.Call.Why} {
		if fmt.Sprint(why.NotChecked) != "[/properties/a/pattern]" {
			t.Errorf("says %+v", why)
		}
	}
}

// A yes to a call that wants data has them; a no need not.
func TestAYesWithoutTheDataThatItNeeds(t *testing.T) {
	h := open(t)
	defer h.close()
	ask := func() permission.Call {
		r := h.request("ask_user")
		r.ResumeSchema, r.ResumeRequired = json.RawMessage(`{"type":"string"}`), true
		return h.askAll(r)
	}
	c := ask()
	bare := permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev}
	if _, _, _, err := h.Decide(ctx, c.ID, bare); code(err) != permission.CodeInvalid {
		t.Errorf("a yes without data: %v", err)
	}
	h.want(c, permission.Pending, false)
	h.answer(c, permission.Answer{Approved: true, ResumeData: json.RawMessage(`"so"`)})
	h.answer(ask(), permission.Answer{})
}

// A call without an id of its own has one of its session, tool and input.
func TestACallWithoutAnID(t *testing.T) {
	h := open(t)
	defer h.close()
	ask := func(input string) string {
		r := h.request("write_file")
		r.ToolCallID, r.RunID, r.SessionID, r.Input = "", "run", "s", json.RawMessage(input)
		return h.askAll(r).ToolCallID
	}
	one := ask(`{"a":1,"b":2}`)
	if !strings.HasPrefix(one, permission.UnnamedPrefix) || !strings.HasSuffix(one, ":0") || len(one) != len("ask:")+32+len(":0") {
		t.Errorf("named %s", one)
	}
	if again, other := ask(`{"b":2, "a":1}`), ask(`{"a":1,"b":3}`); again != one || other == one {
		t.Errorf("%s is the same as %s, and not as %s", again, one, other)
	}
}

// No rule, grant or earlier yes answers a call for a person: it asks, and is in no suggestion.
func TestNoRuleGivesTheDataThatAYesNeeds(t *testing.T) {
	h := open(t)
	defer h.close()
	form, effect, tool := permission.NewRuleForm(), permission.Allow, "ask_user"
	form.Effect, form.ToolName = &effect, &tool
	rule, _, err := h.CreateRule(ctx, form)
	if err != nil {
		t.Fatal(err)
	}
	request := func() permission.Request {
		r := h.request(tool)
		r.ResumeSchema, r.ResumeRequired = json.RawMessage(`{"type":"string"}`), true
		return r
	}
	r := request()
	r.Claim = &permission.ClaimRequest{Claimant: "test", Key: r.ToolCallID}
	c := h.askAll(r)
	if c.Status != permission.Pending || c.Why.Code != permission.ReasonNeedsData || c.OnlyOnce == "" {
		t.Fatalf("%s, %+v, once %q", c.Status, c.Why, c.OnlyOnce)
	}
	if n, err := h.Release(ctx, rule.ID); err != nil || n != 0 {
		t.Errorf("released %d, %v", n, err)
	}
	h.answer(c, permission.Answer{Approved: true, Scope: permission.ScopeSession, ResumeData: json.RawMessage(`"so"`)})
	if c, err = h.claim(c); err != nil || string(c.ResumeData) != `"so"` {
		t.Errorf("the person's yes: %s %v", c.ResumeData, err)
	}
	h.want(h.askAll(request()), permission.Pending, false)
	if choices, err := h.Widen(ctx, c.ID); err != nil || len(choices.Rules) != 0 {
		t.Errorf("suggests %+v, %v", choices, err)
	}
	if past, err := h.store.Answers(ctx, 10); err != nil || len(past) != 0 {
		t.Errorf("learned %+v, %v", past, err)
	}
}

// A session's grant answers no call to which a yes has data.
func TestNoGrantGivesTheDataThatAYesNeeds(t *testing.T) {
	h := open(t)
	defer h.close()
	ask := func(wants bool) permission.Call {
		r := h.request("ask_user")
		r.SessionID = "s"
		if wants {
			r.ResumeSchema, r.ResumeRequired = json.RawMessage(`{"type":"string"}`), true
		}
		return h.askAll(r)
	}
	waits := ask(true)
	h.answer(ask(false), permission.Answer{Approved: true, Scope: permission.ScopeSession})
	if c := ask(false); c.Status != permission.Approved {
		t.Errorf("the grant: %s", c.Status)
	}
	h.want(waits, permission.Pending, false)
	h.want(ask(true), permission.Pending, false)
}

// An input that its caller does not take otherwise is not edited.
func TestAFixedInputIsNotEdited(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.request("write_file")
	r.InputFixed, r.Subagent = true, new("Explore")
	c := h.askAll(r)
	yes := permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Input: json.RawMessage(`{"x":1}`)}
	if _, _, _, err := h.Decide(ctx, c.ID, yes); code(err) != permission.CodeInvalid {
		t.Errorf("edited: %v", err)
	}
	h.want(c, permission.Pending, false)
	h.answer(c, permission.Answer{Approved: true})
	entries, _, err := h.store.Journal(ctx, 0, 100)
	if !slices.ContainsFunc(entries, func(e permission.Entry) bool {
		return strings.Contains(string(e.Data), `"agentSubagent":"Explore"`)
	}) {
		t.Errorf("journal: %+v %v", entries, err)
	}
}
