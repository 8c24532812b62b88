//go:build unix

package gateway_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/gateway"
)

// TestJoinedBusyServer: one that is too busy to list its tools still has those that it had.
func TestJoinedBusyServer(t *testing.T) {
	h, c := playHouse(t, gateway.Options{Patience: 3 * time.Second})
	h.desk.allow["echo"] = true
	before := sortedNames(c.list())
	busy := h.pids()
	for _, pid := range busy {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	after := sortedNames(c.list())
	for _, pid := range busy {
		syscall.Kill(pid, syscall.SIGCONT)
	}
	if before != after || strings.Count(before, " ") != 13 {
		t.Errorf("tools: %s\nbefore: %s", after, before)
	}
	if m := c.ask(call("1", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) || len(h.pids()) != 2 {
		t.Errorf("afterwards: %s, %d processes", m, len(h.pids()))
	}
}
