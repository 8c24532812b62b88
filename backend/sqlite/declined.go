package sqlite

import (
	"context"
	"fmt"
	"strings"

	"sekisho/backend/permission"
)

// declinedSince asks whether one of the things that an agent's callers asked for was
// declined since a time.
const declinedSince = `SELECT EXISTS (SELECT 1 FROM calls WHERE status = 'declined' AND agent_id = ? AND ` + askedHash +
	` IN (SELECT value FROM json_each(?)) AND decided_at >= ?)`

// Declined reports whether a call of an agent with one of these AskedHashes was declined
// since a time.
func (s *SessionStore) Declined(ctx context.Context, agent permission.AgentID, asked []string,
	since permission.Time) (declined bool, err error) {
	if err := s.reader.QueryRowContext(ctx, declinedSince, agent, hashes(asked...), since).Scan(&declined); err != nil {
		return false, fmt.Errorf("look for a decline: %w", err)
	}
	return declined, nil
}

// hashes are some hashes as SQL reads them.
func hashes(asked ...string) string { return `["` + strings.Join(asked, `","`) + `"]` }

// overtaken turns a call away that repeats an older yes, where the same was declined
// since.
func (n *comer) overtaken(t *tx) error {
	if n.YesAt.IsZero() || n.Call.Status == permission.Pending {
		return nil
	}
	var declined bool
	if err := t.QueryRow(declinedSince, n.Call.AgentID, hashes(n.Call.AskedHash(), n.YesTo), n.YesAt).Scan(&declined); err != nil {
		return fmt.Errorf("look for a decline: %w", err)
	}
	if declined {
		return permission.ErrOutdated
	}
	return nil
}
