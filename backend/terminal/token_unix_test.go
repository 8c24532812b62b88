//go:build unix

package terminal_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/terminal"
)

// TestATokenThatOthersCanReadIsRefused where it is the person's, and read where it is an agent's.
func TestATokenThatOthersCanReadIsRefused(t *testing.T) {
	for mode, refused := range map[fs.FileMode]bool{0o600: false, 0o400: false, 0o644: true, 0o640: true, 0o604: true, 0o620: true,
		0o602: true, 0o601: true} {
		file := tokenFile(t, "skk_secret\n", mode)
		token, err := terminal.ReadOwnToken(file)
		if refused != (err != nil) || refused == (token == "skk_secret") {
			t.Errorf("%v: %q, %v", mode, token, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), "skk_")) {
			t.Errorf("%v: %v", mode, err)
		}
		if token, err := terminal.ReadToken(file); err != nil || token != "skk_secret" {
			t.Errorf("an agent's, %v: %q, %v", mode, token, err)
		}
	}
}

// TestATokenOfAnotherUserIsRefused: that user has it too.
func TestATokenOfAnotherUserIsRefused(t *testing.T) {
	file := tokenFile(t, "skk_secret\n", 0o600)
	if err := os.Chown(file, 65534, -1); err != nil {
		t.Skip("only root gives files away:", err)
	}
	token, err := terminal.ReadOwnToken(file)
	if err == nil || token != "" || !strings.Contains(err.Error(), "another user's") || strings.Contains(err.Error(), "skk_") {
		t.Errorf("%q, %v", token, err)
	}
	if token, err := terminal.ReadToken(file); err != nil || token != "skk_secret" {
		t.Errorf("an agent's: %q, %v", token, err)
	}
}

// TestAPipeOfATokenIsRead: that is how a password manager hands one over.
func TestAPipeOfATokenIsRead(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := in.WriteString("token\n"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if token, err := terminal.ReadOwnToken(fmt.Sprintf("/dev/fd/%d", out.Fd())); err != nil || token != "token" {
		t.Errorf("%q, %v", token, err)
	}
}

// TestWhatIsNoTokenIsRefused, however large it is.
func TestWhatIsNoTokenIsRefused(t *testing.T) {
	for name, file := range map[string]string{"no end": "/dev/zero", "nothing": "/dev/null", "a folder": t.TempDir(), "none": "/no/such",
		"an empty one": tokenFile(t, " \n", 0o600), "two lines": tokenFile(t, "a\nb\n", 0o600), "controls": tokenFile(t, "a\x1bb", 0o600),
		"a long one": tokenFile(t, strings.Repeat("a", 1<<20), 0o600)} {
		for _, read := range []func(string) (string, error){terminal.ReadToken, terminal.ReadOwnToken} {
			if token, err := read(file); err == nil || token != "" || len(err.Error()) > 300 {
				t.Errorf("%s: %q, %v", name, token, err)
			}
		}
	}
}

func tokenFile(t *testing.T, text string, mode fs.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return file
}
