//go:build !linux

package rewrite

import (
	"fmt"
	"os"
)

// Stamp is another one when a file has changed.
func Stamp(info os.FileInfo) string { return fmt.Sprint(info.Size(), info.ModTime().UnixNano()) }
