package database

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
	var row *RowError
	switch {
	case err == nil, errors.Is(err, ErrFormat):
		return "", false
	case errors.Is(err, ErrDamaged), errors.As(err, &row):
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

// RowError is a row that cannot be read as what it is: something in it is no JSON any more,
// or it is not what was written. The rest of the data may be whole.
type RowError struct {
	Row string // which one it is, for a person
	Err error
}

func (e *RowError) Error() string { return "the stored " + e.Row + " is damaged: " + e.Err.Error() }

func (e *RowError) Unwrap() error { return e.Err }

// CannotKeep is what a desk in trouble answers to everything that it would have to
// keep.
func CannotKeep(words string) *permission.Error {
	return &permission.Error{Code: permission.CodeUnavailable, Message: "the desk cannot keep calls: " + words +
		"; nothing runs until this is mended"}
}
