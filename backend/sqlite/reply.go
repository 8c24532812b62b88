package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"sekisho/backend/callsql"
	"sekisho/backend/permission"
	"sekisho/backend/quota"
)

// Reply takes a person's answer: the call's transition and, in the same
// transaction, the grant, the waiting siblings that it covers, and what denial
// memory keeps. See permission.Reply.
func (s *CallStore) Reply(ctx context.Context, r permission.Reply) (call permission.Call, siblings []permission.Call, err error) {
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
		t.counted = append(t.counted, t.w.counts.Anew(quotaCall(c)))
		_, err := t.Exec("DELETE FROM denials WHERE agent_id = ? AND session_id = ? AND asked_hash = ?", c.AgentID, c.SessionID, c.AskedHash())
		return err
	}
	return nil
}

// grant keeps the grant and settles the siblings that it reaches, alone or with others.
func grant(t *tx, c *permission.Call, r permission.Reply) ([]permission.Call, error) {
	g, at := *r.Grant, r.Transition.At
	if err := addGrant(t, &g, c); err != nil {
		return nil, err
	}
	grants, err := grantsOf(t, c)
	if err != nil {
		return nil, err
	}
	siblings, err := siblingsOf(t, c, at)
	if err != nil {
		return nil, err
	}
	var list []permission.Transition
	of, more := map[permission.CallID][]*permission.Grant{}, map[quota.Call]int64{}
	for i := range siblings {
		s := &siblings[i]
		if now, changed := r.Asked[s.ID]; changed {
			s.Questions = now
		}
		by := permission.Covering(grants, &s.Call, r.Hold, at)
		if !slices.ContainsFunc(by, func(b *permission.Grant) bool { return b.ID == g.ID }) || g.Approved && s.withheld {
			continue
		}
		if call := quotaCall(&s.Call); g.Approved {
			if t.w.counts.Braked(call, more[call], int64(at)) != nil {
				continue
			}
			more[call]++
		}
		tr, err := settling(s.ID, &g, by, at, r.ClaimBy)
		if err != nil {
			return nil, err
		}
		list, of[s.ID] = append(list, tr), by
	}
	settled, err := transitEach(t, list)
	if err != nil {
		return settled, err
	}
	for i := range settled {
		if err := used(t, of[settled[i].ID]); err != nil {
			return settled, err
		}
	}
	return settled, nil
}

// withheld is the condition of a call whose tool changed since it was allowed.
const withheld = `EXISTS (SELECT 1 FROM tool_pins p WHERE p.server_id = calls.server_id AND p.tool_name = calls.tool_name AND p.withheld = 1)`

// sibling is a call that waits in the session of another: what says whether a grant reaches
// it. The rest is read, and checked for damage, when it is settled.
type sibling struct {
	permission.Call
	withheld bool
}

// siblingsOf lists what waits in a call's session, oldest first.
func siblingsOf(t *tx, c *permission.Call, at permission.Time) (list []sibling, err error) {
	rows, err := t.Query("SELECT id, run_id, tool_call_id, input_hash, server_id, risk, asking, "+withheld+" FROM calls WHERE "+callsql.Open+
		" AND status = 'pending' AND agent_id = ? AND session_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY seq",
		c.AgentID, c.SessionID, at)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s sibling
		var asking sql.NullString
		if err := rows.Scan(&s.ID, &s.RunID, &s.ToolCallID, &s.InputHash, &s.ServerID, &s.Risk, &asking, &s.withheld); err != nil {
			return nil, err
		}
		s.AgentID, s.SessionID = c.AgentID, c.SessionID
		if json.Unmarshal([]byte(asking.String), &s.Asking) == nil {
			list = append(list, s)
		}
	}
	return list, rows.Err()
}

// settling is what happens to a sibling.
func settling(id permission.CallID, g *permission.Grant, by []*permission.Grant,
	at, claimBy permission.Time) (permission.Transition, error) {
	tr := permission.Transition{ID: id, At: at, From: []permission.Status{permission.Pending}, Live: true, To: permission.Declined,
		Decision: grantDecision(by, at)}
	if g.Approved {
		tr.To, tr.ExpiresAt = permission.Approved, &claimBy
	}
	raw, err := json.Marshal(map[string]any{"status": tr.To, "reason": tr.Decision.Reason, "scope": tr.Decision.Scope, "of": g.CallID,
		"grantIds": tr.Decision.GrantIDs})
	tr.Entry = permission.Entry{Kind: permission.CallDecided, Actor: grantActor(by), Data: raw}
	return tr, err
}
