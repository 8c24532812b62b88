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
		what  string
		agent permission.AgentID
		key   roundKey
		there permission.Server
		after time.Duration
		want  permission.CallID
	}{
		{"in time", "a", roundKey{1}, here, roundWithin - 1, "1"},
		{"too late", "a", roundKey{1}, here, roundWithin, ""},
		{"another agent", "b", roundKey{1}, here, 0, ""},
		{"another key", "a", roundKey{2}, here, 0, ""},
		{"another server", "a", roundKey{1}, permission.Server{Command: "b"}, 0, ""},
	} {
		var r rounds
		r.note("a", roundKey{1}, round{"0", here, "as it was", began.Add(roundWithin)}, began)
		r.note("a", roundKey{1}, round{"1", here, "as it was", began.Add(roundWithin)}, began)
		if got := r.take(tt.agent, tt.key, &tt.there, "as it was", began.Add(tt.after)); got != tt.want {
			t.Errorf("%s: %q", tt.what, got)
		}
		if got := r.take(tt.agent, tt.key, &here, "as it was", began); got != "" {
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
		"no state": keyOf("h", "", false), "an empty state": keyOf("h", "", true), "a state": keyOf("h", "=", true), "another call": keyOf("i", "", false),
	} {
		if other, known := all[key]; known {
			t.Errorf("%s is %s", what, other)
		}
		all[key] = what
	}
}

func TestRoundsAreBounded(t *testing.T) {
	began := time.Now()
	var r rounds
	var here permission.Server
	name := func(i int) roundKey { return keyOf("", fmt.Sprint(i), true) }
	for i := range maxRounds + 2 { // the first two have to go
		at := began.Add(time.Duration(i))
		r.note("a", name(i), round{permission.CallID(fmt.Sprint(i)), here, "as it was", at.Add(roundWithin)}, at)
	}
	r.note("b", name(0), round{"b", here, "as it was", began.Add(roundWithin)}, began)
	if n := len(r.open["a"]); n != maxRounds {
		t.Fatalf("%d are kept", n)
	}
	for i, want := range map[int]permission.CallID{0: "", 1: "", 2: "2", maxRounds + 1: permission.CallID(fmt.Sprint(maxRounds + 1))} {
		if got := r.take("a", name(i), &here, "as it was", began); got != want {
			t.Errorf("round %d: %q", i, got)
		}
	}
	if got := r.take("b", name(0), &here, "as it was", began); got != "b" {
		t.Errorf("a neighbour's: %q", got)
	}
	for i := range 3 { // room for two, and then what is over goes
		r.note("a", name(-i), round{"x", here, "as it was", began.Add(2 * roundWithin)}, began.Add(roundWithin+time.Second))
	}
	if n := len(r.open["a"]); n != 3 {
		t.Errorf("%d are kept of which the most are over", n)
	}
}
