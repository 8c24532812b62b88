package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// writerSettings are those of the writer's connection alone. The driver keeps the
// statements prepared, by their text. One goroutine at a time uses the connection,
// so SQLite needs no mutex of its own; the cache of 32 MB holds what is open.
// What is deleted is overwritten, so that inputs can be wiped: older forms of a row
// would stay in the file otherwise.
const writerSettings = "&_stmt_cache_size=64&_mutex=no&_cache_size=-32768&_secure_delete=on"

// Conn is the one connection that writes. It is no sql.Tx around each write, which would
// start a goroutine for every query.
type Conn struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts []*Stmt // all that are open

	begin, end, rollback *Stmt
	save, back, release  *Stmt // of the savepoint of a job
}

func newConn(ctx context.Context, db *sql.DB) (*Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &Conn{db: db, conn: conn}
	// What SQLite copies to take a job back would go to a file in the system's folder.
	// The disk is waited for outside of SQLite; see disk.
	err = errors.Join(c.Pragma("wal_autocheckpoint = "+walPages), c.Pragma("temp_store = MEMORY"), c.Pragma("synchronous = NORMAL"))
	if err == nil {
		err = c.PrepareAll(map[**Stmt]string{&c.begin: "BEGIN IMMEDIATE", &c.end: "COMMIT", &c.rollback: "ROLLBACK",
			&c.save: "SAVEPOINT job", &c.back: "ROLLBACK TO job", &c.release: "RELEASE job"})
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// close ends the statements first: with one of them open SQLite would not close the
// database, and would leave its log beside it.
func (c *Conn) close() (err error) {
	for _, s := range c.stmts {
		err = errors.Join(err, s.close())
	}
	return errors.Join(err, c.conn.Close(), c.db.Close())
}

// Exec runs a statement that answers no rows.
func (c *Conn) Exec(query string, args ...any) (sql.Result, error) {
	return c.conn.ExecContext(context.Background(), query, args...)
}

// Query runs a statement that answers rows. Close them before the next statement.
func (c *Conn) Query(query string, args ...any) (*sql.Rows, error) {
	return c.conn.QueryContext(context.Background(), query, args...)
}

// Pragma runs one that answers nothing.
func (c *Conn) Pragma(text string) error {
	_, err := c.Exec("PRAGMA " + text)
	return err
}

// Prepare prepares a statement, which stays open as long as the connection.
func (c *Conn) Prepare(text string) (*Stmt, error) {
	var stmt driver.Stmt
	err := c.conn.Raw(func(conn any) (err error) {
		stmt, err = conn.(driver.Conn).Prepare(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &Stmt{conn: c.conn, stmt: stmt.(contextStmt)}
	c.stmts = append(c.stmts, s)
	return s, nil
}

// PrepareAll is Prepare for each of several texts.
func (c *Conn) PrepareAll(texts map[**Stmt]string) (err error) {
	for stmt, text := range texts {
		if *stmt, err = c.Prepare(text); err != nil {
			return fmt.Errorf("prepare %.40s: %w", text, err)
		}
	}
	return nil
}

// Transact runs statements in a transaction of their own. Where one fails, all is as it was.
func (c *Conn) Transact(stmts ...*Stmt) error {
	err := c.begin.Exec(nil)
	for _, s := range append(stmts, c.end) {
		if err == nil {
			err = s.Exec(nil)
		}
	}
	if err != nil {
		return errors.Join(err, c.rollback.Exec(nil))
	}
	return nil
}

// Querier is a transaction or a database.
type Querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
}

// One reads the one value of a query, or ErrNoRows of database/sql.
func One(from Querier, into any, query string, args ...any) error {
	rows, err := from.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return errors.Join(rows.Scan(into), rows.Close())
}

// Row is one of a query's.
type Row interface{ Scan(into ...any) error }

// List reads the rows of a query, each by scan: List(scan)(db.Query(…)). Of none it is empty,
// and not nil.
func List[T any](scan func(Row) (T, error)) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		list := []T{}
		for rows.Next() {
			one, err := scan(rows)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, rows.Err()
	}
}

// Value scans a row of one column.
func Value[T any](row Row) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// Tx is one job's part of the writer's transaction.
type Tx struct {
	conn  *Conn
	alone bool // a job that is alone needs no savepoint: when it fails, nothing is committed
	saved bool // there is a savepoint to which the job can be taken back
	torn  error
}

// Save makes the savepoint of a job that may fail halfway. Under one, SQLite copies
// each page before it changes it, which a plain suspend does not pay for.
func (t *Tx) Save() {
	if t.alone || t.saved || t.torn != nil {
		return
	}
	t.torn = t.conn.save.Exec(nil)
	t.saved = t.torn == nil
}

// Bare notes the failure of a prepared statement: outside a savepoint it is that of the
// whole transaction.
func (t *Tx) Bare(err error) error {
	if err != nil && !t.alone && !t.saved {
		t.torn = err
	}
	return err
}

// Exec is Conn's under a savepoint.
func (t *Tx) Exec(query string, args ...any) (sql.Result, error) {
	t.Save()
	return t.conn.Exec(query, args...)
}

// Query is Conn's under a savepoint.
func (t *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	t.Save()
	return t.conn.Query(query, args...)
}

// QueryRow runs a statement that answers at most one row, under a savepoint.
func (t *Tx) QueryRow(query string, args ...any) *sql.Row {
	t.Save()
	return t.conn.conn.QueryRowContext(context.Background(), query, args...)
}

// settle takes the job back to its savepoint when it has failed, and ends that. An error is
// that of the transaction: a full disk, for one, makes SQLite roll back all of it, and what
// ran after that would commit by itself.
func (t *Tx) settle(failed error) error {
	if t.torn != nil || !t.saved {
		return t.torn
	}
	if failed != nil {
		if err := t.conn.back.Exec(nil); err != nil {
			return errors.Join(failed, err)
		}
	}
	return t.conn.release.Exec(nil)
}
