//go:build unix

package connect

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test's own program is started again to be killed at a step, or to be somebody
// who may not write.
const (
	roleEnv = "CONNECT_TEST_ROLE"
	stepEnv = "CONNECT_TEST_STEP"
	fileEnv = "CONNECT_TEST_FILE"
	keptEnv = "CONNECT_TEST_KEPT"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "connect":
		os.Exit(child(false))
	case "disconnect":
		os.Exit(child(true))
	}
	os.Exit(m.Run())
}

// child connects or disconnects one file, and dies when a step is reached.
func child(back bool) int {
	v := &Vault{dir: os.Getenv(keptEnv), at: func(step string) {
		if step == os.Getenv(stepEnv) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	c, _ := ClientByID(goldens[0].client)
	var err error
	if f, _ := read(c, os.Getenv(fileEnv), ""); back {
		var records []Record
		if records, err = v.Records(); err == nil {
			var u *Undo
			if u, err = v.Undo(records, false); err == nil {
				err = v.Restore(u)
			}
		}
	} else {
		var p *Plan
		if p, err = Make(f, options()); err == nil {
			_, err = v.Apply(p, nil, time.Now())
		}
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

// start runs the child to its end.
func start(role, step, file string, v *Vault, attr *syscall.SysProcAttr) (string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, stepEnv+"="+step, fileEnv+"="+file, keptEnv+"="+v.dir, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// TestKilled kills connecting and disconnecting at every step: the file is the old one
// or the new one, and connecting and disconnecting again work as ever.
func TestKilled(t *testing.T) {
	g := goldens[0]
	before := string(g.load(t).Content)
	after := string(plan(t, g.load(t), g.options()).After)
	for _, role := range []string{"connect", "disconnect"} {
		for _, c := range []struct {
			step string
			done bool
		}{{"kept half", false}, {"kept", false}, {"half", false}, {"prepared", false}, {"renamed", true}} {
			if role == "disconnect" && strings.HasPrefix(c.step, "kept") {
				continue
			}
			t.Run(role+" "+c.step, func(t *testing.T) {
				f := g.real(t, before, 0o600)
				v := vault(t)
				want := before
				if c.done {
					want = after
				}
				if role == "disconnect" {
					connected(t, v, f)
					if want = after; c.done {
						want = before
					}
				}
				if out, err := start(role, c.step, f.Path, v, nil); !killed(err) {
					t.Fatalf("not killed: %v %s", err, out)
				}
				if got := content(t, f.Path); got != want {
					t.Fatalf("half a file:\n%s", got)
				}
				if want == before {
					connected(t, v, g.reread(t, f.Path))
				}
				u := undo(t, v, false)
				if !u.Exact || u.Theirs != "" {
					t.Errorf("it would be undone as if somebody had changed the file: %+v", u)
				}
				if err := v.Restore(u); err != nil || content(t, f.Path) != before {
					t.Errorf("afterwards: %v\n%s", err, content(t, f.Path))
				}
				if names, err := os.ReadDir(filepath.Dir(f.Path)); err != nil || len(names) != 1 {
					t.Errorf("left beside the file: %v, %v", names, err)
				}
				if kept, err := os.ReadDir(v.dir); err != nil || len(kept) != 0 {
					t.Errorf("still kept: %v, %v", kept, err)
				}
			})
		}
	}
}

// TestNoRightToWrite: who may not write to the folder, or to the file, is told so, and
// nothing is kept or left behind.
func TestNoRightToWrite(t *testing.T) {
	g := goldens[0]
	for _, c := range []struct {
		name         string
		folder, file fs.FileMode
	}{{"folder", 0o555, 0o666}, {"file", 0o777, 0o444}} {
		t.Run(c.name, func(t *testing.T) {
			root, err := os.MkdirTemp("", "connect") // t.TempDir is this user's alone
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(root) })
			dir := filepath.Join(root, "folder")
			path := filepath.Join(dir, g.name)
			v := &Vault{dir: filepath.Join(root, "kept")}
			if err := errors.Join(os.Chmod(root, 0o755), os.Mkdir(dir, 0o755), os.Mkdir(v.dir, 0o777), os.Chmod(v.dir, 0o777),
				os.WriteFile(path, g.load(t).Content, 0o600), os.Chmod(path, c.file), os.Chmod(dir, c.folder)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
			out, err := asNobody(t, root, path, v)
			if err == nil || !strings.Contains(out, "permission denied") {
				t.Errorf("%v: %s", err, out)
			}
			if names, _ := os.ReadDir(dir); len(names) != 1 || content(t, path) != string(g.load(t).Content) {
				t.Errorf("left %v", names)
			}
			if kept, err := os.ReadDir(v.dir); err != nil || len(kept) != 0 {
				t.Errorf("kept %v, %v", kept, err)
			}
		})
	}
}

// asNobody connects as a user without rights: this one, or, when that is root, nobody,
// from a copy of the program that nobody can start.
func asNobody(t *testing.T, root, path string, v *Vault) (string, error) {
	t.Helper()
	if os.Getuid() != 0 {
		return start("connect", "", path, v, nil)
	}
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "program")
	if err := os.WriteFile(program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), roleEnv+"=connect", stepEnv+"=", fileEnv+"="+path, keptEnv+"="+v.dir, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
