//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// asNobody starts a program as a user who owns nothing; root alone can.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
