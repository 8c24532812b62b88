//go:build unix

package sessionfile_test

import (
	"os"
	"strings"
	"testing"

	"sekisho/backend/sessionfile"
)

// TestAFileOfAnotherUserIsNotRead: who put it there would choose the role of the agent.
func TestAFileOfAnotherUserIsNotRead(t *testing.T) {
	path := file(t, "skp_theirs", 0o600)
	if err := os.Chown(path, 65534, -1); err != nil {
		t.Skip("only root gives files away:", err)
	}
	if _, err := sessionfile.Token(t.Context(), path, never); err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Error(err)
	}
}

// TestAFileThatOthersCanWriteIsNotRead, whoever may read it.
func TestAFileThatOthersCanWriteIsNotRead(t *testing.T) {
	for _, mode := range []os.FileMode{0o602, 0o620, 0o640, 0o604} {
		path := file(t, "skp_passkey", 0o600)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := sessionfile.Token(t.Context(), path, never); err == nil || !strings.Contains(err.Error(), "0600") {
			t.Errorf("%o: %v", mode, err)
		}
	}
}
