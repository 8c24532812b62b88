package process

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	prSetChildSubreaper = 36
	// lasting is how long a supervisor tries to end what does not end, for instance in
	// the middle of reading a disk that does not answer.
	lasting = 5 * time.Second
	between = 2 * time.Millisecond
)

// supervisor is a process between the desk and a server.
type supervisor struct {
	server int           // its process id
	ended  chan int      // the server's exit code
	told   chan struct{} // closed when all shall end
	alone  chan struct{} // closed when no child is left, and so no descendant
}

// runSupervisor starts a program, and ends when everything that it started has ended.
func runSupervisor(path string, args []string) (code int) {
	runtime.LockOSThread() // the death signal of the server is about this thread
	report := os.NewFile(reportFD, "report")
	closeForeign()
	variables, err := readEnvironment()
	if err != nil {
		report.WriteString("read the environment: " + err.Error())
		return 1
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		report.WriteString("become a subreaper: " + errno.Error())
		return 1
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	server, err := os.StartProcess(path, args, &os.ProcAttr{
		Env:   variables,
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		report.WriteString(err.Error())
		return 1
	}
	s := &supervisor{server: server.Pid, ended: make(chan int, 1), told: make(chan struct{}), alone: make(chan struct{})}
	letGo()
	report.WriteString(wordStarted)
	report.Close()
	go s.listen()
	go s.reap()
	select {
	case code = <-s.ended:
	case <-s.told:
	case <-signals:
	}
	s.endAll()
	return code
}

// readEnvironment reads the server's environment, which is not the supervisor's own.
func readEnvironment() ([]string, error) {
	pipe := os.NewFile(environmentFD, "environment")
	defer pipe.Close()
	raw, err := io.ReadAll(pipe)
	if err != nil || len(raw) == 0 {
		return []string{}, err
	}
	return strings.Split(string(raw), "\x00"), nil
}

// closeForeign closes what the desk inherited or opened for others, and keeps our own
// pipes from the server.
func closeForeign() {
	for _, fd := range inherited() {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if ours := fd == lifeFD || fd == reportFD || fd == environmentFD || errno != 0 || flags&syscall.FD_CLOEXEC != 0; !ours {
			syscall.Close(fd)
		}
	}
	seal()
}

// letGo leaves the server's input and output to the server: whoever reads of them sees
// its end then.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	for fd := range 3 {
		if err != nil || syscall.Dup3(int(null.Fd()), fd, 0) != nil {
			syscall.Close(fd)
		}
	}
}

// listen hears the desk, until it says no more.
func (s *supervisor) listen() {
	life := os.NewFile(lifeFD, "life")
	var word [1]byte
	for {
		if _, err := io.ReadFull(life, word[:]); err != nil {
			close(s.told)
			return
		}
		if word[0] == wordTerminate {
			syscall.Kill(-s.server, syscall.SIGTERM)
		}
	}
}

// reap takes note of the end of each child: the server, and what others have left to us.
func (s *supervisor) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			close(s.alone)
			return
		case pid == s.server && status.Signaled():
			s.ended <- 128 + int(status.Signal())
		case pid == s.server:
			s.ended <- status.ExitStatus()
		}
	}
}

// endAll ends every descendant. One that starts another and ends while they are listed
// can leave that out of the list, so that an empty list says nothing: only having no
// child does, since all that lose their parent become ours.
func (s *supervisor) endAll() {
	for deadline := time.Now().Add(lasting); time.Now().Before(deadline); {
		for _, pid := range descendants(os.Getpid()) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-s.alone:
			return
		case <-time.After(between):
		}
	}
}

// descendants gives the living processes below one.
func descendants(of int) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	dead := map[int]bool{}
	for _, file := range stats {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if pid, parent, state := parseStat(raw); pid != 0 {
			children[parent] = append(children[parent], pid)
			dead[pid] = state == 'Z' || state == 'X'
		}
	}
	for next := children[of]; len(next) > 0; {
		pid := next[0]
		if next = append(next[1:], children[pid]...); !dead[pid] {
			all = append(all, pid)
		}
	}
	return all
}

// parseStat reads /proc/PID/stat. The name in the middle may hold anything, blanks and
// parentheses too.
func parseStat(raw []byte) (pid, parent int, state byte) {
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return 0, 0, 0
	}
	fields := bytes.Fields(raw[end+1:])
	if len(fields) < 2 || len(fields[0]) != 1 {
		return 0, 0, 0
	}
	pid, _ = strconv.Atoi(string(bytes.TrimSpace(raw[:open])))
	parent, _ = strconv.Atoi(string(fields[1]))
	return pid, parent, fields[0][0]
}
