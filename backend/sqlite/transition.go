package sqlite

import (
	"encoding/json"
	"strings"

	"sekisho/backend/permission"
)

// clauses gathers SQL text and its arguments side by side.
type clauses struct {
	text []string
	args []any
}

func (c *clauses) add(text string, args ...any) {
	c.text = append(c.text, text)
	c.args = append(c.args, args...)
}

// transitionSQL is the one guarded UPDATE of a Transition, giving the columns.
func transitionSQL(tr permission.Transition, columns string) (string, []any, error) {
	set, err := assignments(tr)
	if err != nil {
		return "", nil, err
	}
	where := guards(tr)
	query := "UPDATE calls SET " + strings.Join(set.text, ", ") + " WHERE " + strings.Join(where.text, " AND ") + " RETURNING " + columns
	return query, append(set.args, where.args...), nil
}

func assignments(tr permission.Transition) (clauses, error) {
	var set clauses
	set.add("rev = rev + 1")
	if tr.Shows() {
		set.add("shown_rev = rev + 1")
	}
	if tr.To != "" {
		set.add("status = ?", tr.To)
	}
	if tr.Decision != nil {
		text, at, err := decisionColumns(tr.Decision)
		if err != nil {
			return set, err
		}
		set.add("decision = ?, decided_at = ?", text, at)
	}
	if tr.Undecided {
		set.add("decision = NULL, decided_at = NULL")
	}
	if tr.Why != nil {
		why, err := json.Marshal(tr.Why)
		if err != nil {
			return set, err
		}
		set.add("why = ?", string(why))
	}
	if tr.ExpiresAt != nil {
		set.add("expires_at = ?", null(*tr.ExpiresAt))
	}
	if c := tr.NewClaim; c != nil {
		set.add("claim_id = ?, claim_key = ?, lease_expires_at = ?", c.ID, c.Key, null(c.Until))
	}
	if tr.Unclaim {
		set.add("claim_id = NULL, claim_key = NULL, lease_expires_at = NULL")
	}
	if tr.Lease != nil {
		set.add("lease_expires_at = ?", null(*tr.Lease))
	}
	if tr.Result != nil {
		set.add("result = ?", []byte(tr.Result))
	}
	if tr.SetGone != nil {
		set.add("caller_gone = ?", *tr.SetGone)
	}
	if e := tr.Edited; e != nil { // the first input is the caller's, whatever came after
		set.add("original_input = COALESCE(original_input, input), original_hash = COALESCE(original_hash, input_hash), input = ?, input_hash = ?", []byte(e.Input), e.InputHash)
	}
	if tr.Sight != nil {
		set.add("sight = ?", string(*tr.Sight))
	}
	if tr.ResumeData != nil {
		set.add("resume_data = ?", []byte(tr.ResumeData))
	}
	if i := tr.Rebind; i != nil {
		set.add("identity = ?, run_id = ?, tool_call_id = ?, session_id = ?, held = ?, patience_until = ?",
			identity(tr.Agent, i.RunID, i.ToolCallID), i.RunID, i.ToolCallID, i.SessionID, i.Held, null(i.Patience))
		set.add("session_rev = IIF(session_id = ?, session_rev, rev + 1)", i.SessionID)
	}
	return set, nil
}

func guards(tr permission.Transition) clauses {
	var where clauses
	where.add("id = ?", tr.ID)
	from := make([]any, len(tr.From))
	for i, s := range tr.From {
		from[i] = s
	}
	where.add("status IN (?"+strings.Repeat(",?", len(from)-1)+")", from...)
	if tr.Agent != "" {
		where.add("agent_id = ?", tr.Agent)
	}
	if tr.Live {
		where.add("(expires_at IS NULL OR expires_at > ?)", tr.At)
	}
	if tr.Due {
		where.add("expires_at <= ?", tr.At)
	}
	if tr.Leased {
		where.add("lease_expires_at > ?", tr.At)
	}
	if tr.Lapsed {
		where.add("lease_expires_at <= ?", tr.At)
	}
	if tr.Attached {
		where.add("caller_gone = 0")
	}
	if tr.Gone {
		where.add("caller_gone = 1")
	}
	if tr.Claim != "" {
		where.add("claim_id = ?", tr.Claim)
	}
	if tr.Hash != "" {
		where.add("input_hash = ?", tr.Hash)
	}
	if tr.Rev != 0 {
		where.add("rev = ?", tr.Rev)
	}
	if tr.Saw != 0 {
		where.add("? BETWEEN shown_rev AND rev", tr.Saw)
	}
	if tr.Stayed {
		where.add("session_rev <= ?", tr.Saw)
	}
	return where
}
