package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sekisho/backend/database"
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

// errUnsound is a journal whose entries about the sets are not what was written.
var errUnsound = errors.New("what the journal says of the sets is damaged")

// statements visits what entries about no call say of the sets, newest first, until visit
// says that it has seen enough. An entry that is not what was written is errUnsound.
func statements(db database.Querier, visit func(s statement, seq int64) (more bool)) error {
	return statementsFrom(db, 0, "DESC", visit)
}

// statementsFrom is statements from an entry on, in the order DESC or ASC.
func statementsFrom(db database.Querier, from int64, order string, visit func(s statement, seq int64) (more bool)) error {
	rows, err := db.Query(`SELECT `+Columns+` FROM journal INDEXED BY journal_own
		WHERE call_id IS NULL AND seq >= ? AND instr(data, '"state":{') > 0 ORDER BY seq `+order, from)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := Scan(rows)
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
func newestStatement(db database.Querier) (last statement, seq int64, err error) {
	last.Digests = newAccounts().digests()
	err = statements(db, func(s statement, at int64) bool {
		last, seq = s, at
		return false
	})
	return last, seq, err
}

// tells reports whether an entry says how the sets are.
func tells(e *permission.Entry) bool {
	var of struct {
		State *statement `json:"state"`
	}
	return e.CallID == nil && bytes.Contains(e.Data, []byte(`"state":{`)) && json.Unmarshal(e.Data, &of) == nil && of.State != nil
}
