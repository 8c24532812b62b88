//go:build !linux

package tool

import (
	"context"
	"os/exec"

	"sekisho/backend/process"
)

func probe(string) Confinement {
	return Confinement{Level: LevelNone, Missing: []string{"landlock", "pid namespace", "network namespace", "seccomp"}}
}

// Begin is the second thing that a program's main does; see confine_linux.go.
func Begin() {}

// start starts a command and waits for its end and that of all that it started.
func (w *Workspace) start(ctx context.Context, cmd *exec.Cmd, _ string, _ bool) error {
	tree, err := process.Start(cmd)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, tree.Kill)()
	tree.Wait()
	tree.Kill()
	return nil
}
