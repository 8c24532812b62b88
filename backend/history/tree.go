package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxLine  = 16 << 20 // of a line; a call's input is at most 32 MiB, and no agent writes half of that
	maxFile  = 64 << 20 // of a file that is read as a whole
	maxDepth = 16       // of folders in each other
)

// tree is a program's folder, read without leaving it: os.Root refuses every link that
// leads out, and links inside are not followed.
type tree struct {
	*reader
	client Client
	folder string
	root   *os.Root
}

// tree opens a folder; nil where there is none, or it is another's.
func (r *reader) tree(client Client, folder string) *tree {
	real, err := filepath.EvalSymlinks(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		r.unread(BadFolder, folder)
		return nil
	case !r.ours(folder, real):
		r.unread(LinkedFile, folder)
		return nil
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		r.unread(BadFolder, folder)
		return nil
	}
	return &tree{r, client, folder, root}
}

// ours reports whether a folder inside of the home leads to a place inside of the home.
func (r *reader) ours(folder, real string) bool {
	home, err := filepath.EvalSymlinks(r.places.Home)
	return !inside(r.places.Home, folder) || err == nil && inside(home, real)
}

// inside reports whether a path is a folder or lies below it.
func inside(folder, name string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rel)
}

func (t *tree) close() { _ = t.root.Close() }

func (t *tree) name(file string) string { return filepath.Join(t.folder, filepath.FromSlash(file)) }

// files visits the regular files below a folder of the tree whose names are wanted.
func (t *tree) files(ctx context.Context, below string, wanted func(name string) bool, visit func(name string)) {
	_ = fs.WalkDir(t.root.FS(), below, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == below && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			t.unread(BadFolder, t.name(name))
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= maxDepth:
			t.unread(TooDeep, t.name(name))
			return fs.SkipDir
		case d.IsDir():
		case d.Type().IsRegular():
			if wanted(name) {
				visit(name)
			}
		case d.Type()&fs.ModeSymlink != 0 || wanted(name):
			t.unread(LinkedFile, t.name(name))
		}
		return nil
	})
}

// ending reports whether a file's name ends so.
func ending(suffix string) func(string) bool {
	return func(name string) bool { return strings.HasSuffix(name, suffix) }
}

// open opens a regular file. It is not there, or not one, when nil comes back.
func (t *tree) open(name string) *os.File {
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		t.unread(LinkedFile, t.name(name))
		return nil
	}
	file, err := t.root.Open(name)
	if err != nil {
		t.unread(BadFile, t.name(name))
		return nil
	}
	t.visit.File(t.client)
	return file
}

// whole reads a file; nil where it is not there or cannot be read.
func (t *tree) whole(name string) []byte {
	file := t.open(name)
	if file == nil {
		return nil
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	t.visit.Bytes(len(content))
	switch {
	case err != nil:
		t.unread(BadFile, t.name(name))
		return nil
	case len(content) > maxFile:
		t.unread(LongLine, t.name(name))
		return nil
	}
	return content
}

// lines visits the lines of a file that are valid UTF-8 and not empty. visit says whether
// it could read one; what it is given is overwritten by the next.
func (t *tree) lines(ctx context.Context, name string, visit func(line []byte) bool) {
	file := t.open(name)
	if file == nil {
		return
	}
	defer file.Close()
	in := t.buffer
	in.Reset(file)
	for ctx.Err() == nil {
		line, long, err := t.line(in)
		if trimmed := bytes.TrimSpace(line); long {
			t.unread(LongLine, t.name(name))
		} else if len(trimmed) > 0 && !(utf8.Valid(trimmed) && visit(trimmed)) {
			t.unread(BadLine, t.name(name))
		}
		if err != nil {
			if err != io.EOF {
				t.unread(BadFile, t.name(name))
			}
			return
		}
	}
}

// line reads up to the end of a line. One that is too long is read to its end and dropped.
func (t *tree) line(in *bufio.Reader) (line []byte, long bool, err error) {
	line, err = in.ReadSlice('\n')
	t.visit.Bytes(len(line))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	t.long = append(t.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = in.ReadSlice('\n')
		t.visit.Bytes(len(line))
		if long = long || len(t.long)+len(line) > maxLine; !long {
			t.long = append(t.long, line...)
		}
	}
	return t.long, long, err
}

// base is the last part of a name.
func base(name string) string { return path.Base(name) }
