package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Settle takes one version of each named difference: the table is put as the journal says,
// or the journal is told that what stands in the table holds. All of them, or none:
// CodeStale when one is not there any more, or not with these versions. e is the entry, to
// whose data the versions are added.
func (t *Tx) Settle(ids []string, take permission.Version, e permission.Entry) (settled []permission.Difference, err error) {
	if settled, err = t.named(ids); err != nil {
		return nil, err
	}
	if e.Data, err = json.Marshal(map[string]any{"took": take, "differences": settled}); err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	whole := false
	t.settling = true
	for _, d := range settled {
		whole = whole || unsoundAt(d)
		if err := t.take(d, take); err != nil {
			return nil, err
		}
	}
	if err := t.Append(e, nil); err != nil || !whole {
		return settled, err
	}
	return settled, t.snapshot("settled")
}

// named finds differences by their ids: what is to be removed first, so that nothing
// stands in the way of what comes in its place.
func (t *Tx) named(ids []string) (found []permission.Difference, err error) {
	all := t.w.disputes.all()
	for _, id := range ids {
		i := slices.IndexFunc(all, func(d permission.Difference) bool { return d.ID == id })
		if i < 0 {
			return nil, &permission.Error{Code: permission.CodeStale, Message: "what differs is another by now, or was settled: look again"}
		}
		found = append(found, all[i])
	}
	slices.SortStableFunc(found, func(a, b permission.Difference) int {
		return len(a.Journal) - len(b.Journal) // none is 0
	})
	return found, nil
}

func (t *Tx) take(d permission.Difference, version permission.Version) error {
	if d.Set == permission.SetJournal {
		if version == permission.VersionJournal {
			return permission.Invalid("take", permission.FieldJournalDamaged, "what the journal says is damaged: only what stands in the tables can be taken")
		}
		t.undo = append(t.undo, undo{set: d.Set, key: d.Key})
		if !unsoundAt(d) {
			return t.rename()
		}
		return nil
	}
	t.Touch(d.Set, d.Key)
	if version == permission.VersionTable {
		return nil
	}
	return t.restore(setNamed(d.Set), d)
}

// rename gives the journal the name by which it was signed last, or a new one. It is signed
// again from the next start on.
func (t *Tx) rename() error {
	signed, _, err := newestCheckpoint(t)
	if err != nil {
		return err
	}
	if signed != nil && uuid.Validate(signed.Journal) == nil && len(signed.Journal) == 36 {
		return t.entitled(signed.Journal, "")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return t.entitled(id.String(), "")
}

// restore puts the row as the journal says. A credential cannot be put back, of which the
// journal has a hash: where it is not the same, the row goes.
func (t *Tx) restore(s *set, d permission.Difference) error {
	var said, is map[string]json.RawMessage
	if err := errors.Join(UnmarshalRow(d.Journal, &said), UnmarshalRow(d.Table, &is)); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	condition, args, err := s.naming(said, is)
	if err != nil {
		return err
	}
	veiled := camel(s.veiled)
	lost := veiled != "" && string(said[veiled]) != string(is[veiled])
	if said == nil || lost {
		_, err := t.Exec("DELETE FROM "+s.table+" WHERE "+condition, args...)
		return err
	}
	var columns []string
	var values []any
	for _, column := range slices.Sorted(maps.Keys(said)) {
		if column == veiled {
			continue
		}
		value, err := columnValue(said[column])
		if err != nil {
			return &permission.Error{Code: permission.CodeUnavailable, Message: "the journal's version cannot be restored: " + err.Error()}
		}
		columns, values = append(columns, snake(column)), append(values, value)
	}
	if is != nil {
		_, err := t.Exec("UPDATE "+s.table+" SET "+strings.Join(columns, " = ?, ")+" = ? WHERE "+condition, append(values, args...)...)
		return err
	}
	if s.name == "grants" { // what the row counts by itself has no version
		columns, values = append(columns, "hits"), append(values, 0)
	}
	_, err = t.Exec("INSERT INTO "+s.table+" ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(",?", len(columns)-1)+")", values...)
	return err
}

// naming is the condition of the row of which there are these versions, by what its columns
// hold: a key may have more in it; see readAccounts.
func (s *set) naming(versions ...map[string]json.RawMessage) (condition string, args []any, err error) {
	for i, column := range s.keys {
		raw := ""
		for _, v := range versions {
			raw = cmp.Or(raw, string(v[camel(column)]))
		}
		value, err := columnValue(json.RawMessage(raw))
		if err != nil {
			return "", nil, &permission.Error{Code: permission.CodeUnavailable, Message: "the row cannot be named: " + err.Error()}
		}
		if i > 0 {
			condition += " AND "
		}
		condition, args = condition+column+" IS ?", append(args, value)
	}
	return condition, args, nil
}

// UnmarshalRow reads the columns of a row, if there is one.
func UnmarshalRow(raw json.RawMessage, into *map[string]json.RawMessage) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}
