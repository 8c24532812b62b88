package reach_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/reach"
)

// edited gives the rules after a random edit.
func (m maker) edited(rules []permission.Rule, hard bool) []permission.Rule {
	out := slices.Clone(rules)
	i := m.IntN(len(out))
	switch m.IntN(9) {
	case 0:
		return slices.Delete(out, i, i+1)
	case 1:
		fresh := m.rules(hard)[0]
		fresh.ID = "new"
		return append(out, fresh)
	case 2:
		out[i].Condition = new(m.condition(hard))
	case 3:
		if out[i].Condition != nil {
			out[i].Condition = new("(" + *out[i].Condition + ") && " + m.condition(hard))
		}
	case 4:
		out[i].Enabled = !out[i].Enabled
	case 5:
		out[i].Priority = m.Int64N(4)
	case 6:
		out[i].Effect = []permission.Effect{permission.Allow, permission.Ask, permission.Deny}[m.IntN(3)]
		out[i].AutoApprove = out[i].Effect == permission.Allow
	case 7:
		out[i].ToolPattern = new(m.pick([]string{"read_*", "*", "*n*", "RUN", "*_a", "s*"}))
	default:
		out[i].ServerID, out[i].ToolName = new("s1"), new("run")
	}
	return out
}

// TestNarrowerAgreesWithBruteForce holds what is said of random edits against all calls of a
// small world.
func TestNarrowerAgreesWithBruteForce(t *testing.T) {
	calls, m := universe(), maker{rand.New(rand.NewPCG(7, 15))}
	for i := range len(calls) { // readings, too
		if c := calls[i]; i%23 == 0 {
			for _, method := range permission.JudgedMethods[1:] {
				c.Method = method
				calls = append(calls, c)
			}
		}
	}
	count := map[string]int{}
	for i := range rounds() / 4 {
		hard := i%2 == 1
		rules := m.rules(hard)
		after := m.edited(rules, hard)
		reads := permission.Reads{Resources: permission.Allow, Prompts: permission.Ask}
		was, is := policy.Compile(rules, 1).Reading(reads), policy.Compile(after, 2).Reading(reads)
		got := reach.IsNarrower(rules, after, reads, judged, now)
		newly := slices.IndexFunc(calls, func(c policy.Call) bool {
			return is.Decide(c, now).Effect == permission.Allow && was.Decide(c, now).Effect != permission.Allow
		})
		if got.Answer == permission.ReachYes && newly >= 0 {
			t.Fatalf("it newly allows %+v:\n%s\n%s", calls[newly], show(rules), show(after))
		}
		if got.Answer == permission.ReachNo {
			c := callOf(got.Example)
			if is.Decide(c, now).Effect != permission.Allow || was.Decide(c, now).Effect == permission.Allow {
				t.Fatalf("%+v is not newly allowed:\n%s\n%s", c, show(rules), show(after))
			}
		}
		count[fmt.Sprint(hard, " ", got.Answer, " brute ", newly < 0)]++
	}
	t.Log(count)
}

// TestLimitsAndNarrower: what a rule allows beyond its limit was not allowed before.
func TestLimitsAndNarrower(t *testing.T) {
	free := permission.Rule{ID: "a", ToolName: new("read"), Effect: permission.Allow, AutoApprove: true, Enabled: true, CreatedAt: 1}
	limited, other, wider := free, free, free
	limited.Limit, other.Limit, wider.Limit = &permission.Limit{Calls: 2, Seconds: 60}, &permission.Limit{Calls: 2, Seconds: 60}, &permission.Limit{Calls: 3, Seconds: 60}
	other.ID = "b"
	for name, c := range map[string]struct {
		before, after permission.Rule
		yes           bool
	}{
		"a limit comes": {free, limited, true}, "it stays": {limited, limited, true}, "it goes": {limited, free, false},
		"it grows": {limited, wider, false}, "of another rule": {limited, other, false},
	} {
		got := reach.IsNarrower([]permission.Rule{c.before}, []permission.Rule{c.after}, permission.Reads{}, judged, now)
		if (got.Answer == permission.ReachYes) != c.yes {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
