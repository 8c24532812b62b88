package show

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"sekisho/backend/permission"
	"sekisho/backend/rewrite"
)

// maxText bounds each side of a comparison.
const maxText = 2 << 20

// kind is what stands at a path.
type kind int

const (
	regular kind = iota
	folder
	special // a device, a pipe, a socket, a link that came meanwhile
	madeUp  // a file that the kernel makes up
)

var notAFile = map[kind]doubt{
	folder:  {"folder", "it is a folder"},
	special: {"special", "it is a device, a pipe or a socket"},
	madeUp:  {"kernel", "it is a file that the system makes up when it is read"},
}

// found is a file as it is on the disk now.
type found struct {
	place
	kind    kind
	size    int64
	large   bool   // over maxText, and text is empty
	text    string // all of it
	version string
}

// find follows a path and reads the file there. It changes nothing, and waits for
// nothing but the disk.
func find(path string) found {
	f := found{place: resolve(path)}
	switch {
	case f.err != nil:
		f.version = permission.FileVersion("error", because(f.err).code)
		return f
	case f.doubt.code != "":
		f.version = permission.FileVersion("doubt", f.doubt.code)
		return f
	}
	if !f.missing {
		f.read()
	}
	if errors.Is(f.err, fs.ErrNotExist) { // it went away meanwhile
		f.missing, f.err = true, nil
	}
	if f.missing {
		f.version = permission.FileVersion(permission.VersionMissing, f.path)
	}
	return f
}

// read takes what is there, whole: as it was at one moment.
func (f *found) read() {
	file, kind, err := openRegular(f.path)
	f.kind, f.err = kind, err
	if file == nil {
		f.version = permission.FileVersion("kind", f.path, notAFile[kind].code)
		return
	}
	defer file.Close()
	for range 5 {
		before, err := file.Stat()
		if f.err = err; err != nil {
			return
		}
		f.size, f.version = before.Size(), permission.FileVersion(permission.VersionStamp, f.path, rewrite.Stamp(before))
		if f.large = f.size > maxText; f.large {
			return
		}
		raw, err := io.ReadAll(io.NewSectionReader(file, 0, maxText+1))
		if f.err = err; err != nil {
			return
		}
		if after, err := file.Stat(); err == nil && rewrite.Stamp(before) == rewrite.Stamp(after) && int64(len(raw)) == f.size {
			f.text, f.version = string(raw), permission.FileVersion(permission.VersionText, f.path, string(raw))
			return
		}
	}
	f.doubt = doubt{"changing", "the file changes while it is read"}
}

// isFolder reports whether a folder is there.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
