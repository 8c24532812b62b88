package policy_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// model is CONTRACT section 2 once more, as slow and plain as it can be said. It shares
// no code with the engine, and is for the names and conditions of world only.
func model(rules []permission.Rule, c policy.Call, at permission.Time) (permission.Effect, permission.RuleID) {
	bad := modelBad(c.ToolName) || c.ServerID != nil && modelBad(*c.ServerID)
	var best *permission.Rule
	for i := range rules {
		r := &rules[i]
		if modelApplies(r, c, at) && (!bad || r.Effect == "deny") && (best == nil || modelFirst(r, best)) {
			best = r
		}
	}
	if best == nil {
		return "ask", ""
	}
	return best.Effect, best.ID
}

func modelApplies(r *permission.Rule, c policy.Call, at permission.Time) bool {
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
	switch world.conditions[*r.Condition](c) {
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

func modelFirst(a, b *permission.Rule) bool {
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

// world is small, so that rules and calls meet often.
var world = struct {
	servers, pieces, parts []string
	tools                  []string // some names of pieces, good and bad
	effects                []permission.Effect
	conditions             map[string]func(policy.Call) truth
}{
	servers: []string{"fs", "FS", "shell", "", "f\u0455", "fs\xff", "\xff"},
	pieces: []string{"read", "Read", "_", "x", "e", "ad", "é", "É", "write", "*", " ",
		"read", "_", "x", "e", "ad", "re", "a", "σ", "Σ", "ς", "\n", "\u2028", "\u200b", "\xff", "\u212a", "ſ"},
	parts:   []string{"*", "*", "*", "read", "R", "e", "_", "é", "AD", "x", "re", "a", "Σ", "\n", "\u2028", "k", " "},
	tools:   []string{"read", "Read", "read_x", "write", "x", "e_ad", "", " read", "read\n", "r\u200bead", "\xff"},
	effects: []permission.Effect{"allow", "ask", "deny"},
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
	for text := range world.conditions {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}()

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// some is a string of 1 to n pieces; most often few.
func some(r *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for range 1 + r.IntN(1+r.IntN(n)) {
		b.WriteString(pick(r, from))
	}
	return b.String()
}

// maybe is nil at times, and never what a rule cannot hold.
func maybe(r *rand.Rand, from []string) *string { return orNil(r, pick(r, from)) }

func orNil(r *rand.Rand, s string) *string {
	if s == "" || strings.Contains(s, "\xff") || r.IntN(2) == 0 {
		return nil
	}
	return &s
}

// randomRule is a rule without a condition.
func randomRule(r *rand.Rand, id string) permission.Rule {
	rule := permission.Rule{ID: permission.RuleID(id), ServerID: maybe(r, world.servers),
		ToolPattern: orNil(r, some(r, world.parts, 8)), Effect: pick(r, world.effects), Priority: int64(r.IntN(3) - 1),
		CreatedAt: permission.Time(r.IntN(3) - 1), Enabled: r.IntN(5) > 0}
	if r.IntN(3) == 0 {
		rule.ToolPattern = orNil(r, pick(r, []string{"*", ""})+pick(r, world.parts[3:])+pick(r, []string{"*", "", "*" + pick(r, world.parts)}))
	}
	if r.IntN(3) == 0 {
		rule.ToolName = orNil(r, some(r, world.pieces, 3))
	}
	if r.IntN(3) == 0 {
		rule.ExpiresAt = permission.Time(r.IntN(8))
	}
	rule.AutoApprove = rule.Effect == permission.Allow
	return rule
}

// randomRuleIf has a condition at times, if conditions are wanted.
func randomRuleIf(r *rand.Rand, id string, conditions bool) permission.Rule {
	rule := randomRule(r, id)
	if conditions {
		rule.Condition = maybe(r, conditionTexts)
	}
	return rule
}

func randomCall(r *rand.Rand) policy.Call {
	c := policy.Call{ToolName: some(r, world.pieces, 5), Input: json.RawMessage(pick(r, inputs).text),
		SessionID: permission.SessionID(pick(r, []string{"s", ""})), AgentID: permission.AgentID(pick(r, []string{"a", "b"})),
		AgentName: pick(r, []string{"bob", "eve"})}
	if server := pick(r, world.servers); r.IntN(4) > 0 {
		c.ServerID = &server
	}
	if cwd := pick(r, []string{"/home", "/"}); r.IntN(2) == 0 {
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

// randomEdit changes the list, and gives the edit that does the same.
func randomEdit(r *rand.Rand, rules []permission.Rule, conditions bool) (edited, put []permission.Rule, remove []permission.RuleID) {
	for range r.IntN(3) {
		remove = append(remove, permission.RuleID(pick(r, []string{"a", "b", "c", "d", "e", "f", "g", "h", "zz"})))
	}
	for _, id := range r.Perm(10)[:r.IntN(3)] {
		put = append(put, randomRuleIf(r, string(rune('a'+id)), conditions))
	}
	if len(put) > 0 && r.IntN(20) == 0 {
		put[0].Priority = 1 << 40 // not valid: it goes, and nothing comes
	}
	edited = slices.DeleteFunc(slices.Clone(rules), func(old permission.Rule) bool {
		return slices.Contains(remove, old.ID) || slices.ContainsFunc(put, func(n permission.Rule) bool { return n.ID == old.ID })
	})
	return append(edited, put...), put, remove
}

func valid(rules []permission.Rule) []permission.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r permission.Rule) bool { return r.Priority == 1<<40 })
}

// checkRandom makes a rule set, edits and calls from a seed, and holds the decisions of
// a set that is edited again and again, and so remembers, against the model, against
// Trace, and against those of a set that was compiled anew.
func checkRandom(t *testing.T, seed uint64, count map[permission.Effect]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	conditions := r.IntN(8) == 0
	rules := make([]permission.Rule, r.IntN(8))
	for i, n := range r.Perm(len(rules)) {
		rules[i] = randomRuleIf(r, string(rune('a'+n)), conditions)
	}
	calls := []policy.Call{randomCall(r), randomCall(r), randomCall(r)}
	s := policy.Compile(rules, 0)
	for round := range int64(3) {
		before, was := s, rules
		if round > 0 {
			edited, put, remove := randomEdit(r, rules, conditions)
			s, rules = s.Edit(put, remove, round), valid(edited)
		}
		for _, c := range calls[:1+r.IntN(3)] {
			at := permission.Time(1 + r.IntN(7))
			effect, id := model(rules, c, at)
			count[effect]++
			for range 1 + r.IntN(3) { // new, met again, remembered
				checkDecision(t, seed, s, rules, c, at, effect, id)
			}
			if round > 0 && r.IntN(2) == 0 {
				effect, id = model(was, c, at)
				checkDecision(t, seed, before, was, c, at, effect, id)
			}
		}
		if r.IntN(4) == 0 {
			checkSame(t, seed, s, policy.Compile(rules, round))
		}
	}
}

func checkDecision(t *testing.T, seed uint64, s *policy.Set, rules []permission.Rule, c policy.Call, at permission.Time, effect permission.Effect, id permission.RuleID) {
	t.Helper()
	d := s.Decide(c, at)
	var got permission.RuleID
	if d.Rule != nil {
		got = d.Rule.ID
	}
	if d.Effect != effect || got != id || d.Reason == "" {
		list, _ := json.Marshal(rules)
		call, _ := json.Marshal(c)
		t.Fatalf("seed %d: %s at %d of %s\ndecided %s by %q (%s), the model says %s by %q", seed, call, at, list, d.Effect, got, d.Reason, effect, id)
	}
	checkTrace(t, s, c, at, d)
}

// checkSame holds an edited set against a compiled one.
func checkSame(t *testing.T, seed uint64, edited, compiled *policy.Set) {
	t.Helper()
	a, errA := json.Marshal(edited.Rules())
	b, errB := json.Marshal(compiled.Rules())
	if errA != nil || errB != nil || string(a) != string(b) || edited.Len() != compiled.Len() ||
		edited.HasConditions() != compiled.HasConditions() || edited.Version() != compiled.Version() {
		t.Fatalf("seed %d: edited %s\ncompiled %s\n%v %v", seed, a, b, errA, errB)
	}
}

func checkTrace(t *testing.T, s *policy.Set, c policy.Call, at permission.Time, d policy.Decision) {
	t.Helper()
	traced, steps := s.Trace(c, at)
	if traced != d {
		t.Fatalf("Trace decides %+v, Decide %+v", traced, d)
	}
	if len(steps) != s.Len() {
		t.Fatalf("%d steps for %d rules", len(steps), s.Len())
	}
	for i, rule := range s.Rules() {
		if steps[i].RuleID != rule.ID || steps[i].Why == "" {
			t.Fatalf("step %d is %+v, the rule %s", i, steps[i], rule.ID)
		}
	}
	for _, step := range steps {
		if step.Applies {
			if d.Rule == nil || d.Rule.ID != step.RuleID {
				t.Fatalf("first applying step %+v, decision by %+v", step, d.Rule)
			}
			return
		}
	}
	if d.Rule != nil || d.Effect != permission.Ask {
		t.Fatalf("no step applies, decision %+v", d)
	}
}

var cases = flag.Int("cases", 4_000, "how many random rule sets TestPropertyModel tries")

// TestPropertyModel holds engine and model together. For the full number:
//
//	go test ./backend/policy -run Property -cases 1000000
func TestPropertyModel(t *testing.T) {
	count := map[permission.Effect]int{}
	for seed := range uint64(*cases) {
		checkRandom(t, seed, count)
	}
	for _, e := range world.effects {
		if count[e] < *cases/10 {
			t.Errorf("%s came out %d times only: the test is blind for it", e, count[e])
		}
	}
}
