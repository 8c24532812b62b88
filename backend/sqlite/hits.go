package sqlite

import (
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// hit is the rule that decided a call, and when.
type hit struct {
	rule permission.RuleID
	at   permission.Time
}

// uses counts the hits of one commit, so that it writes each rule once.
type uses map[permission.RuleID]hits

type hits struct {
	count int64
	last  permission.Time
}

func (t uses) add(h hit) {
	t[h.rule] = hits{t[h.rule].count + 1, h.at}
}

// hitRule leaves updated_at alone: a rule that is used is not edited.
const hitRule = "UPDATE tool_permission_rules SET hits = hits + ?, last_hit_at = ? WHERE id = ?"

func (t uses) write(hit *database.Stmt) error {
	for id, h := range t {
		if err := hit.Exec(database.Numbered(h.count, h.last.String(), string(id))); err != nil {
			return fmt.Errorf("count rule hits: %w", err)
		}
	}
	return nil
}
