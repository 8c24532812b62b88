package tool

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Numbers of calls that this machine's table may not name alike.
const x32 = 0x40000000

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg2   = 32
	offArg3   = 40
)

func arch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// seccomp keeps this thread from sockets of this machine, which no namespace of the network
// and no rule of files is about (the bus, a container daemon), and without a network from all
// other kinds but a pair. UDP alone could be kept from a command with a network, and is not:
// it needs it to find names.
func seccomp(network bool) error {
	if arch() == 0 {
		return fmt.Errorf("filter system calls: %s is not known", runtime.GOARCH)
	}
	deny := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EACCES)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	ret := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	// A block is for one call and decides it.
	block := func(number uint32, body ...unix.SockFilter) []unix.SockFilter {
		return append([]unix.SockFilter{equal(number, 0, uint8(len(body)))}, body...)
	}
	allow := ret(unix.SECCOMP_RET_ALLOW)
	masked := func(at, mask, only uint32) []unix.SockFilter { // allows the call with this value alone
		return []unix.SockFilter{load(at), {Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask}, equal(only, 1, 0), ret(deny), allow}
	}
	filter := []unix.SockFilter{
		load(offArch), equal(arch(), 1, 0), ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(offNumber),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jt: 0, Jf: 1}, ret(deny),
	}
	filter = append(filter, block(unix.SYS_IO_URING_SETUP, ret(deny))...) // it would make sockets past this filter
	if network {
		// Rules of Landlock on TCP do not bind Multipath TCP, nor a connection that opens with data.
		filter = append(filter, block(unix.SYS_SOCKET, load(offArg2), equal(unix.IPPROTO_MPTCP, 3, 0),
			load(offArg0), equal(unix.AF_INET, 2, 0), equal(unix.AF_INET6, 1, 0), ret(deny), allow)...)
		filter = append(filter, block(unix.SYS_SENDTO, masked(offArg3, unix.MSG_FASTOPEN, 0)...)...)
		filter = append(filter, block(unix.SYS_SENDMSG, masked(offArg2, unix.MSG_FASTOPEN, 0)...)...)
		filter = append(filter, block(unix.SYS_SENDMMSG, masked(offArg3, unix.MSG_FASTOPEN, 0)...)...)
	} else {
		filter = append(filter, block(unix.SYS_SOCKET, ret(deny))...)
	}
	// A pair of streams reaches nobody else; one of datagrams can be sent from to any address.
	filter = append(filter, block(unix.SYS_SOCKETPAIR, masked(offArg1, 0xf, unix.SOCK_STREAM)...)...)
	filter = append(filter, allow)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
