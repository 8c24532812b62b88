package policy_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// shapeCalls are calls about n different names of about 24 bytes; half of them hold the
// word of a rule.
func shapeCalls(shape, rules, n int) []policy.Call {
	calls := make([]policy.Call, n)
	for i := range calls {
		w := rulestest.Word(-1 - i)
		if i%2 == 0 {
			w = rulestest.Word(rand.New(rand.NewPCG(uint64(i), 9)).IntN(rules))
		}
		server := "server-" + string(rune('a'+i%9))
		name := strings.ReplaceAll(rulestest.Shapes[shape].Pattern(w, i), "*", fmt.Sprint(i))
		calls[i] = policy.Call{ServerID: &server, ToolName: name}
	}
	return calls
}

type mapKey struct{ server, tool string }

// BenchmarkMap is the base of a decision about a name seen before: one look into a Go
// map with the same key.
func BenchmarkMap(b *testing.B) {
	calls, m := shapeCalls(5, 100_000, 1000), map[mapKey]*permission.RuleRef{}
	for _, c := range calls {
		m[mapKey{*c.ServerID, c.ToolName}] = &permission.RuleRef{}
	}
	i, found := 0, 0
	for b.Loop() {
		c := &calls[i]
		if m[mapKey{*c.ServerID, c.ToolName}] != nil {
			found++
		}
		if i++; i == len(calls) {
			i = 0
		}
	}
	if found == 0 {
		b.Fatal("nothing found")
	}
}

func eachSize(b *testing.B, sizes []int, run func(b *testing.B, shape, n int)) {
	for _, n := range sizes {
		for shape := range rulestest.Shapes {
			b.Run(fmt.Sprintf("%s/%d", rulestest.Shapes[shape].Name, n), func(b *testing.B) { run(b, shape, n) })
		}
	}
}

// BenchmarkSeen decides about 1,000 names again and again.
func BenchmarkSeen(b *testing.B) {
	eachSize(b, []int{5, 100_000}, func(b *testing.B, shape, n int) {
		s, calls := policy.Compile(rulestest.ShapeRules(shape, n), 0), shapeCalls(shape, n, 1000)
		for range 3 {
			for i := range calls {
				s.Decide(calls[i], rulestest.Now)
			}
		}
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			s.Decide(calls[i], rulestest.Now)
			if i++; i == len(calls) {
				i = 0
			}
		}
	})
}

// BenchmarkNew decides about so many names that each is new.
func BenchmarkNew(b *testing.B) {
	eachSize(b, []int{5, 100_000}, func(b *testing.B, shape, n int) {
		s, calls := policy.Compile(rulestest.ShapeRules(shape, n), 0), shapeCalls(shape, n, 100_000)
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			s.Decide(calls[i], rulestest.Now)
			if i++; i == len(calls) {
				i = 0
			}
		}
	})
}

// BenchmarkWorst decides about new names of 64 bytes in 100,000 infix rules: names of
// random letters, and names that are made of parts of the rules.
func BenchmarkWorst(b *testing.B) {
	s := policy.Compile(rulestest.ShapeRules(3, 100_000), 0)
	for _, of := range []string{"letters", "parts"} {
		names := make([]string, 100_000)
		for i := range names {
			for j := 0; j < 8; j++ {
				n := -1 - 8*i - j
				if of == "parts" {
					n = (8*i + j) * 7919 % 100_000
				}
				names[i] += rulestest.Word(n)
			}
		}
		b.Run(of, func(b *testing.B) {
			at, best := 0, 1e9
			for b.Loop() { // 100 names each
				best = min(best, burst(100, func(i int) { s.Decide(policy.Call{ToolName: names[at+i]}, rulestest.Now) }))
				at = (at + 100) % len(names)
			}
			b.ReportMetric(best, "best-ns")
		})
	}
}

// BenchmarkEdit puts one rule in place of another.
func BenchmarkEdit(b *testing.B) {
	eachSize(b, []int{10_000, 100_000}, func(b *testing.B, shape, n int) {
		s, i, best := policy.Compile(rulestest.ShapeRules(shape, n), 0), 0, 1e9
		for b.Loop() {
			r := rulestest.ShapeRule(shape, n+i)
			r.ID = permission.RuleID(fmt.Sprintf("rule-%06d", i*7919%n))
			best = min(best, burst(1, func(int) { s = s.Edit([]permission.Rule{r}, nil, 1) }))
			i++
		}
		b.ReportMetric(best, "best-ns")
	})
}

// BenchmarkLinear is what the index saves: each rule is held against the call.
func BenchmarkLinear(b *testing.B) {
	eachSize(b, []int{100_000}, func(b *testing.B, shape, n int) {
		s, call := policy.Compile(rulestest.ShapeRules(shape, n), 0), shapeCalls(shape, n, 1)[0]
		for b.Loop() {
			s.Trace(call, rulestest.Now)
		}
	})
}

// BenchmarkCompile also says what memory a set takes.
func BenchmarkCompile(b *testing.B) {
	eachSize(b, []int{100_000}, func(b *testing.B, shape, n int) {
		rules := rulestest.ShapeRules(shape, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var s *policy.Set
		for b.Loop() {
			s = policy.Compile(rules, 0)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(s.Len()), "B/rule")
	})
}

// burst gives the ns of one call of run, which it calls n times.
func burst(n int, run func(i int)) float64 {
	start := time.Now()
	for i := range n {
		run(i)
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

// BenchmarkRatios measures what the figures compare in short bursts by turns, and takes
// the best of each, so that a busy machine disturbs both sides alike: seen/map, the same
// names in 100,000 rules against 5 (seen), new names likewise (new), and one new name.
func BenchmarkRatios(b *testing.B) {
	const names, many = 1000, 100_000
	for shape := range rulestest.Shapes {
		b.Run(rulestest.Shapes[shape].Name, func(b *testing.B) {
			small, large := policy.Compile(rulestest.ShapeRules(shape, 5), 0), policy.Compile(rulestest.ShapeRules(shape, many), 0)
			old, fresh, m := shapeCalls(shape, many, names), shapeCalls(shape, many, many)[names:], map[mapKey]*permission.RuleRef{}
			for _, c := range old {
				m[mapKey{*c.ServerID, c.ToolName}] = &permission.RuleRef{}
			}
			seen(small, old...)
			seen(large, old...)
			best := [5]float64{1e9, 1e9, 1e9, 1e9, 1e9}
			found, at := 0, 0
			turn := func() {
				for i, ns := range [5]float64{
					burst(names, func(i int) {
						if c := &old[i]; m[mapKey{*c.ServerID, c.ToolName}] != nil {
							found++
						}
					}),
					burst(names, func(i int) { small.Decide(old[i], rulestest.Now) }),
					burst(names, func(i int) { large.Decide(old[i], rulestest.Now) }),
					burst(names, func(i int) { small.Decide(fresh[at+i], rulestest.Now) }),
					burst(names, func(i int) { large.Decide(fresh[at+i], rulestest.Now) }),
				} {
					best[i] = min(best[i], ns)
				}
				at = (at + names) % len(fresh)
			}
			for range 200 {
				turn()
			}
			for b.Loop() {
				turn()
			}
			b.ReportMetric(best[2]/best[0], "seen/map")
			b.ReportMetric(best[2]/best[1], "seen100k/5")
			b.ReportMetric(best[4]/best[3], "new100k/5")
			b.ReportMetric(best[0], "map-ns")
			b.ReportMetric(best[2], "seen-ns")
			b.ReportMetric(best[4], "new-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}
