// Package process starts the programs of tool servers so that they end with all that they
// have started.
//
// A process group is not enough for that: a program leaves it by setsid. So on Linux a
// supervisor stands between the desk and each server: this same program, started anew,
// which is a subreaper. Whatever the server starts and leaves behind becomes a child of
// the supervisor, in whatever session or group it is and with whatever environment, and
// the supervisor ends all of it when the server ends, when it is told to, or when the desk
// is gone: the desk holds the other end of a pipe, which also kill -9 closes. It needs no
// rights, and works in containers. (A PID namespace and a cgroup would need to be allowed,
// and the first also changes what the server sees.) Who kills the supervisor itself with
// -9 ends the server with it, but not what has left the server's group.
//
// On Windows a job object does the same, without a supervisor. On other systems the
// process group is all there is: see Supervises.
package process

import (
	"io"
	"os/exec"
	"sync"
	"time"
)

// tooLong is how long a supervisor may take to end everything before it is ended itself.
const tooLong = 10 * time.Second

// Tree is a running program with all that it has started.
type Tree struct {
	cmd  *exec.Cmd
	life io.WriteCloser // the desk's end of the pipe to the supervisor, or a job object; nil without either
	once sync.Once
}

// begun says that Begin was called. A program without it that starts a supervisor would
// start all of itself instead.
var begun bool

// Begin is the first thing that a program's main does. Where the process was started as a
// supervisor, it is one and does not return. Else it keeps what the program has inherited
// from the programs that it starts.
func Begin() {
	begin()
	begun = true
}

// Start starts a program whose Cmd has only files for standard input and output. Without
// supervisors, it gets a process group of its own all the same.
func Start(cmd *exec.Cmd) (*Tree, error) {
	ownGroup(cmd)
	if !Supervises() || cmd.Err != nil {
		return &Tree{cmd: cmd}, cmd.Start()
	}
	return supervise(cmd)
}

// Wait waits for the end of the program; under a supervisor, for that of everything. The error
// is that of the program, as exec.Cmd's Wait gives it.
func (t *Tree) Wait() error { return t.cmd.Wait() }

// Terminate asks the program and its group to end.
func (t *Tree) Terminate() {
	if t.life == nil {
		terminate(t.cmd)
		return
	}
	t.life.Write([]byte{wordTerminate}) // one that has ended needs no word
}

// Kill ends everything. It can be called again, and when everything has ended.
func (t *Tree) Kill() {
	if t.life == nil {
		kill(t.cmd)
		return
	}
	t.once.Do(func() {
		t.life.Close()
		time.AfterFunc(tooLong, func() { t.cmd.Process.Kill() })
	})
}

// wordTerminate is the one word that a supervisor is told. The end of the pipe is the other.
const wordTerminate = 't'

// wordStarted is what a supervisor says when the program runs; all else is why it does not.
const wordStarted = "\x00"

// heard reads what a supervisor has to say of the start.
func heard(r io.Reader) string {
	said, _ := io.ReadAll(io.LimitReader(r, 4096)) // one that breaks off is told from wordStarted
	return string(said)
}
