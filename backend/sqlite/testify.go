package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sekisho/backend/permission"
)

// statement is what an entry says of the sets, under "state" in its data.
type statement struct {
	Format  int64             `json:"format"`          // of the database whose columns the rows have
	Full    bool              `json:"full,omitempty"`  // rows are all rows of all sets
	Digests map[string]string `json:"digests"`         // of each set, after the change
	Since   int64             `json:"since,omitempty"` // rows told, with these, since the last statement that is full
	// Disputed: what the journal said before was damaged, and nobody has said yet that the
	// tables hold.
	Disputed bool `json:"disputed,omitempty"`
	// Rows are those that the change put, by set; null is one that it removed.
	Rows map[string][]keyedRow `json:"rows"`
}

// keyedRow is a row with its key; null is none.
type keyedRow struct {
	Key string          `json:"key"`
	Row json.RawMessage `json:"row"`
}

// sortedRows are the rows of a set in the order of their keys.
func sortedRows(rows map[string]json.RawMessage) []keyedRow {
	list := make([]keyedRow, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, keyedRow{key, rows[key]})
	}
	return list
}

type rowHash = [sha256.Size]byte

// account is what one set is according to the journal: hashes of its rows.
type account struct {
	rows   map[string]rowHash
	keys   []string // sorted
	moved  bool     // keys are not those of rows any more
	digest string   // "": to be computed
}

// put takes in a row; nil removes it. It answers what was there.
func (a *account) put(key string, row *rowHash) (before *rowHash) {
	if old, had := a.rows[key]; had {
		before = &old
	}
	a.moved = a.moved || (before == nil) != (row == nil)
	a.digest = ""
	if row == nil {
		delete(a.rows, key)
	} else {
		a.rows[key] = *row
	}
	return before
}

// sum is the digest of the set: the hash of its rows' hashes in the order of their keys,
// which are in the rows.
func (a *account) sum() string {
	if a.moved {
		a.keys, a.moved = slices.Sorted(maps.Keys(a.rows)), false
	}
	if a.digest == "" {
		h := sha256.New()
		for _, key := range a.keys {
			row := a.rows[key]
			h.Write(row[:])
		}
		a.digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	}
	return a.digest
}

// accounts are those of all sets, by name.
type accounts map[string]*account

func newAccounts() accounts {
	a := accounts{}
	for i := range sets {
		a[sets[i].name] = &account{rows: map[string]rowHash{}}
	}
	return a
}

func (a accounts) digests() map[string]string {
	d := make(map[string]string, len(a))
	for name, of := range a {
		d[name] = of.sum()
	}
	return d
}

// readAccounts reads what the tables hold, and shows each row to visit, which may be nil.
func readAccounts(from rowsReader, visit func(set, key string, row []byte)) (accounts, error) {
	a := newAccounts()
	for i := range sets {
		s := &sets[i]
		err := s.read(from, "1", nil, func(key string, row []byte) error {
			for _, twice := a[s.name].rows[key]; twice; _, twice = a[s.name].rows[key] {
				key += "'" // rows without an id
			}
			hash := sha256.Sum256(row)
			a[s.name].put(key, &hash)
			if visit != nil {
				visit(s.name, key, row)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.name, err)
		}
	}
	return a, nil
}

// touch notes that a change put or removed a row of a set. The next entry that is about no
// call tells of it.
func (t *tx) touch(set, key string) {
	if t.touched == nil {
		t.touched = map[string]map[string]bool{}
	}
	if t.touched[set] == nil {
		t.touched[set] = map[string]bool{}
	}
	t.touched[set][key] = true
}

// touchAll is touch for a change that put a whole set in the place of another.
func (t *tx) touchAll(set string) error {
	of := t.w.accounts[set].rows
	for key := range of {
		t.touch(set, key)
	}
	return setNamed(set).read(t, "1", nil, func(key string, _ []byte) error {
		t.touch(set, key)
		return nil
	})
}

// testify adds to an entry's data what the touched sets are now.
func (t *tx) testify(data json.RawMessage) (json.RawMessage, error) {
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
func (t *tx) account(name, key string) (row json.RawMessage, tell bool, err error) {
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
		case t.keeping || name == "grants" && row == nil: // what ends allows nothing
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
func (t *tx) row(name, key string) (row json.RawMessage, err error) {
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

// undo is what an account said of a row before a change.
type undo struct {
	set, key string
	before   *rowHash
}

// takeBack lets the accounts say what they said before a job that came to nothing.
func (t *tx) takeBack() {
	for _, u := range slices.Backward(t.undo) {
		if of := t.w.accounts[u.set]; of != nil {
			of.put(u.key, u.before)
		}
	}
	if t.sinceBefore != nil {
		t.w.since = *t.sinceBefore
	}
	t.uncount(0)
	t.undo, t.touched, t.moved, t.settling, t.sinceBefore = nil, nil, nil, false, nil
}

// withState adds a statement to data, which are an object.
func withState(data json.RawMessage, said statement) (json.RawMessage, error) {
	raw, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if len(data) < 2 || data[0] != '{' || data[len(data)-1] != '}' {
		return nil, fmt.Errorf("the data of an entry are no object: %.40s", data)
	}
	out := append(bytes.Clone(data[:len(data)-1]), `,"state":`...)
	if len(bytes.TrimSpace(data[1:len(data)-1])) == 0 {
		out = append(out[:1], `"state":`...)
	}
	return append(append(out, raw...), '}'), nil
}

// tellState writes an entry of its own for what no other entry told of.
func (t *tx) tellState() error {
	if len(t.touched) == 0 {
		return nil
	}
	return t.append(permission.Entry{At: t.w.clock.now(), Kind: permission.StateChanged, Actor: permission.ActorDesk}, nil)
}

// tell notes that an entry tells of rows, and how many were told of since all were.
func (t *tx) tell(since int64) {
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
func (t *tx) refold() error {
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
func (t *tx) snapshot(what string) error {
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
	return t.append(permission.Entry{At: t.w.clock.now(), Kind: permission.StateKept, Actor: permission.ActorDesk, Data: raw}, nil)
}
