package connect

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sekisho/backend/conftext"
	"sekisho/backend/rewrite"
)

// maxTOML is how many bytes of TOML are read, which is a person's own writing.
const maxTOML = 16 << 20

// File is a client's configuration file as it was read.
type File struct {
	Client  Client
	Path    string // where the client looks
	Real    string // where that leads to
	Project string // the project's folder; "" of a user's file
	Content []byte
	Mode    fs.FileMode
	Err     error // why it cannot be used; all else but Client and Path may be empty

	hook *hookTarget // hooks are written here too; nil: none
	new  bool        // it is not there, and would be made
}

// Glob finds files by a pattern, for Places.
func Glob(pattern string) []string {
	found, _ := filepath.Glob(pattern) // a home folder that is no pattern matches nothing
	return found
}

// Find reads the configuration files that exist, each once, in the order of Clients.
// A file that is there and cannot be used has its Err.
func Find(p Places) []File {
	var all []File
	seen := map[string]bool{}
	add := func(c Client, path, project string) {
		f, there := read(c, path, project)
		if there && (f.Real == "" || !seen[c.ID+f.Real]) {
			seen[c.ID+f.Real] = true
			all = append(all, f)
		}
	}
	for _, c := range Clients() {
		for _, path := range c.user(p) {
			add(c, path, "")
		}
		for _, name := range c.project {
			if p.Cwd != "" {
				add(c, p.join(p.Cwd, name), p.Cwd)
			}
		}
	}
	return all
}

// read reads one file. It is not there when nothing has that name.
func read(c Client, path, project string) (f File, there bool) {
	f = File{Client: c, Path: path, Project: project}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err != nil && !errors.Is(err, fs.ErrPermission) {
		return f, false // with a folder on the way that is none, too
	}
	f.Real, f.Content, f.Mode, f.Err = rewrite.Load(path)
	switch {
	case f.Err != nil:
	case c.text.TOML && len(f.Content) > maxTOML:
		f.Err = rewrite.TooLong(maxTOML)
	default:
		f.Err = readable(f.Content)
	}
	return f, true
}

// readable refuses what is no text of a configuration.
func readable(content []byte) error {
	text := bytes.TrimPrefix(content, []byte(conftext.ByteOrderMark))
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("this file is empty")
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}), bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return errors.New("this file is UTF-16: clients read UTF-8")
	case bytes.IndexByte(text, 0) >= 0:
		return errors.New("this file is binary")
	case !utf8.Valid(text):
		return errors.New("this file is not UTF-8")
	}
	return nil
}

// folderOf is where the servers of an entry run: the project's folder. Claude Code
// keeps projects inside the user's file, under their folder's path.
func (f *File) folderOf(path []string) string {
	if at := slices.Index(path, "projects"); at == 0 && len(path) == 4 && !strings.ContainsRune(path[1], 0) {
		return path[1]
	}
	return f.Project
}
