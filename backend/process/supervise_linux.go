package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ourselves is this very program, also when its file was replaced meanwhile.
const ourselves = "/proc/self/exe"

// supervisorName is the first word of a supervisor's command line.
const supervisorName = "sekisho-supervisor"

// The supervisor's descriptors beside 0 to 2.
const (
	lifeFD        = 3
	reportFD      = 4
	environmentFD = 5
)

// Supervises reports whether what has left its process group ends too. It takes /proc to
// find that, and a program that has called Begin.
func Supervises() bool {
	_, err := os.Stat(ourselves)
	return begun && err == nil
}

func begin() {
	if len(os.Args) > 2 && os.Args[0] == supervisorName {
		os.Exit(runSupervisor(os.Args[1], os.Args[2:]))
	}
	seal()
}

// supervise starts cmd behind a supervisor and waits until it runs, or does not.
func supervise(cmd *exec.Cmd) (*Tree, error) {
	lifeTheirs, life, err1 := os.Pipe()
	report, reportTheirs, err2 := os.Pipe()
	environmentTheirs, environment, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		closeAll(lifeTheirs, life, report, reportTheirs, environmentTheirs, environment)
		return nil, err
	}
	variables := cmd.Environ()
	cmd.Args = append([]string{supervisorName, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.ExtraFiles = ourselves, []*os.File{lifeTheirs, reportTheirs, environmentTheirs}
	cmd.Env = []string{} // the server's may hold what governs Go programs
	err := cmd.Start()
	closeAll(lifeTheirs, reportTheirs, environmentTheirs)
	if err != nil {
		closeAll(life, report, environment)
		return nil, fmt.Errorf("start its supervisor: %w", err)
	}
	environment.WriteString(strings.Join(variables, "\x00")) // one that has ended says so, or nothing, below
	environment.Close()
	said := heard(report)
	report.Close()
	if said != wordStarted {
		life.Close()
		cmd.Wait()
		return nil, errors.New(cmp.Or(said, "its supervisor ended without a word"))
	}
	return &Tree{cmd: cmd, life: life}, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close() // also one that was never opened
	}
}
