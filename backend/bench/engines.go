package main

import (
	"context"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// engine answers questions by the same rules as the others.
type engine struct {
	name   string
	goal   string
	answer func(server, tool string) (permission.Effect, error)
	twoWay bool // knows allowed or not only: deny and ask are one answer
	batch  int  // decisions between two looks at the clock
}

// engines makes ready the neighbours and the naive way for some rules.
func engines(ctx context.Context, list []shape, naiveFile string) (all []engine, err error) {
	for _, build := range []func() (engine, error){
		func() (engine, error) { return naive(ctx, list, naiveFile) },
		func() (engine, error) { return globs(list) },
		func() (engine, error) { return cedarEngine(list) },
		func() (engine, error) { return opa(ctx, list) },
		func() (engine, error) { return casbinEngine(list) },
	} {
		e, err := build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func (e engine) contestant() *contestant {
	asked := seen(100)
	var failed error
	turn := repeat(1<<30, e.batch, func(i int) {
		if _, err := e.answer(asked[i%len(asked)].server, asked[i%len(asked)].tool); err != nil {
			failed = err
		}
	})
	return &contestant{name: e.name, turn: func() (float64, error) {
		ns, _ := turn()
		return ns, failed
	}}
}

// agree holds every engine's answers against ours before anything is measured: a
// fast wrong answer is no answer.
func agree(list []shape, all []engine) error {
	set := policy.Compile(ourRules(list), 1)
	count := map[permission.Effect]int{}
	for _, q := range append(seen(len(list)), unseen(len(list), 500, 1)...) {
		want := set.Decide(policy.Call{ServerID: &q.server, ToolName: q.tool}, now).Effect
		count[want]++
		for _, e := range all {
			got, err := e.answer(q.server, q.tool)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			if got != want && !(e.twoWay && got != permission.Allow && want != permission.Allow) {
				return fmt.Errorf("%s answers %s to %v, we answer %s", e.name, got, q, want)
			}
		}
	}
	for _, effect := range []permission.Effect{permission.Allow, permission.Ask, permission.Deny} {
		if count[effect] < 20 {
			return fmt.Errorf("the questions have the answer %s %d times only: they show nothing", effect, count[effect])
		}
	}
	return nil
}
