package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sekisho/backend/place"
)

var (
	// ErrChanged says that a file is no longer what was shown. It is left as it is.
	ErrChanged = errors.New("this file changed meanwhile: nothing was written to it, look again")
	// ErrBusy says that another sekisho is at work on the same files.
	ErrBusy = errors.New("another sekisho is changing this: try again")
)

// replacement is one file to be written in the place of another.
type replacement struct {
	path    string // where the client looks
	real    string // where that led to when it was shown
	old     []byte // what was shown; nil: nothing may be there
	content []byte
	mode    fs.FileMode
	at      func(step string) // tests stop here; nil
}

// write puts the new content in place: at every moment the file is the old one or the
// new one, whole. With an error beside written the new one is in place, but a loss of
// power may bring the old one back.
func (r *replacement) write() (written bool, err error) {
	if r.old != nil {
		unlock, err := lockFile(r.real)
		if err != nil {
			return false, err
		}
		defer unlock()
	}
	// The name is always the same one, so that a killed sekisho leaves at most one.
	temp := filepath.Join(filepath.Dir(r.real), "."+filepath.Base(r.real)+".sekisho")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err = r.prepare(temp); err == nil {
		r.reached("prepared")
		if err = r.unchanged(); err == nil {
			err = os.Rename(temp, r.real)
		}
	}
	if err != nil {
		_ = os.Remove(temp) // what went wrong before it is the news
		return false, fmt.Errorf("write %s: %w", r.real, err)
	}
	r.reached("renamed")
	return true, place.SyncFolder(filepath.Dir(r.real))
}

// remove takes the file away, if it is still the one that was shown.
func (r *replacement) remove() error {
	unlock, err := lockFile(r.real)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(r.real); err != nil {
		return fmt.Errorf("remove %s: %w", r.real, err)
	}
	return place.SyncFolder(filepath.Dir(r.real))
}

func (r *replacement) reached(step string) {
	if r.at != nil {
		r.at(step)
	}
}

// prepare writes the new content beside the file, with the old one's mode and owner.
func (r *replacement) prepare(temp string) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if old, err := os.Stat(r.real); err == nil {
		keepOwner(f, old)
	}
	half := len(r.content) / 2
	_, err = f.Write(r.content[:half])
	r.reached("half")
	if err == nil {
		_, err = f.Write(r.content[half:])
	}
	return errors.Join(err, f.Chmod(r.mode), f.Sync(), f.Close())
}

// unchanged holds the file against what was shown.
func (r *replacement) unchanged() error {
	if r.old == nil {
		if _, err := os.Lstat(r.real); !errors.Is(err, fs.ErrNotExist) {
			return ErrChanged
		}
		return nil
	}
	real, content, _, err := load(r.path)
	if err != nil {
		return err
	}
	if real != r.real || !bytes.Equal(content, r.old) {
		return ErrChanged
	}
	// A rename does not ask for the file's own permission, so it is asked for here.
	f, err := os.OpenFile(real, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
