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
// find that.
func Supervises() bool {
	_, err := os.Stat(ourselves)
	return err == nil
}

// Begin is the first thing that a program's main does. Where the process was started as a
// supervisor, it is one and does not return. Else it keeps what the program has inherited
// from the programs that it starts.
func Begin() {
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
		return nil, errors.Join(err, closeAll(lifeTheirs, life, report, reportTheirs))
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

func closeAll(files ...*os.File) error {
	for _, f := range files {
		f.Close() // also one that was never opened
	}
	return nil
}
