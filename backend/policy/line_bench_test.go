package policy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// lineRules look at lines as rules of people do.
const lineRules = `[{"id":"git","toolName":"run","effect":"allow","priority":50,"condition":"input.command.startsWith(\"git \")"},
	{"id":"all","effect":"ask"}]`

// lineCalls are calls with a line, no two of which are alike.
func lineCalls(n int, format string) []policy.Call {
	calls := make([]policy.Call, n)
	for i := range calls {
		input, _ := json.Marshal(map[string]string{"command": fmt.Sprintf(format, i)})
		calls[i] = policy.Call{ServerID: new("shell"), ToolName: "run", Input: input}
	}
	return calls
}

// BenchmarkLine decides about calls with a line: new ones, with the 99th percentile, and
// one that was met before; and about a call without one.
func BenchmarkLine(b *testing.B) {
	s := rulestest.Set(b, lineRules)
	for name, calls := range map[string][]policy.Call{
		"new":    lineCalls(20_000, "git log -n %d"),
		"quoted": lineCalls(20_000, "git commit -m 'x %d'"),
		"seen":   lineCalls(1, "git log -n %d"),
		"list":   lineCalls(20_000, "cd web && git log -n %d | head -20"),
		"none":   {{ServerID: new("shell"), ToolName: "run", Input: json.RawMessage(`{"path":"/work/app/src","depth":2}`)}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				s.Decide(calls[i%len(calls)], rulestest.Now)
				took = append(took, time.Since(start))
				i++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}

// hostileLines are lines of 64 KiB that cost much to judge.
func hostileLines() map[string]string {
	repeat := func(text string) string { return strings.Repeat(text, 64<<10/len(text)) }
	distinct := &strings.Builder{}
	for i := 0; distinct.Len() < 60<<10; i++ {
		fmt.Fprintf(distinct, "git a%d;", i)
	}
	return map[string]string{"short": repeat("a;"), "git": repeat("git x;"), "distinct": distinct.String(), "subst": repeat("$(a $b);"),
		"quotes": repeat(`"a"'b'\c `), "one word": repeat("x"), "pipes": repeat("a|"), "code": repeat("python -c 'rm -rf x';")}
}

func BenchmarkHostileLine(b *testing.B) {
	s := rulestest.Set(b, lineRules)
	for name, text := range hostileLines() {
		input, _ := json.Marshal(map[string]string{"command": text})
		call := policy.Call{ServerID: new("shell"), ToolName: "run", Input: input}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Decide(call, rulestest.Now)
			}
		})
	}
}
