package tool

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"sekisho/backend/guard"
)

// listing is how long a list may take.
const listing = 2 * time.Second

// list gives the entries of a folder that a pattern fits. Links are named by what they are on
// the disk and never followed, and they are no files of a list.
func (w *Workspace) list(ctx context.Context, c guard.Call) (Result, error) {
	if err := w.folderAt(c.Path); err != nil {
		return Result{}, err
	}
	patterns := alternatives(c.Pattern)
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return Result{}, &guard.Refusal{Code: guard.BadInput, Detail: fmt.Sprintf("the pattern %q: %s", c.Pattern, err)}
		}
	}
	dir, err := w.root.OpenRoot(c.Path)
	if err != nil {
		return Result{}, w.said(c.Path, err)
	}
	defer dir.Close()
	if err := w.sameMount(dir, c.Path); err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, listing)
	defer cancel()
	total, files, cut := 0, []Entry{}, false
	err = fs.WalkDir(dir.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			cut = true
			return fs.SkipAll
		case p == "." || err != nil && d == nil:
			return nil
		case err != nil: // a folder that cannot be read is named, and that is all
			return fs.SkipDir
		}
		fits, hidden := matches(patterns, p)
		if (d.IsDir() || d.Type().IsRegular()) && fits {
			if total++; len(files) < guard.MaxEntries {
				files = append(files, entry(c.Path, p, d))
			}
		}
		if d.IsDir() && (!c.Recursive && strings.Count(p, "/") >= strings.Count(c.Pattern, "/") || hidden || w.elsewhere(dir, p)) {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return Result{}, fmt.Errorf("list %s: %w", c.Path, err)
	}
	return Result{Files: files, TotalCount: &total, Truncated: cut || total > len(files)}, nil
}

// elsewhere reports whether a folder is on another mount: a list names it, and does not enter it.
func (w *Workspace) elsewhere(dir *os.Root, p string) bool {
	f, err := dir.Open(p)
	if err != nil {
		return false // the walk says why
	}
	defer f.Close()
	return mountOf(f) != w.mount
}

// folderAt refuses what is no folder of the workspace.
func (w *Workspace) folderAt(p string) error {
	info, err := w.root.Stat(p)
	if err != nil {
		return w.said(p, err)
	}
	if !info.IsDir() {
		return &guard.Refusal{Code: guard.FileTypeNotAllowed, Detail: fmt.Sprintf("%q is no folder", p)}
	}
	return nil
}

func entry(folder, p string, d fs.DirEntry) Entry {
	e := Entry{Name: d.Name(), Path: path.Join(folder, p), Type: "file"}
	if d.IsDir() {
		e.Type = "directory"
	}
	if info, err := d.Info(); err == nil { // one that is gone meanwhile has neither
		e.Size, e.Modified = info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return e
}

// matches reports whether a path fits a pattern: by its name, where the pattern has no slash,
// else by as many of its segments. hidden is one that no pattern names with its dot.
func matches(patterns []string, p string) (fits, hidden bool) {
	names := strings.Split(p, "/")
	hidden = strings.HasPrefix(names[len(names)-1], ".")
	for _, pattern := range patterns {
		wanted := strings.Split(pattern, "/")
		of := names
		if len(wanted) == 1 {
			of = names[len(names)-1:]
		}
		for i, name := range of {
			if i < len(wanted) && strings.HasPrefix(name, ".") && strings.HasPrefix(wanted[i], ".") {
				if ok, _ := path.Match(wanted[i], name); ok && i == len(of)-1 {
					hidden = false
				}
			}
		}
		fits = fits || fit(wanted, of)
	}
	return fits, hidden
}

func fit(wanted, names []string) bool {
	if len(wanted) != len(names) {
		return false
	}
	for i, name := range names {
		if ok, _ := path.Match(wanted[i], name); !ok || strings.HasPrefix(name, ".") && !strings.HasPrefix(wanted[i], ".") {
			return false
		}
	}
	return true
}

// alternatives takes one {a,b} of a pattern apart.
func alternatives(pattern string) []string {
	before, rest, open := strings.Cut(pattern, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return []string{pattern}
	}
	var all []string
	for one := range strings.SplitSeq(inner, ",") {
		all = append(all, before+one+after)
	}
	return all
}
