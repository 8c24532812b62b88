package database

import (
	"errors"
	"os"
	"syscall"
)

// flushFile keeps a file's bytes, and of what is known about it only its length.
func flushFile(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
