package journalkey

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAKeyIsFreshUntilItIsKept: also for a start after one that was cut off.
func TestAKeyIsFreshUntilItIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "one"+Suffix)
	made, fresh, err := Open(path)
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	again, fresh, err := Open(path)
	if err != nil || !fresh || !again.Equal(made) {
		t.Error("before it is kept:", fresh, err)
	}
	if err := Keep(path); err != nil {
		t.Fatal(err)
	}
	kept, fresh, err := Open(path)
	if err != nil || fresh || !kept.Equal(made) {
		t.Error("kept:", fresh, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); err == nil {
		t.Error("a damaged key was made anew")
	}
}
