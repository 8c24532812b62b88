//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file is this process's user's. Root may change the mode of any,
// and should not of those that others made.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
