//go:build unix

package hookline

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// unheard calls gone once nobody reads a pipe any more that is among the files: the client has
// ended, and what it started, which may be a shell with this program in it, is still there.
func unheard(gone func(), files ...io.Writer) {
	var all []unix.PollFd
	for _, to := range files {
		if f, ok := to.(*os.File); ok {
			all = append(all, unix.PollFd{Fd: int32(f.Fd())})
		}
	}
	for len(all) > 0 {
		switch _, err := unix.Poll(all, -1); err {
		case nil:
			for _, f := range all {
				if f.Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
					gone()
				}
			}
			return
		case unix.EINTR, unix.EAGAIN:
		default:
			return
		}
	}
}
