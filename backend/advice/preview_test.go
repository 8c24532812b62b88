package advice_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// pastCalls makes a history of random calls over the names of world, and the calls in full.
func pastCalls(r *rand.Rand, n int) (advice.History, []policy.Call) {
	var h advice.History
	var full []policy.Call
	for _, tool := range rulestest.World.Tools {
		h.Pairs = append(h.Pairs, policy.Call{ToolName: tool})
		for _, server := range rulestest.World.Servers {
			h.Pairs = append(h.Pairs, policy.Call{ServerID: &server, ToolName: tool})
		}
	}
	for i := range n {
		pair := r.IntN(len(h.Pairs))
		h.Calls = append(h.Calls, advice.Past{ID: permission.CallID(fmt.Sprint(i)), CreatedAt: permission.Time(i), Pair: int32(pair),
			Declined: r.IntN(3) == 0})
		call := h.Pairs[pair]
		call.Input = []byte(fmt.Sprintf(`{"a":%d}`, r.IntN(3)))
		full = append(full, call)
	}
	return h, full
}

func randomSet(r *rand.Rand, conditions bool) *policy.Set {
	rules := make([]permission.Rule, r.IntN(8))
	for i := range rules {
		rules[i] = rulestest.RandomRule(r, string(rune('a'+i)))
		if conditions && r.IntN(3) == 0 {
			rules[i].Condition = new(rulestest.Pick(r,
				[]string{"input.a == 1", "input.a > 0", "input.b == 1", "toolName == 'read'", "sessionId == 's'"}))
		}
	}
	return policy.Compile(rules, 0)
}

// TestPreviewIsCallByCall holds the preview against deciding every call. The input of
// every tenth was wiped, and the call is counted apart where a condition would have to
// see it.
func TestPreviewIsCallByCall(t *testing.T) {
	changed, matched, counts, blind, seen := 0, 0, map[string]int{}, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		conditions := seed%2 == 0
		before, after := randomSet(r, conditions), randomSet(r, conditions)
		about := rulestest.RandomRule(r, "about")
		about.ExpiresAt = rulestest.Pick(r, []permission.Time{0, 1})
		if conditions && r.IntN(2) == 0 {
			about.Condition = new("input.a == 1")
		}
		h, full := pastCalls(r, 100)
		for i := 0; i < len(full); i += 10 {
			full[i].Input = nil
		}
		loaded := map[int]bool{}
		got := advice.Preview(before, after, &about, h, func(i int) (policy.Call, bool) { loaded[i] = true; return full[i], i%10 > 0 }, 3)
		if len(loaded) > 0 && !conditions {
			t.Fatalf("seed %d: no conditions, and %d calls loaded", seed, len(loaded))
		}
		want := permission.Preview{Changed: []permission.Changed{}, Counts: map[string]int{}}
		for i, call := range slices.Backward(full) {
			if i%10 == 0 && wantsInput(call, slices.Concat(before.Rules(), after.Rules()), about) {
				want.Unjudged++
				continue
			}
			if i%10 == 0 && loaded[i] {
				seen++
			}
			past := h.Calls[i]
			want.Total++
			if applies(about, call) {
				want.Matched++
				want.MatchedDeclined += count(past.Declined)
			}
			if b, a := before.Decide(call, 3).Effect, after.Decide(call, 3).Effect; b != a {
				want.Changed = append(want.Changed, permission.Changed{CallID: past.ID, CreatedAt: past.CreatedAt, ServerID: call.ServerID,
					ToolName: call.ToolName, Before: b, After: a, Declined: past.Declined})
				want.ChangedTotal++
				want.Declined += count(past.Declined)
				want.Counts[fmt.Sprintf("%s>%s", b, a)]++
				counts[fmt.Sprintf("%s>%s", b, a)]++
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, want)
		}
		changed, matched, blind = changed+want.ChangedTotal, matched+want.Matched, blind+want.Unjudged
	}
	if changed < 1000 || matched < 1000 || len(counts) != 6 || blind < 100 || seen < 100 {
		t.Errorf("%d changed calls, %d matched, %v, %d unjudged, %d judged without input: the test is blind", changed, matched, counts, blind,
			seen)
	}
}

// wantsInput says by the model whether a condition about the input may have a say in a call.
func wantsInput(call policy.Call, rules []permission.Rule, about permission.Rule) bool {
	about.Enabled, about.ExpiresAt = true, 0
	for _, rule := range append(rules, about) {
		if rule.Condition == nil || !strings.Contains(*rule.Condition, "input") {
			continue
		}
		rule.Condition = nil
		if _, by := rulestest.Model([]permission.Rule{rule}, call, 3); by != "" {
			return true
		}
	}
	return false
}

// applies says by the model whether a rule applies by itself, were it enabled and not over.
func applies(rule permission.Rule, call policy.Call) bool {
	rule.Enabled, rule.ExpiresAt = true, 0
	condition := rule.Condition
	rule.Condition = nil
	_, by := rulestest.Model([]permission.Rule{rule}, call, 3)
	return by != "" && (condition == nil || string(call.Input) == `{"a":1}`)
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestPreviewCounts(t *testing.T) {
	h := advice.History{Pairs: []policy.Call{{ToolName: "x"}, {ToolName: "y"}}}
	for i := range 3000 {
		h.Calls = append(h.Calls, advice.Past{ID: permission.CallID(fmt.Sprint(i)), Pair: int32(i % 2), Declined: i%3 == 0})
	}
	p := advice.Preview(policy.Compile(nil, 0), rulestest.Set(t, `[{"id":"a","toolName":"x","effect":"allow"}]`), nil, h, nil, rulestest.Now)
	if p.Total != 3000 || p.ChangedTotal != 1500 || p.Declined != 500 || p.Counts["ask>allow"] != 1500 || p.Matched != 0 ||
		len(p.Changed) != advice.MaxChanged || p.Changed[0].CallID != "2998" || p.Changed[1].CallID != "2996" {
		t.Errorf("%d of %d changed, %d declined, %d listed, first %+v", p.ChangedTotal, p.Total, p.Declined, len(p.Changed), p.Changed[:2])
	}

	// Calls whose input a condition is about, and that was wiped, are counted apart.
	conditional := rulestest.Set(t, `[{"id":"a","toolName":"x","effect":"allow","condition":"input.a == 1"}]`)
	p = advice.Preview(policy.Compile(nil, 0), conditional, nil, h, func(i int) (policy.Call, bool) {
		return policy.Call{ToolName: "x", Input: []byte(`{"a":1}`)}, i >= 1000
	}, rulestest.Now)
	if p.Total != 2500 || p.ChangedTotal != 1000 || p.Unjudged != 500 {
		t.Errorf("with a condition %d of %d changed", p.ChangedTotal, p.Total)
	}
}

// bigHistory is 100,000 calls of 3,000 pairs, and 10,000 rules about them.
func bigHistory() (before, after *policy.Set, h advice.History) {
	rules := manyRules(func(i int, r *permission.Rule) {
		r.ServerID = new(fmt.Sprintf("server-%d", i%100))
		switch i % 4 {
		case 0:
			r.ToolName = new(fmt.Sprintf("tool_%d", i%300))
		case 1:
			r.ToolPattern = new(fmt.Sprintf("tool_%d*", i%300))
		case 2:
			r.ToolPattern = new(fmt.Sprintf("*_%d", i%300))
		default:
			r.ToolPattern = new(fmt.Sprintf("*ool_%d*", i%300))
		}
	})
	before = policy.Compile(rules, 1)
	edited := rules[5000]
	edited.ServerID, edited.ToolName, edited.ToolPattern, edited.Priority, edited.Effect, edited.AutoApprove = nil, nil, new("*_1*"), 100,
		permission.Deny, false
	rules[5000] = edited
	for i := range 3000 {
		h.Pairs = append(h.Pairs, policy.Call{ServerID: new(fmt.Sprintf("server-%d", i%100)), ToolName: fmt.Sprintf("tool_%d", i/10)})
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		h.Calls = append(h.Calls, advice.Past{ID: permission.CallID(fmt.Sprint(i)), Pair: int32(r.IntN(3000))})
	}
	return before, policy.Compile(rules, 2), h
}

// BenchmarkPreview starts with cold sets each time, as after an edit.
func BenchmarkPreview(b *testing.B) {
	before, after, h := bigHistory()
	rulesBefore, rulesAfter := before.Rules(), after.Rules()
	var took time.Duration
	n := 0
	for b.Loop() {
		before, after := policy.Compile(rulesBefore, 1), policy.Compile(rulesAfter, 2)
		start := time.Now()
		p := advice.Preview(before, after, nil, h, nil, rulestest.Now)
		took += time.Since(start)
		n++
		if p.Total != 100_000 || p.ChangedTotal == 0 {
			b.Fatalf("%d of %d changed", p.ChangedTotal, p.Total)
		}
	}
	b.ReportMetric(float64(took.Microseconds())/float64(n), "preview-us/op")
}
