package sqlite

import (
	"fmt"

	"sekisho/backend/permission"
)

// hit is the rule that decided a call, and when.
type hit struct {
	rule permission.RuleID
	at   permission.Time
}

// tally counts the hits of one commit, so that it writes each rule once.
type tally map[permission.RuleID]hits

type hits struct {
	count int64
	last  permission.Time
}

func (t tally) add(h hit) {
	t[h.rule] = hits{t[h.rule].count + 1, h.at}
}

// hitRule leaves updated_at alone: a rule that is used is not edited.
const hitRule = "UPDATE tool_permission_rules SET hits = hits + ?, last_hit_at = ? WHERE id = ?"

func (t tally) write(hit *hot) error {
	for id, h := range t {
		if err := hit.exec(numbered(h.count, h.last.String(), string(id))); err != nil {
			return fmt.Errorf("count rule hits: %w", err)
		}
	}
	return nil
}

// count notes the hit of the rule that a change of a call comes from, where one does: a
// rule can settle what waits, forbid what was approved, or make it wait again.
func (t *tx) count(tr permission.Transition) {
	switch {
	case tr.Decision != nil && tr.Decision.RuleID != nil:
		t.hits = append(t.hits, hit{*tr.Decision.RuleID, tr.At})
	case tr.Undecided && tr.Why != nil && tr.Why.Rule != nil:
		t.hits = append(t.hits, hit{tr.Why.Rule.ID, tr.At})
	}
}
