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
	if have > 0 && have < known {
		if err := backup(ctx, db, path, have); err != nil {
			return fmt.Errorf("nothing was migrated, because the old data could not be copied first: %w", err)
		}
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

// identify gives the rows of an older format the hash that SQL cannot compute. Where
// it was cut off, the next start goes on.
func identify(ctx context.Context, db *sql.DB) error {
	for {
		missing, err := nameless(ctx, db)
		if err != nil || len(missing) == 0 {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for seq, hash := range missing {
			if _, err := tx.Exec("UPDATE calls SET identity = ? WHERE seq = ?", hash, seq); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
}

// nameless gives the places of some rows that have no hash yet, and their hashes.
func nameless(ctx context.Context, db *sql.DB) (map[int64]int64, error) {
	rows, err := db.QueryContext(ctx, "SELECT seq, agent_id, run_id, tool_call_id FROM calls WHERE identity IS NULL LIMIT 10000")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64]int64{}
	for rows.Next() {
		var seq int64
		var agent permission.AgentID
		var run permission.RunID
		var toolCall string
		if err := rows.Scan(&seq, &agent, &run, &toolCall); err != nil {
			return nil, err
		}
		found[seq] = identity(agent, run, toolCall)
	}
	return found, rows.Err()
}
