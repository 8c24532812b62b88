package desk_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
	if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev}); code(err) != permission.CodeInvalid {
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
