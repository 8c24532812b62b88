package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

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
	if err := os.WriteFile(filepath.Join(dir, database.FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, dir); err == nil {
		t.Fatal("opened")
	}
	if _, err := os.Stat(filepath.Join(dir, database.FileName)); err != nil {
		t.Error("an earlier file is gone")
	}
}

// TestTroubleIsRememberedUntilAWriteIsGood: those who wrote are told in words, and
// the cause stays for the log.
func TestTroubleIsRememberedUntilAWriteIsGood(t *testing.T) {
	s := opened(t, t.TempDir())
	full := syscall.ENOSPC
	told := 0
	s.OnTrouble(func() { told++ })
	err := s.write(t.Context(), func(*tx) error { return full })
	if !errors.Is(err, &permission.Error{Code: permission.CodeUnavailable}) || !errors.Is(err, full) ||
		s.Trouble() != database.CannotKeep("the disk is full").Message {
		t.Errorf("%v, %q", err, s.Trouble())
	}
	if err := s.write(t.Context(), func(*tx) error { return permission.NotFound("call") }); !errors.Is(err, permission.NotFound("")) ||
		s.Trouble() != database.CannotKeep("the disk is full").Message {
		t.Errorf("%v, %q", err, s.Trouble())
	}
	scribble(t, s, 1, 1)
	if s.Trouble() != "" || told != 2 {
		t.Errorf("still %q, told of %d times", s.Trouble(), told)
	}
}
