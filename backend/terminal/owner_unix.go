//go:build unix

package terminal

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file is that of this program's user, or of root, who can read and write all.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && (s.Uid == 0 || int(s.Uid) == os.Geteuid())
}
