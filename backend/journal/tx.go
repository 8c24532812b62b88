package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Tx is one job's part of a transaction that the journal tells of.
type Tx struct {
	database.Tx
	w      *Writer
	head   head // as it will be on disk
	events []permission.Event

	touched map[string]map[string]bool // rows by set and key, of which no entry has told yet
	undo    []undo
	stated  bool // an entry told of sets

	sinceBefore *int64 // the writer's since before this job

	settling bool                        // a person picked versions: what is touched is in dispute no more
	told     map[rowName]json.RawMessage // what the journal is told of rows in dispute, in the place of what stands in the tables
	moved    []permission.Difference     // differences with other versions than before
}

// Now is the time of the journal's clock.
func (t *Tx) Now() permission.Time { return t.w.Clock.Now() }

// InDispute gives the difference about a row.
func (t *Tx) InDispute(set, key string) (d permission.Difference, disputed bool) {
	return t.w.disputes.find(rowName{set, key})
}

// TellInstead lets the journal be told another version of a row in dispute than stands in its
// table. The row stays in dispute.
func (t *Tx) TellInstead(d permission.Difference, row json.RawMessage) {
	t.told = map[rowName]json.RawMessage{nameOf(d): row}
}

// Finish tells of what no entry told of yet, and takes the job into the transaction. last is
// the number of its newest entry, or of an older one. After an error the job is taken back.
func (t *Tx) Finish() (last int64, err error) {
	if err = t.TellState(); err == nil && t.stated {
		err = t.refold()
	}
	if err != nil {
		return 0, err
	}
	t.w.end, t.w.stated, t.w.events = t.head, t.w.stated || t.stated, append(t.w.events, t.events...)
	return t.head.seq, nil
}

// Kept is told that the job is committed.
func (t *Tx) Kept() { t.w.disputes.committed(t.settling, t.undo, t.moved) }

// Mark is a place in a job to which it can be taken back.
type Mark struct {
	head   head
	events int
}

// Mark is the place that the job has come to.
func (t *Tx) Mark() Mark { return Mark{t.head, len(t.events)} }

// Back takes the entries after a mark back.
func (t *Tx) Back(m Mark) { t.head, t.events = m.head, t.events[:m.events] }

// Touch notes that a change put or removed a row of a set. The next entry that is about no
// call tells of it.
func (t *Tx) Touch(set, key string) {
	if t.touched == nil {
		t.touched = map[string]map[string]bool{}
	}
	if t.touched[set] == nil {
		t.touched[set] = map[string]bool{}
	}
	t.touched[set][key] = true
}

// TouchAll is Touch for a change that put a whole set in the place of another.
func (t *Tx) TouchAll(set string) error {
	of := t.w.accounts[set].rows
	for key := range of {
		t.Touch(set, key)
	}
	return setNamed(set).read(t, "1", nil, func(key string, _ []byte) error {
		t.Touch(set, key)
		return nil
	})
}

// testify adds to an entry's data what the touched sets are now.
func (t *Tx) testify(data json.RawMessage) (json.RawMessage, error) {
	said := statement{Format: t.w.format, Rows: map[string][]keyedRow{}}
	for name, keys := range t.touched {
		if err := t.raise(name); err != nil {
			return nil, fmt.Errorf("journal %s: %w", name, err)
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			row, tell, err := t.account(name, key)
			if err != nil {
				return nil, fmt.Errorf("journal %s: %w", name, err)
			}
			if tell {
				said.Rows[name] = append(said.Rows[name], keyedRow{key, row})
			}
		}
	}
	for _, rows := range said.Rows {
		t.tell(t.w.since + int64(len(rows)))
	}
	said.Since = t.w.since
	t.touched, said.Digests, said.Disputed = nil, t.w.accounts.digests(), t.w.disputes.unsound()
	return withState(data, said)
}

// account reads a row that was touched, and takes it into what the journal says. A row in
// dispute is no new version: where it is not as it was found, the change is refused, and
// where it is, nothing is told.
func (t *Tx) account(name, key string) (row json.RawMessage, tell bool, err error) {
	if row, err = t.row(name, key); err != nil {
		return nil, false, err
	}
	if d, disputed := t.w.disputes.find(rowName{name, key}); disputed && !t.settling {
		said, tell := t.told[nameOf(d)]
		switch {
		case tell:
			t.moved = append(t.moved, newDifference(name, key, said, row))
			row = said
		case bytes.Equal(row, d.Table):
			return nil, false, nil
		case name == "grants" && row == nil: // what ends allows nothing
			t.moved = append(t.moved, newDifference(name, key, d.Journal, row))
			return nil, false, nil
		default:
			return nil, false, inTheWay(d)
		}
	}
	var hash *rowHash
	if row != nil {
		sum := sha256.Sum256(row)
		hash = &sum
	}
	t.undo = append(t.undo, undo{name, key, t.w.accounts[name].put(key, hash)})
	return row, true, nil
}

// row is what stands in a table under a key; nil is none.
func (t *Tx) row(name, key string) (row json.RawMessage, err error) {
	s := setNamed(name)
	condition, args := s.where(key)
	err = s.read(t, condition, args, func(_ string, found []byte) error {
		row = found
		return nil
	})
	return row, err
}

// inTheWay refuses a change of a row of which nobody has said yet which version holds.
func inTheWay(d permission.Difference) error {
	return &permission.Error{Code: permission.CodeStale, Message: fmt.Sprintf(
		"the stored %s %.100q is not as the journal says that it was left: pick one of its versions first, then change it", rowWords[d.Set],
		d.Key)}
}

// TakeBack lets the accounts say what they said before a job that came to nothing.
func (t *Tx) TakeBack() {
	for _, u := range slices.Backward(t.undo) {
		if of := t.w.accounts[u.set]; of != nil {
			of.put(u.key, u.before)
		}
	}
	if t.sinceBefore != nil {
		t.w.since = *t.sinceBefore
	}
	t.undo, t.touched, t.moved, t.settling, t.sinceBefore = nil, nil, nil, false, nil
}

// TellState writes an entry of its own for what no other entry told of.
func (t *Tx) TellState() error {
	if len(t.touched) == 0 {
		return nil
	}
	return t.Append(permission.Entry{At: t.w.Clock.Now(), Kind: permission.StateChanged, Actor: permission.ActorDesk}, nil)
}

// tell notes that an entry tells of rows, and how many were told of since all were.
func (t *Tx) tell(since int64) {
	if t.sinceBefore == nil {
		before := t.w.since
		t.sinceBefore = &before
	}
	t.stated, t.w.since = true, since
}

// Bounds of what a start reads to fold what the journal says of the sets: when more rows
// were told of, all are told of once more.
const (
	foldedTimes = 4 // as often as there are rows
	foldedRows  = 1000
)

// refold tells of all rows where too many were told of since. What is in dispute is
// settled first.
func (t *Tx) refold() error {
	rows := 0
	for _, of := range t.w.accounts {
		rows += len(of.rows)
	}
	if t.w.since <= int64(foldedRows+foldedTimes*rows) || t.w.disputes.any() {
		return nil
	}
	return t.snapshot("folded")
}

// snapshot writes an entry that has all rows of all sets, and says what it is for. The
// tables are taken as they stand but for the rows that are in dispute.
func (t *Tx) snapshot(what string) error {
	rows := newFolded()
	_, err := readAccounts(t, func(set, key string, row []byte) { rows[set][key] = row })
	if err != nil {
		return err
	}
	t.w.disputes.each(func(d permission.Difference) {
		if d.Set == permission.SetJournal {
			return
		}
		if delete(rows[d.Set], d.Key); d.Journal != nil {
			rows[d.Set][d.Key] = d.Journal
		}
	})
	said := statement{Format: t.w.format, Full: true, Rows: map[string][]keyedRow{}, Digests: t.w.accounts.digests()}
	said.Disputed = what != "settled" && t.w.disputes.unsound()
	for set := range rows {
		said.Rows[set] = sortedRows(rows[set])
	}
	t.tell(0)
	raw, err := json.Marshal(map[string]string{"what": what})
	if err == nil {
		raw, err = withState(raw, said)
	}
	if err != nil {
		return err
	}
	return t.Append(permission.Entry{At: t.w.Clock.Now(), Kind: permission.StateKept, Actor: permission.ActorDesk, Data: raw}, nil)
}

// Append writes e as the next entry of the chain and remembers its event. One that is
// about no call tells of the sets that were touched before it.
func (t *Tx) Append(e permission.Entry, call *permission.Call) (err error) {
	if call == nil && len(t.touched) > 0 {
		if e.Data, err = t.testify(e.Data); err != nil {
			return err
		}
	}
	r, err := NewDraft(e, call)
	if err != nil {
		return err
	}
	t.Save()
	return t.Add(r)
}

// Add writes an entry that was made before.
func (t *Tx) Add(r Draft) error {
	next := r.place(t.head)
	if err := t.Bare(t.w.insert.Exec(r.args)); err != nil {
		return fmt.Errorf("journal %s: %w", r.kind, err)
	}
	t.head = next
	t.events = append(t.events, r.event)
	return nil
}

// entitled is a journal that is to begin its account of the sets, or to give it anew.
func (t *Tx) entitled(name, what string) error {
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

// versioned are the sets that a desk has a copy of in memory: each has its version in a column
// of its name.
var versioned = []string{"settings", "servers", "tools", "agents"}

// raise gives a set that is changed its next version.
func (t *Tx) raise(set string) error {
	if !slices.Contains(versioned, set) {
		return nil
	}
	_, err := t.Exec("UPDATE policy SET " + set + " = " + set + " + 1")
	return err
}
