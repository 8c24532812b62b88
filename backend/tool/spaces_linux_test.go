package tool_test

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noSpaces in the environment of this program says that it gets no namespaces.
const noSpaces = "SEKISHO_TEST_NO_SPACES"

// withoutSpaces refuses new namespaces to this program and all that it starts, where noSpaces says
// so, as machines do that allow none to their users.
func withoutSpaces() {
	if os.Getenv(noSpaces) == "" {
		return
	}
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	ret := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const fails = unix.SECCOMP_RET_ERRNO
	filter := []unix.SockFilter{
		load(0), equal(unix.SYS_CLONE3, 0, 1), ret(fails | uint32(unix.ENOSYS)),
		equal(unix.SYS_UNSHARE, 1, 0), equal(unix.SYS_CLONE, 0, 3),
		load(16), {Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET, Jt: 0, Jf: 1},
		ret(fails | uint32(unix.EPERM)), ret(unix.SECCOMP_RET_ALLOW),
	}
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

// TestNoChildLivesOnWithoutNamespaces: where a PID namespace is not allowed, what has left the
// command's session ends with it all the same.
func TestNoChildLivesOnWithoutNamespaces(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestNoChildLivesOn$")
	cmd.Env = append(os.Environ(), noSpaces+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestNoChildLivesOn ")) {
		t.Errorf("%v\n%s", err, out)
	}
}
