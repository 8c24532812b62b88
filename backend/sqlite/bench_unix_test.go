//go:build unix

package sqlite_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu is what the process has used of the processors. Where others work beside it,
// this says more than the clock.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
