package advice_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

func rulesOf(t *testing.T, list string) []permission.Rule {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte("["+list+"]"), &raw); err != nil {
		t.Fatal(list, err)
	}
	rules := rulestest.Read(t, raw...)
	if len(rules) != len(raw) {
		t.Fatalf("a rule was refused: %s", list)
	}
	return rules
}

func ids(d permission.RuleDiff) string {
	var parts []string
	for _, r := range d.Added {
		parts = append(parts, "+"+string(r.ID))
	}
	for _, p := range d.Changed {
		parts = append(parts, "~"+string(p.After.ID))
	}
	for _, r := range d.Removed {
		parts = append(parts, "-"+string(r.ID))
	}
	for _, id := range d.Allows {
		parts = append(parts, "!"+string(id))
	}
	return strings.Join(parts, " ")
}

func TestDiff(t *testing.T) {
	const open, guard = `{"id":"o","effect":"allow","toolPattern":"r*"}`, `{"id":"g","effect":"deny","toolPattern":"read*","priority":5}`
	for _, tt := range []struct {
		name, old, imported string
		mode                permission.ImportMode
		want                string
		same                int
	}{
		{"nothing", ``, ``, "replace", "", 0},
		{"the same but for its times and hits", `{"id":"a","createdAt":"2020-01-01T00:00:00Z","hits":3}`,
			`{"id":"a","updatedAt":"2021-01-01T00:00:00Z","examples":[]}`, "merge", "", 1},
		{"added", ``, `{"id":"a","effect":"allow"},{"id":"b","effect":"allow","enabled":false},{"id":"c"},{"id":"d","effect":"deny"}`, "merge",
			"+a +b +c +d !a !b", 0},
		{"added and over", ``, `{"id":"a","effect":"allow","expiresAt":"2020-01-01T00:00:00Z"}`, "merge", "+a !a", 0},
		{"merge leaves the rest", guard + "," + open, `{"id":"x"}`, "merge", "+x", 0},
		{"replace takes it away", guard + "," + open, open, "replace", "-g !g", 1},
		{"a guard of tools alone, of nothing, goes", `{"id":"g","effect":"deny","method":"tools/call"}`, ``, "replace", "-g", 0},
		{"a guard goes, and the settings may allow readings", guard, ``, "replace", "-g !g", 0},
		{"an allow rule above the guard was free before", guard + `,{"id":"o","effect":"allow","toolPattern":"r*","priority":6}`,
			`{"id":"o","effect":"allow","toolPattern":"r*","priority":6}`, "replace", "-g !g", 1},
		{"an allow rule beside the guard", guard + `,{"id":"o","effect":"allow","toolPattern":"w*"}`,
			`{"id":"o","effect":"allow","toolPattern":"w*"}`, "replace", "-g !g", 1},
		{"an allow rule goes", open, ``, "replace", "-o", 0},
		{"a disabled guard goes", `{"id":"g","effect":"deny","enabled":false},` + open, open, "replace", "-g", 1},

		{"becomes allow", `{"id":"a"}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"becomes allow, switched off", `{"id":"a"}`, `{"id":"a","effect":"allow","enabled":false}`, "merge", "~a !a", 0},
		{"wider, switched off", `{"id":"a","effect":"allow","toolName":"x"}`, `{"id":"a","effect":"allow","toolPattern":"x*","enabled":false}`,
			"merge", "~a !a", 0},
		{"wider, and was off", `{"id":"a","effect":"allow","toolName":"x","enabled":false}`,
			`{"id":"a","effect":"allow","toolPattern":"x*","enabled":false}`, "merge", "~a !a", 0},
		{"narrower in every way", `{"id":"a","effect":"allow","toolPattern":"read_*","priority":3}`,
			`{"id":"a","effect":"allow","serverId":"s","toolName":"READ_x","priority":2,"condition":"true","expiresAt":"2030-01-01T00:00:00Z","note":"n","enabled":false}`, "merge", "~a", 0},
		{"a narrower pattern", `{"id":"a","effect":"allow","toolPattern":"read_*"}`, `{"id":"a","effect":"allow","toolPattern":"Read_*_x"}`,
			"merge", "~a", 0},
		{"a pattern like another", `{"id":"a","effect":"allow","toolPattern":"read_*_x"}`, `{"id":"a","effect":"allow","toolPattern":"read_*"}`,
			"merge", "~a !a", 0},
		{"any tool gets a pattern", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","toolPattern":"*"}`, "merge", "~a", 0},
		{"a name that the pattern has not", `{"id":"a","effect":"allow","toolPattern":"read_*"}`,
			`{"id":"a","effect":"allow","toolName":"reads"}`, "merge", "~a !a", 0},
		{"a name gets its pattern", `{"id":"a","effect":"allow","toolName":"x"}`, `{"id":"a","effect":"allow","toolPattern":"x"}`, "merge",
			"~a !a", 0},
		{"a pattern beside a name", `{"id":"a","effect":"allow","toolName":"x"}`, `{"id":"a","effect":"allow","toolName":"x","toolPattern":"*"}`,
			"merge", "~a", 0},
		{"any server gets one", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","serverId":"s"}`, "merge", "~a", 0},
		{"a server gets any", `{"id":"a","effect":"allow","serverId":"s"}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"gets a condition", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","condition":"input.a == 1"}`, "merge", "~a", 0},
		{"another condition, to less", `{"id":"a","effect":"allow","condition":"input.a > 1"}`,
			`{"id":"a","effect":"allow","condition":"input.a > 2"}`, "merge", "~a !a", 0},
		{"lower", `{"id":"a","effect":"allow","priority":1}`, `{"id":"a","effect":"allow"}`, "merge", "~a", 0},
		{"gets an end", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","expiresAt":"2030-01-01T00:00:00Z"}`, "merge", "~a", 0},
		{"ends earlier", `{"id":"a","effect":"allow","expiresAt":"2030-01-01T00:00:00Z"}`,
			`{"id":"a","effect":"allow","expiresAt":"2029-01-01T00:00:00Z"}`, "merge", "~a", 0},
		{"ends later", `{"id":"a","effect":"allow","expiresAt":"2030-01-01T00:00:00Z"}`,
			`{"id":"a","effect":"allow","expiresAt":"2031-01-01T00:00:00Z"}`, "merge", "~a !a", 0},
		{"is switched on, and narrower", `{"id":"a","effect":"allow","enabled":false}`, `{"id":"a","effect":"allow","toolName":"x"}`, "merge",
			"~a !a", 0},
		{"is switched on", `{"id":"a","effect":"allow","enabled":false}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"is switched off", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","enabled":false}`, "merge", "~a", 0},
		{"another reach", `{"id":"a","effect":"allow","toolName":"x"}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"another server", `{"id":"a","effect":"allow","serverId":"x"}`, `{"id":"a","effect":"allow","serverId":"y"}`, "merge", "~a !a", 0},
		{"another condition", `{"id":"a","effect":"allow","condition":"true"}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"another priority", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","priority":1}`, "merge", "~a !a", 0},
		{"another expiry", `{"id":"a","effect":"allow","expiresAt":"2020-01-01T00:00:00Z"}`, `{"id":"a","effect":"allow"}`, "merge", "~a !a", 0},
		{"another note", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","note":"x"}`, "merge", "~a", 0},
		{"another example", `{"id":"a","effect":"allow"}`, `{"id":"a","effect":"allow","examples":[{"toolName":"x","decision":"allow"}]}`,
			"merge", "~a", 0},
		{"an example written otherwise",
			`{"id":"a","examples":[{"toolName":"x","input":{"a":1,"b":2},"decision":"ask"},{"toolName":"x","decision":"ask"}]}`,
			`{"id":"a","examples":[{"toolName":"x","input":{"b":2, "a":1},"decision":"ask"},{"toolName":"x","input":{},"decision":"ask"}]}`, "merge",
			"", 1},
		{"an example with another input", `{"id":"a","examples":[{"toolName":"x","input":{"a":1},"decision":"ask"}]}`,
			`{"id":"a","examples":[{"toolName":"x","input":{"a":1.0},"decision":"ask"}]}`, "merge", "~a", 0},

		{"a guard is switched off", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"read*","priority":5,"enabled":false}`, "merge",
			"~g !g", 0},
		{"a guard gets narrower", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"read_*","priority":5}`, "merge", "~g !g", 0},
		{"a guard gets lower", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"read*","priority":4}`, "merge", "~g !g", 0},
		{"a guard gets a condition", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"read*","priority":5,"condition":"true"}`,
			"merge", "~g !g", 0},
		{"a guard gets an end", guard + "," + open,
			`{"id":"g","effect":"deny","toolPattern":"read*","priority":5,"expiresAt":"2030-01-01T00:00:00Z"}`, "merge", "~g !g", 0},
		{"a guard gets a server", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"read*","priority":5,"serverId":"s"}`, "merge",
			"~g !g", 0},
		{"a guard becomes allow", guard, `{"id":"g","effect":"allow","toolPattern":"read*","priority":5}`, "merge", "~g !g", 0},
		{"a guard gets wider and stronger", guard + "," + open, `{"id":"g","effect":"deny","toolPattern":"re*","priority":6,"note":"x"}`, "merge",
			"~g", 0},
		{"a guard asks now", guard + "," + open, `{"id":"g","effect":"ask","toolPattern":"read*","priority":5}`, "merge", "~g !g", 0},
		{"a guard of one name gets its pattern", `{"id":"g","toolName":"Read","priority":1},` + open,
			`{"id":"g","toolPattern":"read","priority":1}`, "merge", "~g", 0},
	} {
		d := advice.Diff(rulesOf(t, tt.old), rulesOf(t, tt.imported), tt.mode)
		if got := ids(d); got != tt.want || d.Same != tt.same {
			t.Errorf("%s: %q and %d the same, want %q and %d", tt.name, got, d.Same, tt.want, tt.same)
		}
		if d.Added == nil || d.Changed == nil || d.Removed == nil || d.Allows == nil {
			t.Errorf("%s: a list is null in JSON", tt.name)
		}
	}
}

// TestNothingIsAllowedSilently: where no id is listed, the import allows no call that
// was not allowed before.
func TestNothingIsAllowedSilently(t *testing.T) {
	w, opened, quiet, edited := newSmallWorld(), 0, 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 9))
		old := make([]permission.Rule, 1+r.IntN(6))
		for i := range old {
			old[i] = w.rule(r, string(rune('a'+i)))
		}
		imported := slices.DeleteFunc(slices.Clone(old), func(permission.Rule) bool { return r.IntN(5) == 0 })
		for i := range imported {
			switch r.IntN(6) {
			case 0, 1:
				imported[i] = w.rule(r, string(imported[i].ID))
			case 2, 3:
				imported[i] = w.touched(r, imported[i])
			}
		}
		if r.IntN(3) == 0 {
			imported = append(imported, w.rule(r, "z"))
		}
		mode := rulestest.Pick(r, []permission.ImportMode{"merge", "replace"})
		d := advice.Diff(old, imported, mode)
		outcome := imported
		if mode == permission.ImportMerge {
			outcome = slices.Clone(imported)
			for _, was := range old {
				if !slices.ContainsFunc(imported, func(r permission.Rule) bool { return r.ID == was.ID }) {
					outcome = append(outcome, was)
				}
			}
		}
		before, after := policy.Compile(old, 0).Rules(), policy.Compile(outcome, 0).Rules()
		newly := false
		for _, at := range w.times {
			newly = newly || less(w.allowed(after, at), w.allowed(before, at)).any()
		}
		switch {
		case newly && len(d.Allows) == 0:
			t.Fatalf("seed %d: allows more, silently: %+v\n%+v", seed, old, outcome)
		case newly:
			opened++
		case len(d.Allows) == 0:
			quiet++
			if slices.ContainsFunc(d.Changed, func(p permission.RulePair) bool { return p.After.Effect == permission.Allow }) {
				edited++
			}
		}
	}
	if opened < 300 || quiet < 300 || edited < 100 {
		t.Errorf("%d opened, %d quiet, %d with an allow rule edited: the test is blind", opened, quiet, edited)
	}
}

// touched is a rule with one thing of it changed.
func (w *smallWorld) touched(r *rand.Rand, rule permission.Rule) permission.Rule {
	other := w.rule(r, string(rule.ID))
	switch r.IntN(5) {
	case 0:
		rule.ServerID = other.ServerID
	case 1:
		rule.ToolName, rule.ToolPattern = other.ToolName, other.ToolPattern
	case 2:
		rule.Priority = other.Priority
	case 3:
		rule.ExpiresAt = other.ExpiresAt
	case 4:
		rule.Enabled = other.Enabled
	}
	return rule
}
