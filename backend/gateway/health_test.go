package gateway

import (
	"testing"
	"time"
)

func TestAServerThatCrashesRests(t *testing.T) {
	now := time.Unix(1e9, 0)
	var v health
	for i, want := range []time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second} {
		v.crashed(now)
		if rest := max(0, v.until.Sub(now)); rest != want {
			t.Errorf("crash %d: it rests for %s", i+1, rest)
		}
	}
	for range 100 {
		v.crashed(now)
	}
	if rest := v.until.Sub(now); rest != time.Minute {
		t.Errorf("it rests for %s at most", rest)
	}
	g := &Gateway{seen: map[string]*health{"a": {crashes: 3, until: time.Now().Add(time.Hour)}}}
	if g.resting("a") == nil || g.resting("b") != nil {
		t.Error("the wrong server rests")
	}
}
