package tool_test

import "syscall"

func bind(from, to string) error { return syscall.Mount(from, to, "", syscall.MS_BIND, "") }
func unbind(at string)           { syscall.Unmount(at, syscall.MNT_DETACH) }
