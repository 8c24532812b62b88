//go:build unix

package gateway

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process to be started into a group of its own, so that what it
// starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the whole group to end.
func terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the whole group. One that is gone already is no error.
func kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
