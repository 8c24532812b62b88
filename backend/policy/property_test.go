package policy_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// checkRandom makes a rule set, edits and calls from a seed, and holds the decisions of
// a set that is edited again and again, and so remembers, against the model, against
// Trace, and against those of a set that was compiled anew. A rule whose limit is reached is
// to the model as if it were not there.
func checkRandom(t *testing.T, seed uint64, count map[permission.Effect]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	conditions := r.IntN(8) == 0
	rules := make([]permission.Rule, r.IntN(8))
	for i, n := range r.Perm(len(rules)) {
		rules[i] = rulestest.RandomRuleIf(r, string(rune('a'+n)), conditions)
	}
	spent := map[permission.RuleID]bool{} // their limits are reached, where they have one
	for i := range rules {
		if rules[i].Effect == permission.Allow && r.IntN(3) == 0 {
			rules[i].Limit, spent[rules[i].ID] = &permission.Limit{Calls: 1, Seconds: 1}, r.IntN(2) == 0
		}
	}
	left := func(rules []permission.Rule) []permission.Rule {
		return slices.DeleteFunc(slices.Clone(rules), func(r permission.Rule) bool { return r.Limit != nil && spent[r.ID] })
	}
	calls := []policy.Call{rulestest.RandomCall(r), rulestest.RandomCall(r), rulestest.RandomCall(r)}
	s := policy.Compile(rules, 0).Counting(func(id permission.RuleID, _ permission.Limit, _ permission.Time) bool { return spent[id] })
	for round := range int64(3) {
		before, was := s, rules
		if round > 0 {
			edited, put, remove := rulestest.RandomEdit(r, rules, conditions)
			s, rules = s.Edit(put, remove, round), rulestest.Valid(edited)
		}
		for _, c := range calls[:1+r.IntN(3)] {
			at := permission.Time(1 + r.IntN(7))
			effect, id := rulestest.Model(left(rules), c, at)
			count[effect]++
			for range 1 + r.IntN(3) { // new, met again, remembered
				checkDecision(t, seed, s, rules, c, at, effect, id)
			}
			if round > 0 && r.IntN(2) == 0 {
				effect, id = rulestest.Model(left(was), c, at)
				checkDecision(t, seed, before, was, c, at, effect, id)
			}
		}
		if r.IntN(4) == 0 {
			checkSame(t, seed, s, policy.Compile(rules, round))
		}
	}
}

func checkDecision(t *testing.T, seed uint64, s *policy.Set, rules []permission.Rule, c policy.Call, at permission.Time,
	effect permission.Effect, id permission.RuleID) {
	t.Helper()
	d := s.Decide(c, at)
	var got permission.RuleID
	if d.Rule != nil {
		got = d.Rule.ID
	}
	if d.Effect != effect || got != id || d.Reason == "" {
		list, _ := json.Marshal(rules)
		call, _ := json.Marshal(c)
		t.Fatalf("seed %d: %s at %d of %s\ndecided %s by %q (%s), the model says %s by %q", seed, call, at, list, d.Effect, got, d.Reason, effect,
			id)
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
	if d.Parts == nil {
		traced.Parts = nil
	}
	if !reflect.DeepEqual(traced, d) {
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
	for _, e := range rulestest.World.Effects {
		if count[e] < *cases/10 {
			t.Errorf("%s came out %d times only: the test is blind for it", e, count[e])
		}
	}
}
