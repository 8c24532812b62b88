package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// recalled is what the journal says of the sets, held against the tables.
type recalled struct {
	name     string // of the journal; "": the first start did not come to its end, or it is lost
	nameless bool   // the sets testified, and the name is not there any more, or is another
	accounts accounts
	since    int64 // rows that the journal told of since it told of all
	format   int64 // of the rows that it told of last; 0: of none
	Disputes []permission.Difference
}

// recollect compares the digest of each set with that in the newest entry that has one. Only
// where one differs are the entries read that lead there.
func recollect(db database.Querier) (r recalled, err error) {
	if err = r.readName(db); err == nil {
		err = r.compare(db)
	}
	if r.nameless {
		r.Disputes = slices.Insert(r.Disputes, 0, newDifference(permission.SetJournal, permission.JournalNameKey, nil, nil))
	}
	return r, err
}

// readName reads the name of the journal. Where the journal tells of the sets, or was
// signed, a name that is none is damage: to begin anew would take all as it stands.
func (r *recalled) readName(db database.Querier) error {
	name, err := journalName(db)
	if err != nil {
		return err
	}
	signed, _, err := newestCheckpoint(db)
	if err != nil {
		return err
	}
	if uuid.Validate(name) == nil && len(name) == 36 && (signed == nil || signed.Journal == name) {
		r.name = name
		return nil
	}
	if r.nameless = signed != nil; !r.nameless {
		err = statements(db, func(statement, int64) bool { r.nameless = true; return false })
	}
	if errors.Is(err, errUnsound) {
		return nil
	}
	return err
}

// newestCheckpoint is the newest signature and its entry, whoever made it; nil is none.
func newestCheckpoint(db database.Querier) (c *permission.Checkpoint, e permission.Entry, err error) {
	rows, err := db.Query("SELECT " + Columns + " FROM journal INDEXED BY journal_own WHERE call_id IS NULL AND kind = '" +
		string(permission.CheckpointKind) + "' ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return nil, e, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, e, rows.Err()
	}
	if e, err = Scan(rows); err != nil {
		return nil, e, err
	}
	c = new(permission.Checkpoint)
	_ = json.Unmarshal(e.Data, c) // what is none is signed by nobody
	return c, e, nil
}

func (r *recalled) compare(db database.Querier) (err error) {
	tables := newFolded()
	if r.accounts, err = readAccounts(db, nil); err != nil {
		return err
	}
	if r.name == "" && !r.nameless {
		if r.accounts.empty() {
			return nil
		}
		r.nameless = true // only a journal with a name was ever told of rows
	}
	last, seq, err := newestStatement(db)
	r.since, r.format = last.Since, last.Format
	if err == nil && r.accounts.agree(last.Digests) && !last.Disputed {
		return nil
	}
	var said folded
	if err == nil {
		said, err = fold(db, last)
	}
	if errors.Is(err, errUnsound) {
		r.Disputes = []permission.Difference{newDifference(permission.SetJournal, strconv.FormatInt(seq, 10), nil, nil)}
		return nil
	}
	if err != nil {
		return err
	}
	if r.accounts, err = readAccounts(db, func(set, key string, row []byte) { tables[set][key] = row }); err != nil {
		return err
	}
	r.Disputes = differ(said, tables)
	r.accounts = said.accounts()
	return nil
}

func journalName(db database.Querier) (name string, err error) {
	err = database.One(db, &name, "SELECT name FROM journal_name")
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return name, err
}
