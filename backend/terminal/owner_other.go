//go:build !unix

package terminal

import "io/fs"

// owned is not asked where files have no owner that is a number: their lists of rights are the system's.
func owned(fs.FileInfo) bool { return true }
