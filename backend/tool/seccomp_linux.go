package tool

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Numbers of calls that this machine's table may not name alike.
const x32 = 0x40000000

// socketType is the part of a socket's type that is no flag.
const socketType = 0xf

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

// seccomp keeps this thread from all sockets but those that programs need: what is not listed is
// refused. Without a network that is a pair of streams alone; with one also TCP and UDP over IP, so
// that neither a socket of this machine (the bus, a container daemon) nor another protocol of IP
// (SCTP, SMC, MPTCP, DCCP, raw) is one, of which neither a namespace nor Landlock's rules on TCP are.
// UDP cannot be kept from a command with a network: it needs it to find names.
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
		filter = append(filter, block(unix.SYS_SOCKET, internetSockets(load, equal, ret, deny)...)...)
		// Rules of Landlock on TCP do not bind a connection that opens with data.
		filter = append(filter, block(unix.SYS_SENDTO, masked(offArg3, unix.MSG_FASTOPEN, 0)...)...)
		filter = append(filter, block(unix.SYS_SENDMSG, masked(offArg2, unix.MSG_FASTOPEN, 0)...)...)
		filter = append(filter, block(unix.SYS_SENDMMSG, masked(offArg3, unix.MSG_FASTOPEN, 0)...)...)
	} else {
		filter = append(filter, block(unix.SYS_SOCKET, ret(deny))...)
	}
	// A pair of streams reaches nobody else; one of datagrams can be sent from to any address.
	filter = append(filter, block(unix.SYS_SOCKETPAIR, append([]unix.SockFilter{load(offArg0), equal(unix.AF_UNIX, 1, 0), ret(deny)},
		masked(offArg1, socketType, unix.SOCK_STREAM)...)...)...)
	filter = append(filter, allow)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}

// internetSockets decides a call of socket: TCP and UDP over IP, by their numbers or as what a stream
// and a datagram are, and nothing else.
func internetSockets(load func(uint32) unix.SockFilter, equal func(k uint32, yes, no uint8) unix.SockFilter,
	ret func(uint32) unix.SockFilter, deny uint32) []unix.SockFilter {
	return []unix.SockFilter{
		load(offArg0), equal(unix.AF_INET, 1, 0), equal(unix.AF_INET6, 0, 10),
		load(offArg1), {Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: socketType},
		equal(unix.SOCK_STREAM, 0, 3), load(offArg2), equal(unix.IPPROTO_TCP, 6, 0), equal(0, 5, 4),
		equal(unix.SOCK_DGRAM, 0, 3), load(offArg2), equal(unix.IPPROTO_UDP, 2, 0), equal(0, 1, 0),
		ret(deny), ret(unix.SECCOMP_RET_ALLOW),
	}
}
