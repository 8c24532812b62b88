package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Report is what a look at a data folder found that no desk has open.
type Report struct {
	Journal     string // its name
	Entries     int64
	First, Last int64
	LastHash    string
	Seals       permission.Seals
	Stated      int64 // the newest entry that tells of the rules and the other sets
	Differences []permission.Difference
}

// Verify holds a data folder's journal against itself and its signatures, and the sets
// against the journal, as a start does. It changes nothing in the folder: what its log
// holds is read from a copy. seals has the keys that it must be signed by. An error says
// what is not whole.
func Verify(ctx context.Context, dir string, seals permission.Seals) (r Report, err error) {
	db, done, err := database.Still(ctx, dir)
	if err != nil {
		return r, err
	}
	defer done()
	said, err := recollect(db)
	if err != nil {
		return r, err
	}
	if said.name == "" && !said.nameless {
		return r, errors.New("the journal has no name yet: the first start of the desk on this folder was cut off")
	}
	r.Journal, r.Differences, r.Seals = said.name, said.Disputes, seals
	r.Seals.Journal = said.name
	return r, r.walk(ctx, db)
}

// walk follows the chain from its first entry to its last.
func (r *Report) walk(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT "+Columns+" FROM journal ORDER BY seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	var first permission.Entry
	begins := false
	for rows.Next() {
		e, err := Scan(rows)
		if err != nil {
			return err
		}
		if r.Entries == 0 {
			first, r.First, begins = e, e.Seq, e.Seq == 1 && e.PrevHash == ""
		} else if e.Seq != r.Last+1 || e.PrevHash != r.LastHash {
			return fmt.Errorf("entry %d of the journal does not follow entry %d", e.Seq, r.Last)
		}
		if !carriesHash(&e) {
			return fmt.Errorf("entry %d of the journal is not what was written: its hash is not that of its content", e.Seq)
		}
		if why := r.Seals.Add(e); why != "" {
			return fmt.Errorf("entry %d of the journal: %s", e.Seq, why)
		}
		begins = begins || e.Trims(first)
		if tells(&e) {
			r.Stated = e.Seq
		}
		r.Entries, r.Last, r.LastHash = r.Entries+1, e.Seq, e.Hash
	}
	if r.Entries > 0 && !begins {
		return fmt.Errorf("the journal begins at entry %d, and nothing says that what came before was trimmed", r.First)
	}
	return rows.Err()
}

// Unsigned are the entries after the last signature; err says that some of them change what
// the journal says of the sets, which a desk with the key signs at once.
func (r *Report) Unsigned() (after Range, err error) {
	if r.Seals.Last+1 >= r.Last { // the signature itself is the entry after the one that it signs
		return after, nil
	}
	after = Range{r.Seals.Last + 2, r.Last}
	if r.Stated > r.Seals.Last {
		return after,
			fmt.Errorf("entry %d of the journal changes rules or another set, and nobody signed it: it was not written by a desk with this key",
				r.Stated)
	}
	return after, nil
}
