package sqlite

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// recalled is what the journal says of the sets, held against the tables.
type recalled struct {
	name     string // of the journal; "": the first start did not come to its end, or it is lost
	nameless bool   // the sets testified, and the name is not there any more, or is another
	accounts accounts
	since    int64 // rows that the journal told of since it told of all
	disputes []permission.Difference
}

// errUnsound is a journal whose entries about the sets are not what was written.
var errUnsound = errors.New("what the journal says of the sets is damaged")

type folded map[string]map[string]json.RawMessage // rows by set and key

func newFolded() folded {
	f := folded{}
	for i := range sets {
		f[sets[i].name] = map[string]json.RawMessage{}
	}
	return f
}

// recollect compares the digest of each set with that in the newest entry that has one. Only
// where one differs are the entries read that lead there.
func recollect(db rowsReader) (r recalled, err error) {
	if err = r.readName(db); err == nil {
		err = r.compare(db)
	}
	if r.nameless {
		r.disputes = slices.Insert(r.disputes, 0, newDifference(permission.SetJournal, permission.JournalNameKey, nil, nil))
	}
	return r, err
}

// readName reads the name of the journal. Where the journal tells of the sets, or was
// signed, a name that is none is damage: to begin anew would take all as it stands.
func (r *recalled) readName(db rowsReader) error {
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
func newestCheckpoint(db rowsReader) (c *permission.Checkpoint, e permission.Entry, err error) {
	rows, err := db.Query("SELECT " + entryColumns + " FROM journal INDEXED BY journal_own WHERE call_id IS NULL AND kind = '" +
		string(permission.CheckpointKind) + "' ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return nil, e, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, e, rows.Err()
	}
	if e, err = scanEntry(rows); err != nil {
		return nil, e, err
	}
	c = new(permission.Checkpoint)
	_ = json.Unmarshal(e.Data, c) // what is none is signed by nobody
	return c, e, nil
}

func (r *recalled) compare(db rowsReader) (err error) {
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
	r.since = last.Since
	if err == nil && maps.Equal(last.Digests, r.accounts.digests()) && !last.Disputed {
		return nil
	}
	var said folded
	if err == nil {
		said, err = fold(db, last)
	}
	if errors.Is(err, errUnsound) {
		r.disputes = []permission.Difference{newDifference(permission.SetJournal, strconv.FormatInt(seq, 10), nil, nil)}
		return nil
	}
	if err != nil {
		return err
	}
	if r.accounts, err = readAccounts(db, func(set, key string, row []byte) { tables[set][key] = row }); err != nil {
		return err
	}
	r.disputes = differ(said, tables)
	r.accounts = said.accounts()
	return nil
}

func journalName(db rowsReader) (name string, err error) {
	err = one(db, &name, "SELECT name FROM journal_name")
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return name, err
}

// one reads the one value of a query.
func one(db rowsReader, into any, query string, args ...any) error {
	rows, err := db.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return errors.Join(rows.Scan(into), rows.Close())
}

// statements visits what entries about no call say of the sets, newest first, until visit
// says that it has seen enough. An entry that is not what was written is errUnsound.
func statements(db rowsReader, visit func(s statement, seq int64) (more bool)) error {
	return statementsFrom(db, 0, "DESC", visit)
}

// statementsFrom is statements from an entry on, in the order DESC or ASC.
func statementsFrom(db rowsReader, from int64, order string, visit func(s statement, seq int64) (more bool)) error {
	rows, err := db.Query(`SELECT `+entryColumns+` FROM journal INDEXED BY journal_own
		WHERE call_id IS NULL AND seq >= ? AND instr(data, '"state":{') > 0 ORDER BY seq `+order, from)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return err
		}
		var of struct {
			State *statement `json:"state"`
		}
		if !carriesHash(&e) || json.Unmarshal(e.Data, &of) != nil {
			visit(statement{}, e.Seq)
			return errUnsound
		}
		if of.State != nil && of.State.Digests != nil && !visit(*of.State, e.Seq) {
			return nil
		}
	}
	return rows.Err()
}

// newestStatement is what the journal said last, and where. A journal that never said
// anything began with empty sets.
func newestStatement(db rowsReader) (last statement, seq int64, err error) {
	last.Digests = newAccounts().digests()
	err = statements(db, func(s statement, at int64) bool {
		last, seq = s, at
		return false
	})
	return last, seq, err
}

// fold gives the rows of all sets as the entries of the journal leave them: from the
// newest that has all rows on, or else from the first. It holds one of them at a time.
func fold(db rowsReader, last statement) (folded, error) {
	full, disputed, from := false, false, int64(0)
	err := statements(db, func(s statement, seq int64) bool {
		full, disputed, from = s.Full, disputed || s.Disputed, seq
		return !full
	})
	var first int64
	if err == nil && !full {
		err = one(db, &first, "SELECT COALESCE(MIN(seq), 1) FROM journal")
	}
	switch {
	case err != nil:
		return nil, err
	case !full && first > 1 || disputed:
		return nil, errUnsound
	}
	rows, mixed, sound := newFolded(), false, true
	err = statementsFrom(db, from, "ASC", func(s statement, _ int64) bool {
		mixed = mixed || s.Format != last.Format
		sound = rows.apply(&s)
		return sound
	})
	if err == nil && !sound {
		err = errUnsound
	}
	if err != nil {
		return nil, err
	}
	if !mixed && !maps.Equal(rows.accounts().digests(), last.Digests) {
		return nil, errUnsound
	}
	return rows, nil
}

// apply takes in the rows of a statement; false says that it has some of no set.
func (f folded) apply(s *statement) bool {
	for set, changed := range s.Rows {
		if f[set] == nil {
			return false
		}
		for _, c := range changed {
			if f[set][c.Key] = compact(c.Row); len(c.Row) == 0 || string(c.Row) == "null" {
				delete(f[set], c.Key)
			}
		}
	}
	return true
}

// compact is a row in the form that each gives it. Rows were written so, and json.Marshal
// writes some letters in another way when it takes them in.
func compact(row json.RawMessage) json.RawMessage {
	out, err := rawjson.Canonical(nil, row)
	if err != nil {
		return row
	}
	return out
}

func (f folded) accounts() accounts {
	a := newAccounts()
	for set, rows := range f {
		for key, row := range rows {
			hash := sha256.Sum256(row)
			a[set].put(key, &hash)
		}
	}
	return a
}

// differ lists the rows that two versions of the sets do not have alike.
func differ(journal, tables folded) (list []permission.Difference) {
	for i := range sets {
		name := sets[i].name
		keys := map[string]bool{}
		for _, rows := range []map[string]json.RawMessage{journal[name], tables[name]} {
			for key := range rows {
				keys[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if said, is := journal[name][key], tables[name][key]; !alike(said, is) {
				list = append(list, newDifference(name, key, said, is))
			}
		}
	}
	return list
}

// alike compares two versions of a row. A column that one of them does not have is of
// another format.
func alike(said, is json.RawMessage) bool {
	if bytes.Equal(said, is) {
		return true
	}
	var a, b map[string]json.RawMessage
	if said == nil || is == nil || json.Unmarshal(said, &a) != nil || json.Unmarshal(is, &b) != nil {
		return false
	}
	same := len(a) != len(b)
	for column, value := range a {
		other, both := b[column]
		same = same && (!both || bytes.Equal(value, other))
	}
	return same
}

// entitled is a journal that is to begin its account of the sets, or to give it anew.
func (t *tx) entitled(name, what string) error {
	if name != "" {
		if _, err := t.Exec("INSERT OR REPLACE INTO journal_name (id, name) VALUES (1, ?)", name); err != nil {
			return fmt.Errorf("name the journal: %w", err)
		}
	}
	if what == "" {
		return nil
	}
	return t.snapshot(what)
}
