package show

import (
	"os"
	"slices"
	"strconv"
	"syscall"
)

// oPath is O_PATH, which has the same value on all processors that Go builds for: the
// file is found, but not opened, so that nothing happens to it.
const oPath = 0x200000

// kernel are file systems whose files are made up when they are read: some wait, and
// some forget what was read. The names are those of linux/magic.h.
var kernel = []uint32{
	0x9fa0,     // proc
	0x62656572, // sysfs
	0x64626720, // debugfs
	0x74726163, // tracefs
	0x27e0eb,   // cgroup
	0x63677270, // cgroup2
	0x62656570, // configfs
	0x73636673, // securityfs
	0xcafe4a11, // bpf
	0xde5e81e4, // efivarfs
	0x6165676c, // pstore
	0xf97cff8c, // selinux
	0x43415d53, // smack
	0x65735543, // fusectl
	0x42494e4d, // binfmt_misc
	0x67596969, // rpc_pipefs
	0x6e667364, // nfsd
	0x19800202, // mqueue
}

// openRegular opens a file if it is one of a disk. It is looked at before it is
// opened, and what is opened is what was looked at: a pipe that takes its place
// meanwhile would hear of us.
func openRegular(path string) (*os.File, kind, error) {
	found, err := syscall.Open(path, oPath|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	defer syscall.Close(found)
	if k, err := kindOf(found); err != nil || k != regular {
		return nil, k, err
	}
	const flags = syscall.O_RDONLY | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	same := "/proc/self/fd/" + strconv.Itoa(found)
	fd, err := syscall.Open(same, flags|syscall.O_NOATIME, 0)
	if err == syscall.EPERM { // of another owner
		fd, err = syscall.Open(same, flags, 0)
	}
	if err != nil {
		return nil, regular, err
	}
	return os.NewFile(uintptr(fd), path), regular, nil
}

func kindOf(fd int) (kind, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return 0, err
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		return folder, nil
	default:
		return special, nil
	}
	var system syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &system); err != nil {
		return 0, err
	}
	if slices.Contains(kernel, uint32(system.Type)) {
		return madeUp, nil
	}
	return regular, nil
}
