package desk_test

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

const pushTool = `{"name":"push note","description":"Adds a note.","annotations":{"destructiveHint":true}}`

// level gives a tool of filesystem a risk; "" takes it back.
func (h *house) level(tool string, risk permission.Risk) {
	h.Helper()
	if _, err := h.SetToolLevel(ctx, "filesystem", tool, risk); err != nil {
		h.Fatal(err)
	}
}

// wantRisk asks for a tool and evaluates it: both have this risk, by this reason first.
func (h *house) wantRisk(tool, input string, risk permission.Risk, code permission.RiskCode) permission.Call {
	h.Helper()
	r := h.request(tool)
	r.Input = []byte(input)
	c := h.askAll(r)
	v, err := h.Evaluate(ctx, permission.Query{ServerID: r.ServerID, ToolName: tool, Input: r.Input})
	if err != nil || v.Risk != c.Risk {
		h.Errorf("the tester says %s, %v; the gate %s", v.Risk, err, c.Risk)
	}
	if c.Risk != risk || code == "" && len(c.RiskReasons) > 0 ||
		code != "" && (len(c.RiskReasons) == 0 || c.RiskReasons[0].Code != code) {
		h.Errorf("%s %s is %s, %+v: want %s by %s", tool, input, c.Risk, c.RiskReasons, risk, code)
	}
	return c
}

func TestAPersonsLevelStandsForHintAndName(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx", "files")
	_, err := h.SetToolLevel(ctx, "filesystem", "push note", permission.RiskLow)
	h.wantCode(err, permission.CodeNotFound, "")
	h.saw(pushTool)
	waiting := h.wantRisk("push note", `{"n":1}`, permission.RiskHigh, permission.RiskHint)
	h.level("push note", permission.RiskMedium)
	h.wantRisk("push note", `{"n":2}`, permission.RiskMedium, permission.RiskPerson)
	h.level("push note", permission.RiskLow)
	h.level("push note", permission.RiskLow)
	h.wantRisk("push note", `{"n":3}`, permission.RiskLow, permission.RiskPerson)
	h.wantRisk("push note", `{"command":"rm -rf /w"}`, permission.RiskHigh, permission.RiskDeletes)
	h.wantRisk("push note", `{"path":"/home/u/.ssh/id_rsa"}`, permission.RiskHigh, permission.RiskSecret)
	h.level("push note", permission.RiskHigh)
	h.wantRisk("push note", `{"n":4}`, permission.RiskHigh, permission.RiskPerson)
	h.level("push note", "")
	h.wantRisk("push note", `{"n":5}`, permission.RiskHigh, permission.RiskHint)
	if got := h.want(waiting, permission.Pending, false); got.Risk != permission.RiskHigh || got.Rev != waiting.Rev {
		t.Errorf("a waiting call became %s", got.Risk)
	}
	if n := h.journaled("toolLevel"); n != 4 {
		t.Errorf("the journal tells of %d levels", n)
	}
	for _, name := range []string{"push", "", "push note "} {
		_, err := h.SetToolLevel(ctx, "filesystem", name, permission.RiskLow)
		h.wantCode(err, permission.CodeNotFound, "")
	}
	_, err = h.SetToolLevel(ctx, "elsewhere", "push note", permission.RiskLow)
	h.wantCode(err, permission.CodeNotFound, "")
}

func TestALevelIsVoidOnceTheDefinitionChanges(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx", "files")
	h.saw(pushTool)
	h.level("push note", permission.RiskLow)
	h.saw(pushTool)
	h.wantRisk("push note", `{"n":1}`, permission.RiskLow, permission.RiskPerson)
	other := strings.Replace(pushTool, "Adds", "Moves", 1)
	h.saw(other)
	h.wantRisk("push note", `{"n":2}`, permission.RiskHigh, permission.RiskHint)
	h.saw(pushTool) // what was void stays so
	h.wantRisk("push note", `{"n":3}`, permission.RiskHigh, permission.RiskHint)
	if kept, err := h.Tool(ctx, "filesystem", "push note"); err != nil || kept.Level == nil || !kept.Level.Void ||
		kept.Level.Risk != permission.RiskLow || len(h.ToolLevels("filesystem")) != 1 {
		t.Errorf("%+v %v %v", kept.Level, err, h.ToolLevels("filesystem"))
	}
	if n := h.journaled("toolLevelVoid"); n != 1 {
		t.Errorf("the journal tells of %d levels that are void", n)
	}
	h.level("push note", permission.RiskMedium)
	h.wantRisk("push note", `{"n":4}`, permission.RiskMedium, permission.RiskPerson)
	h.saw(strings.Replace(other, "push note", "pull note", 1)) // of another tool
	h.wantRisk("push note", `{"n":5}`, permission.RiskMedium, permission.RiskPerson)
}

func TestALevelOfAToolThatWasNeverListed(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx", "files")
	h.rule(permission.Ask, "*")
	c := h.ask("delete_all")
	_, err := h.SetToolLevel(ctx, "filesystem", "delete_all", permission.RiskMedium)
	h.wantCode(err, permission.CodeNotFound, "")
	form := permission.NewRuleForm()
	form.ServerID, form.ToolName, form.Effect = c.ServerID, &c.ToolName, new(permission.Allow)
	if _, _, err := h.CreateRule(ctx, form); err != nil {
		t.Fatal(err)
	}
	h.level("delete_all", permission.RiskMedium)
	h.wantRisk("delete_all", `{"n":1}`, permission.RiskMedium, permission.RiskPerson)
	h.saw(`{"name":"delete_all"}`) // completes what is pinned
	h.wantRisk("delete_all", `{"n":2}`, permission.RiskMedium, permission.RiskPerson)
}

func TestALevelIsKeptOverAStart(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx", "files")
	h.saw(pushTool)
	h.level("push note", permission.RiskMedium)
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.n = 100
	h.wantRisk("push note", `{"n":1}`, permission.RiskMedium, permission.RiskPerson)
	if levels := h.ToolLevels("filesystem"); len(levels) != 1 || levels[0].At == 0 {
		t.Errorf("%+v", levels)
	}
}
