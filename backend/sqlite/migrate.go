package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"sekisho/backend/permission"
)

//go:embed migrations/*.sql
var embedded embed.FS

// ErrNewer says that the data are of a format that this program does not know.
var ErrNewer = errors.New("the data was written by a newer Sekisho")

func newer(have, known int64) error {
	return fmt.Errorf("%w (format %d, this one knows %d): use that one", ErrNewer, have, known)
}

// migrations are this program's own.
func migrations() fs.FS {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(fmt.Errorf("open embedded migrations: %w", err)) // "migrations" is a valid path
	}
	return files
}

// newest is the format that migrations lead to.
func newest(files fs.FS) (format int64, err error) {
	entries, err := fs.ReadDir(files, ".")
	for _, e := range entries {
		if n, err := goose.NumericComponent(e.Name()); err == nil {
			format = max(format, n)
		}
	}
	return format, err
}

// migrate brings the database at path up to date. Old data are copied first: what
// cannot be copied is not migrated. Each migration is one transaction, so that one
// which was cut off is made again by the next start.
func migrate(ctx context.Context, db *sql.DB, path string, files fs.FS) error {
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
			return fmt.Errorf("migrate: %w: migration %d is missing, and %d was made", errDamaged, m.Source.Version, have)
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
		return fmt.Errorf("%w: the format is %d in the header and %d in the list of migrations", errDamaged, said, have)
	}
	return nil
}

// identify enters the calls that are not entered yet: those of an older format, and
// the newest of a desk that was killed. Those of the first format have no hash, which
// SQL cannot compute. Where it was cut off, the next start goes on.
func identify(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = hash(tx)
	for _, step := range []string{enterRecent, entered} {
		if err == nil {
			_, err = tx.Exec(step)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("enter calls: %w", err), tx.Rollback())
	}
	return tx.Commit()
}

// hash gives its identity to each call that has none.
func hash(tx *sql.Tx) error {
	for after := int64(0); ; {
		missing, last, err := nameless(tx, after)
		if err != nil || len(missing) == 0 {
			return err
		}
		for seq, name := range missing {
			if _, err := tx.Exec("UPDATE calls SET identity = ? WHERE seq = ?", name, seq); err != nil {
				return err
			}
		}
		after = last
	}
}

// nameless gives the places of some calls without an identity, the last of them, and
// what their identities are.
func nameless(tx *sql.Tx, after int64) (found map[int64]int64, last int64, err error) {
	rows, err := tx.Query("SELECT seq, agent_id, run_id, tool_call_id FROM calls WHERE seq > MAX(?, (SELECT through FROM identified)) AND identity IS NULL ORDER BY seq LIMIT 10000", after)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	found = map[int64]int64{}
	for rows.Next() {
		var agent permission.AgentID
		var run permission.RunID
		var toolCall string
		if err := rows.Scan(&last, &agent, &run, &toolCall); err != nil {
			return nil, 0, err
		}
		found[last] = identity(agent, run, toolCall)
	}
	return found, last, rows.Err()
}
