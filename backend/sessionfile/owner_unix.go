//go:build unix

package sessionfile

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file is that of this program's user.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
