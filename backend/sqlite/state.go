package sqlite

import (
	"context"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// StateStore says how the store is: its time, what is wrong with it, and which rows are not as
// the journal says.
type StateStore struct {
	*base
	journal *journal.Writer
}

// Now is the time of this store: see journal.Clock.
func (s *StateStore) Now() permission.Time { return s.journal.Clock.Now() }

// Ahead says in words for a person that the time of this store is more than a day ahead of
// the computer's, or "".
func (s *StateStore) Ahead() string { return s.journal.Clock.Ahead() }

// Trouble says what kept the last write from the disk, and what that means, or "".
func (s *StateStore) Trouble() string {
	if words := s.health.trouble.Now(); words != "" {
		return database.CannotKeep(words).Message
	}
	return ""
}

// OnTrouble takes who hears that Trouble says something else now; see database.Words.
func (s *StateStore) OnTrouble(moved func()) { s.health.trouble.Listen(moved) }

// Damage says which row was found damaged first since the data were opened, and whether
// the newest entry of the journal was when they were, or "".
func (s *StateStore) Damage() string { return s.health.words() }

// Differences lists the rows that read other than the journal says, as they did when the
// data were opened, but for those that were settled since.
func (s *StateStore) Differences() []permission.Difference { return s.journal.Differences() }

// Disputed says in words for a person that there are such rows, or "".
func (s *StateStore) Disputed() string { return s.journal.Disputed() }

// Settle takes one version of each named difference; see journal.Tx. The policy gets a new
// version.
func (s *StateStore) Settle(ctx context.Context, ids []string, take permission.Version,
	e permission.Entry) (settled []permission.Difference, err error) {
	err = s.write(ctx, func(t *tx) error {
		if settled, err = t.Settle(ids, take, e); err != nil {
			return err
		}
		if _, err := newPolicy(t); err != nil {
			return fmt.Errorf("settle: %w", err)
		}
		return nil
	})
	return settled, err
}
