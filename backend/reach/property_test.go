package reach_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
	"sekisho/backend/reach"
	"sekisho/backend/risk"
)

// now is when all tests ask.
const now = permission.Time(1_800_000_000_000)

// judged is the risk of a call as the desk judges it.
func judged(c policy.Call) permission.Risk {
	of := risk.Call{Tool: c.ToolName, Input: c.Input}
	if c.ServerID != nil {
		of.Server = *c.ServerID
	}
	level, _ := risk.Judge(of)
	return level
}

// universe is all calls of a small world, in which every word that the random rules know has
// a call, and so has a word that they do not know.
func universe() (calls []policy.Call) {
	inputs := []string{
		`{}`,
		`{"path":"/a/x"}`,
		`{"path":"/b"}`,
		`{"path":"/a/x","force":true}`,
		`{"force":true}`,
		`{"force":false,"path":"/c"}`,
		`{"path":7}`,
		`{"n":3}`,
		`{"command":"git status"}`,
		`{"command":"git push"}`,
		`{"command":"git status && git push"}`,
		`{"command":"ls"}`,
		`{"command":"cd x && git push"}`,
		`{"command":"$X y"}`,
		`{"command":"git push","path":"/a/x"}`,
		`{"cmd":"git push"}`,
		`{"command":"git status > f"}`,
		`{"command":["git","push"]}`,
		`{"command":"git","args":["push"]}`,
		`{"command":"python -c 'x'"}`,
		`{"command":"sudo git push"}`,
		`{"cmd":"git status"}`,
		`{"command":"git status","force":true}`,
	}
	for _, server := range []*string{nil, new("s1"), new("s2"), new("other")} {
		for _, tool := range []string{"run", "read_a", "read_b", "send", "other"} {
			for _, agent := range []permission.AgentID{"a1", "a2", "other"} {
				for _, input := range inputs {
					c := policy.Call{ServerID: server, Method: permission.CallTool, ToolName: tool, Input: json.RawMessage(input),
						Caller: permission.Caller{AgentID: agent, AgentName: "n"}}
					c.Risk = judged(c)
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

// phrases are the parts of random conditions.
var phrases = []string{
	`input.path == "/a/x"`, `input.path in ["/a/x", "/b"]`, `has(input.path)`, `input.force == true`, `input.force`, `input.path != "/b"`,
	`risk == "high"`, `risk in ["low", "medium"]`, `risk != "low"`, `agent.id == "a1"`, `agent.id in ["a1", "a2"]`, `serverId == "s1"`,
	`serverId == null`, `toolName == "run"`, `toolName in ["send", "read_a"]`, `true`, `false`, `input["path"] == "/b"`,
	`shell(input.command).names.all(n, n in ["git status", "ls"])`, `"git push" in shell(input.command).names`,
	`shell(input.command).names.exists(n, n == "git push")`, `shell(input.command).names == ["git push"]`, `input.command == "git push"`,
	`input.command == "git status && git push"`, `shell(input.cmd).names.all(n, n == "git push")`, `input.command == "cd x && git push"`,
}

// obscure are phrases that are not understood as a whole.
var obscure = []string{
	`input.path.startsWith("/a/")`, `under(input.path, "/a")`, `input.n < 5`, `input.command.contains("push")`, `size(input) > 1`,
	`shell(input.command).parts.all(p, p.program == "git")`, `toolName.startsWith("read_")`, `input.path.matches("^/a/.*$")`,
	`shell(input.command).opaque`,
}

type maker struct{ *rand.Rand }

func (m maker) pick(list []string) string { return list[m.IntN(len(list))] }

func (m maker) condition(hard bool) string {
	one := func() string {
		phrase := m.pick(phrases)
		if hard && m.IntN(3) == 0 {
			phrase = m.pick(obscure)
		}
		if m.IntN(5) == 0 {
			return "!(" + phrase + ")"
		}
		return phrase
	}
	switch m.IntN(5) {
	case 0:
		return one() + " && " + one()
	case 1:
		return one() + " || " + one()
	case 2:
		return one() + " ? " + one() + " : " + one()
	}
	return one()
}

func (m maker) rules(hard bool) (rules []permission.Rule) {
	for i := range 1 + m.IntN(5) {
		r := permission.Rule{
			ID:        permission.RuleID(fmt.Sprint("r", i)),
			Enabled:   m.IntN(12) > 0,
			Priority:  m.Int64N(4),
			CreatedAt: permission.Time(i + 1),
			Effect:    []permission.Effect{permission.Allow, permission.Allow, permission.Ask, permission.Deny}[m.IntN(4)],
		}
		r.AutoApprove = r.Effect == permission.Allow
		if m.IntN(3) == 0 {
			r.ServerID = new(m.pick([]string{"s1", "s2"}))
		}
		switch m.IntN(4) {
		case 0:
			r.ToolName = new(m.pick([]string{"run", "read_a", "send"}))
		case 1:
			r.ToolPattern = new(m.pick([]string{"read_*", "*", "*n*", "RUN", "*_a", "s*"}))
		}
		if m.IntN(3) > 0 {
			r.Condition = new(m.condition(hard))
		}
		if m.IntN(15) == 0 {
			r.ExpiresAt = now + permission.Time(m.IntN(3)-1)
		}
		rules = append(rules, r)
	}
	return rules
}

func (m maker) query() (q permission.ReachQuery) {
	if m.IntN(3) == 0 {
		q.ServerID = new(m.pick([]string{"s1", "s2", "other"}))
	}
	if m.IntN(3) == 0 {
		q.ToolName = new(m.pick([]string{"run", "read_a", "read_b", "send", "other"}))
	}
	if m.IntN(4) == 0 {
		q.AgentID = permission.AgentID(m.pick([]string{"a1", "a2", "other"}))
	}
	if m.IntN(4) == 0 {
		q.Risk = permission.Risks[m.IntN(3)]
	}
	for _, name := range []string{"git push", "git status", "cd"} {
		if m.IntN(6) == 0 {
			q.Names = append(q.Names, name)
		}
	}
	return q
}

// asks reports whether a query describes a call.
func asks(q permission.ReachQuery, c *policy.Call) bool {
	if q.ServerID != nil && (c.ServerID == nil || *c.ServerID != *q.ServerID) || q.ToolName != nil && *q.ToolName != c.ToolName ||
		q.AgentID != "" && q.AgentID != c.AgentID || q.Risk != "" && q.Risk != c.Risk {
		return false
	}
	if len(q.Names) == 0 {
		return true
	}
	members, _ := rawjson.Members(c.Input)
	line, found := command.Of(rawjson.Values(members), c.ToolName, "", false)
	return found && !line.Opaque && !slices.ContainsFunc(q.Names, func(name string) bool { return !slices.Contains(line.Names(), name) })
}

// callOf is the call of an example.
func callOf(e *permission.Example) policy.Call {
	c := policy.Call{ServerID: e.ServerID, Method: e.Method, ToolName: e.ToolName, Input: e.Input, Cwd: e.Cwd,
		Caller: permission.Caller{AgentID: e.AgentID, AgentName: e.AgentName, Subagent: e.Subagent, SessionID: e.SessionID}}
	c.Risk = judged(c)
	return c
}

func show(rules []permission.Rule) string {
	var b strings.Builder
	for _, r := range rules {
		raw, _ := json.Marshal(r)
		fmt.Fprintf(&b, "%s\n", raw)
	}
	return b.String()
}

// deciders are the rules that allow a call, or those parts of its line that a query names.
func deciders(q permission.ReachQuery, d policy.Decision) (ids []permission.RuleID) {
	if d.Effect != permission.Allow {
		return nil
	}
	if d.Parts == nil {
		return []permission.RuleID{d.Rule.ID}
	}
	names := slices.DeleteFunc(slices.Clone(q.Names), func(name string) bool { return name == "cd" }) // neutral
	for _, p := range d.Parts {
		if p.Rule != nil && (len(names) == 0 || slices.Contains(names, p.Name)) {
			ids = append(ids, p.Rule.ID)
		}
	}
	return ids
}

// rounds are how many random rule sets are tried: make reach tries more.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("SEKISHO_REACH_SETS")); err == nil {
		return n
	}
	return 300
}

// TestAskAgreesWithBruteForce holds the answers against all calls of a small world, each
// judged by the real judge.
func TestAskAgreesWithBruteForce(t *testing.T) {
	calls, m := universe(), maker{rand.New(rand.NewPCG(15, 7))}
	count := map[string]int{}
	for i := range rounds() {
		hard := i%2 == 1
		rules, q := m.rules(hard), m.query()
		set := policy.Compile(rules, 1)
		got := reach.Ask(set, q, judged, now)
		byRule, any := map[permission.RuleID]bool{}, false
		for j := range calls {
			if asks(q, &calls[j]) {
				d := set.Decide(calls[j], now)
				any = any || d.Effect == permission.Allow
				for _, id := range deciders(q, d) {
					byRule[id] = true
				}
			}
		}
		if any && got.Answer == permission.ReachNo {
			t.Fatalf("none is wrong for %+v:\n%s", q, show(rules))
		}
		for _, row := range got.Rules {
			if row.Answer == permission.ReachNo && byRule[row.RuleID] {
				t.Fatalf("%s: no (%s) is wrong for %+v:\n%s", row.RuleID, row.Message, q, show(rules))
			}
			if row.Answer == permission.ReachYes {
				c := callOf(row.Example)
				if d := set.Decide(c, now); !asks(q, &c) || !slices.Contains(deciders(q, d), row.RuleID) {
					t.Fatalf("%s: the example %+v is no such call: %s\n%s", row.RuleID, c, d.Reason, show(rules))
				}
			}
			count[fmt.Sprint(hard, " rule ", row.Answer)]++
			if row.Answer == permission.ReachUndecided {
				count[fmt.Sprint(hard, " ", row.Code)]++
				if byRule[row.RuleID] {
					count[fmt.Sprint(hard, " undecided though brute force found one")]++
				}
			}
		}
		count[fmt.Sprint(hard, " ", got.Answer, " brute ", any)]++
	}
	t.Log(count)
}
