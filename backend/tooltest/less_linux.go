package tooltest

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a machine may not allow.
const (
	Namespaces = "namespaces" // to its users
	Landlock   = "landlock"   // since its kernel is older
)

// The environment of a program that is to run on such a machine: what that does not allow, and the program.
const (
	lessEnv    = "SEKISHO_TEST_LESS"
	becomesEnv = "SEKISHO_TEST_BECOMES"
)

// Lessen lets a command run on a machine that does not allow some things. It is started by way of this
// program, whose main function calls Begin.
func Lessen(cmd *exec.Cmd, what ...string) {
	cmd.Env = append(cmd.Environ(), lessEnv+"="+strings.Join(what, " "), becomesEnv+"="+cmd.Path)
	cmd.Path = os.Args[0]
}

// Begin comes before all else in the main function of a test's program. Where that was started by way of
// Lessen, it does not return.
func Begin() {
	program := os.Getenv(becomesEnv)
	if program == "" {
		return
	}
	said := os.Getenv(lessEnv)
	os.Unsetenv(lessEnv)
	os.Unsetenv(becomesEnv)
	if strings.Contains(said, Namespaces) {
		refuse(namespaces())
	}
	if strings.Contains(said, Landlock) {
		refuse(landlock())
	}
	panic(syscall.Exec(program, os.Args, os.Environ()))
}

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func equal(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func ret(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

// Offsets in struct seccomp_data.
const (
	ofNumber   = 0
	ofArgument = 16
)

const fails = unix.SECCOMP_RET_ERRNO

func namespaces() []unix.SockFilter {
	return []unix.SockFilter{
		load(ofNumber), equal(unix.SYS_CLONE3, 0, 1), ret(fails | uint32(unix.ENOSYS)),
		equal(unix.SYS_UNSHARE, 1, 0), equal(unix.SYS_CLONE, 0, 3), load(ofArgument),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET, Jt: 0, Jf: 1},
		ret(fails | uint32(unix.EPERM)), ret(unix.SECCOMP_RET_ALLOW),
	}
}

func landlock() []unix.SockFilter {
	return []unix.SockFilter{
		load(ofNumber), equal(unix.SYS_LANDLOCK_CREATE_RULESET, 2, 0), equal(unix.SYS_LANDLOCK_ADD_RULE, 1, 0),
		equal(unix.SYS_LANDLOCK_RESTRICT_SELF, 0, 1), ret(fails | uint32(unix.ENOSYS)), ret(unix.SECCOMP_RET_ALLOW),
	}
}

// refuse puts a filter of system calls on all threads.
func refuse(filter []unix.SockFilter) {
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		panic(errno)
	}
}
