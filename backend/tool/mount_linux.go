package tool

import (
	"os"

	"golang.org/x/sys/unix"
)

// mountOf gives the mount that an open file is on, or 0 where the kernel does not tell.
func mountOf(f *os.File) (mount uint64) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	conn.Control(func(fd uintptr) {
		var s unix.Statx_t
		if unix.Statx(int(fd), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &s) == nil && s.Mask&unix.STATX_MNT_ID != 0 {
			mount = s.Mnt_id
		}
	})
	return mount
}
