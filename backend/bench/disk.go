package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Magic numbers of file systems that keep their files in memory.
const (
	tmpfs = 0x01021994
	ramfs = 0x858458f6
)

// workDir makes a folder to work in, and refuses memory: an fsync there costs
// nothing, and every figure of the disk would be a lie.
func workDir(parent string) (string, error) {
	parent, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(parent, &fs); err != nil {
		return "", fmt.Errorf("look at %s: %w", parent, err)
	}
	if fs.Type == tmpfs || fs.Type == ramfs {
		return "", fmt.Errorf("%s lies in memory: choose a folder on a disk with -dir", parent)
	}
	return os.MkdirTemp(parent, ".bench-")
}
