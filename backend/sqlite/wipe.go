package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rowcheck"
)

const (
	wipeStep  = 1000     // calls that one transaction wipes
	wipeBytes = 32 << 20 // and bytes of them, unless it is one call
	// The word null in hexadecimal stands for what was there: the columns hold bytes.
)

// SessionStore ends sessions, and is what is remembered of declines.
type SessionStore struct {
	*base
	db *database.DB
}

// WipeInputs takes the inputs, envelopes and results of settled calls away: of those with the
// given ids or, without ids, of those that were decided before a time. Their hashes
// stay. The bytes are gone from the disk when it returns without an error: the
// writer overwrites what it deletes, and the log, which may hold older pages, is
// emptied.
func (s *SessionStore) WipeInputs(ctx context.Context, before permission.Time, ids []permission.CallID) (n int64, err error) {
	condition, of := "decided_at < ?", any(before)
	if len(ids) > 0 {
		list, err := json.Marshal(ids)
		if err != nil {
			return 0, fmt.Errorf("wipe inputs: %w", err)
		}
		condition, of = "id IN (SELECT value FROM json_each(?))", string(list)
	}
	for last := int64(0); err == nil; {
		var found []permission.CallID
		if found, last, err = s.wipeable(ctx, condition, of, last); err != nil || len(found) == 0 {
			break
		}
		var step int64
		err = s.write(ctx, func(t *tx) error {
			var err error
			step, err = wipe(t, found, len(ids) > 0)
			return err
		})
		n += step
	}
	if err == nil && n > 0 {
		err = s.db.EmptyLog(ctx)
	}
	if err != nil {
		return n, fmt.Errorf("wipe inputs: %w", err)
	}
	return n, nil
}

// settled is the condition of calls to which nothing can happen any more.
const settled = "status NOT IN ('pending','approved','claimed','in_doubt')"

// wipeable lists the next calls after one that are to be wiped, as many as make a
// step. The reader finds them, so that the writer does not look through history.
func (s *SessionStore) wipeable(ctx context.Context, condition string, of any,
	after int64) (ids []permission.CallID, last int64, err error) {
	rows, err := s.reader.QueryContext(ctx,
		"SELECT seq, id, octet_length(input) + COALESCE(octet_length(original_input), 0) + COALESCE(octet_length(envelope), 0) + COALESCE(octet_length(result), 0) FROM calls WHERE seq > ? AND input_wiped = 0 AND "+
			settled+" AND "+condition+" ORDER BY seq LIMIT ?", after, of, wipeStep)
	if err != nil {
		return nil, after, err
	}
	defer rows.Close()
	last = after
	for total := int64(0); total < wipeBytes && rows.Next(); {
		var id permission.CallID
		var bytes int64
		if err := rows.Scan(&last, &id, &bytes); err != nil {
			return nil, after, err
		}
		ids, total = append(ids, id), total+bytes
	}
	return ids, last, rows.Err()
}

// wipeCall puts null where there was something, and says so in the row and its checks. A row
// without its check is damaged, and left.
var wipeCall = func() string {
	var set setting
	set.revised(false)
	set.Add("input_wiped = 1")
	at, large := checkedBy["input_wiped"].place, "0"
	for _, column := range largeColumns {
		set.Add(column + " = CASE WHEN " + column + " IS NOT NULL THEN x'6e756c6c' END")
		large += fmt.Sprintf(" + IIF(%s IS NULL, 0, %d)", column, rowcheck.Blob(checkedBy[column].place, []byte("null")))
	}
	set.Add(fmt.Sprintf("row_check = (row_check + %d) & %d", (set.row+rowcheck.Flag(at, true)-rowcheck.Flag(at,
		false))&rowcheck.Mask, rowcheck.Mask))
	set.Add(fmt.Sprintf("large_check = (%s) & %d", large, rowcheck.Mask))
	return "UPDATE calls SET " + strings.Join(set.Text, ", ") + " WHERE id = ? AND input_wiped = 0 AND row_check IS NOT NULL AND " + settled
}()

// wipe puts null where there was something, and one entry that says so into the
// journal; by whom the ids were given, it names them.
func wipe(t *tx, ids []permission.CallID, named bool) (n int64, err error) {
	wiped := []permission.CallID{}
	for _, id := range ids {
		done, err := t.Exec(wipeCall, id)
		if err != nil {
			return 0, err
		}
		if rows, err := done.RowsAffected(); err != nil {
			return 0, err
		} else if rows > 0 {
			wiped = append(wiped, id)
		}
	}
	if len(wiped) == 0 {
		return 0, nil
	}
	said := map[string]any{"count": len(wiped)}
	e := permission.Entry{At: t.Now(), Kind: permission.InputsWiped, Actor: permission.ActorDesk}
	if named {
		said["ids"], e.Actor = wiped, permission.ActorPerson
	}
	if e.Data, err = json.Marshal(said); err != nil {
		return 0, err
	}
	return int64(len(wiped)), t.Append(e, nil)
}
