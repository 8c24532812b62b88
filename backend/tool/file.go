package tool

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/rewrite"
)

// binaries are the types of files that are given though they are no text, by their first bytes.
var binaries = []struct{ start, at8 string }{
	{start: "%PDF-"}, {start: "\x89PNG\r\n\x1a\n"}, {start: "\xff\xd8\xff"}, {start: "GIF87a"}, {start: "GIF89a"},
	{start: "RIFF", at8: "WEBP"},
}

// open opens a regular file of the workspace for reading. It does not wait on anything, and it
// does not open a device, which would do something by that alone.
func (w *Workspace) open(p string) (*os.File, os.FileInfo, error) {
	info, err := w.root.Stat(p)
	if err != nil {
		return nil, nil, w.said(p, err)
	}
	if err := regular(p, info); err != nil {
		return nil, nil, err
	}
	f, err := w.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, w.said(p, err)
	}
	if info, err = f.Stat(); err == nil { // what was opened may be another file than was looked at
		err = regular(p, info)
	}
	if err == nil && mountOf(f) != w.mount {
		err = &guard.Refusal{Code: guard.PathOutside, Detail: fmt.Sprintf("%q is on another mount", p)}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(p string, info os.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return &guard.Refusal{Code: guard.FileTypeNotAllowed, Detail: fmt.Sprintf("%q is no regular file", p)}
	case info.Size() > guard.MaxFile:
		return &guard.Refusal{Code: guard.FileTooLarge, Detail: fmt.Sprintf("%q has %d bytes, more than %d", p, info.Size(), guard.MaxFile)}
	}
	return nil
}

// read gives the content of a file.
func (w *Workspace) read(p string) (Result, error) {
	raw, _, err := w.content(p)
	if err != nil {
		return Result{}, err
	}
	size := int64(len(raw))
	switch {
	case isBinary(raw):
		content := base64.StdEncoding.EncodeToString(raw)
		return Result{Content: &content, Encoding: "base64", Size: &size}, nil
	case isText(raw):
		content := string(raw)
		return Result{Content: &content, Encoding: "utf-8", Size: &size}, nil
	}
	return Result{}, notGiven(p)
}

func notGiven(p string) error {
	return &guard.Refusal{Code: guard.FileTypeNotAllowed, Detail: fmt.Sprintf("%q is neither text in UTF-8, nor a pdf or an image", p)}
}

// unprinted reports whether a character is none of a text.
func unprinted(r rune) bool {
	return r < ' ' && !strings.ContainsRune("\t\n\r\f\v\b\x1b", r) || r == 0x7f
}

// content reads a whole file. One that grows meanwhile is read up to the limit.
func (w *Workspace) content(p string) ([]byte, os.FileInfo, error) {
	f, info, err := w.open(p)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, guard.MaxFile+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read %s: %w", p, err)
	case len(raw) > guard.MaxFile:
		return nil, nil, &guard.Refusal{Code: guard.FileTooLarge, Detail: fmt.Sprintf("%q has more than %d bytes", p, guard.MaxFile)}
	}
	return raw, info, nil
}

// write puts a new file in the place of one, or where there is none. Who reads it meanwhile
// reads the old or the new one; another name of the old one (a hard link) keeps that.
func (w *Workspace) write(p, content string, add bool, shown string) (Result, error) {
	dir, info, err := w.target(p)
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	if shown != "" {
		if err := w.unchanged(p, info, shown, content, add); err != nil {
			return Result{}, err
		}
	}
	name, mode := path.Base(p), os.FileMode(0o644)
	if info != nil {
		mode = info.Mode().Perm()
	}
	if info != nil && add {
		old, _, err := w.content(p)
		if err != nil {
			return Result{}, err
		}
		content = string(old) + content
	}
	if len(content) > guard.MaxFile {
		return Result{}, &guard.Refusal{Code: guard.FileTooLarge,
			Detail: fmt.Sprintf("%q would have %d bytes, more than %d", p, len(content), guard.MaxFile)}
	}
	if err := replace(dir, name, content, mode); err != nil {
		return Result{}, fmt.Errorf("write %s: %w", p, err)
	}
	size := int64(len(content))
	return Result{Path: p, Size: &size}, nil
}

// compared bounds the files that are shown by their content; a larger one is shown by its stamp.
const compared = 2 << 20

// unchanged refuses to write over another file than the one that a person was shown. One that has
// the content already that the call writes is no other: an equal call ran before, and what was shown is
// what stands there. An equal one that appends would add what nobody saw.
func (w *Workspace) unchanged(p string, info os.FileInfo, shown, content string, add bool) error {
	folder, err := filepath.EvalSymlinks(filepath.Join(w.folder, path.Dir(p)))
	if err != nil {
		return w.said(p, err)
	}
	file, old := filepath.Join(folder, path.Base(p)), ""
	same := !add && info != nil && info.Size() == int64(len(content))
	if info != nil && (same || info.Size() <= compared) {
		raw, _, err := w.content(p)
		if err != nil {
			return err
		}
		if old = string(raw); same && old == content {
			return nil
		}
	}
	now := permission.FileVersion(permission.VersionMissing, file)
	switch {
	case info == nil:
	case info.Size() > compared:
		now = permission.FileVersion(permission.VersionStamp, file, rewrite.Stamp(info))
	default:
		now = permission.FileVersion(permission.VersionText, file, old)
	}
	if now != shown {
		return fmt.Errorf("changed: %q is another than when the difference was shown", p)
	}
	return nil
}

// target opens the folder of a file that is to be written, and gives what stands there; nil is nothing.
func (w *Workspace) target(p string) (*os.Root, os.FileInfo, error) {
	dir, err := w.root.OpenRoot(path.Dir(p))
	if err != nil {
		return nil, nil, w.said(p, err)
	}
	err = w.sameMount(dir, p)
	var info os.FileInfo
	if err == nil {
		info, err = dir.Lstat(path.Base(p))
		switch {
		case errors.Is(err, os.ErrNotExist):
			info, err = nil, nil
		case err != nil:
			err = w.said(p, err)
		default:
			err = writable(p, info)
		}
	}
	if err != nil {
		dir.Close()
		return nil, nil, err
	}
	return dir, info, nil
}

func writable(p string, info os.FileInfo) error {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return &guard.Refusal{Code: guard.PathOutside, Detail: fmt.Sprintf("%q is a link: write to what it names", p)}
	case !info.Mode().IsRegular():
		return regular(p, info)
	case info.Mode().Perm()&0o222 == 0:
		return fmt.Errorf("Permission denied: %q is read-only", p)
	}
	return nil
}

// replace writes a file beside and renames it.
func replace(dir *os.Root, name, content string, mode os.FileMode) (err error) {
	beside := ".sekisho-" + rand.Text()
	f, err := dir.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			dir.Remove(beside)
		}
	}()
	if _, err = f.WriteString(content); err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(mode), f.Sync()); err != nil {
		return err
	}
	return dir.Rename(beside, name)
}

// sameMount refuses a folder on another mount.
func (w *Workspace) sameMount(dir *os.Root, p string) error {
	f, err := dir.Open(".")
	if err != nil {
		return w.said(p, err)
	}
	defer f.Close()
	if mountOf(f) != w.mount {
		return &guard.Refusal{Code: guard.PathOutside, Detail: fmt.Sprintf("%q is on another mount", p)}
	}
	return nil
}
