package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/pressly/goose/v3"
)

// FileName is the database's name in the data folder.
const FileName = "sekisho.db"

//go:embed migrations/*.sql
var embedded embed.FS

// ErrFormat says that the data are whole, but of a format that this program does not know.
var ErrFormat = errors.New("the data was written by")

func newer(have, known int64) error {
	return fmt.Errorf("%w a newer Sekisho (format %d, this one knows %d): use that one", ErrFormat, have, known)
}

// errEarlier is a database without the mark that is in each since formats are counted anew.
var errEarlier = fmt.Errorf("%w an early build of Sekisho, which this one cannot read: "+
	"move its folder away to begin with a new one", ErrFormat)

// applicationID is the mark of a desk's database, in the header of the file.
const applicationID = 0x53656b69

// Migrations are this program's own.
func Migrations() fs.FS {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(fmt.Errorf("open embedded migrations: %w", err)) // "migrations" is a valid path
	}
	return files
}

// Newest is the format that migrations lead to.
func Newest(files fs.FS) (format int64, err error) {
	entries, err := fs.ReadDir(files, ".")
	for _, e := range entries {
		if n, err := goose.NumericComponent(e.Name()); err == nil {
			format = max(format, n)
		}
	}
	return format, err
}

// ErrDamaged is a file that is no database, or one whose pages contradict each other.
var ErrDamaged = errors.New("the data are damaged")

// known refuses a database of a format that is newer than this program knows.
func known(ctx context.Context, db *sql.DB) error {
	most, err := Newest(Migrations())
	if err != nil {
		return err
	}
	have, err := Applied(ctx, db)
	if err == nil && have > most {
		err = newer(have, most)
	}
	return err
}

// Applied is the newest migration that was made; 0 when there was none.
func Applied(ctx context.Context, db *sql.DB) (format int64, err error) {
	var made bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'goose_db_version')").Scan(&made); err != nil ||
		!made {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&format)
	return format, err
}

// sound runs one of SQLite's checks.
func sound(ctx context.Context, db *sql.DB, check string) error {
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA "+check+"(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, found)
	}
	return nil
}

func dsn(path, txlock string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String() + "?_foreign_keys=on&_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_txlock=" + txlock
}

// resting is how to open a database that nobody writes to, and leave no trace.
func resting(path string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String() + "?mode=ro&immutable=1"
}
