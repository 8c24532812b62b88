// Package rulestest is what tests of rules share: a plain model of how rules decide, rules
// and calls at random, and rules of many shapes.
package rulestest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Model is CONTRACT section 2 once more, as slow and plain as it can be said. It shares
// no code with the engine, and is for the names and conditions of world only.
func Model(rules []permission.Rule, c policy.Call, at permission.Time) (permission.Effect, permission.RuleID) {
	bad := modelBad(c.ToolName) || c.ServerID != nil && modelBad(*c.ServerID)
	var best *permission.Rule
	for i := range rules {
		r := &rules[i]
		if ModelApplies(r, c, at) && (!bad || r.Effect == "deny") && (best == nil || ModelFirst(r, best)) {
			best = r
		}
	}
	if best == nil {
		return "ask", ""
	}
	return best.Effect, best.ID
}

// ModelApplies is Model for one rule.
func ModelApplies(r *permission.Rule, c policy.Call, at permission.Time) bool {
	if !r.Enabled || r.ExpiresAt != 0 && at >= r.ExpiresAt {
		return false
	}
	if r.ServerID != nil {
		if c.ServerID == nil || *r.ServerID != *c.ServerID {
			return false
		}
	}
	if r.ToolName != nil {
		if *r.ToolName != c.ToolName {
			return false
		}
	} else if r.ToolPattern != nil && !modelMatches([]rune(*r.ToolPattern), []rune(c.ToolName)) {
		return false
	}
	if r.Condition == nil {
		return true
	}
	switch World.conditions[*r.Condition](c) {
	case yes:
		return true
	case no:
		return false
	}
	return r.Effect != "allow"
}

// modelMatches fills a table: row i says which beginnings of the name the first i
// characters of the pattern match.
func modelMatches(pat, name []rune) bool {
	row := make([]bool, len(name)+1)
	row[0] = true
	for _, p := range pat {
		next := make([]bool, len(name)+1)
		if p == '*' {
			for j := range next {
				next[j] = row[j] || j > 0 && next[j-1] && !strings.ContainsRune("\n\r\u2028\u2029", name[j-1])
			}
		} else {
			for j := range name {
				next[j+1] = row[j] && modelSame(p, name[j])
			}
		}
		row = next
	}
	return row[len(name)]
}

func modelSame(a, b rune) bool {
	for _, class := range []string{"éÉ", "σςΣ"} {
		if strings.ContainsRune(class, a) && strings.ContainsRune(class, b) {
			return true
		}
	}
	lower := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 32
		}
		return r
	}
	return lower(a) == lower(b)
}

func modelBad(name string) bool {
	latin := strings.ContainsAny(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyzé")
	return name == "" || len(name) > 256 || name[0] == ' ' || name[len(name)-1] == ' ' ||
		strings.Contains(name, "\xff") || strings.ContainsAny(name, "\n\r\u2028\u2029\u200b\u212aſ\x00") ||
		latin && strings.ContainsAny(name, "σςΣ\u0455")
}

// ModelFirst reports whether a rule comes before another in the order of judgement.
func ModelFirst(a, b *permission.Rule) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	if a.Effect != b.Effect {
		return a.Effect == "deny" || b.Effect == "allow"
	}
	if a.CreatedAt != b.CreatedAt {
		return a.CreatedAt < b.CreatedAt
	}
	return a.ID < b.ID
}

type truth int

const (
	no truth = iota
	yes
	fails
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// inputs are the inputs of world, and what their n and b are.
var inputs = []struct{ text, n, b string }{
	{"", "", ""}, {"{}", "", ""}, {`{"n":1,"b":true}`, "1", "true"}, {`{"n":2,"b":false}`, "2", "false"},
	{`{"n":1.0,"b":1}`, "1", "1"}, {` {"b": null, "n": true} `, "true", "null"}, {`[1]`, "list", "list"},
	{`{"n":1`, unreadable, ""}, {`{"n":1,"n":1}`, unreadable, ""}, {"\"\xff\"", unreadable, ""},
}

const unreadable = "unreadable"

// about is a condition that fails with an input that cannot be read.
func about(f func(c policy.Call, n, b string) truth) func(policy.Call) truth {
	return func(c policy.Call) truth {
		for _, input := range inputs {
			if input.text == string(c.Input) && input.n != unreadable {
				return f(c, input.n, input.b)
			}
		}
		return fails
	}
}

func always(t truth) func(policy.Call) truth {
	return about(func(policy.Call, string, string) truth { return t })
}

// World is small, so that rules and calls meet often.
var World = struct {
	Servers, pieces, parts []string
	Tools                  []string // some names of pieces, good and bad
	Effects                []permission.Effect
	conditions             map[string]func(policy.Call) truth
}{
	Servers: []string{"fs", "FS", "shell", "", "f\u0455", "fs\xff", "\xff"},
	pieces: []string{"read", "Read", "_", "x", "e", "ad", "é", "É", "write", "*", " ",
		"read", "_", "x", "e", "ad", "re", "a", "σ", "Σ", "ς", "\n", "\u2028", "\u200b", "\xff", "\u212a", "ſ"},
	parts:   []string{"*", "*", "*", "read", "R", "e", "_", "é", "AD", "x", "re", "a", "Σ", "\n", "\u2028", "k", " "},
	Tools:   []string{"read", "Read", "read_x", "write", "x", "e_ad", "", " read", "read\n", "r\u200bead", "\xff"},
	Effects: []permission.Effect{"allow", "ask", "deny"},
	conditions: map[string]func(policy.Call) truth{
		"true": always(yes), "1 > 2": always(no), "1 / 0 > 0": always(fails), "[true][1]": always(fails),
		"1":             func(policy.Call) truth { return fails },
		"nothing(input": func(policy.Call) truth { return fails },
		"input.n == 1": about(func(_ policy.Call, n, _ string) truth {
			if n == "" || n == "list" {
				return fails
			}
			return truthOf(n == "1")
		}),
		"input.b": about(func(_ policy.Call, _, b string) truth {
			switch b {
			case "true":
				return yes
			case "false":
				return no
			}
			return fails
		}),
		"has(input.n) || true": about(func(_ policy.Call, n, _ string) truth { return yes }),
		`serverId == null`:     about(func(c policy.Call, _, _ string) truth { return truthOf(c.ServerID == nil) }),
		`serverId == "fs"`:     about(func(c policy.Call, _, _ string) truth { return truthOf(c.ServerID != nil && *c.ServerID == "fs") }),
		`toolName.startsWith("r")`: about(func(c policy.Call, _, _ string) truth {
			return truthOf(len(c.ToolName) > 0 && c.ToolName[0] == 'r')
		}),
		`sessionId == "s" && agent.id == "a"`: about(func(c policy.Call, _, _ string) truth {
			return truthOf(c.SessionID == "s" && c.AgentID == "a")
		}),
		`cwd.matches("^/h(o|i)me$") || agent.name == "bob"`: about(func(c policy.Call, _, _ string) truth {
			switch {
			case c.AgentName == "bob":
				return yes
			case c.Cwd == nil:
				return fails
			}
			return truthOf(*c.Cwd == "/home")
		}),
	},
}

var conditionTexts = func() []string {
	var texts []string
	for text := range World.conditions {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}()

// Pick takes one element at random.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// Some is a string of 1 to n pieces; most often few.
func Some(r *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for range 1 + r.IntN(1+r.IntN(n)) {
		b.WriteString(Pick(r, from))
	}
	return b.String()
}

// Maybe is nil at times, and never what a rule cannot hold.
func Maybe(r *rand.Rand, from []string) *string { return orNil(r, Pick(r, from)) }

func orNil(r *rand.Rand, s string) *string {
	if s == "" || strings.Contains(s, "\xff") || r.IntN(2) == 0 {
		return nil
	}
	return &s
}

// RandomRule is a rule without a condition.
func RandomRule(r *rand.Rand, id string) permission.Rule {
	rule := permission.Rule{ID: permission.RuleID(id), ServerID: Maybe(r, World.Servers),
		ToolPattern: orNil(r, Some(r, World.parts, 8)), Effect: Pick(r, World.Effects), Priority: int64(r.IntN(3) - 1),
		CreatedAt: permission.Time(r.IntN(3) - 1), Enabled: r.IntN(5) > 0}
	if r.IntN(3) == 0 {
		rule.ToolPattern = orNil(r, Pick(r, []string{"*", ""})+Pick(r, World.parts[3:])+Pick(r, []string{"*", "", "*" + Pick(r, World.parts)}))
	}
	if r.IntN(3) == 0 {
		rule.ToolName = orNil(r, Some(r, World.pieces, 3))
	}
	if r.IntN(3) == 0 {
		rule.ExpiresAt = permission.Time(r.IntN(8))
	}
	rule.AutoApprove = rule.Effect == permission.Allow
	return rule
}

// RandomRuleIf has a condition at times, if conditions are wanted.
func RandomRuleIf(r *rand.Rand, id string, conditions bool) permission.Rule {
	rule := RandomRule(r, id)
	if conditions {
		rule.Condition = Maybe(r, conditionTexts)
	}
	return rule
}

// RandomCall is a call of any name, be it a bad one.
func RandomCall(r *rand.Rand) policy.Call {
	c := policy.Call{ToolName: Some(r, World.pieces, 5), Input: json.RawMessage(Pick(r, inputs).text),
		Caller: permission.Caller{SessionID: Pick(r, []permission.SessionID{"s", ""}), AgentID: Pick(r, []permission.AgentID{"a", "b"}),
			AgentName: Pick(r, []string{"bob", "eve"})}}
	if server := Pick(r, World.Servers); r.IntN(4) > 0 {
		c.ServerID = &server
	}
	if cwd := Pick(r, []string{"/home", "/"}); r.IntN(2) == 0 {
		c.Cwd = &cwd
	}
	switch r.IntN(300) {
	case 0:
		c.ToolName = ""
	case 1:
		c.ToolName = strings.Repeat(c.ToolName, 1+300/len(c.ToolName))
	}
	return c
}

// RandomEdit changes the list, and gives the edit that does the same.
func RandomEdit(r *rand.Rand, rules []permission.Rule, conditions bool) (edited, put []permission.Rule, remove []permission.RuleID) {
	for range r.IntN(3) {
		remove = append(remove, permission.RuleID(Pick(r, []string{"a", "b", "c", "d", "e", "f", "g", "h", "zz"})))
	}
	for _, id := range r.Perm(10)[:r.IntN(3)] {
		put = append(put, RandomRuleIf(r, string(rune('a'+id)), conditions))
	}
	if len(put) > 0 && r.IntN(20) == 0 {
		put[0].Priority = 1 << 40 // not valid: it goes, and nothing comes
	}
	edited = slices.DeleteFunc(slices.Clone(rules), func(old permission.Rule) bool {
		return slices.Contains(remove, old.ID) || slices.ContainsFunc(put, func(n permission.Rule) bool { return n.ID == old.ID })
	})
	return append(edited, put...), put, remove
}

// Valid leaves out the rules of RandomEdit that are not valid.
func Valid(rules []permission.Rule) []permission.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r permission.Rule) bool { return r.Priority == 1<<40 })
}
