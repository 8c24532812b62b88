//go:build cgo

package database

import (
	"errors"

	"github.com/mattn/go-sqlite3"
)

// What the driver has with cgo alone stands here. Without cgo the room compiles, so that
// what stands on it can be checked for another system, and opens nothing.

// driverTrouble is Trouble for an error of SQLite's; not ok: it is none.
func driverTrouble(err error) (words string, ok bool) {
	var driver sqlite3.Error
	if !errors.As(err, &driver) {
		return "", false
	}
	if words := system(driver.SystemErrno); words != "" && driver.Code != sqlite3.ErrCorrupt && driver.Code != sqlite3.ErrNotADB {
		return words, true
	}
	return result(driver.Code), true
}

func result(code sqlite3.ErrNo) string {
	switch code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrError: // the last: a table or a column is not there
		return isDamaged
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return isReadOnly
	case sqlite3.ErrFull:
		return isFull
	case sqlite3.ErrIoErr:
		return isBroken
	case sqlite3.ErrCantOpen:
		return isUnopenable
	}
	return ""
}

// LeavesNull reports whether a change was refused because it leaves a column without the
// value that it must have.
func LeavesNull(err error) bool {
	var driver sqlite3.Error
	return errors.As(err, &driver) && driver.ExtendedCode == sqlite3.ErrConstraintNotNull
}

// fillFrom puts the bytes of a database in the place of a connection's own.
func fillFrom(conn any, image []byte) error {
	return conn.(*sqlite3.SQLiteConn).Deserialize(image, "")
}
