package sqlite

import (
	"fmt"

	"sekisho/backend/permission"
)

// hit is the rule that judged a new call, and when. It is written with all others of a
// commit, since most commits are full of new calls.
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
	if h.rule != "" {
		t[h.rule] = hits{t[h.rule].count + 1, h.at}
	}
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

// count adds the hit of the rule that a change of a call comes from, where one does: a
// rule can settle what waits, forbid what was approved, or make it wait again.
func (t *tx) count(tr permission.Transition) error {
	var rule permission.RuleID
	switch {
	case tr.Decision != nil && tr.Decision.RuleID != nil:
		rule = *tr.Decision.RuleID
	case tr.Undecided && tr.Why != nil && tr.Why.Rule != nil:
		rule = tr.Why.Rule.ID
	default:
		return nil
	}
	return tally{rule: {1, tr.At}}.write(t.w.hit)
}
