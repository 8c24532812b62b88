package server

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sekisho/backend/permission"
)

func TestFoldersThatAreNoWorkspace(t *testing.T) {
	base, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	at := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	for _, folder := range []string{at("good"), at("desk", "deep"), at("holder", "settings"), filepath.Join(home, "project")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(at("good"), at("link")), os.Symlink(base, at("loop")), os.WriteFile(at("file"), nil, 0o600),
		os.Symlink(at("holder"), at("settings-link"))); err != nil {
		t.Fatal(err)
	}
	w := workfolder{desk: []string{at("desk"), at("settings-link", "settings"), at("good", "coming", "data")}}
	for folder, want := range map[string]permission.FieldCode{
		filepath.Join(home, "project"): "",
		at("missing"):                  permission.FieldFolderMissing,
		at("file"):                     permission.FieldFolderMissing,
		at("link"):                     permission.FieldFolderLink,
		at("loop", "good"):             permission.FieldFolderLink,
		"/":                            permission.FieldFolderWide,
		home:                           permission.FieldFolderWide,
		filepath.Dir(home):             permission.FieldFolderWide,
		"/root":                        permission.FieldFolderWide,
		at("desk"):                     permission.FieldFolderDesk,
		at("desk", "deep"):             permission.FieldFolderDesk,
		at("holder"):                   permission.FieldFolderDesk, // by a link of the desk's own path
		at("good"):                     permission.FieldFolderDesk, // the desk's folder will be made in it
	} {
		s := permission.Server{ID: "w", Transport: permission.TransportWorkspace, Execution: permission.ExecutionDesk, Cwd: folder}
		if _, err := os.Stat(folder); err != nil && want != permission.FieldFolderMissing {
			continue
		}
		err := w.check(&s)
		var e *permission.Error
		errors.As(err, &e)
		if got := faultOf(e); got != want || want != "" && e.Field != "cwd" {
			t.Errorf("%s is refused as %q (%v), want %q", folder, got, err, want)
		}
		s.Execution = permission.ExecutionClient
		if err := w.check(&s); err != nil {
			t.Errorf("the folder of a client is looked at: %v", err)
		}
	}
}

func faultOf(e *permission.Error) permission.FieldCode {
	if e == nil {
		return ""
	}
	return e.Fault
}

func TestFoldersOfPrograms(t *testing.T) {
	base := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	err := errors.Join(os.MkdirAll(at("ws", "bin"), 0o700), os.Mkdir(at("bin"), 0o700), os.Symlink(at("ws", "bin"), at("link")))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	for folder, want := range map[string]permission.FieldCode{at("bin"): "", at("ws", "bin"): permission.FieldProgramFolder,
		at("ws"): permission.FieldProgramFolder, at("link"): permission.FieldProgramFolder, base: permission.FieldProgramFolder,
		at("missing"): permission.FieldFolderMissing} {
		s := permission.Server{ID: "w", Transport: permission.TransportWorkspace, Execution: permission.ExecutionDesk, Cwd: at("ws"),
			ProgramFolders: []string{folder}}
		var e *permission.Error
		errors.As(workfolder{}.check(&s), &e)
		if got := faultOf(e); got != want {
			t.Errorf("programs in %s: %q, want %q", folder, got, want)
		}
	}
}
