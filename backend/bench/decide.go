package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// decide measures one decision: ours by how many rules there are, a look into a Go
// map, the naive way, and other engines with the same 100 rules.
func decide(ctx context.Context, s settings, dir string) ([]row, error) {
	ours := map[int]*contestant{}
	fresh := map[int]*contestant{}
	all := []*contestant{}
	for _, n := range []int{5, 100, 10_000, 100_000} {
		set := policy.Compile(ourRules(shapes(n)), 1)
		ours[n], fresh[n] = known(set, n), unknown(set, n)
		all = append(all, ours[n], fresh[n])
	}
	look := mapLookup()
	worst := worstCase()
	all = append(all, look, worst)
	neighbours, err := engines(ctx, shapes(100), filepath.Join(dir, "naive.db"))
	if err != nil {
		return nil, err
	}
	if err := agree(shapes(100), neighbours); err != nil {
		return nil, err
	}
	peers := map[string]*contestant{}
	for _, e := range neighbours {
		peers[e.name] = e.contestant()
		all = append(all, peers[e.name])
	}
	if err := compete(s.rounds, all...); err != nil {
		return nil, err
	}
	return decideRows(ours, fresh, look, worst, neighbours, peers), nil
}

func decideRows(ours, fresh map[int]*contestant, look, worst *contestant, neighbours []engine, peers map[string]*contestant) []row {
	ratio := func(a, b *contestant) float64 { return a.median() / b.median() }
	atMost := func(c *contestant, than *contestant, goal float64) row {
		r := ratio(c, than)
		return row{c.name, c.times(), fmt.Sprintf("%.2fx %s", r, than.name), fmt.Sprintf("≤ %gx", goal), r <= goal}
	}
	rows := []row{{what: ours[5].name, figure: ours[5].times()}, {what: fresh[5].name, figure: fresh[5].times()},
		{what: ours[100].name, figure: ours[100].times()}, {what: fresh[100].name, figure: fresh[100].times()},
		{what: ours[10_000].name, figure: ours[10_000].times()}, {what: fresh[10_000].name, figure: fresh[10_000].times()},
		atMost(ours[100_000], ours[5], 1.25), atMost(fresh[100_000], fresh[5], 8)}
	big := policy.Compile(ourRules(shapes(100_000)), 1)
	calls := ourCalls(seen(100_000))
	allocations := testing.AllocsPerRun(1000, func() { big.Decide(calls[0], now) })
	rows = append(rows,
		row{"allocations of a decision, 100,000 rules", fmt.Sprint(allocations), "", "0", allocations == 0},
		row{what: look.name, figure: look.times()},
		atMost(ours[100_000], look, 2),
		row{worst.name, worst.times(), "", "≤ 10 µs", worst.median() <= 10_000})
	for _, e := range neighbours {
		r := ratio(peers[e.name], ours[100])
		rows = append(rows, row{e.name + ", 100 rules", peers[e.name].times(), fmt.Sprintf("%.0fx ours", r), e.goal, r >= naiveGoal})
	}
	return rows
}

// naiveGoal is how many times faster than the naive way a decision shall be.
const naiveGoal = 5000

// known asks what was asked before.
func known(set *policy.Set, n int) *contestant {
	calls := ourCalls(seen(n))
	for i := range calls {
		set.Decide(calls[i], now)
	}
	return &contestant{name: fmt.Sprintf("decide, %s rules, names seen before", thousands(n)),
		turn: repeat(1<<30, 256, func(i int) { set.Decide(calls[i%len(calls)], now) })}
}

// unknown asks for names that are new each time.
func unknown(set *policy.Set, n int) *contestant {
	round := 0
	return &contestant{name: fmt.Sprintf("decide, %s rules, new names", thousands(n)), turn: func() (float64, error) {
		round++
		calls := ourCalls(unseen(n, 50_000, round))
		return repeat(len(calls), 16, func(i int) { set.Decide(calls[i], now) })()
	}}
}

// worstCase is a rule set in which every rule has a part in the middle, and new
// names of 64 bytes.
func worstCase() *contestant {
	rules := make([]permission.Rule, 100_000)
	for i := range rules {
		rules[i] = shape{prefix: fmt.Sprintf("*part%x", i)}.rule(i)
	}
	set := policy.Compile(rules, 1)
	round := 0
	return &contestant{name: "decide, 100,000 rules *x*, new names of 64 bytes", turn: func() (float64, error) {
		round++
		list := make([]question, 20_000)
		for i := range list {
			list[i] = question{"server1", fmt.Sprintf("%-64s", fmt.Sprintf("a_long_name_%d_part%x_and_more_of_it_%d_", round, i*3, i))[:60] + "tail"}
			list[i].tool = underscored(list[i].tool)
		}
		calls := ourCalls(list)
		return repeat(len(calls), 4, func(i int) { set.Decide(calls[i], now) })()
	}}
}

func underscored(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == ' ' {
			b[i] = '_'
		}
	}
	return string(b)
}

// mapLookup is the least that a lookup by server and name can cost in Go.
func mapLookup() *contestant {
	m := make(map[question]int, 100_000)
	for i, s := range shapes(100_000) {
		m[question{s.server, s.name + s.text()}] = i
	}
	asked := seen(100_000)
	for i, q := range asked {
		m[q] = i
	}
	found := 0 // used, so that the compiler leaves no lookup out
	turn := repeat(1<<30, 256, func(i int) { found += m[asked[i%len(asked)]] })
	return &contestant{name: "one Go map lookup", turn: func() (float64, error) {
		ns, _ := turn()
		if found == 0 {
			return 0, errors.New("nothing was found")
		}
		return ns, nil
	}}
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
