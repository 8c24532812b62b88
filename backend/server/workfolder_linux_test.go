package server

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sekisho/backend/permission"
)

// TestASecondMountOfTheDesksFolder: a folder is the desk's by whatever mount it is seen.
func TestASecondMountOfTheDesksFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts")
	}
	t.Setenv("HOME", t.TempDir())
	base := t.TempDir()
	data, seen, ws := filepath.Join(base, "data"), filepath.Join(base, "seen"), filepath.Join(base, "ws")
	for _, folder := range []string{data, seen, filepath.Join(ws, "inner")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w := workfolder{desk: []string{data}}
	check := func(folder string) error {
		return w.check(&permission.Server{ID: "w", Transport: permission.TransportWorkspace, Execution: permission.ExecutionDesk, Cwd: folder})
	}
	if err := check(ws); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{seen, filepath.Join(ws, "inner")} {
		if err := syscall.Mount(data, at, "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("mount: %s", err)
		}
		defer syscall.Unmount(at, syscall.MNT_DETACH)
	}
	if check(seen) == nil {
		t.Error("a second mount of the desk's folder is taken")
	}
	if check(ws) == nil {
		t.Error("a folder in which the desk's is mounted is taken")
	}
}
