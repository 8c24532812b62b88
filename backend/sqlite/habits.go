package sqlite

import (
	"context"
	"fmt"
	"time"

	"sekisho/backend/permission"
)

// ClientHabits are those that are kept of agents that are there.
func (s *CatalogueStore) ClientHabits(ctx context.Context) (all []permission.ClientHabit, err error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT agent_id, client, leaves, grown, wary FROM client_habits")
	if err != nil {
		return nil, fmt.Errorf("read habits of clients: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var h permission.ClientHabit
		var leaves, grown int64
		if err := rows.Scan(&h.Agent, &h.Client, &leaves, &grown, &h.Wary); err != nil {
			return nil, fmt.Errorf("read habits of clients: %w", err)
		}
		h.Limit, h.Grown = time.Duration(leaves)*time.Millisecond, time.Duration(grown)*time.Millisecond
		all = append(all, h)
	}
	return all, rows.Err()
}

// KeepClientHabit keeps one in the place of the same client's. Of too many of an agent none is
// kept: they are learnt again.
func (s *CatalogueStore) KeepClientHabit(ctx context.Context, h permission.ClientHabit) error {
	_, err := s.writeSoon(ctx, true, func(t *tx) error {
		_, err := t.Exec("DELETE FROM client_habits WHERE agent_id = ?1 AND (SELECT COUNT(*) FROM client_habits WHERE agent_id = ?1) >= ?2",
			h.Agent, permission.MaxClientHabits)
		if err == nil {
			_, err = t.Exec(`INSERT OR REPLACE INTO client_habits (agent_id, client, leaves, grown, wary)
				SELECT id, ?2, ?3, ?4, ?5 FROM agents WHERE id = ?1`, h.Agent, h.Client, h.Limit.Milliseconds(), h.Grown.Milliseconds(), h.Wary)
		}
		if err != nil {
			return fmt.Errorf("keep the habit of a client: %w", err)
		}
		return nil
	})
	return err
}
