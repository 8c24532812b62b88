//go:build unix

package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// shells are those that are asked for the environment of a user's terminals.
var shells = []string{"bash", "zsh", "sh", "dash", "ksh", "fish"}

// shellGoes is how long a shell that took too long has to end.
const shellGoes = 2 * time.Second

// shellEnviron is the environment that a user's shell gives programs in a terminal: a desk that
// was started from a menu has not what the shell's own files set. nil where it is not to be had.
func shellEnviron(shell string, within time.Duration) []string {
	if !filepath.IsAbs(shell) || !slices.Contains(shells, filepath.Base(shell)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	mark := rand.Text() // those files may write what they like
	cmd := exec.CommandContext(ctx, shell, "-l", "-i", "-c", fmt.Sprintf("echo %s; exec /usr/bin/env -0", mark))
	cmd.Env = append(os.Environ(), "TERM=dumb")
	// A session of its own has no terminal that an interactive shell would take.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// As if its terminal were closed, so that what those files started lets go of its locks; what stays is killed.
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
		time.Sleep(shellGoes)
		return errors.Join(err, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	}
	cmd.WaitDelay = time.Second
	var out shellOutput
	cmd.Stdout = &out
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // something that those files started holds the output open
		err = nil
	}
	_, said, found := bytes.Cut(out.kept, []byte(mark+"\n"))
	if err != nil || !found {
		return nil
	}
	return slices.DeleteFunc(strings.Split(string(said), "\x00"), func(v string) bool { return strings.Index(v, "=") < 1 || v == "TERM=dumb" })
}

// maxShellOutput bounds what is read of a shell's output, in bytes: the kernel allows an
// environment a few MiB.
const maxShellOutput = 8 << 20

// shellOutput keeps the output of a shell, and refuses more than a bound.
type shellOutput struct{ kept []byte }

func (o *shellOutput) Write(p []byte) (int, error) {
	if len(o.kept)+len(p) > maxShellOutput {
		return 0, errors.New("the shell writes too much")
	}
	o.kept = append(o.kept, p...)
	return len(p), nil
}
