//go:build !cgo

package sqlite

import "errors"

func driverTrouble(error) (words string, ok bool) { return "", false }

func leavesNull(error) bool { return false }

func fillFrom(any, []byte) error { return errors.New("this program was built without cgo") }
