//go:build cgo

package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"
)

func TestTroubleInWords(t *testing.T) {
	file := func(number syscall.Errno) error {
		return fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "x", Err: number})
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"none":              {nil, ""},
		"closing":           {ErrClosed, ""},
		"given up":          {context.Canceled, ""},
		"not there":         {fs.ErrNotExist, ""},
		"not a folder":      {file(syscall.ENOTDIR), ""},
		"busy":              {sqlite3.Error{Code: sqlite3.ErrBusy}, ""},
		"our mistake":       {sqlite3.Error{Code: sqlite3.ErrConstraint}, ""},
		"newer":             {errors.Join(newer(9, 1), file(syscall.EACCES)), ""},
		"corrupt":           {fmt.Errorf("read: %w", sqlite3.Error{Code: sqlite3.ErrCorrupt}), isDamaged},
		"not a database":    {sqlite3.Error{Code: sqlite3.ErrNotADB, SystemErrno: syscall.EACCES}, isDamaged},
		"checked":           {fmt.Errorf("%w: page 3", ErrDamaged), isDamaged},
		"read-only":         {sqlite3.Error{Code: sqlite3.ErrReadonly}, isReadOnly},
		"no right":          {file(syscall.EACCES), isReadOnly},
		"read-only disk":    {file(syscall.EROFS), isReadOnly},
		"log not made":      {sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EACCES}, isReadOnly},
		"not opened":        {sqlite3.Error{Code: sqlite3.ErrCantOpen}, isUnopenable},
		"full":              {sqlite3.Error{Code: sqlite3.ErrFull}, isFull},
		"full, by system":   {sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC}, isFull},
		"full, by a file":   {file(syscall.ENOSPC), isFull},
		"over the quota":    {file(syscall.EDQUOT), isFull},
		"broken":            {sqlite3.Error{Code: sqlite3.ErrIoErr}, isBroken},
		"broken, by a file": {file(syscall.EIO), isBroken},
	} {
		if words, ok := Trouble(test.err); words != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, want %q", name, words, test.want)
		}
	}
}
