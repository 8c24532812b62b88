package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// Seal takes values of servers' environments and headers off the disk, where older
// formats kept them. hide gets the stored servers, keeps their values elsewhere and
// gives them with references in their place. Then the log is emptied, and in copies of
// the database the values are masked. Where it is cut off, the next one goes on: until
// it has come to its end a row says that it is due.
func (s *Store) Seal(ctx context.Context, hide func([]permission.Server) ([]permission.Server, error)) error {
	var due bool
	if err := s.reader.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM unsealed)").Scan(&due); err != nil || !due {
		return err
	}
	servers, err := s.Servers(ctx)
	if err != nil {
		return err
	}
	if servers, err = hide(servers); err != nil {
		return fmt.Errorf("seal servers: %w", err)
	}
	if err := s.write(ctx, func(t *tx) error { return rewrite(t, servers) }); err != nil {
		return fmt.Errorf("seal servers: %w", err)
	}
	if err := s.emptyLog(ctx); err != nil {
		return fmt.Errorf("seal servers: %w", err)
	}
	if err := sealCopies(ctx, filepath.Dir(s.log.path)); err != nil {
		return fmt.Errorf("seal copies of the database: %w", err)
	}
	return s.write(ctx, func(t *tx) error {
		_, err := t.Exec("DELETE FROM unsealed")
		return err
	})
}

// rewrite puts other entries in the place of stored ones. What they were is overwritten
// (see writerSettings).
func rewrite(t *tx, servers []permission.Server) error {
	t.keeping = true
	for _, server := range servers {
		spec, err := json.Marshal(server)
		if err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE servers SET spec = ? WHERE id = ?", string(spec), server.ID); err != nil {
			return err
		}
		t.touch("servers", server.ID)
	}
	return nil
}

// sealCopies masks values in the copies of the database that stand beside it.
func sealCopies(ctx context.Context, dir string) error {
	if err := removeUnfinished(dir); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "sekisho-v*.db"))
	for _, name := range names {
		if bad := sealCopy(ctx, name); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, bad))
		}
	}
	return err
}

// sealCopy masks the values of one copy. It is changed as a copy of its own, which takes
// its place when it is complete, checked and on disk.
func sealCopy(ctx context.Context, name string) error {
	bare, format, err := bareServers(ctx, name)
	if err != nil || len(bare) == 0 {
		return err
	}
	part := name + unfinished
	if err = copySynced(name, part); err == nil {
		err = maskIn(ctx, part, bare)
	}
	if err == nil {
		err = checkCopy(ctx, part, format)
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, removeUnfinished(filepath.Dir(name)))
	}
	return place.SyncFolder(filepath.Dir(name))
}

// bareServers gives those servers of a copy that hold values, masked.
func bareServers(ctx context.Context, name string) (bare []permission.Server, format int64, err error) {
	db, err := sql.Open("sqlite3", resting(name))
	if err != nil {
		return nil, 0, err
	}
	defer db.Close()
	if format, err = appliedFormat(ctx, db); err != nil || format == 0 {
		return nil, 0, err
	}
	servers, err := readServers(ctx, db, func(error) bool { return false })
	for _, server := range servers {
		if mask(server.Env)+mask(server.Headers) > 0 {
			bare = append(bare, server)
		}
	}
	return bare, format, err
}

// mask puts the mask in the place of all values that are not references, and says of
// how many.
func mask(values map[string]string) (n int) {
	for name, value := range values {
		if value != permission.Mask && !permission.IsReference(value) {
			values[name] = permission.Mask
			n++
		}
	}
	return n
}

// maskIn writes masked servers into a copy, with no trace of what they were and without
// a file beside it.
func maskIn(ctx context.Context, part string, masked []permission.Server) error {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: part}).EscapedPath()}
	db, err := sql.Open("sqlite3", u.String()+"?mode=rw&_secure_delete=on&_journal_mode=MEMORY&_synchronous=FULL")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, server := range masked {
		spec, err := json.Marshal(server)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE servers SET spec = ? WHERE id = ?", string(spec), server.ID)
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// Pages of a copy may hold older forms of a row where nothing is now: it is built anew.
	_, err = db.ExecContext(ctx, "VACUUM")
	return err
}
