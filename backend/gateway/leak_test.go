package gateway_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// goroutines counts those that are in the code of this package.
func goroutines() int {
	buf := make([]byte, 4<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "sekisho/backend/gateway.")
}

// TestCloseLeavesNothing: whatever goes on when the gateway closes, in two seconds
// no goroutine of it is left, and no process (which the house looks for).
func TestCloseLeavesNothing(t *testing.T) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: time.Minute})
	for _, tool := range []string{"stubborn", "deaf", "deluge"} {
		h.desk.allow[tool] = true
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A held call, a GET stream, and a call that runs.
	c := h.connect("a")
	held := c.start(ctx, call("1", "write", `{}`))
	next(t, held)
	c.start(ctx, call("2", "deaf", `{}`))
	defer c.do(c.request(ctx, http.MethodGet, "")).Body.Close()
	// A server that does not want to end.
	c = h.connect("a")
	next(t, c.start(ctx, call("1", "stubborn", `{}`)))
	// A client that does not read what it is told.
	c = h.connect("a")
	flooded := c.post(ctx, call("1", "deluge", `{}`))
	defer flooded.Body.Close()
	h.desk.await(t, "runs", func(c permission.Call) bool { return c.ToolName == "deaf" && c.Status == permission.Claimed })

	begun := time.Now()
	if err := h.gate.Close(); err != nil || time.Since(begun) > 2*time.Second {
		t.Errorf("Close: %v after %s", err, time.Since(begun))
	}
	h.desk.awaitGone(t)
	for deadline := time.Now().Add(5 * time.Second); goroutines() > 0; time.Sleep(beat) {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left:\n%s", goroutines(), buf[:runtime.Stack(buf, true)])
		}
	}
}
