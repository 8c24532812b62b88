//go:build !linux

package sqlite

import "os"

func flushFile(f *os.File) error { return f.Sync() }
