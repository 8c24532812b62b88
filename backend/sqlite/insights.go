package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// InsightStore is how many calls of each kind there were when, and when a person was there.
type InsightStore struct{ *base }

const addCount = `INSERT INTO counts (at, kind, of, calls) VALUES (?, ?, ?, ?)
	ON CONFLICT (at, kind, of) DO UPDATE SET calls = calls + excluded.calls`

// sums are the counts of one commit: it writes each of them once.
type sums map[tally.Count]int64

func (s sums) add(c tally.Count) {
	calls := c.Calls
	c.Calls = 0
	s[c] += calls
}

func (s sums) write(add *database.Stmt) error {
	for c, calls := range s {
		if err := add.Exec(database.Numbered(int64(c.At), string(c.Kind), c.Of, calls)); err != nil {
			return fmt.Errorf("count calls: %w", err)
		}
	}
	return nil
}

// before is the status that a call has before a transition, where a count depends on it.
func (t *tx) before(tr *permission.Transition) (was permission.Status, err error) {
	was, ok := tally.Before(tr)
	if ok {
		return was, nil
	}
	list, err := database.List(database.Value[permission.Status])(t.Query("SELECT status FROM calls WHERE id = ?", tr.ID))
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// countsOf has the counts between each border and the next as lines of one text: to group them
// SQLite would sort them all, which takes three times as long as to put them together here.
const countsOf = `WITH borders AS MATERIALIZED (
		SELECT value AS low, LEAD(value) OVER (ORDER BY key) AS high FROM json_each(?))
	SELECT low, (SELECT group_concat(kind || ' ' || calls || ' ' || of, char(10)) FROM counts WHERE at >= low AND at < high) FROM borders`

// Counts gives those of the buckets that begin at some borders; the last border is the end of
// the last one. A count has the beginning of its bucket as its time.
func (s *InsightStore) Counts(ctx context.Context, borders []permission.Time) (list []tally.Count, err error) {
	raw, err := json.Marshal(millis(borders))
	if err != nil {
		return nil, fmt.Errorf("read counts: %w", err)
	}
	rows, err := s.reader.QueryContext(ctx, countsOf, string(raw))
	if err != nil {
		return nil, fmt.Errorf("read counts: %w", err)
	}
	defer rows.Close()
	bucket := sums{}
	for rows.Next() {
		var at permission.Time
		var lines sql.NullString
		err := rows.Scan(&at, &lines)
		if err == nil && lines.Valid {
			err = bucket.read(at, lines.String)
		}
		if err != nil {
			return nil, fmt.Errorf("read counts: %w", err)
		}
		for c, calls := range bucket {
			c.Calls = calls
			list = append(list, c)
		}
		clear(bucket)
	}
	return list, rows.Err()
}

// read adds the counts of a bucket, of which each line is one.
func (s sums) read(at permission.Time, lines string) error {
	for line := range strings.SplitSeq(lines, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		calls, of, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(calls, 10, 64)
		if err != nil {
			return fmt.Errorf("a count that is none: %w", err)
		}
		s.add(tally.Count{At: at, Kind: tally.Kind(kind), Of: of, Calls: n})
	}
	return nil
}

func millis(times []permission.Time) []int64 {
	list := make([]int64, len(times))
	for i, t := range times {
		list[i] = int64(t)
	}
	return list
}

// FirstCount is when the oldest count is of, 0 where there is none, and InDoubt how many calls
// are in doubt.
func (s *InsightStore) FirstCount(ctx context.Context) (first permission.Time, inDoubt int64, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT COALESCE((SELECT MIN(at) FROM counts), 0),
		(SELECT COUNT(*) FROM calls WHERE status = 'in_doubt')`).Scan(&first, &inDoubt)
	if err != nil {
		return 0, 0, fmt.Errorf("read counts: %w", err)
	}
	return first, inDoubt, nil
}

// MergeCounts puts the minutes before a time together to quarters of an hour.
func (s *InsightStore) MergeCounts(ctx context.Context, before permission.Time) error {
	before -= before % tally.Quarter
	var from *int64
	err := s.reader.QueryRowContext(ctx, "SELECT MIN(at) FROM counts WHERE at < ? AND at % ? <> 0", before, tally.Quarter).Scan(&from)
	if err != nil || from == nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		t.Save()
		_, err := t.Exec(`INSERT INTO counts (at, kind, of, calls)
			SELECT at - at % ?3, kind, of, SUM(calls) FROM counts WHERE at >= ?1 AND at < ?2 AND at % ?3 <> 0 GROUP BY 1, 2, 3
			ON CONFLICT (at, kind, of) DO UPDATE SET calls = calls + excluded.calls`, *from, before, tally.Quarter)
		if err == nil {
			_, err = t.Exec("DELETE FROM counts WHERE at >= ? AND at < ? AND at % ? <> 0", *from, before, tally.Quarter)
		}
		if err != nil {
			return fmt.Errorf("merge counts: %w", err)
		}
		return nil
	})
}

// Presence says when a person was there.
func (s *InsightStore) Presence(ctx context.Context) (p tally.Presence, err error) {
	err = s.reader.QueryRowContext(ctx, "SELECT seen_at, away_from, away_to, paused_until FROM presence").Scan(
		&p.SeenAt, &p.AwayFrom, &p.AwayTo, &p.PausedUntil)
	if err != nil {
		return p, fmt.Errorf("read presence: %w", err)
	}
	return p, nil
}

// Seen notes that a person is there. Who was not for as long as gap was away.
func (s *InsightStore) Seen(ctx context.Context, at permission.Time, gap permission.Time) error {
	_, err := s.writeSoon(ctx, true, func(t *tx) error {
		_, err := t.Exec(`UPDATE presence SET away_from = IIF(seen_at > 0 AND ?1 - seen_at >= ?2, seen_at, away_from),
			away_to = IIF(seen_at > 0 AND ?1 - seen_at >= ?2, ?1, away_to), seen_at = ?1 WHERE seen_at < ?1`, at, gap)
		if err != nil {
			return fmt.Errorf("note presence: %w", err)
		}
		return nil
	})
	return err
}

// Pause keeps until when a person takes a break; 0: takes none.
func (s *InsightStore) Pause(ctx context.Context, until permission.Time) error {
	return s.write(ctx, func(t *tx) error {
		if _, err := t.Exec("UPDATE presence SET paused_until = ?", until); err != nil {
			return fmt.Errorf("keep pause: %w", err)
		}
		return nil
	})
}
