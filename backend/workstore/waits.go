package workstore

import (
	"context"
	"fmt"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// lastWaits finds how long the last answers of a person about a tool took; its condition is that
// of the index calls_answered, to the letter.
const lastWaits = `SELECT decided_at - created_at FROM calls
	WHERE server_id = ? AND tool_name = ? AND decided_at > ?
		AND method IS NULL AND substr(decision, 1, 14) = '{"by":"person"' AND instr(decision, ',"remembered":"') = 0
	ORDER BY decided_at DESC LIMIT 50`

// waitsWithin is how old an answer may be that still tells how long people take.
const waitsWithin = 30 * 24 * time.Hour

// Waits gives, in milliseconds, how long the last 50 questions about a tool of a server waited that
// a person answered within 30 days.
func (s *Store) Waits(ctx context.Context, server, tool string, now permission.Time) ([]int64, error) {
	list, err := database.List(database.Value[int64])(s.reader.QueryContext(ctx, lastWaits, server, tool, now.Add(-waitsWithin)))
	if err != nil {
		return nil, fmt.Errorf("read how long answers took: %w", err)
	}
	return list, nil
}
