package database

import (
	"bytes"
	"context"
	"errors"
	"runtime/debug"
	"testing"
	"time"
)

// TestAlone: a write that finds nobody else commits on the goroutine of its
// caller; what comes meanwhile waits its turn; the log is folded after it as
// after any other; a closed store takes none.
func TestAlone(t *testing.T) {
	s := opened(t, t.TempDir())
	ctx := context.Background()
	var order []string
	var stack []byte
	second := make(chan error, 1)
	err := s.Write(ctx, func(*part) error {
		stack = debug.Stack()
		go func() {
			second <- s.Write(ctx, func(*part) error { order = append(order, "second"); return nil })
		}()
		eventually(t, func() bool { return s.under.Load() == 2 })
		order = append(order, "first")
		return nil
	})
	if err := errors.Join(err, <-second); err != nil || !bytes.Contains(stack, []byte("TestAlone(")) {
		t.Fatalf("%v; ran on\n%s", err, stack)
	}
	if len(order) != 2 || order[0] != "first" {
		t.Fatalf("order %v", order)
	}
	eventually(t, func() bool { s.turn.Lock(); defer s.turn.Unlock(); return !s.log.used })
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(ctx, func(*part) error { t.Error("ran"); return nil }); !errors.Is(err, ErrClosed) {
		t.Fatalf("after close: %v", err)
	}
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("did not happen within 10 s")
		}
	}
}
