package sqlite

import (
	"context"
	"fmt"

	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// TrimJournal removes the oldest entries: those from before a time (0: none for
// that), and then as many as are needed to bring the journal to maxBytes (0: none
// for that). The newest entry always stays. An entry in the same transaction names
// the last that was removed, so that what remains can be verified. What belongs to
// calls that are still open goes too: the call itself says how it stands.
func (s *PolicyStore) TrimJournal(ctx context.Context, before permission.Time, maxBytes int64) (removed int64, err error) {
	trim := journal.Trimming{Before: before}
	err = s.reader.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq), 0) FROM journal").Scan(&trim.Newest)
	if err == nil && maxBytes > 0 {
		err = s.reader.QueryRowContext(ctx, "SELECT COALESCE(SUM(octet_length(data)), 0) + COUNT(*) * ? FROM journal",
			journal.EntryBytes).Scan(&trim.Excess)
		trim.Excess -= maxBytes
	}
	for err == nil {
		var step int64
		err = s.write(ctx, func(t *tx) error {
			var err error
			step, err = trim.Step(&t.Tx)
			return err
		})
		removed += step
		if step < journal.TrimStep {
			break
		}
	}
	if err != nil {
		return removed, fmt.Errorf("trim journal: %w", err)
	}
	return removed, nil
}
