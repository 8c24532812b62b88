package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// selectVersions has them in the order of permission.Versions.
const selectVersions = "SELECT settings, servers, tools, agents, version FROM policy"

// Versions gives those of all that a desk has copies of.
func (s *StateStore) Versions(ctx context.Context) (permission.Versions, error) {
	return scanVersions(s.reader.QueryRowContext(ctx, selectVersions))
}

func scanVersions(row database.Row) (v permission.Versions, err error) {
	err = row.Scan(&v[permission.OfSettings], &v[permission.OfServers], &v[permission.OfTools], &v[permission.OfAgents],
		&v[permission.OfPolicy])
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: the versions are missing", database.ErrDamaged)
	}
	if err != nil {
		return v, fmt.Errorf("read versions: %w", err)
	}
	return v, nil
}

// edit makes a change of what has versions, and answers these after it; ErrOutdated where
// what the change was made from is not of its version any more.
func edit(ctx context.Context, b *base, of permission.Versions, change func(*tx) error) (after permission.Versions, err error) {
	err = b.write(ctx, func(t *tx) error {
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
		if err := t.TellState(); err != nil { // which raises the versions
			return err
		}
		after, err = scanVersions(t.QueryRow(selectVersions))
		return err
	})
	return after, err
}
