package main

import (
	"context"
	"database/sql"

	"maragu.dev/goqite"
)

// openQueue gives the sending of a goqite queue, with the durability of ours and as
// well tuned: statements are kept, the write lock is taken at once, and one
// connection sends, because several would only wait for each other's lock.
func openQueue(ctx context.Context, file string) (func([]byte) error, func() error, error) {
	db, err := sql.Open("sqlite3", "file:"+file+
		"?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=60000&_txlock=immediate&_stmt_cache_size=16")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	if err := goqite.Setup(ctx, db); err != nil {
		return nil, nil, err
	}
	q := goqite.New(goqite.NewOpts{DB: db, Name: "calls"})
	return func(b []byte) error { return q.Send(ctx, goqite.Message{Body: b}) }, db.Close, nil
}
