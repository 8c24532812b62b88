//go:build !linux

package show

import (
	"errors"
	"os"
	"syscall"
)

// openRegular opens a file if it is one of a disk: looked at before, so that no pipe
// or device is opened, and again after, because another one may have come meanwhile.
func openRegular(path string) (*os.File, kind, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, kindOf(info), err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, regular, err
	}
	again, err := f.Stat()
	if err != nil {
		return nil, regular, errors.Join(err, f.Close())
	}
	if !again.Mode().IsRegular() || !os.SameFile(info, again) {
		return nil, special, f.Close()
	}
	return f, regular, nil
}

func kindOf(info os.FileInfo) kind {
	switch {
	case info == nil || info.Mode().IsRegular():
		return regular
	case info.IsDir():
		return folder
	}
	return special
}
