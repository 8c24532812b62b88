package sqlite

import (
	"errors"
	"strings"
	"sync/atomic"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// health is what was found wrong with the disk or the data since they were opened.
type health struct {
	trouble database.Words         // what kept the last write from the disk
	damage  atomic.Pointer[string] // the row that was found damaged first
	unread  atomic.Pointer[string] // what of the journal's end could not be believed
}

// outcome tells those who wrote of trouble with the disk as such, and remembers it
// until a write is good again.
func (h *health) outcome(err error) error {
	if err == nil {
		h.trouble.Say("")
		return nil
	}
	if h.damaged(err) {
		return refused(err)
	}
	words, ok := database.Trouble(err)
	if !ok {
		return err
	}
	h.trouble.Say(words)
	return errors.Join(database.CannotKeep(words), err)
}

// damaged reports whether err is a damaged row, and remembers that there is one.
func (h *health) damaged(err error) bool {
	var row *database.RowError
	if !errors.As(err, &row) {
		return false
	}
	words := "the stored " + row.Row + " is damaged: it is left out of lists, and nothing is done with it"
	h.damage.CompareAndSwap(nil, &words)
	return true
}

// doubt takes in that the journal's end cannot be believed.
func (h *health) doubt(words string) {
	if words == "" {
		return
	}
	if before := h.unread.Load(); before != nil {
		words = *before + "; " + words
	}
	h.unread.Store(&words)
}

// words says which row was found damaged first, and what of the journal's end could not be
// believed, or "".
func (h *health) words() string {
	var all []string
	for _, of := range []*string{h.damage.Load(), h.unread.Load()} {
		if of != nil {
			all = append(all, *of)
		}
	}
	return strings.Join(all, "; ")
}

// refused is what whoever asks for a damaged row is told. Any other error is given back.
func refused(err error) error {
	var row *database.RowError
	if !errors.As(err, &row) {
		return err
	}
	return errors.Join(&permission.Error{Code: permission.CodeUnavailable,
		Message: "the stored " + row.Row + " is damaged: it is left as it is, and nothing is done with it"}, err)
}
