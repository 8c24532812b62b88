package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"sekisho/backend/process"
)

// ourselves is this very program, also when its file was replaced meanwhile.
const ourselves = "/proc/self/exe"

// stageName is the first word of the command line of a stage: this program, started anew in
// its namespaces, which confines itself and then becomes the command.
const stageName = "sekisho-confined"

// stageTask is the second word of a stage's command line.
type stageTask struct {
	Program string // "": only try
	Folder  string
	Scratch string
	Network bool     // it has one
	Files   bool     // Landlock is there
	Named   []string // folders of programs, beside the system's
}

// Begin is the second thing that a program's main does, after process.Begin. Where the
// process was started as a stage of a command, it does not return.
func Begin() {
	if len(os.Args) < 2 || os.Args[0] != stageName {
		return
	}
	runtime.LockOSThread() // a domain of Landlock and a filter bind a thread, and exec keeps those of this one
	var t stageTask
	err := json.Unmarshal([]byte(os.Args[1]), &t)
	if err == nil {
		err = t.confine()
	}
	if err == nil && t.Program == "" {
		os.Exit(0)
	}
	if err == nil {
		err = syscall.Exec(t.Program, os.Args[2:], os.Environ())
	}
	os.Stderr.WriteString("confine the command: " + err.Error() + "\n")
	os.Exit(stageFailed)
}

// stageFailed is the exit code of a stage that could not confine itself.
const stageFailed = 125

// readable are the folders of programs, of which some systems have not all.
var readable = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32", "/opt", "/etc/alternatives", "/etc/ssl", "/etc/pki",
	"/etc/ca-certificates"}

// readableFiles are settings of the system that programs look for.
var readableFiles = []string{"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime",
	"/etc/hosts", "/etc/resolv.conf", "/etc/host.conf", "/etc/services", "/etc/protocols", "/etc/gai.conf", "/etc/mime.types", "/etc/timezone",
	"/etc/npmrc", "/dev/zero", "/dev/random", "/dev/urandom", "/run/systemd/resolve/stub-resolv.conf"}

// The rights of a command below its folder: all but making devices and sockets.
const (
	mayRead  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	mayWrite = mayRead | ll.AccessFSWriteFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer | ll.AccessFSTruncate
)

// confine takes from this thread all that a command has no need of.
func (t stageTask) confine() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("take no new rights: %w", err)
	}
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		switch c {
		case unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID: // files of others in the folder, as before
		default:
			unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // who is not root has none
		}
	}
	if t.Files {
		if err := t.landlock(); err != nil {
			return err
		}
	}
	return seccomp(t.Network)
}

func (t stageTask) landlock() error {
	rules := []landlock.Rule{
		landlock.PathAccess(mayRead, readable...).IgnoreIfMissing(),
		landlock.PathAccess(ll.AccessFSReadFile, readableFiles...).IgnoreIfMissing(),
		landlock.PathAccess(ll.AccessFSReadFile|ll.AccessFSWriteFile, os.DevNull),
	}
	for _, folder := range t.Named {
		rules = append(rules, landlock.PathAccess(mayRead, ownFiles(folder)...).IgnoreIfMissing())
	}
	for _, folder := range []string{t.Folder, t.Scratch} {
		if folder != "" {
			rules = append(rules, landlock.PathAccess(mayWrite, folder))
		}
	}
	if t.Network {
		rules = append(rules, landlock.ConnectTCP(443), landlock.ConnectTCP(80))
	}
	fd, flags, err := landlock.V6.BestEffort().NewRulesetFD(rules...)
	if err != nil || fd < 0 {
		return fmt.Errorf("make the rules of Landlock: %w", errors.Join(err, unix.ENOSYS))
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), uintptr(flags), 0); errno != 0 {
		return fmt.Errorf("restrict itself by Landlock: %w", errno)
	}
	return unix.Close(fd)
}

// probe finds what this machine allows: it starts a stage that confines itself and ends.
func probe(folder string) Confinement {
	c := Confinement{Level: LevelNone, Missing: []string{}}
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1)
	files := errno == 0 && version >= 3 && try(spaces{}, stageTask{Folder: folder, Files: true})
	for _, s := range []spaces{{user: true, pid: true, net: true}, {pid: true, net: true}, {user: true, pid: true}, {pid: true}, {net: true}} {
		if try(s, stageTask{Folder: folder, Files: files}) {
			c.spaces = s
			break
		}
	}
	for _, part := range []struct {
		name string
		has  bool
	}{{"landlock", files}, {"landlock tcp", files && version >= 4}, {"pid namespace", c.spaces.pid}, {"network namespace", c.spaces.net}} {
		if !part.has {
			c.Missing = append(c.Missing, part.name)
		}
	}
	switch {
	case len(c.Missing) == 0:
		c.Level = LevelFull
	case files:
		c.Level = LevelFiles
	}
	return c
}

func try(s spaces, t stageTask) bool {
	cmd := &exec.Cmd{Path: ourselves, Args: stageArgs(t, nil), Env: []string{}, Dir: "/", SysProcAttr: s.attributes(true)}
	return cmd.Run() == nil
}

func stageArgs(t stageTask, args []string) []string {
	raw, _ := json.Marshal(t)
	return append([]string{stageName, string(raw)}, args...)
}

// attributes start a process in its namespaces. In a PID namespace of its own the first
// process is the command: when it ends, the kernel ends all others, in whatever session.
func (s spaces) attributes(alone bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if s.user {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	if s.pid {
		a.Cloneflags |= syscall.CLONE_NEWPID
	}
	if s.net && alone {
		a.Cloneflags |= syscall.CLONE_NEWNET
	}
	return a
}

// start starts a command and waits for its end and that of all that it started.
func (w *Workspace) start(ctx context.Context, cmd *exec.Cmd, scratch string, network bool) error {
	here, err := w.root.Open(".") // the folder that was opened, also where another stands in its place by now
	if err != nil {
		return err
	}
	defer here.Close()
	cmd.Dir = fmt.Sprintf("/proc/self/fd/%d", here.Fd())
	t := stageTask{Program: cmd.Path, Folder: ".", Scratch: scratch, Network: network, Named: w.named, Files: w.confine().Level != LevelNone}
	cmd.Path, cmd.Args = ourselves, stageArgs(t, cmd.Args)
	cmd.SysProcAttr = w.confine().spaces.attributes(!network)
	cmd.WaitDelay = time.Second // what has kept an output open has ended with the namespace
	if w.confine().spaces.pid {
		err = inNamespace(ctx, cmd)
	} else {
		err = supervised(ctx, cmd)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	e, kept := cmd.Stderr.(*limited)
	if kept && cmd.ProcessState.ExitCode() == stageFailed && bytes.HasPrefix(e.kept.Bytes(), []byte("confine the command: ")) {
		return errors.New(e.kept.String())
	}
	return err
}

// inNamespace runs a command that is the first process of a PID namespace. The thread that starts
// it lives as long, since the death signal is about the thread.
func inNamespace(ctx context.Context, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })()
	return cmd.Wait()
}

// supervised runs a command where no PID namespace is allowed: its supervisor ends what it leaves
// behind, in whatever session that is, also when this process is killed.
func supervised(ctx context.Context, cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = 0 // the supervisor sees the end of this process, and has to live on then
	tree, err := process.Start(cmd)
	if err != nil {
		return err
	}
	defer tree.Kill()
	defer context.AfterFunc(ctx, tree.Kill)()
	return tree.Wait()
}
