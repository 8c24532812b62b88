//go:build !linux

package database

import "os"

func flushFile(f *os.File) error { return f.Sync() }
