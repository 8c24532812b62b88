//go:build !unix

package process

import "os/exec"

// ownGroup: this platform has no process groups, so that only the process itself is
// ended.
func ownGroup(*exec.Cmd) {}

// terminate: there is no polite signal here either.
func terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

// kill ends the process. One that is gone already is no error.
func kill(cmd *exec.Cmd) { cmd.Process.Kill() }

// seal: here a program inherits what it is handed, and nothing else.
func seal() {}
