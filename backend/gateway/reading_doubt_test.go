package gateway_test

import (
	"net/http"
	"testing"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// TestAReadingWithoutAnAnswerIsInDoubt, whichever of the joined servers had it.
func TestAReadingWithoutAnAnswerIsInDoubt(t *testing.T) {
	a, b := unlisted(t, "a", "c://dyn"), unlisted(t, "b", "c://dyn")
	broken := func(w http.ResponseWriter, _ farRequest) { http.Error(w, "bad gateway", http.StatusBadGateway) }
	for _, method := range []string{"resources/read", "resources/subscribe"} {
		a.instead(method, broken)
		b.instead(method, broken)
	}
	h := joinedHouse(t, gateway.Options{}, a.entry(), b.entry())
	c := h.join("a")
	c.entries("resources/list")
	sent(c, "resources/read", `{"uri":"c://dyn"}`, a, b)
	sent(c, "resources/subscribe", `{"uri":"c://dyn"}`, a, b)
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	if len(h.desk.calls) != 4 {
		t.Errorf("%d calls", len(h.desk.calls))
	}
	for _, c := range h.desk.calls {
		if c.Status != permission.InDoubt {
			t.Errorf("%s at %s: %s", c.Method, *c.ServerID, c.Status)
		}
	}
}
