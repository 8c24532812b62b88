package database

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Migrate brings the database at path up to date. Old data are copied first: what
// cannot be copied is not migrated. Each migration is one transaction, so that one
// which was cut off is made again by the next start.
func Migrate(ctx context.Context, db *sql.DB, path string, files fs.FS) error {
	// The mark comes before the list of migrations, which goose makes when it is asked for it.
	if have, err := Applied(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	} else if have == 0 {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return fmt.Errorf("write to the database: %w", err)
		}
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	have, known, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if have > known {
		return newer(have, known)
	}
	if err := agrees(ctx, db, have); err != nil {
		return err
	}
	if have > 0 && have < known {
		if err := backup(ctx, db, path, have); err != nil {
			return fmt.Errorf("nothing was migrated, because the old data could not be copied first: %w", err)
		}
	}
	if err := skipped(ctx, p, have); err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// The format stands in the file's header too, where a program that does not know
	// it finds it without opening the file. Writing it at every start also shows
	// whether the disk takes a write.
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", known)); err != nil {
		return fmt.Errorf("write to the database: %w", err)
	}
	return nil
}

// skipped says that the table of the migrations that were made is damaged: one is missing
// from it though a later one is there. Each was made after those before it.
func skipped(ctx context.Context, p *goose.Provider, have int64) error {
	all, err := p.Status(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, m := range all {
		if m.State == goose.StatePending && m.Source.Version < have {
			return fmt.Errorf("migrate: %w: migration %d is missing, and %d was made", ErrDamaged, m.Source.Version, have)
		}
	}
	return nil
}

// agrees refuses a database whose header names a newer format than its migrations, which
// would be made again.
func agrees(ctx context.Context, db *sql.DB, have int64) error {
	var said int64
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&said); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if said > have {
		return fmt.Errorf("%w: the format is %d in the header and %d in the list of migrations", ErrDamaged, said, have)
	}
	return nil
}
