package sqlite

import (
	"errors"
	"fmt"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rowcheck"
)

// The check of a call's row is the sum of a part of each column: a number made of the
// column's place in its list and of its value; NULL has the part 0. A change of the row
// takes the parts of the old values off and adds those of the new ones. It does not make
// the sum anew, which would make damage that nobody has read yet look whole.

// largePlace is the place before that of the first large column.
const largePlace = 100

// Revs are in row_check too, each times its own odd number: SQL can add to such a part.
const (
	revWeight     = 0x2545f491
	shownWeight   = 0x1f83d9ab
	sessionWeight = 0x5be0cd19
)

// partFunction is a part in SQL, which the writer's connection knows.
const partFunction = "call_part"

// partOf is partFunction.
func partOf(place int64, value any) int64 { return int64(rowcheck.Part(int(place), value)) }

// revParts are those of a call's revs.
func revParts(rev, shown, session int64) uint64 {
	return uint64(rev)*revWeight + uint64(shown)*shownWeight + uint64(session)*sessionWeight
}

// sumOfSmall is what row_check is of the row as it stands here.
func (r *callRow) sumOfSmall(columns []column) int64 {
	return sum(revParts(r.rev, r.shownRev, r.sessionRev), 0, columns[:firstLarge])
}

// sumOfLarge is what large_check is of the columns of a row.
func sumOfLarge(columns []column) int64 { return sum(0, largePlace, columns[firstLarge:firstOther]) }

// sum adds the parts of columns to some others. Their places come after one.
func sum(parts uint64, place int, columns []column) int64 {
	for i, c := range columns {
		parts += rowcheck.Part(place+1+i, c.value())
	}
	return int64(parts & rowcheck.Mask)
}

var (
	errRow   = errors.New("it is not what was written")
	errLarge = errors.New("its input or its result is not what was written")
)

// holds refuses a row that is not as it was written, or has no check.
func (r *callRow) holds(columns []column) error {
	if !r.rowCheck.Valid || r.rowCheck.Int64 != r.sumOfSmall(columns) {
		return errRow
	}
	if brief := r.input == nil; brief {
		return nil
	}
	return r.largeHold(columns)
}

// largeHold is holds for the large columns alone.
func (r *callRow) largeHold(columns []column) error {
	if !r.largeCheck.Valid || r.largeCheck.Int64 != sumOfLarge(columns) {
		return errLarge
	}
	return nil
}

// checked is a column of a check: its place, and SQL that gives it a value and that takes
// the part of its old value off a sum.
type checked struct {
	place       int
	assign, was string
}

var checkedBy = func() map[string]checked {
	m := make(map[string]checked, len(smallColumns)+len(largeColumns))
	add := func(place int, columns []string) {
		for i, column := range columns {
			at := place + 1 + i
			m[column] = checked{at, column + " = ?",
				fmt.Sprintf(" - IIF(%s IS NULL, 0, %s(%d, %[1]s))", column, partFunction, at)}
		}
	}
	add(0, smallColumns)
	add(largePlace, largeColumns)
	// A guard names the old status. It is known here what that can be.
	status, text := m["status"], " - CASE status"
	for _, s := range permission.Statuses {
		text += fmt.Sprintf(" WHEN '%s' THEN %d", s, rowcheck.Text(status.place, string(s)))
	}
	status.was = text + " END"
	m["status"] = status
	return m
}()

// keepsFirst adds the part of a column that takes another's old value if it has none.
func keepsFirst(column, from string) string {
	return fmt.Sprintf(" + IIF(%s IS NULL, %s(%d, %s), 0)", column, partFunction, checkedBy[column].place, from)
}

var keepsFirstHash, keepsFirstInput = keepsFirst("original_hash", "input_hash"), keepsFirst("original_input", "input")

// setting is what a change of a call sets, and what that adds to the row's checks: a number,
// and SQL for what is known in the row alone.
type setting struct {
	callsql.Clauses
	row, large     uint64
	inRow, inLarge string
	inRowArgs      []any
}

// put assigns a value to a checked column.
func (s *setting) put(column string, value any) {
	of, ok := checkedBy[column]
	if !ok {
		panic("no check is of the column " + column)
	}
	s.Add(of.assign, value)
	if of.place > largePlace {
		s.large += rowcheck.Part(of.place, value)
		s.inLarge += of.was
		return
	}
	s.row += rowcheck.Part(of.place, value)
	s.inRow += of.was
}

// revised counts the change, and with shows that it may change what a person is shown.
func (s *setting) revised(shows bool) {
	s.Add("rev = rev + 1")
	s.row += revWeight
	if shows {
		s.Add("shown_rev = rev + 1")
		s.inRow += shownAnew
	}
}

var shownAnew = fmt.Sprintf(" + (rev + 1 - shown_rev) * %d", shownWeight)

// summed sets the checks, which comes last.
func (s *setting) summed() callsql.Clauses {
	s.Add("row_check = (row_check + ?"+s.inRow+masked, int64(s.row&rowcheck.Mask))
	s.Args = append(s.Args, s.inRowArgs...)
	if s.inLarge != "" {
		s.Add("large_check = (large_check + ?"+s.inLarge+masked, int64(s.large&rowcheck.Mask))
	}
	return s.Clauses
}

var masked = fmt.Sprintf(") & %d", rowcheck.Mask)

// unchecked takes the error of a change that leaves a row without its check as that of a
// row that had none.
func unchecked(id permission.CallID, err error) error {
	if database.LeavesNull(err) {
		return &database.RowError{Row: "call " + string(id), Err: errRow}
	}
	return err
}
