// Package cputime measures how much CPU time a test takes. Other work on the machine
// lengthens the time on the wall, but not this one.
package cputime

import (
	"time"
)

// Since is the CPU time that this process has taken since a moment that Now gave.
func Since(start time.Duration) time.Duration { return Now() - start }
