package sessionfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sekisho/backend/sessionfile"
)

func file(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// never changes no passkey.
func never(context.Context, string) (string, error) { return "", errors.New("it was asked for") }

// TestATokenIsRead without asking anybody.
func TestATokenIsRead(t *testing.T) {
	path := file(t, "sks_token\n", 0o600)
	if got, err := sessionfile.Token(t.Context(), path, never); err != nil || got != "sks_token" {
		t.Errorf("%q %v", got, err)
	}
}

// TestAPasskeyIsChangedOnce, however many programs find it, and only they can read the token.
func TestAPasskeyIsChangedOnce(t *testing.T) {
	path := file(t, "skp_passkey", 0o600)
	var changes atomic.Int64
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			got, err := sessionfile.Token(t.Context(), path, func(_ context.Context, passkey string) (string, error) {
				changes.Add(1)
				return "sks_of_" + strings.TrimPrefix(passkey, "skp_"), nil
			})
			if err != nil || got != "sks_of_passkey" {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != "sks_of_passkey\n" || changes.Load() != 1 {
		t.Errorf("%q %v, changed %d times", raw, err, changes.Load())
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// TestAPasskeyThatIsNotChangedStays, and nobody waits for it.
func TestAPasskeyThatIsNotChangedStays(t *testing.T) {
	path := file(t, "skp_passkey", 0o600)
	for range 2 {
		if got, err := sessionfile.Token(t.Context(), path, never); err == nil || got != "" || strings.Contains(err.Error(), "skp_passkey") {
			t.Errorf("%q %v", got, err)
		}
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "skp_passkey" {
		t.Errorf("%q %v", raw, err)
	}
}

// TestWhatIsNoSessionFile is refused, and not shown.
func TestWhatIsNoSessionFile(t *testing.T) {
	for what, path := range map[string]string{
		"an agent's token": file(t, "ska_agent", 0o600), "empty": file(t, "", 0o600), "two": file(t, "sks_a\nsks_b", 0o600),
		"long": file(t, "sks_"+strings.Repeat("x", 5000), 0o600), "a folder": t.TempDir(), "none": filepath.Join(t.TempDir(), "none"),
	} {
		if got, err := sessionfile.Token(t.Context(), path, never); err == nil || got != "" || strings.Contains(err.Error(), "ska_agent") {
			t.Errorf("%s: %q %v", what, got, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if _, err := sessionfile.Token(t.Context(), file(t, "sks_token", 0o640), never); err == nil || !strings.Contains(err.Error(), "0600") {
		t.Errorf("readable by others: %v", err)
	}
}
