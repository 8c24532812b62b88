package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return r, err
	}
	isTorn, err := inspect(ctx, path, true)
	if err != nil {
		return r, err
	}
	if isTorn {
		return r, errors.New("the log breaks off before its end: what was written last may be missing")
	}
	source, done, err := still(path)
	if err != nil {
		return r, err
	}
	defer done()
	db, err := sql.Open("sqlite3", source)
	if err != nil {
		return r, err
	}
	defer db.Close()
	return verify(ctx, db, seals)
}

// still gives the database as its log leaves it: itself where the log is empty.
func still(path string) (source string, done func(), err error) {
	none := func() {}
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return resting(path), none, nil
	}
	if err != nil {
		return "", none, err
	}
	dir, err := os.MkdirTemp("", "sekisho-verify-")
	if err != nil {
		return "", none, err
	}
	done = func() { _ = os.RemoveAll(dir) } // a copy in the system's own folder for such
	copied := filepath.Join(dir, FileName)
	if err := errors.Join(copySynced(path, copied), copySynced(path+"-wal", copied+"-wal")); err != nil {
		done()
		return "", none, err
	}
	return dsn(copied, "deferred"), done, nil
}

func verify(ctx context.Context, db *sql.DB, seals permission.Seals) (r Report, err error) {
	known, err := newest(migrations())
	if err != nil {
		return r, err
	}
	have, err := appliedFormat(ctx, db)
	switch {
	case err != nil:
		return r, err
	case have > known:
		return r, newer(have, known)
	}
	said, err := recollect(db)
	if err != nil {
		return r, err
	}
	if said.name == "" && !said.nameless {
		return r, errors.New("the journal has no name yet: the first start of the desk on this folder was cut off")
	}
	r.Journal, r.Differences, r.Seals = said.name, said.disputes, seals
	r.Seals.Journal = said.name
	return r, r.walk(ctx, db)
}

// walk follows the chain from its first entry to its last.
func (r *Report) walk(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT "+entryColumns+" FROM journal ORDER BY seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	var first permission.Entry
	begins := false
	for rows.Next() {
		e, err := scanEntry(rows)
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

// tells reports whether an entry says how the sets are.
func tells(e *permission.Entry) bool {
	var of struct {
		State *statement `json:"state"`
	}
	return e.CallID == nil && bytes.Contains(e.Data, []byte(`"state":{`)) && json.Unmarshal(e.Data, &of) == nil && of.State != nil
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
