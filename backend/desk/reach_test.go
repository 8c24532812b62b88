package desk_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
)

// askedLine is a call of a line in /w, or of an input, that one rule asks about, judged as the
// desk judges it.
func askedLine(text string) *permission.Call {
	input := json.RawMessage(text)
	if !strings.HasPrefix(text, `{"`) {
		input, _ = json.Marshal(permission.Param("command", strings.ReplaceAll(text, "⏎", "\n")))
	}
	about := risk.Call{Tool: "bash", Server: "shell", Cwd: "/w", Input: input}
	level, _ := risk.Judge(about)
	call := policy.Call{ServerID: new("shell"), ToolName: "bash", Cwd: new("/w"), Input: input, Risk: level}
	class, once := policy.ClassOf(&call, risk.Parts(about))
	if level == permission.RiskHigh {
		once = permission.OnceHigh
	}
	asking := permission.Asking{Class: class, OnlyOnce: once, Questions: []string{"r"}}
	return &permission.Call{ServerID: new("shell"), Risk: level, Asking: asking}
}

// covers reports whether yeses of scope class to some lines cover a later one.
func covers(answered []string, later *permission.Call) bool {
	var grants []permission.Grant
	for _, text := range answered {
		c := askedLine(text)
		g := permission.Grant{Scope: c.Reach(permission.ScopeClass, true), Approved: true}
		if g.Scope == permission.ScopeClass {
			g.Answering(c)
			grants = append(grants, g)
		}
	}
	return len(permission.Covering(grants, later, false, 1)) > 0
}

// TestHowFarAYesReaches holds reach.txt: lines that were answered with a yes to their kind,
// and a later line that this covers (+) or that would abuse it (-).
func TestHowFarAYesReaches(t *testing.T) {
	raw, err := os.ReadFile("testdata/reach.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := map[byte]int{}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		answered, later, found := strings.Cut(line[2:], " => ")
		if !found {
			t.Fatalf("%q is no pair", line)
		}
		count[line[0]]++
		call := askedLine(later)
		if got := covers(strings.Split(answered, " // "), call); got != (line[0] == '+') {
			t.Errorf("%s: covered %t; answered %s; later %s, %q, %s", line, got, told(askedLine(answered)), call.Risk, call.OnlyOnce, told(call))
		}
	}
	if count['-'] < 200 || count['+'] < 60 {
		t.Errorf("there are %d pairs of abuse and %d of use", count['-'], count['+'])
	}
}

// told is a kind in short.
func told(c *permission.Call) string {
	if c.Class == nil {
		return "no kind (" + string(c.OnlyOnce) + ")"
	}
	raw, _ := json.Marshal(c.Class.Parts)
	return string(raw)
}
