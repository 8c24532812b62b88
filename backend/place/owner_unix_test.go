//go:build unix

package place_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"sekisho/backend/place"
)

// TestAnotherUsersProcessIsNoDesk: the desk was killed, and its process id is that of a
// program of another user by now. Root may signal every process, so that the test is
// another user's then.
func TestAnotherUsersProcessIsNoDesk(t *testing.T) {
	if os.Geteuid() == 0 && os.Getenv("SEKISHO_TEST_OTHER") == "" {
		data := t.TempDir()
		if err := errors.Join(os.Chmod(filepath.Dir(data), 0o755), os.Chmod(data, 0o777)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Dir, cmd.Env = "/", []string{"SEKISHO_TEST_OTHER=" + data, "HOME=/"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	data := os.Getenv("SEKISHO_TEST_OTHER")
	if data == "" {
		data = t.TempDir()
	}
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_RUNTIME_DIR", "")
	if err := syscall.Kill(1, 0); !errors.Is(err, syscall.EPERM) {
		t.Skipf("process 1 is not another user's: %v", err)
	}
	for pid, want := range map[int]error{os.Getpid(): nil, 1: place.ErrNoDesk} {
		if err := place.WriteDesk(filepath.Join(data, "sekisho"), place.Desk{URL: "http://127.0.0.1:1", PID: pid}); err != nil {
			t.Fatal(err)
		}
		if d, err := place.FindDesk(); !errors.Is(err, want) {
			t.Errorf("process %d: %+v %v", pid, d, err)
		}
	}
}
