package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// clock is the time of a store's records and deadlines, which never goes back. While the
// process lives it is the wall clock, or what the monotonic clock has added to an earlier
// reading, whichever is later; after a start it is at least the time of the journal's last
// entry. Who sets the wall clock back so lengthens no deadline, grant or lease. A wall
// clock that jumps ahead makes them end early, and its way back is not taken.
type clock struct {
	mu   sync.Mutex
	read func() (wall time.Time, elapsed time.Duration) // elapsed is monotonic
	last time.Time                                      // what was told last
	at   time.Duration                                  // elapsed then
}

func newClock(floor permission.Time) *clock {
	start := time.Now()
	return &clock{
		last: floor.Std(),
		read: func() (time.Time, time.Duration) {
			now := time.Now()
			return now.Round(0), now.Sub(start) // without its monotonic part; with it
		},
	}
}

func (c *clock) now() permission.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, elapsed := c.read()
	c.last, c.at = c.last.Add(max(elapsed-c.at, 0)), elapsed
	if wall.After(c.last) {
		c.last = wall
	}
	return permission.TimeOf(c.last)
}

// Now is the time of this store: see clock.
func (s *Store) Now() permission.Time { return s.clock.now() }

// lastTime is the time of the journal's last entry; none in an empty one.
func lastTime(ctx context.Context, db *sql.DB) (at permission.Time, err error) {
	err = db.QueryRowContext(ctx, "SELECT at FROM journal ORDER BY seq DESC LIMIT 1").Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return at, err
}
