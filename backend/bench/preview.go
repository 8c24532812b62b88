package main

import (
	"context"
	"fmt"
	"time"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// preview measures which of 100,000 past calls an edited rule set of 10,000 rules
// would decide otherwise. The calls are of 2,000 pairs of server and tool.
func preview(_ context.Context, s settings, _ string) ([]row, error) {
	const rules, calls, pairs = 10_000, 100_000, 2000
	list := shapes(rules)
	before := policy.Compile(ourRules(list), 1)
	for i := range list[:50] {
		list[i].deny = !list[i].deny
	}
	after := policy.Compile(ourRules(list), 2)
	h := advice.History{Calls: make([]advice.Past, calls)}
	for i := range h.Calls {
		h.Calls[i] = advice.Past{ID: permission.CallID(fmt.Sprint("call-", i)), Pair: int32(i * 7 % pairs)}
	}
	round := 0
	c := &contestant{name: "preview, 100,000 past calls of 2,000 pairs, 10,000 rules", turn: func() (float64, error) {
		round++
		asked := unseen(rules, pairs, round)
		for i := range asked[:100] {
			asked[i] = ask(rules, i, fmt.Sprint("round", round)) // those that the edit is about
		}
		h.Pairs = ourCalls(asked)
		start := time.Now()
		p := advice.Preview(before, after, nil, h, nil, now)
		took := time.Since(start)
		if len(p.Changed) == 0 {
			return 0, fmt.Errorf("the edit of 50 rules changed nothing")
		}
		return float64(took.Nanoseconds()), nil
	}}
	err := compete(4*s.rounds, c)
	return []row{{c.name, c.times(), "", "≤ 16 ms", c.median() <= 16e6}}, err
}
