package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// Stmt is a prepared statement of the writer's that every job needs. It goes to the driver
// directly: database/sql would take more time around it than SQLite takes for it.
type Stmt struct {
	conn *sql.Conn
	stmt contextStmt
}

type contextStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func (s *Stmt) close() error {
	return s.conn.Raw(func(any) error { return s.stmt.Close() })
}

// Exec runs a statement that answers no rows.
func (s *Stmt) Exec(args []driver.NamedValue) error {
	return s.conn.Raw(func(any) error {
		_, err := s.stmt.ExecContext(context.Background(), args)
		return err
	})
}

// Insert runs a statement that adds one row, and gives its place.
func (s *Stmt) Insert(args []driver.NamedValue) (seq int64, err error) {
	err = s.conn.Raw(func(any) error {
		done, err := s.stmt.ExecContext(context.Background(), args)
		if err == nil {
			seq, err = done.LastInsertId()
		}
		return err
	})
	return seq, err
}

// Row reads the one row of a statement; io.EOF: there is none.
func (s *Stmt) Row(args []driver.NamedValue, row []driver.Value) error {
	return s.conn.Raw(func(any) (err error) {
		rows, err := s.stmt.QueryContext(context.Background(), args)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		return rows.Next(row)
	})
}

// Numbered gives values their places as arguments. They are of the types that a
// driver knows: int64, bool, string, []byte and nil.
func Numbered(values ...driver.Value) []driver.NamedValue {
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}
