package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// Verify checks a data folder that no desk has open: see journal.Verify. It takes the
// folder's lock meanwhile.
func Verify(ctx context.Context, dir string, seals permission.Seals) (r journal.Report, err error) {
	name := filepath.Join(dir, lockName)
	if _, err := os.Stat(name); err == nil {
		lock := flock.New(name, flock.SetPermissions(0o600))
		held, err := lock.TryLock()
		switch {
		case err != nil && !errors.Is(err, fs.ErrPermission):
			return r, fmt.Errorf("lock data folder: %w", err)
		case err == nil && !held:
			return r, fmt.Errorf("%w: %s", ErrHeld, dir)
		}
		defer lock.Unlock()
	}
	r, err = journal.Verify(ctx, dir, seals)
	if err != nil {
		return r, fmt.Errorf("check data folder %s: %w", dir, err)
	}
	return r, nil
}
