package show

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"
)

const (
	maxLinks = 40     // as Linux has it
	maxPath  = 32_767 // the longest of any system
	maxNames = 10_000 // of a folder that are looked at for one that looks the same
)

var errLinks = errors.New("too many links")

// spelling finds what is odd about a path as it is written, so that tools differ in
// where it leads.
func spelling(path string) doubt {
	switch {
	case path == "":
		return doubt{"no_path", "the path is empty"}
	case len(path) > maxPath:
		return doubt{"odd_path", "the path is too long"}
	case strings.ContainsRune(path, 0):
		return doubt{"odd_path", "the path has a NUL in it"}
	case strings.HasPrefix(path, "~"):
		return doubt{"home", "the path begins with ~, which some tools take for a folder and others for a name"}
	case strings.HasPrefix(strings.ToLower(path), "file:"):
		return doubt{"odd_path", "the path is an address"}
	case strings.TrimSpace(path) != path || strings.ContainsAny(path[:1]+path[len(path)-1:], `"'`):
		return doubt{"odd_path", "the path has blanks or quotes at an end, which some tools take away"}
	case os.IsPathSeparator(path[len(path)-1]):
		return doubt{"odd_path", "the path ends like that of a folder"}
	}
	return doubt{}
}

// place is where an absolute path leads.
type place struct {
	path    string // links followed
	missing bool   // nothing is there
	doubt   doubt  // it cannot be told; path is then of no use
	err     error
}

// resolve follows a path, also to a file that is not there yet.
func resolve(path string) place {
	p := follow(path)
	if p.err != nil || p.doubt.code != "" || !slices.Contains(parts(path), "..") {
		return p
	}
	// Some programs take ".." away before they look at the disk, as path.resolve of
	// Node.js does: behind a link, that is another place.
	if clean := follow(filepath.Clean(path)); clean.err != nil || clean.path != p.path {
		return place{doubt: doubt{"dots", `the path has ".." behind a link: programs differ in where that leads`}}
	}
	return p
}

// follow goes a path as the kernel does. Where a name is missing, the rest is taken as
// it reads.
func follow(path string) place {
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	at, rest, links := root, parts(path[len(volume):]), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return absent(at, name, rest)
		case err != nil:
			return place{err: err}
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err == nil && links > maxLinks {
			err = errLinks
		}
		if err != nil {
			return place{err: err}
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			at, target = volume+string(filepath.Separator), target[len(volume):]
		}
		rest = append(parts(target), rest...)
	}
	return place{path: at}
}

// absent is a path from a folder on whose first name is not there.
func absent(folder, name string, rest []string) place {
	if slices.Contains(rest, "..") {
		return place{doubt: doubt{"dots", `the path has ".." behind a folder that is not there`}}
	}
	switch same, all := lookalike(folder, name); {
	case same != "":
		return place{doubt: doubt{"lookalike", "there is a name that looks the same and is spelled with other characters"}}
	case !all:
		return place{doubt: doubt{"lookalike", "the folder is too large to look for a name that looks the same"}}
	}
	return place{path: filepath.Join(append([]string{folder, name}, rest...)...), missing: true}
}

// respelled are the ASCII characters that other ones are composed to: the Kelvin sign, the
// Greek question mark and the Greek varia.
const respelled = "K;`"

// lookalike finds a name in a folder that differs from name in its code points alone:
// composed or decomposed letters. Some servers write to that one then. all is false
// where there are too many to look at.
func lookalike(folder, name string) (same string, all bool) {
	if strings.IndexFunc(name, func(r rune) bool { return r > '\x7F' || strings.ContainsRune(respelled, r) }) < 0 {
		return "", true // no other name is this one's spelling
	}
	f, err := os.Open(folder)
	if err != nil {
		return "", true // who may not list the folder finds none either
	}
	defer f.Close()
	names, err := f.Readdirnames(maxNames)
	wanted := norm.NFC.String(name)
	for _, n := range names {
		if norm.NFC.String(n) == wanted {
			return n, true
		}
	}
	return "", err != nil || len(names) < maxNames
}

// parts are the names of a path.
func parts(path string) []string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	return slices.DeleteFunc(names, func(n string) bool { return n == "." })
}

// because says why a path cannot be read.
func because(err error) doubt {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return doubt{"forbidden", "the desk may not read it"}
	case errors.Is(err, errLinks), errors.Is(err, syscall.ELOOP):
		return doubt{"links", "too many links follow each other"}
	case errors.Is(err, syscall.ENOTDIR):
		return doubt{"no_folder", "a part of the path is no folder"}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return doubt{"odd_path", "the path is too long"}
	}
	return doubt{"error", "reading it fails: " + cause(err)}
}

// cause is an error without the path that it may name.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
