package journal

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// Clock is the time of a store's records and deadlines, which never goes back. While the
// process lives it is the wall clock, or what the monotonic clock has added to an earlier
// reading, whichever is later; after a start it is at least the time of the journal's last
// entry. Who sets the wall clock back so lengthens no deadline, grant or lease. A wall
// clock that jumps ahead makes them end early, and its way back is not taken.
type Clock struct {
	mu   sync.Mutex
	read func() (wall time.Time, elapsed time.Duration) // elapsed is monotonic
	last time.Time                                      // what was told last
	at   time.Duration                                  // elapsed then
}

func newClock(floor permission.Time) *Clock {
	start := time.Now()
	return &Clock{
		last: floor.Std(),
		read: func() (time.Time, time.Duration) {
			now := time.Now()
			return now.Round(0), now.Sub(start) // without its monotonic part; with it
		},
	}
}

// Now is the time, for records and deadlines.
func (c *Clock) Now() permission.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, elapsed := c.read()
	c.last, c.at = c.last.Add(max(elapsed-c.at, 0)), elapsed
	if wall.After(c.last) {
		c.last = wall
	}
	return permission.TimeOf(c.last)
}

// farAhead is how far before the wall clock the clock may be and be believed in all.
const farAhead = 24 * time.Hour

// ahead is how far the clock is before the wall clock.
func (c *Clock) ahead() time.Duration {
	now := c.Now().Std()
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, _ := c.read()
	return now.Sub(wall)
}

// Ahead says in words for a person that the time is more than a day ahead of the computer's,
// or "".
func (c *Clock) Ahead() string {
	by := c.ahead()
	if by <= farAhead {
		return ""
	}
	return fmt.Sprintf(
		"the last time in the journal is %d days ahead of the computer's clock: deadlines and grants end by it, but nothing old is forgotten, and deny and ask rules that end stay in force, until the clock has come so far", by/(24*time.Hour))
}

// lastTime is the time of the journal's last entry that carries its own hash; none in an
// empty one. A turned bit in a time would set the clock for good: damage says that an entry
// was passed over.
func lastTime(ctx context.Context, db *sql.DB) (at permission.Time, damage string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT "+Columns+" FROM journal ORDER BY seq DESC")
	if err != nil {
		return 0, "", err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := Scan(rows)
		if err != nil {
			return 0, "", err
		}
		if carriesHash(&e) {
			return e.At, damage, nil
		}
		if damage == "" {
			damage = fmt.Sprintf("the newest entry of the journal (%d) is not what was written: the time is taken from an older one", e.Seq)
		}
	}
	return 0, damage, rows.Err()
}
