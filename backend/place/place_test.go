package place_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sekisho/backend/place"
)

func TestDeskFile(t *testing.T) {
	data, run := t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_RUNTIME_DIR", run)
	if _, err := place.FindDesk(); !errors.Is(err, place.ErrNoDesk) {
		t.Fatalf("no desk: %v", err)
	}
	dir, err := place.Data()
	if err != nil || dir != filepath.Join(data, "sekisho") || place.Runtime(dir) != filepath.Join(run, "sekisho") {
		t.Fatalf("%s %s %v", dir, place.Runtime(dir), err)
	}
	want := place.Desk{URL: "http://127.0.0.1:1", PID: os.Getpid(), Version: "1"}
	for _, at := range []string{dir, place.Runtime(dir)} {
		if err := place.WriteDesk(at, want); err != nil {
			t.Fatal(err)
		}
		if got, err := place.FindDesk(); err != nil || got != want {
			t.Errorf("%s: %+v %v", at, got, err)
		}
		path := filepath.Join(at, "desk.json")
		if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s: %v %v", path, i.Mode(), err)
		}
		if err := place.RemoveDesk(at, os.Getpid()+1); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error("another desk's file was taken away")
		}
		if err := place.RemoveDesk(at, os.Getpid()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("desk.json stayed")
		}
	}
}

func TestAKilledDeskIsNotFound(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_RUNTIME_DIR", "")
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	if err := place.WriteDesk(filepath.Join(data, "sekisho"), place.Desk{URL: "http://127.0.0.1:1", PID: gone.Process.Pid}); err != nil {
		t.Fatal(err)
	}
	if d, err := place.FindDesk(); !errors.Is(err, place.ErrNoDesk) {
		t.Errorf("found %+v, %v", d, err)
	}
}

func TestTokenFile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, bad := range []string{"", "..", "a/b", `a\b`} {
		if _, err := place.TokenFile(bad); err == nil {
			t.Errorf("%q is a file", bad)
		}
	}
	path, err := place.WriteToken("Claude Code", "secret")
	if err != nil || filepath.Base(path) != "Claude Code.token" {
		t.Fatalf("%s %v", path, err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "secret\n" {
		t.Errorf("%q %v", raw, err)
	}
	if i, err := os.Stat(filepath.Dir(path)); err != nil || i.Mode().Perm() != 0o700 {
		t.Errorf("folder mode %v", i.Mode())
	}
	for range 2 {
		if err := place.RemoveToken("Claude Code"); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the token is still there")
	}
}

// TestARelativeFolderIsPassedOver: it would be another one for each program.
func TestARelativeFolderIsPassedOver(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, relative := range []string{"here", "./here", "../here", "~/here", ""} {
		for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
			t.Setenv(name, relative)
		}
		if dir, err := place.Data(); err != nil || dir != filepath.Join(home, ".local/share/sekisho") {
			t.Errorf("%q: data in %s, %v", relative, dir, err)
		}
		if dir, err := place.Config(); err != nil || dir != filepath.Join(home, ".config/sekisho") {
			t.Errorf("%q: settings in %s, %v", relative, dir, err)
		}
		if dir := place.Runtime(home); dir != home {
			t.Errorf("%q: the address in %s", relative, dir)
		}
	}
	t.Setenv("XDG_CONFIG_HOME", "/there")
	if dir, err := place.Config(); err != nil || dir != "/there/sekisho" {
		t.Errorf("settings in %s, %v", dir, err)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	if dir, err := place.Config(); err == nil {
		t.Errorf("without any home, settings are in %s", dir)
	}
}
