// Package rewrite replaces a person's file by another content: whole or not at all, and only
// if the file is still the one that was shown.
package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sekisho/backend/place"
)

var (
	// ErrFolder says that a path is a folder's.
	ErrFolder = errors.New("this is a folder")
	// ErrChanged says that a file is no longer what was shown. It is left as it is.
	ErrChanged = errors.New("this file changed meanwhile: nothing was written to it, look again")
	// ErrBusy says that another sekisho is at work on the same files.
	ErrBusy = errors.New("another sekisho is changing this: try again")
)

// MaxFile is how many bytes of a file are read. Claude Code keeps what was typed in its
// configuration, which grows over 100 MB.
const MaxFile = 256 << 20

// Replacement is one file to be written in the place of another.
type Replacement struct {
	Path    string // as it is named
	Real    string // where that led to when it was shown
	Old     []byte // what was shown; nil: nothing may be there
	Content []byte
	Mode    fs.FileMode
	At      func(step string) // tests stop here; nil
}

// Load follows links and reads a plain file of at most MaxFile bytes.
func Load(path string) (real string, content []byte, mode fs.FileMode, err error) {
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, 0, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return real, nil, 0, err
	case info.IsDir():
		return real, nil, 0, ErrFolder
	case !info.Mode().IsRegular():
		return real, nil, 0, errors.New("this is no plain file")
	case info.Size() > MaxFile:
		return real, nil, 0, TooLong(MaxFile)
	}
	file, err := os.Open(real)
	if err != nil {
		return real, nil, 0, err
	}
	defer file.Close()
	content, err = io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err == nil && len(content) > MaxFile {
		err = TooLong(MaxFile)
	}
	return real, content, info.Mode().Perm(), err
}

// TooLong says that a file has more bytes than are read.
func TooLong(limit int) error { return fmt.Errorf("this file is over %d MiB", limit>>20) }

// Write puts the new content in place: at every moment the file is the old one or the
// new one, whole. With an error beside written the new one is in place, but a loss of
// power may bring the old one back.
func (r *Replacement) Write() (written bool, err error) {
	if r.Old != nil {
		unlock, err := Lock(r.Real)
		if err != nil {
			return false, err
		}
		defer unlock()
	}
	// The name is always the same one, so that a killed sekisho leaves at most one.
	temp := filepath.Join(filepath.Dir(r.Real), "."+filepath.Base(r.Real)+".sekisho")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err = r.prepare(temp); err == nil {
		r.reached("prepared")
		if err = r.Unchanged(); err == nil {
			err = os.Rename(temp, r.Real)
		}
	}
	if err != nil {
		_ = os.Remove(temp) // what went wrong before it is the news
		return false, fmt.Errorf("write %s: %w", r.Real, err)
	}
	r.reached("renamed")
	return true, place.SyncFolder(filepath.Dir(r.Real))
}

// Remove takes the file away, if it is still the one that was shown.
func (r *Replacement) Remove() error {
	unlock, err := Lock(r.Real)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.Unchanged(); err != nil {
		return err
	}
	if err := os.Remove(r.Real); err != nil {
		return fmt.Errorf("remove %s: %w", r.Real, err)
	}
	return place.SyncFolder(filepath.Dir(r.Real))
}

func (r *Replacement) reached(step string) {
	if r.At != nil {
		r.At(step)
	}
}

// prepare writes the new content beside the file, with the old one's mode and owner.
func (r *Replacement) prepare(temp string) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if old, err := os.Stat(r.Real); err == nil {
		keepOwner(f, old)
	}
	half := len(r.Content) / 2
	_, err = f.Write(r.Content[:half])
	r.reached("half")
	if err == nil {
		_, err = f.Write(r.Content[half:])
	}
	return errors.Join(err, f.Chmod(r.Mode), f.Sync(), f.Close())
}

// Unchanged holds the file against what was shown.
func (r *Replacement) Unchanged() error {
	if r.Old == nil {
		if _, err := os.Lstat(r.Real); !errors.Is(err, fs.ErrNotExist) {
			return ErrChanged
		}
		return nil
	}
	real, content, _, err := Load(r.Path)
	if err != nil {
		return err
	}
	if real != r.Real || !bytes.Equal(content, r.Old) {
		return ErrChanged
	}
	// A rename does not ask for the file's own permission, so it is asked for here.
	f, err := os.OpenFile(real, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
