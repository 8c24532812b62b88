package gateway_test

import (
	"os"
	"runtime"
	"syscall"
)

// runs reports whether a process is there.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && (runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil)
}
