// Package sessionfile reads the file by which all tool servers of one agent share a session of the
// desk: a person puts the passkey there, and the first program that finds it leaves the token in
// its place.
package sessionfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sekisho/backend/rewrite"
)

// The beginnings of what can be in the file.
const (
	tokenPrefix   = "sks_"
	passkeyPrefix = "skp_"
)

const (
	maxFile   = 4096 // bytes
	lockAgain = 20 * time.Millisecond
)

// Token gives the token in a file. Where there is a passkey, change has one changed for its token,
// which is put in its place: by one program at a time, and the others find the token.
func Token(ctx context.Context, path string, change func(ctx context.Context, passkey string) (token string, err error)) (string, error) {
	found, err := read(path)
	if err != nil || strings.HasPrefix(found, tokenPrefix) {
		return found, err
	}
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if held, err := lock.TryLockContext(ctx, lockAgain); err != nil || !held {
		return "", fmt.Errorf("lock the session file %s: %w", path, err)
	}
	defer lock.Close()
	if found, err = read(path); err != nil || strings.HasPrefix(found, tokenPrefix) { // another program was faster
		return found, err
	}
	token, err := change(ctx, found)
	if err != nil {
		return "", fmt.Errorf("change the passkey in %s: %w", path, err)
	}
	return token, put(path, token)
}

// read gives what is in a file that is this user's, and that nobody else can read or write: who could
// put another passkey there would choose the role of the agent.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) { // before it is opened: a pipe would hold it up
		return "", fmt.Errorf("the session file %s has a passkey or a token, and is no such file", path)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return "", fmt.Errorf("read the session file: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	opened, is := f.Stat()
	switch {
	case errors.Join(err, is) != nil:
		return "", fmt.Errorf("read the session file: %w", errors.Join(err, is))
	case !os.SameFile(info, opened):
		return "", fmt.Errorf("the session file %s was put in the place of another while it was read", path)
	case runtime.GOOS != "windows" && opened.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the session file %s can be read by others: give it the mode 0600", path)
	case !owned(opened):
		return "", fmt.Errorf("the session file %s is another user's", path)
	}
	text := strings.TrimSpace(string(raw))
	if !strings.HasPrefix(text, tokenPrefix) && !strings.HasPrefix(text, passkeyPrefix) || strings.ContainsAny(text, " \t\r\n") {
		return "", fmt.Errorf("the session file %s has neither a passkey (%s…) nor a token (%s…)", path, passkeyPrefix, tokenPrefix)
	}
	return text, nil
}

// put puts a token into the place of what is in the file, whole or not at all.
func put(path, token string) error {
	real, old, _, err := rewrite.Load(path)
	if err != nil {
		return fmt.Errorf("write the session file: %w", err)
	}
	r := rewrite.Replacement{Path: filepath.Clean(path), Real: real, Old: old, Content: []byte(token + "\n"), Mode: fs.FileMode(0o600)}
	if written, err := r.Write(); !written {
		return errors.Join(err, fmt.Errorf("the session's token could not be kept in %s: make another session", path))
	}
	return nil
}
