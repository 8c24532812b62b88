//go:build !unix

package cputime

import "time"

var began = time.Now()

// Now is the time since the process began: this system is not asked for CPU time.
func Now() time.Duration { return time.Since(began) }
