//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Now is the CPU time that all threads of this process have taken so far.
func Now() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic("read CPU time: " + err.Error()) // an invalid argument is its only error
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
