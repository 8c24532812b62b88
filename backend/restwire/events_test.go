package restwire_test

import (
	"context"
	"strconv"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// held is a journal that holds its entries from oldest to newest.
type held struct{ oldest, newest int64 }

func (h held) Events(_ context.Context, after int64, _ int) (events []permission.Event, last int64, err error) {
	if next := max(after+1, h.oldest); after < h.newest && next <= h.newest {
		events = append(events, permission.Event{Seq: next})
	}
	return events, h.newest, nil
}

func (held) Subscribe() (<-chan permission.Event, func()) { return nil, func() {} }

// TestAStreamResumes after the event that its reader names, or says that it cannot.
func TestAStreamResumes(t *testing.T) {
	most := strconv.Itoa(restwire.MaxBehind)
	for _, c := range []struct {
		journal held
		last    string
		reset   bool
	}{
		{held{1, 12}, "", false}, {held{1, 12}, "12", false}, {held{1, 12}, "11", false}, {held{1, 12}, "0", false}, {held{1, 0}, "0", false},
		{held{1, 12}, "13", true}, {held{1, 12}, "-1", true}, {held{1, 12}, "x", true}, {held{1, 12}, "1.5", true},
		{held{1, 12}, "99999999999999999999", true}, {held{1, 0}, "1", true},
		{held{1, restwire.MaxBehind}, "0", false}, {held{1, restwire.MaxBehind + 1}, "0", true}, {held{1, 2 * restwire.MaxBehind}, most, false},
		{held{6, 12}, "5", false}, {held{6, 12}, "4", true}, {held{13, 12}, "11", true},
	} {
		from, known, err := restwire.ResumeAt(t.Context(), c.journal, c.last)
		want := c.journal.newest
		if !c.reset && c.last != "" {
			want, _ = strconv.ParseInt(c.last, 10, 64)
		}
		if err != nil || known == c.reset || from != want {
			t.Errorf("%+v after %q: %d %v %v", c.journal, c.last, from, known, err)
		}
	}
}
