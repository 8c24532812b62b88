package rewrite

import (
	"fmt"
	"os"
	"syscall"
)

// Stamp is another one when a file has changed. The time of change cannot be set back by whoever
// changes it.
func Stamp(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
}
