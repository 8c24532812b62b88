package server

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"sekisho/backend/permission"
)

// workfolder says which folders can be workspaces.
type workfolder struct {
	desk []string // the desk's own folders: data, settings, tokens, keys
}

// check refuses the folders of a workspace as they are now: one that is missing, lies behind a link, is a
// home or holds one, or holds or lies in a folder of the desk. Folders are compared as the disk has them,
// so that letter case and a second mount of one make no difference.
func (w workfolder) check(s *permission.Server) error {
	if !s.RunsHere() {
		return nil
	}
	if err := w.one("cwd", s.Cwd); err != nil {
		return err
	}
	for _, folder := range s.ProgramFolders {
		real, err := filepath.EvalSymlinks(folder)
		switch {
		case err != nil || !isDir(real):
			return permission.Invalid("programFolders", permission.FieldFolderMissing, folder+" is no folder that is there").
				With(permission.Param("folder", folder))
		case meet(real, s.Cwd):
			return permission.Invalid("programFolders", permission.FieldProgramFolder,
				"a folder of programs is an absolute path outside of the workspace").With(permission.Param("folder", folder))
		}
	}
	return nil
}

func (w workfolder) one(field, folder string) error {
	named := permission.Param("folder", folder)
	real, err := filepath.EvalSymlinks(folder)
	switch {
	case err != nil || !isDir(real):
		return permission.Invalid(field, permission.FieldFolderMissing, "there is no folder "+folder).With(named)
	case real != folder:
		return permission.Invalid(field, permission.FieldFolderLink, folder+" is a link or lies behind one: name the folder itself, "+real).
			With(permission.Param("folder", real))
	case filepath.Dir(folder) == folder:
		return permission.Invalid(field, permission.FieldFolderWide, "a workspace is not all of a disk").With(named)
	}
	for _, home := range homes() {
		if holds(folder, home) {
			return permission.Invalid(field, permission.FieldFolderWide, "a workspace is no home, and holds none: name a folder in it").With(named)
		}
	}
	for _, own := range w.desk {
		for _, part := range append([]string{folder}, mountsIn(folder)...) {
			if meet(part, own) {
				return permission.Invalid(field, permission.FieldFolderDesk,
					"a workspace neither holds the desk's data or settings nor lies in them").With(named)
			}
		}
	}
	return nil
}

// homes are those of this user, and of every person of this machine.
func homes() []string {
	var all []string
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, home)
	}
	if u, err := user.Current(); err == nil {
		all = append(all, u.HomeDir)
	}
	raw, err := os.ReadFile("/etc/passwd")
	if err != nil { // not everywhere
		return all
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		const home, uid, fields = 5, 2, 7
		if len(f) == fields && (f[uid] == "0" || len(f[uid]) >= len("1000")) && f[uid] != "65534" {
			all = append(all, f[home])
		}
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// meet reports whether one of two folders is the other, or holds it.
func meet(a, b string) bool { return holds(a, b) || holds(b, a) }

// holds reports whether a folder is another one, or one of those above it. Of a folder that is not there
// yet, those above it count that are.
func holds(folder, other string) bool {
	outer, err := os.Stat(folder)
	if err != nil || !filepath.IsAbs(other) {
		return false
	}
	for _, at := range []string{filepath.Clean(other), resolved(other)} {
		for {
			if inner, err := os.Stat(at); err == nil && os.SameFile(outer, inner) {
				return true
			}
			up := filepath.Dir(at)
			if up == at {
				break
			}
			at = up
		}
	}
	return false
}

// resolved is a path without links, as far as it is there.
func resolved(path string) string {
	path = filepath.Clean(path)
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(path)
		if up == path {
			return filepath.Join(path, rest)
		}
		rest, path = filepath.Join(filepath.Base(path), rest), up
	}
}

// mountsIn are the places below a folder where something is mounted; none where the system does not tell.
func mountsIn(folder string) (found []string) {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(raw)) {
		const at = 4
		if f := strings.Fields(line); len(f) > at {
			place := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(f[at])
			if strings.HasPrefix(place, folder+"/") {
				found = append(found, place)
			}
		}
	}
	return found
}
