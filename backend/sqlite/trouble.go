package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	"sekisho/backend/permission"
)

// What can be wrong with a disk and what is on it, in words for a person.
const (
	isDamaged    = "its data are damaged"
	isReadOnly   = "its data folder cannot be written to"
	isFull       = "the disk is full"
	isBroken     = "the disk does not read or write as it should"
	isUnopenable = "its data cannot be opened"
)

// Trouble says in plain words what is wrong with the disk or with the data on it,
// when that is why err came about. Data of another format are no trouble: they are
// whole.
func Trouble(err error) (words string, ok bool) {
	var number syscall.Errno
	var row *rowError
	switch {
	case err == nil, errors.Is(err, ErrFormat):
		return "", false
	case errors.Is(err, errDamaged), errors.As(err, &row):
		return isDamaged, true
	}
	if words, ok := driverTrouble(err); ok {
		return words, words != ""
	}
	switch {
	case errors.As(err, &number) && system(number) != "":
		words = system(number)
	case errors.Is(err, fs.ErrPermission):
		words = isReadOnly
	}
	return words, words != ""
}

func system(number syscall.Errno) string {
	switch number {
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG:
		return isFull
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return isReadOnly
	case syscall.EIO:
		return isBroken
	}
	return ""
}

// CannotKeep is what a desk in trouble answers to everything that it would have to
// keep.
func CannotKeep(words string) *permission.Error {
	return &permission.Error{Code: permission.CodeUnavailable, Message: "the desk cannot keep calls: " + words +
		"; nothing runs until this is mended"}
}

// outcome tells those who wrote of trouble with the disk as such, and remembers it
// until a write is good again.
func (s *Store) outcome(err error) error {
	if err == nil {
		s.trouble.Store(nil)
		return nil
	}
	if s.damaged(err) {
		return refused(err)
	}
	words, ok := Trouble(err)
	if !ok {
		return err
	}
	s.trouble.Store(&words)
	return errors.Join(CannotKeep(words), err)
}

// Trouble says what kept the last write from the disk, and what that means, or "".
func (s *Store) Trouble() string {
	if words := s.trouble.Load(); words != nil {
		return CannotKeep(*words).Message
	}
	return ""
}
