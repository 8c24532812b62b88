package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"sekisho/backend/permission"
)

// Reply takes a person's answer: the call's transition and, in the same
// transaction, the grant, the waiting siblings that it covers, and what denial
// memory keeps. See permission.Reply.
func (s *Store) Reply(ctx context.Context, r permission.Reply) (call permission.Call, siblings []permission.Call, err error) {
	err = s.write(ctx, func(t *tx) error {
		if call, err = transit(t, r.Transition); err != nil {
			return err
		}
		if err := recall(t, &call, r.Remember); err != nil {
			return fmt.Errorf("remember answer: %w", err)
		}
		if r.Grant == nil {
			return nil
		}
		if siblings, err = grant(t, &call, r); err != nil {
			return fmt.Errorf("grant: %w", err)
		}
		return nil
	})
	return call, siblings, err
}

// recall keeps a decline for denial memory; an approval takes an earlier one back.
func recall(t *tx, c *permission.Call, remember bool) error {
	if c.Status == permission.Declined && remember {
		_, err := t.Exec("INSERT OR REPLACE INTO denials (agent_id, session_id, asked_hash, call_id, reason, count) VALUES (?,?,?,?,?,0)",
			c.AgentID, c.SessionID, c.AskedHash(), c.ID, c.Decision.Reason)
		return err
	}
	if c.Status == permission.Approved {
		_, err := t.Exec("DELETE FROM denials WHERE agent_id = ? AND session_id = ? AND asked_hash = ?", c.AgentID, c.SessionID, c.AskedHash())
		return err
	}
	return nil
}

// grant keeps the grant and settles the siblings that it covers.
func grant(t *tx, c *permission.Call, r permission.Reply) ([]permission.Call, error) {
	g, at := *r.Grant, r.Transition.At
	if err := addGrant(t, &g, c); err != nil {
		return nil, err
	}
	ids, err := siblingIDs(t, &g, at)
	if err != nil {
		return nil, err
	}
	settle, err := settling(&g, at, r.ClaimBy)
	if err != nil {
		return nil, err
	}
	settled, err := transitEach(t, each(settle, ids))
	if err != nil || len(settled) == 0 {
		return settled, err
	}
	_, err = t.Exec("UPDATE grants SET hits = hits + ? WHERE id = ?", len(settled), g.ID)
	return settled, err
}

const riskRank = "CASE risk WHEN 'low' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"

// withheld is the condition of a call whose tool changed since it was allowed.
const withheld = `EXISTS (SELECT 1 FROM tool_pins p WHERE p.server_id = calls.server_id AND p.tool_name = calls.tool_name AND p.withheld = 1)`

// siblingIDs lists the waiting calls that g covers. A call without a class is
// answered once only, and no grant reaches it; nor does a yes reach a tool that
// changed.
func siblingIDs(t *tx, g *permission.Grant, at permission.Time) ([]permission.CallID, error) {
	where := open +
		" AND status = 'pending' AND agent_id = ? AND session_id = ? AND class IS NOT NULL AND (expires_at IS NULL OR expires_at > ?) AND " +
		riskRank + " <= ?"
	args := []any{g.AgentID, g.SessionID, at, g.MaxRisk.Rank()}
	if g.Approved {
		where += " AND NOT " + withheld
	}
	if g.Scope == permission.ScopeSession {
		return callIDs(t, where+" AND "+riskRank+" < 2", args...)
	}
	class, err := optionalJSON(g.Class)
	if err != nil {
		return nil, err
	}
	return callIDs(t, where+" AND class = ?", append(args, class)...)
}

// settling is what happens to each sibling.
func settling(g *permission.Grant, at, claimBy permission.Time) (permission.Transition, error) {
	tr := permission.Transition{At: at, From: []permission.Status{permission.Pending}, Live: true, To: permission.Declined,
		Decision: grantDecision(g, at)}
	if g.Approved {
		tr.To, tr.ExpiresAt = permission.Approved, &claimBy
	}
	raw, err := json.Marshal(map[string]any{"status": tr.To, "reason": g.Reason, "scope": g.Scope, "of": g.CallID})
	tr.Entry = permission.Entry{Kind: permission.CallDecided, Actor: "grant:" + string(g.ID), Data: raw}
	return tr, err
}
