package advice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// idsOf are the ids of rules in the order of judgement.
func idsOf(rules []permission.Rule) (ids []permission.RuleID) {
	for _, r := range policy.Compile(rules, 0).Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// moved is the order that a move shall give.
func moved(ids []permission.RuleID, from, to int) []permission.RuleID {
	id := ids[from]
	rest := slices.Delete(slices.Clone(ids), from, from+1)
	if from < to {
		to--
	}
	return slices.Insert(rest, to, id)
}

// with lays changed rules over others.
func with(t *testing.T, rules, changed []permission.Rule) []permission.Rule {
	t.Helper()
	out := slices.Clone(rules)
	for _, c := range changed {
		i := slices.IndexFunc(rules, func(r permission.Rule) bool { return r.ID == c.ID })
		if c.Priority == rules[i].Priority {
			t.Errorf("rule %s is said to change and does not", c.ID)
		}
		out[i].Priority = c.Priority
		if fmt.Sprint(out[i]) != fmt.Sprint(c) {
			t.Errorf("more than the priority of rule %s changed: %+v", c.ID, c)
		}
	}
	return out
}

// TestMoveGivesTheWishedOrder tries every move of random sets with many ties, rules that
// are disabled or over, and priorities at the ends of their range. The order is held
// against that of the set which judges.
func TestMoveGivesTheWishedOrder(t *testing.T) {
	sizes, alone := map[int]int{}, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 11))
		rules := randomOrder(r)
		ids := idsOf(rules)
		for from := range rules {
			for to := range len(rules) + 1 {
				changed := advice.Move(rules, from, to)
				next := with(t, rules, changed)
				want := moved(ids, from, to)
				if got := idsOf(next); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s before %d: order %v, want %v, priorities %v", seed, rules[from].ID, to, got, want, priorities(next))
				}
				if (to == from || to == from+1) != (len(changed) == 0) {
					t.Fatalf("seed %d: %d to %d changes %d", seed, from, to, len(changed))
				}
				if least := fewest(rules, from, to); len(changed) != least {
					t.Fatalf("seed %d: %s before %d changes %d rules, and %d would do: %v", seed, rules[from].ID, to, len(changed), least,
						priorities(rules))
				}
				sizes[len(changed)]++
				if len(changed) == 1 && changed[0].ID == rules[from].ID {
					alone++
				}
			}
		}
	}
	if sizes[0] == 0 || sizes[2] < 100 || sizes[3] < 100 || alone < 1000 {
		t.Errorf("the test is blind: %v rules changed, %d times the moved one alone", sizes, alone)
	}
}

func priorities(rules []permission.Rule) (list []string) {
	for _, r := range rules {
		list = append(list, fmt.Sprintf("%s %s %d", r.ID, r.Effect, r.Priority))
	}
	return list
}

// randomOrder are rules in the order of judgement.
func randomOrder(r *rand.Rand) []permission.Rule {
	around := rulestest.Pick(r, []int64{0, math.MaxInt32 - 2, math.MinInt32})
	rules := make([]permission.Rule, 1+r.IntN(7))
	for i := range rules {
		rules[i] = rulestest.RandomRule(r, string(rune('a'+i)))
		rules[i].Priority = around + int64(r.IntN(3))
		rules[i].ExpiresAt = rulestest.Pick(r, []permission.Time{0, 0, 1})
	}
	return policy.Compile(rules, 0).Rules()
}

// fewest says how many rules have to change, by trying all ways to leave some as they
// are: two rules that stay must be as far apart as the order between them takes, and no
// further than the range of priorities goes.
func fewest(rules []permission.Rule, from, to int) int {
	var wish []permission.Rule
	for i, r := range rules {
		if i == to {
			wish = append(wish, rules[from])
		}
		if i != from {
			wish = append(wish, r)
		}
	}
	if to == len(rules) {
		wish = append(wish, rules[from])
	}
	drops := make([]int64, len(wish)) // by each place
	for i := 1; i < len(wish); i++ {
		a, b := wish[i-1], wish[i]
		a.Priority, b.Priority = 0, 0
		if drops[i] = drops[i-1]; !rulestest.ModelFirst(&a, &b) {
			drops[i]++
		}
	}
	best := len(wish)
	for stays := range 1 << len(wish) {
		level, fits, changed := int64(math.MaxInt32), true, 0
		for i, r := range wish {
			if stays>>i&1 == 0 {
				changed++
				continue
			}
			fits = fits && r.Priority+drops[i] <= level
			level = r.Priority + drops[i]
		}
		if fits && level-drops[len(wish)-1] >= math.MinInt32 && changed < best {
			best = changed
		}
	}
	return best
}

func TestMove(t *testing.T) {
	const rules = `[{"id":"top","priority":50},{"id":"ask","priority":10},{"id":"old","priority":10,"effect":"allow"},{"id":"low","priority":3}]`
	const denies = `[{"id":"d1","effect":"deny"},{"id":"d2","effect":"deny"},{"id":"d3","effect":"deny"},{"id":"d4","effect":"deny"},{"id":"y","effect":"allow","priority":-5},{"id":"x","effect":"allow","priority":-9}]`
	for _, tt := range []struct{ name, rules, id, before, want string }{
		{"room above", rules, "low", "top", "[low 50]"},
		{"room between", rules, "low", "ask", "[low 11]"},
		{"the priority of the next will do", rules, "top", "old", "[top 10]"},
		{"last of all", `[{"id":"a","priority":5},{"id":"b","priority":3},{"id":"c","priority":2}]`, "a", "", "[a 1]"},
		{"an allow before an ask of one priority", rules, "old", "ask", "[old 11]"},
		{"those above give way, being the fewer", denies, "x", "d2", "[x 1 d1 1]"},
		{"those below give way, being the fewer", denies, "x", "d4", "[x 0 d4 -1]"},
		{"the moved rule stays where its neighbour changes alone", denies, "y", "d4", "[d4 -6]"},
		{"as far as it takes, and no further",
			`[{"id":"a","priority":7,"effect":"allow"},{"id":"b","priority":5,"effect":"allow"},{"id":"c","priority":4,"effect":"allow"},
			{"id":"d","priority":4,"effect":"allow"},{"id":"e","priority":3,"effect":"allow"},{"id":"f","priority":2,"effect":"allow"},{"id":"x","priority":1,"effect":"allow"}]`, "x", "d", "[x 5 c 5]"},
		{"down from the top of the range",
			`[{"id":"a","priority":2147483647,"effect":"deny"},{"id":"b"},{"id":"x","priority":-5,"effect":"allow"}]`, "x", "a",
			"[x 2147483647 a 2147483646]"},
		{"up from the bottom of it", `[{"id":"x","priority":5},{"id":"b","effect":"allow"},{"id":"a","priority":-2147483648,"effect":"deny"}]`,
			"x", "", "[x -2147483648]"},
		{"up from the bottom of it, where it must", `[{"id":"x","priority":5},{"id":"b"},{"id":"a","priority":-2147483648,"effect":"allow"}]`,
			"x", "", "[x -2147483648 a -2147483647]"},
	} {
		list := rulestest.Set(t, tt.rules).Rules()
		place := func(id string) int {
			if id == "" {
				return len(list)
			}
			return slices.IndexFunc(list, func(r permission.Rule) bool { return string(r.ID) == id })
		}
		changed := advice.Move(list, place(tt.id), place(tt.before))
		var got []string
		for _, r := range changed {
			got = append(got, string(r.ID), fmt.Sprint(r.Priority))
		}
		order := idsOf(with(t, list, changed))
		if want := moved(idsOf(list), place(tt.id), place(tt.before)); !slices.Equal(order, want) || fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, order %v; want %s and %v", tt.name, got, order, tt.want, want)
		}
	}
}
