package advice_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// found lists findings as "rule kind by", and checks that each has a message.
func found(t *testing.T, rules []permission.Rule, at permission.Time) []string {
	t.Helper()
	out := []string{}
	for _, f := range advice.Lint(rules, at) {
		by := ""
		if f.By != nil {
			by = " " + string(*f.By)
			if !strings.Contains(f.Message, "rule "+string(*f.By)) {
				t.Errorf("%s of %s does not name %s: %s", f.Kind, f.RuleID, *f.By, f.Message)
			}
		}
		if f.Message == "" {
			t.Errorf("%s of %s says nothing", f.Kind, f.RuleID)
		}
		out = append(out, string(f.RuleID)+" "+string(f.Kind)+by)
	}
	return out
}

func TestLint(t *testing.T) {
	for _, tt := range []struct {
		name, rules string
		want        []string
	}{
		{"nothing", `[]`, nil},
		{"the five example rules", rulestest.FiveRules, nil},
		{"a wider pattern first",
			`{"id":"a","priority":2,"toolPattern":"read_*","effect":"ask"},{"id":"b","priority":1,"serverId":"fs","toolPattern":"READ_*_x","effect":"allow"}`, []string{"b unreachable a"}},
		{"a narrower pattern first",
			`{"id":"a","priority":2,"toolPattern":"read_*_x","effect":"ask"},{"id":"b","priority":1,"toolPattern":"read_*","effect":"allow"}`, nil},
		{"the strongest is named",
			`{"id":"a","priority":3,"toolPattern":"*d*"},{"id":"b","priority":2,"toolName":"read"},{"id":"c","priority":1,"serverId":"s","toolName":"read","effect":"allow"}`, []string{"b unreachable a", "c unreachable a"}},
		{"another server",
			`{"id":"a","priority":2,"serverId":"s"},{"id":"b","priority":1,"serverId":"t","toolName":"x","effect":"allow"},{"id":"c","priority":0,"effect":"deny"}`, nil},
		{"a name under a pattern",
			`{"id":"a","priority":2,"toolPattern":"*_file","effect":"allow"},{"id":"b","priority":1,"serverId":"fs","toolName":"delete_file","effect":"deny"}`, []string{"b unreachable a"}},
		{"a name is not its other spelling",
			`{"id":"a","priority":2,"toolName":"read"},{"id":"b","priority":1,"toolName":"READ","effect":"allow"}`, nil},
		{"all spellings named",
			`{"id":"a","priority":2,"toolName":"a1"},{"id":"b","priority":2,"toolName":"A1"},{"id":"c","priority":1,"toolPattern":"a1","effect":"allow"}`, []string{"c unreachable", "c no_star"}},
		{"not all spellings named", `{"id":"a","priority":2,"toolName":"a1"},{"id":"c","priority":1,"toolPattern":"a1","effect":"allow"}`,
			[]string{"c no_star"}},
		{"spellings named for a while",
			`{"id":"a","priority":2,"toolName":"a1"},{"id":"b","priority":2,"toolName":"A1","expiresAt":"2030-01-01T00:00:00Z"},{"id":"c","priority":1,"toolPattern":"a1","effect":"allow"}`, []string{"c no_star"}},
		{"spellings named, but for bad servers",
			`{"id":"a","priority":2,"toolName":"a1"},{"id":"b","priority":2,"toolName":"A1"},{"id":"c","priority":1,"toolPattern":"a1","effect":"deny"}`, []string{"c no_star"}},
		{"one spelling there is", `{"id":"a","priority":2,"toolName":"12"},{"id":"c","priority":1,"toolPattern":"12","effect":"allow"}`,
			[]string{"c unreachable a", "c no_star"}},
		{"a disabled one hides nothing", `{"id":"a","priority":2,"enabled":false},{"id":"b","priority":1,"toolName":"x","effect":"allow"}`, nil},
		{"an expired one hides nothing",
			`{"id":"a","priority":2,"expiresAt":"2020-01-01T00:00:00Z"},{"id":"b","priority":1,"toolName":"x","effect":"allow"}`,
			[]string{"a expired"}},
		{"an expiring one hides no lasting one",
			`{"id":"a","priority":2,"expiresAt":"2030-01-01T00:00:00Z"},{"id":"b","priority":1,"toolName":"x","effect":"allow"}`, nil},
		{"an expiring one hides a shorter one",
			`{"id":"a","priority":2,"expiresAt":"2030-01-01T00:00:00Z"},{"id":"b","priority":1,"toolName":"x","expiresAt":"2029-01-01T00:00:00Z","effect":"allow"}`, []string{"b unreachable a"}},
		{"a condition hides nothing", `{"id":"a","priority":2,"condition":"true"},{"id":"b","priority":1,"toolName":"x","effect":"allow"}`, nil},
		{"the same condition does",
			`{"id":"a","priority":2,"toolPattern":"x*","condition":"input.a == 1"},{"id":"b","priority":1,"toolName":"x","condition":"input.a == 1","effect":"allow"}`, []string{"b unreachable a"}},
		{"but what fails an allow rule holds for others",
			`{"id":"a","priority":2,"toolPattern":"x*","condition":"input.a == 1","effect":"allow"},{"id":"b","priority":1,"serverId":"s","toolName":"x","condition":"input.a == 1","effect":"ask"}`, nil},
		{"another condition does not",
			`{"id":"a","priority":2,"condition":"input.a == 1"},{"id":"b","priority":1,"toolName":"x","condition":"input.a == 2","effect":"allow"}`,
			nil},
		{"the star stops at line ends",
			`{"id":"a","priority":2,"toolPattern":"a*","effect":"deny"},{"id":"b","priority":1,"toolPattern":"a*\nb","effect":"deny"}`, nil},
		{"the star and any tool", `{"id":"a","priority":2,"toolPattern":"**"},{"id":"b","priority":1,"effect":"allow"}`,
			[]string{"b unreachable a", "b allows_all"}},

		{"duplicates",
			`{"id":"a","priority":2,"toolPattern":"Read_**"},{"id":"b","priority":1,"toolPattern":"rEAD_*"},{"id":"c","toolPattern":"read_*"}`,
			[]string{"b unreachable a", "b duplicate a", "c unreachable a", "c duplicate a"}},
		{"a pattern beside a name says nothing",
			`{"id":"a","priority":2,"toolName":"x","toolPattern":"y*"},{"id":"b","priority":1,"toolName":"x"}`,
			[]string{"a name_and_pattern", "b unreachable a", "b duplicate a"}},
		{"no duplicates", `{"id":"a","toolName":"x"},{"id":"b","toolPattern":"x"},{"id":"c","toolName":"x","serverId":"s","effect":"deny"}`,
			[]string{"a conflict c", "b conflict c", "b no_star"}},
		{"a pattern of one spelling is its name",
			`{"id":"a","priority":2,"toolName":"12","effect":"allow"},{"id":"b","priority":1,"toolPattern":"12","effect":"allow"}`,
			[]string{"b unreachable a", "b duplicate a", "b no_star"}},
		{"a shorter one has no lasting duplicate",
			`{"id":"a","priority":2,"toolName":"x","expiresAt":"2030-01-01T00:00:00Z"},{"id":"b","priority":1,"toolName":"x"}`, nil},

		{"conflict",
			`{"id":"a","serverId":"s","toolPattern":"read_*","effect":"allow"},{"id":"b","toolPattern":"*_file","effect":"deny"},{"id":"c","toolPattern":"x*","effect":"ask","serverId":"t"}`,
			[]string{"c conflict b", "a conflict b"}},
		{"the strongest conflict",
			`{"id":"a","toolName":"x","effect":"allow"},{"id":"b","toolPattern":"x*","effect":"deny","serverId":"s"},{"id":"c","toolName":"x","effect":"deny","serverId":"t"}`, []string{"a conflict b"}},
		{"no conflict",
			`{"id":"a","serverId":"s","effect":"allow"},{"id":"b","serverId":"t","effect":"deny"},{"id":"c","toolName":"x","priority":1,"effect":"deny"},{"id":"d","serverId":"t","toolPattern":"*z","effect":"deny"}`,
			[]string{"d unreachable b"}},
		{"only bad names in common",
			`{"id":"a","toolPattern":"x*\n","effect":"allow"},{"id":"b","toolPattern":"*\n","effect":"deny"},{"id":"c","toolName":" x","effect":"allow"},{"id":"d","toolPattern":" x","effect":"deny"}`, []string{"a unreachable", "c unreachable", "d no_star"}},

		{"allows all",
			`{"id":"a","effect":"allow"},{"id":"b","effect":"allow","toolPattern":"**","enabled":false},{"id":"c","serverId":"s","priority":1,"effect":"allow"},{"id":"d","effect":"allow","priority":1,"condition":"true"}`,
			[]string{"a allows_all", "b allows_all"}},
		{"form of what does not act",
			`{"id":"a","toolPattern":"x","enabled":false,"expiresAt":"2020-01-01T00:00:00Z"},{"id":"b","toolPattern":"y","expiresAt":"2020-01-01T00:00:00Z"}`,
			[]string{"a no_star", "b no_star", "b expired"}},
	} {
		var raw []json.RawMessage
		if err := json.Unmarshal([]byte("["+strings.Trim(tt.rules, "[]\n")+"]"), &raw); err != nil {
			t.Fatal(tt.name, err)
		}
		rules := rulestest.Read(t, raw...)
		if len(rules) != len(raw) {
			t.Fatalf("%s: a rule was refused", tt.name)
		}
		got := found(t, rules, rulestest.Now)
		want := slices.Clone(tt.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestLintOfBadNames(t *testing.T) {
	rules := func(weak string) []permission.Rule {
		return rulestest.Read(t, json.RawMessage(`{"id":"a","priority":2,"effect":"allow"}`), json.RawMessage(weak))
	}
	for weak, want := range map[string]string{
		`{"id":"b","toolPattern":"delete_*","effect":"deny"}`:                     "rule a (priority 2) decides every tool call that this rule applies to, unless its name is a bad one",
		`{"id":"b","serverId":"s","toolPattern":"delete_x","effect":"deny"}`:      "rule a (priority 2) decides every tool call that this rule applies to",
		`{"id":"b","serverId":"s","toolName":"delete_x","effect":"deny"}`:         "rule a (priority 2) decides every tool call that this rule applies to",
		`{"id":"b","toolPattern":"delete_*","effect":"ask"}`:                      "rule a (priority 2) decides every call that this rule applies to",
		`{"id":"b","serverId":"s","toolName":"delete\u200b_x","effect":"deny"}`:   "",
		`{"id":"b","serverId":"s","toolPattern":"x\u200b","effect":"deny"}`:       "",
		`{"id":"b","toolPattern":"delete*\n*","effect":"deny"}`:                   "",
		`{"id":"b","serverId":"f\u0455","toolPattern":"delete*","effect":"deny"}`: "",
	} {
		got := ""
		for _, f := range advice.Lint(rules(weak), rulestest.Now) {
			if f.Kind == permission.FindingUnreachable {
				got = f.Message
			}
		}
		if got != want {
			t.Errorf("%s: %q", weak, got)
		}
	}
}

// lintWorld is small enough to walk all calls. The letter z begins and ends few
// patterns: without letters of their own, patterns look wider than they are.
type smallWorld struct {
	servers []string
	calls   []policy.Call
	bad     bits // which calls have a bad name
	times   []permission.Time
	reaches map[string]bits // what rules of one kind apply to
}

// bits has one bit for each call of lintWorld.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
func (b bits) add(i int)      { b[i/64] |= 1 << (i % 64) }

// combine gives a new set of bits, word by word.
func combine(a, b bits, of func(a, b uint64) uint64) bits {
	out := make(bits, len(a))
	for i := range a {
		out[i] = of(a[i], b[i])
	}
	return out
}

func both(a, b bits) bits  { return combine(a, b, func(a, b uint64) uint64 { return a & b }) }
func less(a, b bits) bits  { return combine(a, b, func(a, b uint64) uint64 { return a &^ b }) }
func union(a, b bits) bits { return combine(a, b, func(a, b uint64) uint64 { return a | b }) }
func (b bits) any() bool   { return slices.ContainsFunc(b, func(word uint64) bool { return word != 0 }) }

func newSmallWorld() *smallWorld {
	w := &smallWorld{servers: []string{"", "s", "t", "s\u200b"},
		times: []permission.Time{rulestest.Now, rulestest.Now + 1, rulestest.Now + 2, rulestest.Now + 3}, reaches: map[string]bits{}}
	names, from := []string{""}, 0
	for range 4 {
		to := len(names)
		for _, name := range names[from:to] {
			for _, letter := range "aAz" {
				names = append(names, name+string(letter))
			}
		}
		from = to
	}
	names = append(names, "a\n", "\na", "z\nz", "a\u200b", "aa\u200ba", " a", "zz\n", "a\na", "1", "11")
	w.bad = make(bits, len(names)*len(w.servers)/64+1)
	for _, name := range names {
		for _, server := range w.servers {
			call := policy.Call{ToolName: name}
			if server != "" {
				call.ServerID = &server
			}
			if name == "" || strings.ContainsAny(name, "\n\u200b ") || server == "s\u200b" {
				w.bad.add(len(w.calls))
			}
			w.calls = append(w.calls, call)
		}
	}
	return w
}

// reach is what a rule applies to, by the model, while it acts.
func (w *smallWorld) reach(r permission.Rule) bits {
	key := fmt.Sprintf("%q %q %q %s", text(r.ServerID), text(r.ToolName), text(r.ToolPattern), r.Effect)
	if known := w.reaches[key]; known != nil {
		return known
	}
	out := make(bits, len(w.bad))
	r.Enabled, r.ExpiresAt = true, 0
	for i, call := range w.calls {
		if rulestest.ModelApplies(&r, call, rulestest.Now) && (!w.bad.has(i) || r.Effect == permission.Deny) {
			out.add(i)
		}
	}
	w.reaches[key] = out
	return out
}

func text(s *string) string {
	if s == nil {
		return "any"
	}
	return "=" + *s
}

func actsAt(r permission.Rule, at permission.Time) bool {
	return r.Enabled && (r.ExpiresAt == 0 || r.ExpiresAt > at)
}

// allowed is what rules in order of judgement allow at a time.
func (w *smallWorld) allowed(ordered []permission.Rule, at permission.Time) bits {
	taken, allowed := make(bits, len(w.bad)), make(bits, len(w.bad))
	for _, r := range ordered {
		if !actsAt(r, at) {
			continue
		}
		if r.Effect == permission.Allow {
			allowed = union(allowed, less(w.reach(r), taken))
		}
		taken = union(taken, w.reach(r))
	}
	return allowed
}

// decides reports whether rule i of rules in order of judgement ever decides a good
// call, and whether a bad one.
func (w *smallWorld) decides(ordered []permission.Rule, i int) (good, bad bool) {
	for _, at := range w.times {
		if !actsAt(ordered[i], at) {
			continue
		}
		left := w.reach(ordered[i])
		for _, r := range ordered[:i] {
			if actsAt(r, at) {
				left = less(left, w.reach(r))
			}
		}
		good, bad = good || less(left, w.bad).any(), bad || both(left, w.bad).any()
	}
	return good, bad
}

func (w *smallWorld) rule(r *rand.Rand, id string) permission.Rule {
	rule := permission.Rule{ID: permission.RuleID(id), Enabled: r.IntN(8) > 0, Effect: rulestest.Pick(r, rulestest.World.Effects),
		Priority: int64(r.IntN(3))}
	rule.AutoApprove = rule.Effect == permission.Allow
	rule.ServerID = rulestest.Maybe(r, w.servers)
	switch r.IntN(4) {
	case 0:
		rule.ToolName = rulestest.Maybe(r, []string{"a", "A", "aa", "aA", "1", "a\n", "zz"})
	case 1, 2:
		rule.ToolPattern = rulestest.Maybe(r, []string{"*", "a", "A*", "*a", "*a*", "a*a", "aa*", "**a", "*\n*", "a*\n", "1", "*aa*", "a*aa",
			"zz*", "*z"})
	}
	if r.IntN(3) == 0 {
		rule.ExpiresAt = rulestest.Now + permission.Time(r.IntN(4)) // now is over
	}
	return rule
}

// checkLint holds what lint says of a random rule set against all calls of the world.
func (w *smallWorld) checkLint(t *testing.T, seed uint64) map[string]int {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	rules := make([]permission.Rule, 1+r.IntN(6))
	for i := range rules {
		rules[i] = w.rule(r, string(rune('a'+i)))
	}
	ordered := policy.Compile(rules, 0).Rules()
	kinds := map[permission.RuleID]map[permission.FindingKind]permission.Finding{}
	count := map[string]int{}
	for _, f := range advice.Lint(rules, rulestest.Now) {
		if kinds[f.RuleID] == nil {
			kinds[f.RuleID] = map[permission.FindingKind]permission.Finding{}
		}
		kinds[f.RuleID][f.Kind] = f
		count[string(f.Kind)]++
	}
	for i := range ordered {
		w.checkReach(t, seed, ordered, i, kinds[ordered[i].ID])
		w.checkConflict(t, seed, ordered, i, kinds[ordered[i].ID])
	}
	return count
}

func (w *smallWorld) checkReach(t *testing.T, seed uint64, ordered []permission.Rule, i int,
	kinds map[permission.FindingKind]permission.Finding) {
	t.Helper()
	rule := ordered[i]
	finding, said := kinds[permission.FindingUnreachable]
	good, bad := w.decides(ordered, i)
	nearly := strings.Contains(finding.Message, "bad one")
	if said && (good || bad && !nearly) {
		t.Fatalf("seed %d: %s is said to be unreachable: %+v", seed, rule.ID, ordered)
	}
	alone, _ := w.decides([]permission.Rule{rule}, 0)
	if finding.By != nil {
		by := slices.IndexFunc(ordered, func(r permission.Rule) bool { return r.ID == *finding.By })
		for j := range by + 1 {
			if rule.Effect == permission.Deny && ordered[j].Effect != permission.Deny && !nearly {
				continue // some bad name that is not in this world is left
			}
			good, bad := w.decides([]permission.Rule{ordered[j], rule}, 1)
			if hides := actsAt(ordered[j], rulestest.Now) && !good && (!bad || nearly); hides != (j == by) && (alone || j == by) {
				t.Fatalf("seed %d: %s is said to hide %s, and of %s it is %v: %+v", seed, *finding.By, rule.ID, ordered[j].ID, hides, ordered)
			}
		}
	}
	if !said && !good && !bad && (alone || rule.Effect != permission.Deny && actsAt(rule, rulestest.Now)) {
		t.Fatalf("seed %d: %s decides nothing, and lint is silent: %+v", seed, rule.ID, ordered)
	}
}

func (w *smallWorld) checkConflict(t *testing.T, seed uint64, ordered []permission.Rule, i int,
	kinds map[permission.FindingKind]permission.Finding) {
	t.Helper()
	rule := ordered[i]
	finding, said := kinds[permission.FindingConflict]
	var first *permission.RuleID
	for _, other := range ordered[:i] {
		if other.Priority == rule.Priority && other.Effect != rule.Effect && actsAt(other, rulestest.Now) && actsAt(rule, rulestest.Now) &&
			first == nil && both(w.reach(other), w.reach(rule)).any() {
			first = &other.ID
		}
	}
	if said != (first != nil) || said && *finding.By != *first {
		t.Fatalf("seed %d: conflict of %s is %+v, want with %v: %+v", seed, rule.ID, finding, first, ordered)
	}
}

func TestLintByAllCalls(t *testing.T) {
	w, count := newSmallWorld(), map[string]int{}
	for seed := range uint64(5000) {
		for kind, n := range w.checkLint(t, seed) {
			count[kind] += n
		}
	}
	for _, kind := range []permission.FindingKind{permission.FindingUnreachable, permission.FindingDuplicate, permission.FindingConflict,
		permission.FindingNoStar, permission.FindingAllowsAll, permission.FindingExpired} {
		if count[string(kind)] < 50 {
			t.Errorf("%s: %d findings only, the test is blind for it", kind, count[string(kind)])
		}
	}
}

func FuzzLint(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { newSmallWorld().checkLint(t, seed) })
}

func TestLintChangesNothing(t *testing.T) {
	rules := rulestest.Set(t, rulestest.FiveRules).Rules()
	before := fmt.Sprint(rules)
	advice.Lint(rules, rulestest.Now)
	if after := fmt.Sprint(rules); after != before || !reflect.DeepEqual(rules, rulestest.Set(t, rulestest.FiveRules).Rules()) {
		t.Error("the rules changed")
	}
}

// manyRules are 10,000 rules of one shape.
func manyRules(shape func(i int, r *permission.Rule)) []permission.Rule {
	rules := make([]permission.Rule, 10_000)
	for i := range rules {
		r := permission.Rule{ID: permission.RuleID(fmt.Sprintf("r%d", i)), Enabled: true, Effect: rulestest.World.Effects[i%3],
			Priority: int64(i % 10)}
		shape(i, &r)
		r.AutoApprove = r.Effect == permission.Allow
		rules[i] = r
	}
	return rules
}

func BenchmarkLint(b *testing.B) {
	server := func(i, of int) *string { return new(fmt.Sprintf("server-%d", i%of)) }
	for name, shape := range map[string]func(i int, r *permission.Rule){
		"names of 100 servers": func(i int, r *permission.Rule) {
			r.ServerID, r.ToolName = server(i, 100), new(fmt.Sprintf("tool_%d", i))
		},
		"names of no server": func(i int, r *permission.Rule) { r.ToolName, r.Priority = new(fmt.Sprintf("tool_%d", i)), 0 },
		"prefixes of 100 servers": func(i int, r *permission.Rule) {
			r.ServerID, r.ToolPattern = server(i, 100), new(fmt.Sprintf("tool_%d_*", i))
		},
		"prefixes of no server": func(i int, r *permission.Rule) { r.ToolPattern, r.Priority = new(fmt.Sprintf("tool_%d_*", i)), 0 },
		"infixes of no server":  func(i int, r *permission.Rule) { r.ToolPattern, r.Priority = new(fmt.Sprintf("*_%d_*", i)), 0 },
		"one prefix, many ends": func(i int, r *permission.Rule) { r.ToolPattern, r.Priority = new(fmt.Sprintf("get_*_%d", i)), 0 },
		"the same rule":         func(i int, r *permission.Rule) { r.ToolPattern = new("read_*") },
		"long infixes, one effect": func(i int, r *permission.Rule) {
			r.ToolPattern, r.Effect = new("*"+strings.Repeat("ab", i%100)+fmt.Sprint(i)+"*"), permission.Ask
		},
	} {
		rules := manyRules(shape)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				advice.Lint(rules, rulestest.Now)
			}
		})
	}
}
