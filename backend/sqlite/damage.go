package sqlite

import (
	"errors"
	"strings"

	"sekisho/backend/permission"
)

// rowError is a row that cannot be read as what it is: something in it is no JSON any more,
// or it is not what was written (see callRow.holds). The rest of the data may be whole.
type rowError struct {
	row string // which one it is, for a person
	err error
}

func (e *rowError) Error() string { return "the stored " + e.row + " is damaged: " + e.err.Error() }

func (e *rowError) Unwrap() error { return e.err }

// refused is what whoever asks for a damaged row is told. Any other error is given back.
func refused(err error) error {
	var row *rowError
	if !errors.As(err, &row) {
		return err
	}
	return errors.Join(&permission.Error{Code: permission.CodeUnavailable,
		Message: "the stored " + row.row + " is damaged: it is left as it is, and nothing is done with it"}, err)
}

// damaged reports whether err is a damaged row, and remembers that there is one.
func (s *Store) damaged(err error) bool {
	var row *rowError
	if !errors.As(err, &row) {
		return false
	}
	words := "the stored " + row.row + " is damaged: it is left out of lists, and nothing is done with it"
	s.damage.CompareAndSwap(nil, &words)
	return true
}

// Damage says which row was found damaged first since the data were opened, and whether
// the newest entry of the journal was when they were, or "".
func (s *Store) Damage() string {
	if words := s.damage.Load(); words != nil {
		return strings.TrimSuffix(*words+"; "+s.unread, "; ")
	}
	return s.unread
}

// decided is a call's decision where it is JSON: SQLite would fail at one that is not, and
// with it what is asked of all other calls.
const decided = "CASE WHEN json_valid(decision) THEN decision END"

// unchecked takes the error of a change that leaves a row without its check as that of a
// row that had none.
func unchecked(id permission.CallID, err error) error {
	if leavesNull(err) {
		return &rowError{"call " + string(id), errRow}
	}
	return err
}
