package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/permission"
)

// versioned are the sets that a desk has a copy of in memory: each has its version in a column
// of its name.
var versioned = []string{"settings", "servers", "tools", "agents"}

// selectVersions has them in the order of permission.Versions.
const selectVersions = "SELECT settings, servers, tools, version, agents FROM policy"

// Versions gives those of all that a desk has copies of.
func (s *Store) Versions(ctx context.Context) (permission.Versions, error) {
	return scanVersions(s.reader.QueryRowContext(ctx, selectVersions))
}

func scanVersions(row scanner) (v permission.Versions, err error) {
	err = row.Scan(&v[permission.OfSettings], &v[permission.OfServers], &v[permission.OfTools], &v[permission.OfPolicy],
		&v[permission.OfAgents])
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: the versions are missing", errDamaged)
	}
	if err != nil {
		return v, fmt.Errorf("read versions: %w", err)
	}
	return v, nil
}

// edit makes a change of what has versions, and answers these after it; ErrOutdated where
// what the change was made from is not of its version any more.
func edit(ctx context.Context, s *Store, of permission.Versions, change func(*tx) error) (after permission.Versions, err error) {
	err = s.write(ctx, func(t *tx) error {
		now, err := scanVersions(t.QueryRow(selectVersions))
		if err != nil {
			return err
		}
		if !of.Still(now) {
			return permission.ErrOutdated
		}
		if err := change(t); err != nil {
			return err
		}
		if err := t.tellState(); err != nil { // which raises the versions
			return err
		}
		after, err = scanVersions(t.QueryRow(selectVersions))
		return err
	})
	return after, err
}

// raise gives a set that is changed its next version.
func (t *tx) raise(set string) error {
	if !slices.Contains(versioned, set) {
		return nil
	}
	_, err := t.Exec("UPDATE policy SET " + set + " = " + set + " + 1")
	return err
}
