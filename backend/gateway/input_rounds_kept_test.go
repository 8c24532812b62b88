package gateway

import (
	"fmt"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func TestRoundsAreKeptForAWhile(t *testing.T) {
	began := time.Now()
	here := permission.Server{Command: "a"}
	for _, tt := range []struct {
		what   string
		agent  permission.AgentID
		key    roundKey
		there  permission.Server
		brings []string
		after  time.Duration
		want   permission.CallID
	}{
		{"in time", "a", roundKey{1}, here, []string{"q"}, roundWithin - 1, "1"},
		{"too late", "a", roundKey{1}, here, nil, roundWithin, ""},
		{"another agent", "b", roundKey{1}, here, nil, 0, ""},
		{"another key", "a", roundKey{2}, here, nil, 0, ""},
		{"what was not asked for", "a", roundKey{1}, here, []string{"q", "p"}, 0, ""},
		{"nothing, though asked", "a", roundKey{1}, here, nil, 0, "1"},
		{"another server", "a", roundKey{1}, permission.Server{Command: "b"}, nil, 0, ""},
	} {
		var r rounds
		r.note("a", roundKey{1}, round{"0", here, "as it was", []string{"q"}, began.Add(roundWithin)}, began)
		r.note("a", roundKey{1}, round{"1", here, "as it was", []string{"q"}, began.Add(roundWithin)}, began)
		if got := r.take(tt.agent, tt.key, &tt.there, "as it was", tt.brings, began.Add(tt.after)); got != tt.want {
			t.Errorf("%s: %q", tt.what, got)
		}
		if got := r.take(tt.agent, tt.key, &here, "as it was", nil, began); got != "" {
			t.Errorf("%s, again: %q", tt.what, got)
		}
		if tt.want != "" && len(r.open) != 0 {
			t.Errorf("%s: %v is left", tt.what, r.open)
		}
	}
}

func TestRoundsAreToldApart(t *testing.T) {
	all := map[roundKey]string{}
	for what, key := range map[string]roundKey{
		"no state": keyOf("h", passed{}), "an empty state": keyOf("h", passed{stateful: true}),
		"a state": keyOf("h", passed{state: "=", stateful: true}), "another call": keyOf("i", passed{}),
	} {
		if other, known := all[key]; known {
			t.Errorf("%s is %s", what, other)
		}
		all[key] = what
	}
}

// TestManyKeysAreNoRound: comparing them would cost the product of both counts.
func TestManyKeysAreNoRound(t *testing.T) {
	envelope := func(n int) []byte {
		b := []byte(`{"inputResponses":{`)
		for i := range n {
			b = fmt.Appendf(b, `"%d":1,`, i)
		}
		return append(b[:len(b)-1], `}}`...)
	}
	for n, want := range map[int]bool{1: true, maxAsked: true, maxAsked + 1: false} {
		if p, ok := nextRound(envelope(n)); ok != want || ok && len(p.keys) != n {
			t.Errorf("%d keys: %t, %d", n, ok, len(p.keys))
		}
	}
}

func TestRoundsAreBounded(t *testing.T) {
	began := time.Now()
	var r rounds
	var here permission.Server
	name := func(i int) roundKey { return keyOf("", passed{state: fmt.Sprint(i), stateful: true}) }
	for i := range maxRounds + 2 { // the first two have to go
		at := began.Add(time.Duration(i))
		r.note("a", name(i), round{permission.CallID(fmt.Sprint(i)), here, "as it was", nil, at.Add(roundWithin)}, at)
	}
	r.note("b", name(0), round{"b", here, "as it was", []string{"q"}, began.Add(roundWithin)}, began)
	if n := len(r.open["a"]); n != maxRounds {
		t.Fatalf("%d are kept", n)
	}
	for i, want := range map[int]permission.CallID{0: "", 1: "", 2: "2", maxRounds + 1: permission.CallID(fmt.Sprint(maxRounds + 1))} {
		if got := r.take("a", name(i), &here, "as it was", nil, began); got != want {
			t.Errorf("round %d: %q", i, got)
		}
	}
	if got := r.take("b", name(0), &here, "as it was", nil, began); got != "b" {
		t.Errorf("a neighbour's: %q", got)
	}
	for i := range 3 { // room for two, and then what is over goes
		r.note("a", name(-i), round{"x", here, "as it was", nil, began.Add(2 * roundWithin)}, began.Add(roundWithin+time.Second))
	}
	if n := len(r.open["a"]); n != 3 {
		t.Errorf("%d are kept of which the most are over", n)
	}
}
