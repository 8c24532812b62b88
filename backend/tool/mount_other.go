//go:build !linux

package tool

import "os"

// mountOf gives the mount that an open file is on: other systems do not tell.
func mountOf(*os.File) uint64 { return 0 }
