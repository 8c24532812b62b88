package advice_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
	"sekisho/backend/rulestest"
)

// corpusLines are the lines of a corpus of package risk: their text, and whether it is
// labelled high.
func corpusLines(t *testing.T, name string) (texts []string, high []bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "risk", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if strings.HasPrefix(line, "#") || len(fields) < 4 || fields[1] == "powershell" {
			continue
		}
		text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(fields[3])
		if read, err := strconv.Unquote(`"` + strings.ReplaceAll(fields[3], `"`, `\"`) + `"`); err == nil && name == "commands-abuse.txt" {
			text = read
		}
		texts, high = append(texts, text), append(high, fields[0] == "high")
	}
	if len(texts) < 500 {
		t.Fatalf("%s: %d lines", name, len(texts))
	}
	return texts, high
}

// shellCall is a call of a shell tool in a checkout, judged as the desk judges it.
func shellCall(line string) permission.PastCall {
	input, _ := json.Marshal(map[string]string{"command": line})
	c := permission.PastCall{ServerID: new("shell"), ToolName: "bash", Cwd: new("/work/app"), Input: input, At: 1,
		Answer: permission.AnswerApproved}
	c.Risk, _ = risk.Judge(risk.Call{Tool: c.ToolName, Server: "shell", Input: input, Cwd: "/work/app"})
	return c
}

// allows reports whether a rule alone allows a call.
func allows(set *policy.Set, c permission.PastCall) bool {
	call := policy.Call{ServerID: c.ServerID, Method: c.Method, ToolName: c.ToolName, Input: c.Input, Cwd: c.Cwd, Risk: c.Risk}
	return set.Decide(call, rulestest.Now).Effect == permission.Allow
}

// dangers are the lines of abuse that are labelled high: alone, and behind what may be
// allowed.
type dangers struct {
	lines  []string
	missed []permission.PastCall // that are not judged high: no proposal may let one pass by itself either
}

func readDangers(t *testing.T) (d dangers) {
	texts, high := corpusLines(t, "commands-abuse.txt")
	for i, text := range texts {
		if !high[i] {
			continue
		}
		d.lines = append(d.lines, text)
		if call := shellCall(text); call.Risk != permission.RiskHigh {
			d.missed = append(d.missed, call)
		}
	}
	return d
}

// try holds a proposal against all that is judged less than it is, and some of the others.
func (d *dangers) try(t *testing.T, r *rand.Rand, p *advice.Proposal, own string) {
	t.Helper()
	set := policy.Compile([]permission.Rule{p.Rule}, 0)
	for _, call := range d.missed {
		if allows(set, call) {
			t.Errorf("%s\nis allowed for %s by\n%s", call.Input, own, *p.Rule.Condition)
		}
	}
	for range 3 {
		line := d.lines[r.IntN(len(d.lines))]
		for _, with := range []string{line, own + " && " + line, own + " ; " + line, own + " | " + line} {
			if allows(set, shellCall(with)) {
				t.Errorf("%s\nis allowed for %s by\n%s", with, own, *p.Rule.Condition)
			}
		}
	}
}

// TestNoProposalLetsAbusePass: no rule that is proposed for a line of everyday work, nor for
// ten of them together, allows a line of the corpus of abuse that is labelled high, alone or
// behind a line that it allows; each allows the calls that it is proposed for.
func TestNoProposalLetsAbusePass(t *testing.T) {
	d := readDangers(t)
	texts, _ := corpusLines(t, "commands-everyday.txt")
	r, none := rand.New(rand.NewPCG(15, 4)), policy.Compile(nil, 0)
	seen, offered := map[string]bool{}, 0
	for _, text := range texts {
		call := shellCall(text)
		list := advice.Choices(none, call, nil, rulestest.Now)
		if call.Risk == permission.RiskHigh && len(list) > 0 {
			t.Errorf("of high risk, and %d are offered: %s", len(list), text)
		}
		if len(list) > 0 {
			offered++
		}
		for i := range list {
			p := &list[i]
			if !allows(policy.Compile([]permission.Rule{p.Rule}, 0), call) {
				t.Errorf("%s is not allowed by %s", text, *p.Rule.Condition)
			}
			if findings := advice.Lint([]permission.Rule{p.Rule}, rulestest.Now); len(findings) > 0 {
				t.Errorf("lint: %+v", findings)
			}
			if !seen[*p.Rule.Condition] {
				seen[*p.Rule.Condition] = true
				d.try(t, r, p, text)
			}
		}
	}
	if offered < len(texts)/2 {
		t.Errorf("rules are offered for %d of %d lines only", offered, len(texts))
	}
	t.Logf("%d of %d lines, %d different rules, %d of %d dangers are not judged high",
		offered, len(texts), len(seen), len(d.missed), len(d.lines))
	proposed := 0
	for range 20 {
		var past []permission.PastCall
		for range 10 {
			call := shellCall(texts[r.IntN(len(texts))])
			past = append(past, call, call, call)
		}
		for _, p := range advice.Propose(none, past, rulestest.Now) {
			proposed++
			set := policy.Compile([]permission.Rule{p.Rule}, 0)
			for _, at := range p.Calls {
				if !allows(set, past[at]) {
					t.Errorf("%s is not allowed by %s", past[at].Input, *p.Rule.Condition)
				}
			}
			if !seen[*p.Rule.Condition] {
				seen[*p.Rule.Condition] = true
				var own struct{ Command string }
				if err := json.Unmarshal(past[p.Calls[0]].Input, &own); err != nil {
					t.Fatal(err)
				}
				d.try(t, r, &p, own.Command)
			}
		}
	}
	if proposed < 20 {
		t.Errorf("%d proposals only", proposed)
	}
}
