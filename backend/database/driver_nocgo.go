//go:build !cgo

package database

import "errors"

func driverTrouble(error) (words string, ok bool) { return "", false }

// LeavesNull is false: there is no database.
func LeavesNull(error) bool { return false }

func fillFrom(any, []byte) error { return errors.New("this program was built without cgo") }
