package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sekisho/backend/guard"
)

// programsIn refuses folders of programs that could be written to by what a workspace runs.
func programsIn(workspace string, folders []string) ([]string, error) {
	named := []string{}
	for _, folder := range folders {
		real, err := filepath.EvalSymlinks(folder)
		switch {
		case err != nil:
			return nil, fmt.Errorf("open folder of programs: %w", err)
		case !filepath.IsAbs(real) || real == "/" || strings.HasPrefix(real+"/", workspace+"/"), strings.HasPrefix(workspace+"/", real+"/"):
			return nil, fmt.Errorf("open folder of programs: %s holds the workspace, or lies in it: %w", real, os.ErrInvalid)
		}
		named = append(named, real)
	}
	return named, nil
}

// ownFiles are the folders that programs of a folder have their files in.
func ownFiles(folder string) []string {
	all := []string{folder}
	if filepath.Base(folder) == "bin" {
		for _, beside := range []string{"lib", "lib64", "libexec", "include"} {
			all = append(all, filepath.Join(filepath.Dir(folder), beside))
		}
	}
	return all
}

// ProgramState is whether a program can be started as commands are.
type ProgramState struct {
	Name    string `json:"name"`
	Missing bool   `json:"missing"` // it is in none of the folders
	Trouble string `json:"trouble"` // why it does not start; "" where it does
}

// telling are words by which a program says something, and ends; --version where there are none.
var telling = map[string][]string{"echo": {}, "pwd": {}, "whoami": {}, "date": {}, "unzip": {"-v"}, "zip": {"-v"}}

// trying bounds how long one program is waited for, in seconds.
const trying = 10

// Programs starts each listed program once, confined as commands are.
func (w *Workspace) Programs(ctx context.Context) (all []ProgramState) {
	for _, name := range guard.Programs() {
		_, err := w.find(name)
		state := ProgramState{Name: name, Missing: err != nil}
		if err == nil {
			state.Trouble = w.try(ctx, name)
		}
		all = append(all, state)
	}
	return all
}

// try starts a program, and says why it does not work.
func (w *Workspace) try(ctx context.Context, name string) string {
	args, known := telling[name]
	if !known {
		args = []string{"--version"}
	}
	r, err := w.execute(ctx, guard.Call{Command: name, Args: args, Timeout: trying}, guard.Verdict{})
	switch {
	case err != nil:
		return err.Error()
	case *r.ExitCode != 0:
		return fmt.Sprintf("exit code %d: %s", *r.ExitCode, firstLine(*r.Stderr))
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
