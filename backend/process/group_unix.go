//go:build unix

package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup puts the process to be started into a group of its own, so that what it
// starts can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// terminate asks the whole group to end.
func terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the whole group. One that is gone already is no error.
func kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// inherited gives the descriptors beyond 0 to 2 that this process has.
func inherited() (fds []int) {
	entries, _ := os.ReadDir("/dev/fd") // a system without it has none to show
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// seal keeps what this process has inherited from what it starts. Go's own descriptors
// are so in any case.
func seal() {
	for _, fd := range inherited() {
		syscall.CloseOnExec(fd)
	}
}
