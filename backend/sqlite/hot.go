package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// hot is a statement of the writer's that every job needs. It goes to the driver
// directly: database/sql would take more time around it than SQLite takes for it.
type hot struct {
	conn *sql.Conn
	stmt hotStmt
}

type hotStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func newHot(conn *sql.Conn, text string) (*hot, error) {
	var stmt driver.Stmt
	err := conn.Raw(func(c any) (err error) {
		stmt, err = c.(driver.Conn).Prepare(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &hot{conn: conn, stmt: stmt.(hotStmt)}, nil
}

func (h *hot) close() error {
	return h.conn.Raw(func(any) error { return h.stmt.Close() })
}

// exec runs a statement that answers no rows.
func (h *hot) exec(args []driver.NamedValue) error {
	return h.conn.Raw(func(any) error {
		_, err := h.stmt.ExecContext(context.Background(), args)
		return err
	})
}

// insert runs a statement that adds one row, and gives its place.
func (h *hot) insert(args []driver.NamedValue) (seq int64, err error) {
	err = h.conn.Raw(func(any) error {
		done, err := h.stmt.ExecContext(context.Background(), args)
		if err == nil {
			seq, err = done.LastInsertId()
		}
		return err
	})
	return seq, err
}

// row reads the one row of a statement.
func (h *hot) row(args []driver.NamedValue, row []driver.Value) error {
	return h.conn.Raw(func(any) (err error) {
		rows, err := h.stmt.QueryContext(context.Background(), args)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		return rows.Next(row)
	})
}

// numbered gives values their places as arguments. They are of the types that a
// driver knows: int64, bool, string, []byte and nil.
func numbered(values ...driver.Value) []driver.NamedValue {
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}
