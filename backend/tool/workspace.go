package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"sekisho/backend/guard"
)

// Workspace is a folder in which the tools work.
type Workspace struct {
	folder  string
	root    *os.Root
	mount   uint64             // of the folder; 0 where systems do not tell
	confine func() Confinement // tried once, when it is first asked
	named   []string           // folders of programs, beside the system's
}

// Open opens a folder as a workspace. programs are folders that programs are looked for in after the
// system's own.
func Open(folder string, programs ...string) (*Workspace, error) {
	if !filepath.IsAbs(folder) || filepath.Clean(folder) == "/" {
		return nil, fmt.Errorf("open workspace: %s is not the absolute path of a folder that can be one", folder)
	}
	folder = filepath.Clean(folder)
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("open workspace: %s is no folder, or a link to one: %w", folder, errors.Join(err, os.ErrInvalid))
	}
	if real, err := filepath.EvalSymlinks(folder); err != nil || real != folder {
		return nil, fmt.Errorf("open workspace: %s lies behind a link, at %s: %w", folder, real, errors.Join(err, os.ErrInvalid))
	}
	named, err := programsIn(folder, programs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	w := &Workspace{folder: folder, root: root, named: named, confine: sync.OnceValue(func() Confinement { return probe(folder) })}
	if dir, err := root.Open("."); err == nil {
		w.mount = mountOf(dir)
		dir.Close()
	}
	return w, nil
}

// Close gives the folder back.
func (w *Workspace) Close() error { return w.root.Close() }

// Confinement says how far commands are confined.
func (w *Workspace) Confinement() Confinement { return w.confine() }

// Result is what came of a call. Which fields a tool has is said by its output schema.
type Result struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`

	Content  *string `json:"content,omitempty"`
	Encoding string  `json:"encoding,omitempty"`
	Size     *int64  `json:"size,omitempty"`
	Path     string  `json:"path,omitempty"`

	Files      []Entry `json:"files,omitzero"`
	TotalCount *int    `json:"total_count,omitempty"`

	Stdout        *string  `json:"stdout,omitempty"`
	Stderr        *string  `json:"stderr,omitempty"`
	ExitCode      *int     `json:"exit_code,omitempty"`
	ExecutionTime *float64 `json:"execution_time,omitempty"`
	Truncated     bool     `json:"truncated,omitempty"`
}

// Entry is a file or folder of a list.
type Entry struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
}

// Run judges a call and runs it. shown is the version of the file to be written that a person was shown
// (permission.FileVersion); "" is none.
func (w *Workspace) Run(ctx context.Context, name string, input []byte, shown string) Result {
	c, v, err := w.judge(name, input)
	if err != nil {
		return Result{Error: err.Error()}
	}
	var r Result
	switch name {
	case guard.ReadFile:
		r, err = w.read(c.Path)
	case guard.WriteFile:
		r, err = w.write(c.Path, c.Content, c.Append, shown)
	case guard.ListDirectory:
		r, err = w.list(ctx, c)
	case guard.ExecuteCommand:
		r, err = w.execute(ctx, c, v)
	}
	if err != nil {
		r.Success, r.Error = false, err.Error()
		return r
	}
	r.Success = r.ExitCode == nil || *r.ExitCode == 0
	return r
}

// judge refuses a call for its input, and for what its paths are on the disk.
func (w *Workspace) judge(name string, input []byte) (guard.Call, guard.Verdict, error) {
	c, bad := guard.Parse(w.folder, name, input)
	if bad != nil {
		return c, guard.Verdict{}, bad
	}
	v, bad := guard.Judge(w.folder, c)
	if bad != nil {
		return c, v, bad
	}
	for _, p := range v.Paths {
		if err := w.look(p); err != nil {
			return c, v, err
		}
	}
	return c, v, nil
}

// look walks a path and refuses what is neither a file nor a folder of the workspace, and what is a
// file of secrets by another name. What is not there is no error: a command may make it.
func (w *Workspace) look(path string) error {
	info, err := w.root.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err == nil && (info.IsDir() || info.Mode().IsRegular()):
		return w.honest(path)
	case err == nil:
		return &guard.Refusal{Code: guard.FileTypeNotAllowed, Detail: fmt.Sprintf("%q is neither a file nor a folder", path)}
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("look at %s: %w", path, err)
	}
	return w.said(path, err)
}

// honest refuses a path that leads by links to a file of secrets and does not name it: what was judged was
// the name.
func (w *Workspace) honest(path string) error {
	real, err := filepath.EvalSymlinks(filepath.Join(w.folder, path))
	if err != nil {
		return w.said(path, err)
	}
	inside, err := filepath.Rel(w.folder, real)
	if err == nil && guard.Secret(filepath.ToSlash(inside)) && !guard.Secret(path) {
		return &guard.Refusal{Code: guard.PathOutside, Detail: fmt.Sprintf("%q is a link to a file of secrets: name that", path)}
	}
	return err
}

// said gives the words for a path that cannot be opened.
func (w *Workspace) said(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("File not found: %q", path)
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("Permission denied: %q", path)
	}
	var of *os.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return &guard.Refusal{Code: guard.PathOutside, Detail: fmt.Sprintf("%q: %s", path, err)}
}
