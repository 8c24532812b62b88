package tooltest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Yard is a workspace with what lies beside it.
type Yard struct {
	testing.TB
	Workspace, Outside string
}

// NewYard makes the yard of the cases in a folder.
func NewYard(t testing.TB, base string) *Yard {
	t.Helper()
	y := &Yard{t, filepath.Join(base, "ws"), filepath.Join(base, "out")}
	for _, folder := range []string{y.Workspace, y.Outside, y.Workspace + "X", y.Workspace + "2"} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	y.Fill()
	return y
}

// Fill puts into the workspace what each case begins with, and nothing else.
func (y *Yard) Fill() {
	y.Helper()
	old, err := os.ReadDir(y.Workspace)
	for _, e := range old {
		err = errors.Join(err, os.RemoveAll(filepath.Join(y.Workspace, e.Name())))
	}
	err = errors.Join(err, os.MkdirAll(filepath.Join(y.Workspace, "sub/deep"), 0o755))
	for name, text := range map[string]string{y.Workspace + "/a.txt": "inside", y.Workspace + "/sub/b.txt": "inside",
		y.Outside + "/secret": "SECRET", y.Workspace + "X/x": "SECRET", y.Workspace + "2/x": "SECRET"} {
		err = errors.Join(err, os.WriteFile(name, []byte(text), 0o644))
	}
	if err != nil {
		y.Fatal(err)
	}
}

// Expand puts the folders of the yard into a text of a case.
func (y *Yard) Expand(text string) string {
	return strings.NewReplacer("{W}", y.Workspace, "{O}", y.Outside).Replace(text)
}

// Set does one word of a case's setup. It reports whether it could.
func (y *Yard) Set(words []any) bool {
	text := func(i int) string { return y.Expand(fmt.Sprint(words[i])) }
	at := func(i int) string { return filepath.Join(y.Workspace, text(i)) }
	number := func(i int) int { return int(words[i].(float64)) }
	var err error
	switch words[0] {
	case "symlink":
		err = os.Symlink(text(1), at(2))
	case "hardlink":
		err = os.Link(text(1), at(2))
	case "file":
		err = os.WriteFile(at(1), []byte(text(2)), 0o644)
	case "hex":
		raw, bad := hex.DecodeString(text(2))
		err = errors.Join(bad, os.WriteFile(at(1), raw, 0o644))
	case "mkdir":
		err = os.MkdirAll(at(1), 0o755)
	case "many":
		for i := range number(2) {
			err = errors.Join(err, os.WriteFile(at(1)+fmt.Sprint(i), nil, 0o644))
		}
	case "deep":
		err = os.MkdirAll(y.Workspace+strings.Repeat("/d", number(1)), 0o755)
	default:
		err = y.special(words[0].(string), at, text, number)
	}
	return err == nil
}

// Owned gives all of the yard to a user.
func (y *Yard) Owned(uid int) {
	y.Helper()
	err := filepath.WalkDir(filepath.Dir(y.Workspace), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			err = os.Lchown(path, uid, uid)
		}
		if err == nil && d.Type().IsRegular() {
			err = os.Chmod(path, info.Mode()) // which a change of owner takes bits from
		}
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
}

// State is all that lies outside of the workspace, one line for each file; where own is true, also what is in it.
func (y *Yard) State(own bool) string {
	y.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(y.Workspace), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == y.Workspace && !own {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var raw []byte
		if d.Type().IsRegular() {
			raw, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %s %q\n", path, info.Mode(), raw)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return b.String()
}
