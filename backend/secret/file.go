package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// FileName is the file's name in the data folder.
const FileName = "secrets.json"

// unfinished ends the name of a file that is being written.
const unfinished = ".part"

// maxSize bounds the file, in bytes: a thousand servers with long values are far below.
const maxSize = 16 << 20

// File keeps secrets in a data folder that no other process writes to. It is safe for
// use by many goroutines.
type File struct {
	path string
	mu   sync.Mutex // one change at a time
}

// New names the file of a folder. It is made when there is a first secret to keep.
func New(dir string) *File { return &File{path: filepath.Join(dir, FileName)} }

// Where is the file's path.
func (f *File) Where() string { return f.path }

// Secrets gives all, by name. A file that is not whole, or cannot be read, is an error
// and stays as it is.
func (f *File) Secrets() (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.read()
}

// ChangeSecrets puts and forgets secrets by their names, in one step that is on disk
// when it returns. On an error the old file is there, or the new one, and whole.
func (f *File) ChangeSecrets(put map[string]string, forget []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, err := f.read()
	if err != nil {
		return err
	}
	maps.Copy(all, put)
	for _, name := range forget {
		delete(all, name)
	}
	content, err := encode(all)
	if err == nil {
		err = f.write(content)
	}
	if err != nil {
		return fault("the secrets cannot be kept in %s", f.path, err)
	}
	return nil
}

// fault is an error that a person is told in words, with its cause for the log.
func fault(format, path string, err error) error {
	return errors.Join(&permission.Error{Code: permission.CodeUnavailable, Message: fmt.Sprintf(format, path)}, err)
}

func (f *File) read() (map[string]string, error) {
	raw, err := f.content()
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fault("the file of secrets, %s, cannot be read", f.path, err)
	}
	all, err := decode(raw)
	if errors.Is(err, errNewer) {
		return nil, fault("the file of secrets, %s, was written by a newer Sekisho: use that one", f.path, err)
	}
	if err != nil {
		return nil, fault("the file of secrets, %s, is damaged: mend it, or take it away and enter the values again", f.path, err)
	}
	return all, nil
}

// content reads the file, and tightens one that is open to others.
func (f *File) content() ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := file.Chmod(0o600); err != nil && runtime.GOOS != "windows" {
			return nil, err
		}
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(raw) > maxSize {
		err = fmt.Errorf("it has more than %d MiB", maxSize>>20)
	}
	return raw, err
}

// write puts a new file in the place of the old one. What an earlier process left
// unfinished goes.
func (f *File) write(content []byte) error {
	if len(content) > maxSize {
		return fmt.Errorf("they are more than %d MiB", maxSize>>20)
	}
	part := f.path + unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(part, f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return place.SyncFolder(filepath.Dir(f.path))
}
