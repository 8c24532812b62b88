package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sekisho/backend/guard"
)

// programFolders are where programs are looked for, and nowhere else.
var programFolders = []string{"/usr/bin", "/bin", "/usr/local/bin"}

// find gives the file of a program.
func (w *Workspace) find(name string) (string, error) {
	folders := slices.Concat(programFolders, w.named)
	names := []string{name}
	if name == "python" {
		names = append(names, "python3")
	}
	for _, n := range names {
		for _, folder := range folders {
			file := filepath.Join(folder, n)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("Command not found: %s is in none of %s", name, strings.Join(folders, ", "))
}

// limited keeps the first bytes of an output and drains the rest.
type limited struct {
	kept bytes.Buffer
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := guard.MaxOutput - l.kept.Len()
	if len(p) > room {
		l.cut = true
	}
	l.kept.Write(p[:min(len(p), max(room, 0))])
	return len(p), nil
}

// execute starts a command, confined as far as the machine allows it, and waits for its end.
func (w *Workspace) execute(ctx context.Context, c guard.Call, v guard.Verdict) (Result, error) {
	file, err := w.find(c.Command)
	if err != nil {
		return Result{}, err
	}
	scratch, err := os.MkdirTemp("", "sekisho-tool-")
	if err != nil {
		return Result{}, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.Timeout)*time.Second)
	defer cancel()
	out, errs := limited{}, limited{}
	cmd := &exec.Cmd{Path: file, Args: append([]string{c.Command}, c.Args...), Dir: w.folder, Stdout: &out, Stderr: &errs,
		Env: w.environment(scratch)}
	begun := time.Now()
	if c.Command == "git" {
		if err := w.quietGit(ctx, cmd, scratch); err != nil {
			return Result{}, err
		}
	}
	err = w.start(ctx, cmd, scratch, v.Network)
	took := time.Since(begun).Seconds()
	stdout, stderr := strings.ToValidUTF8(out.kept.String(), "\uFFFD"), strings.ToValidUTF8(errs.kept.String(), "\uFFFD")
	r := Result{Stdout: &stdout, Stderr: &stderr, ExecutionTime: &took, Truncated: out.cut || errs.cut}
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return r, fmt.Errorf("Timeout: ended after %d seconds", c.Timeout)
	case ctx.Err() != nil:
		return r, errors.New("Cancelled")
	case err != nil && !errors.As(err, &exit):
		return Result{}, fmt.Errorf("start %s: %w", c.Command, err)
	}
	code := cmd.ProcessState.ExitCode()
	r.ExitCode = &code
	return r, nil
}

// environment is all that a command is told: nothing of the environment that we have.
func (w *Workspace) environment(scratch string) []string {
	return []string{"PATH=" + strings.Join(slices.Concat(programFolders, w.named), ":"),
		"HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "TERM=dumb",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
		"GIT_PAGER=cat", "PAGER=cat", "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=https:http",
		"GIT_AUTHOR_NAME=sekisho", "GIT_AUTHOR_EMAIL=sekisho@localhost", "GIT_COMMITTER_NAME=sekisho",
		"GIT_COMMITTER_EMAIL=sekisho@localhost", "npm_config_cache=" + scratch, "npm_config_update_notifier=false"}
}
