package database

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/mattn/go-sqlite3" // the driver, registered as sqlite3
)

// writing opens the writer's connection, which has some functions.
type writing struct {
	sqlite3.SQLiteDriver
	dsn string
}

// newWriting is the connector to a database. The functions are pure.
func newWriting(dsn string, functions map[string]any) *writing {
	w := &writing{dsn: dsn}
	w.ConnectHook = func(c *sqlite3.SQLiteConn) (err error) {
		for name, f := range functions {
			err = errors.Join(err, c.RegisterFunc(name, f, true))
		}
		return err
	}
	return w
}

// Connect opens a connection.
func (w *writing) Connect(context.Context) (driver.Conn, error) { return w.Open(w.dsn) }

// Driver is the driver of the connections.
func (w *writing) Driver() driver.Driver { return &w.SQLiteDriver }
