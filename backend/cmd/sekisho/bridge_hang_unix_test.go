//go:build unix

package main

import (
	"context"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestADeskThatHangs keeps its clients waiting. Who leaves is let go all the same, and when it
// is killed at last, what still waits goes on with the next one.
func TestADeskThatHangs(t *testing.T) {
	m := newMortal(t, permission.Ask)
	m.start()
	a := m.attend(eras[0])
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan string, 1)
	go func() { left <- a.said(ctx, "left", 0) }()
	got := a.call("it", 0)
	m.await(2, waits)
	m.desk.Process.Signal(syscall.SIGSTOP)
	leave()
	<-left
	select {
	case words := <-got:
		t.Errorf("it says %s", words)
	case <-time.After(time.Second):
	}
	m.kill()
	m.start()
	m.await(1, waits)
	m.approve()
	if words, ran := <-got, m.ran(); words != "noted" || ran["it"] != 1 || ran["left"] != 0 {
		t.Errorf("it says %s; ran %v", words, ran)
	}
}
