package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush throws away what was typed and not yet read.
func flush(in *os.File) {
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) // what is left is too early for its call
}
