package tooltest

import (
	"os"
	"path/filepath"
	"syscall"
)

// special does the words of a setup for which a system other than Linux has none.
func (y *Yard) special(word string, at, text func(int) string, number func(int) int) error {
	switch word {
	case "fifo":
		return syscall.Mkfifo(at(1), 0o644)
	case "chardev":
		return syscall.Mknod(at(1), syscall.S_IFCHR|0o666, number(2)<<8|number(3))
	case "chmod":
		return syscall.Chmod(at(1), uint32(number(2)))
	case "bind":
		folder := at(2)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		y.Cleanup(func() { _ = syscall.Unmount(filepath.Clean(folder), syscall.MNT_DETACH) })
		return syscall.Mount(text(1), folder, "", syscall.MS_BIND, "")
	}
	return syscall.ENOSYS
}
