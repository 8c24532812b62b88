package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"sekisho/backend/permission"
)

// identity is the hash by which a call's row is found: the run's in its upper half,
// so that the calls of a run stand together, and the call's own in the lower. Two
// calls can have the same: who looks compares the names too.
func identity(agent permission.AgentID, run permission.RunID, toolCall string) int64 {
	of := sha256.Sum256([]byte(string(agent) + "\x00" + string(run)))
	own := sha256.Sum256([]byte(toolCall))
	return int64(binary.BigEndian.Uint64(append(of[:4:4], own[:4]...)))
}

// recent are the calls that are not entered in identities yet, by identity: they are
// after the last one that identified names. One that a rollback has taken back may be
// among them, or one that has another name now: who looks finds that out. The writer
// alone uses it.
type recent map[int64]int64

// maxRecent is how many calls wait to be entered, at most; then a group waits for it.
// More of them make entering cheaper for each, and that wait longer.
const maxRecent = 1 << 15

// add takes a new row up. It reports false where another call has the place: this one
// has to be entered at once.
func (r recent) add(name, seq int64) bool {
	if _, taken := r[name]; taken {
		return false
	}
	r[name] = seq
	return true
}

const enterOne = "INSERT INTO identities (identity, seq) VALUES (?, ?)"

// enterRecent enters the calls that are not entered yet, in the order in which they
// will stand.
const enterRecent = `INSERT INTO identities (identity, seq)
	SELECT identity, seq FROM calls WHERE seq > (SELECT through FROM identified) ORDER BY identity, seq ON CONFLICT DO NOTHING`

const entered = "UPDATE identified SET through = COALESCE((SELECT MAX(seq) FROM calls), 0)"

// identify enters the calls that are not entered yet: the newest of a desk that was killed.
func identify(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, step := range []string{enterRecent, entered} {
		if err == nil {
			_, err = tx.Exec(step)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("enter calls: %w", err), tx.Rollback())
	}
	return tx.Commit()
}
