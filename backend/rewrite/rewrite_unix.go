//go:build unix

package rewrite

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// keepOwner gives a new file the owner of the one it replaces, where that is allowed:
// root changing a user's file must leave it the user's.
func keepOwner(f *os.File, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid)) // the file is the user's own else
	}
}

// Lock holds a file against other sekishos, whatever their data folder. Where the
// file system knows no locks nothing is held: the comparison before the rename stays.
func Lock(path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	held, err := lock.TryLock()
	if err == nil && !held {
		return nil, ErrBusy
	}
	return func() { _ = lock.Close() }, nil
}
