package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ourselves is this very program, also when its file was replaced meanwhile.
const ourselves = "/proc/self/exe"

// supervisorName is the first word of a supervisor's command line.
const supervisorName = "sekisho-supervisor"

// The supervisor's descriptors beside 0 to 2.
const (
	lifeFD   = 3
	reportFD = 4
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
	if err := errors.Join(err1, err2); err != nil {
		closeAll(lifeTheirs, life, report, reportTheirs)
		return nil, err
	}
	cmd.Args = append([]string{supervisorName, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.ExtraFiles = ourselves, []*os.File{lifeTheirs, reportTheirs}
	err := cmd.Start()
	closeAll(lifeTheirs, reportTheirs)
	if err != nil {
		closeAll(life, report)
		return nil, fmt.Errorf("start its supervisor: %w", err)
	}
	said := heard(report)
	report.Close()
	if said != wordStarted {
		life.Close()
		cmd.Wait()
		return nil, errors.New(said)
	}
	return &Tree{cmd: cmd, life: life}, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close() // also one that was never opened
	}
}
