//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"sekisho/backend/permission"
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
		"checked":           {fmt.Errorf("%w: page 3", errDamaged), isDamaged},
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

// TestAFolderThatCannotBeFilledStaysEmpty: of a first start that failed nothing is
// left, and what was there before stays.
func TestAFolderThatCannotBeFilledStaysEmpty(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Open(ctx, dir); err == nil {
		t.Fatal("opened")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left %v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, dir); err == nil {
		t.Fatal("opened")
	}
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		t.Error("an earlier file is gone")
	}
}

// TestTroubleIsRememberedUntilAWriteIsGood: those who wrote are told in words, and
// the cause stays for the log.
func TestTroubleIsRememberedUntilAWriteIsGood(t *testing.T) {
	s := opened(t, t.TempDir())
	full := sqlite3.Error{Code: sqlite3.ErrFull}
	err := s.write(t.Context(), func(*tx) error { return full })
	if !errors.Is(err, &permission.Error{Code: permission.CodeUnavailable}) || !errors.As(err, new(sqlite3.Error)) ||
		s.Trouble() != CannotKeep(isFull).Message {
		t.Errorf("%v, %q", err, s.Trouble())
	}
	if err := s.write(t.Context(), func(*tx) error { return permission.NotFound("call") }); !errors.Is(err, permission.NotFound("")) ||
		s.Trouble() != CannotKeep(isFull).Message {
		t.Errorf("%v, %q", err, s.Trouble())
	}
	scribble(t, s, 1, 1)
	if s.Trouble() != "" {
		t.Errorf("still %q", s.Trouble())
	}
}
