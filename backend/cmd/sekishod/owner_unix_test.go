//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// otherOwner is a file's description with another owner.
type otherOwner struct{ fs.FileInfo }

func (o otherOwner) Sys() any {
	s := *o.FileInfo.Sys().(*syscall.Stat_t)
	s.Uid++
	return &s
}

// othersFile is a file of somebody else, to a process that might change it all the same.
type othersFile struct{ *os.File }

func (o othersFile) Stat() (fs.FileInfo, error) {
	info, err := o.File.Stat()
	return otherOwner{info}, err
}

// stuckFile is a file whose mode cannot be changed.
type stuckFile struct{ *os.File }

func (stuckFile) Chmod(fs.FileMode) error { return syscall.EROFS }

// TestATokensFileThatStaysOpenIsToldOf: another user's is left alone even by root.
func TestATokensFileThatStaysOpenIsToldOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Chmod(0o644); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string]tokenFile{"another user's": othersFile{f}, "read-only": stuckFile{f}} {
		var log bytes.Buffer
		tighten(file, slog.New(slog.NewTextHandler(&log, nil)))
		if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o644 || !strings.Contains(log.String(), want) ||
			strings.Contains(log.String(), "closed") {
			t.Errorf("%s: %v %v, said %s", want, info.Mode(), err, &log)
		}
	}
}

// TestATokenThatIsNoFileKeepsItsMode: a pipe is used once, and a terminal is nobody's file.
func TestATokenThatIsNoFileKeepsItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Chmod(0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	tighten(f, slog.New(slog.NewTextHandler(&log, nil)))
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o644 || log.Len() > 0 {
		t.Errorf("%v %v, said %s", info.Mode(), err, &log)
	}
}
