package sqlite

import (
	"encoding/json"
	"fmt"
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
	set := setting{clauses: clauses{make([]string, 0, 8), make([]any, 0, 16)}}
	set.revised(tr.Shows())
	if tr.To != "" {
		set.put("status", string(tr.To))
	}
	if tr.Decision != nil {
		decision, err := optionalJSON(tr.Decision)
		if err != nil {
			return set.clauses, err
		}
		set.put("decision", decision.String)
		set.put("decided_at", int64(tr.Decision.DecidedAt))
		if tr.Decision.Approved {
			set.put("allowed_at", int64(tr.Decision.DecidedAt))
			set.put("allowed_by", string(tr.Decision.By))
		}
	}
	if tr.Undecided {
		set.put("decision", nil)
		set.put("decided_at", nil)
	}
	if tr.Why != nil {
		why, err := json.Marshal(tr.Why)
		if err != nil {
			return set.clauses, err
		}
		set.put("why", string(why))
	}
	if tr.Asking != nil {
		asking, err := json.Marshal(tr.Asking)
		if err != nil {
			return set.clauses, err
		}
		set.put("asking", string(asking))
	}
	if tr.ExpiresAt != nil {
		set.put("expires_at", null(*tr.ExpiresAt))
	}
	if c := tr.NewClaim; c != nil {
		set.put("claim_id", string(c.ID))
		set.put("claim_key", c.Key)
		set.put("lease_expires_at", null(c.Until))
	}
	if tr.Unclaim {
		set.put("claim_id", nil)
		set.put("claim_key", nil)
		set.put("lease_expires_at", nil)
	}
	if tr.Lease != nil {
		set.put("lease_expires_at", null(*tr.Lease))
	}
	if tr.Result != nil {
		set.put("result", []byte(tr.Result))
	}
	if tr.SetGone != nil {
		set.put("caller_gone", *tr.SetGone)
	}
	if tr.Edited != nil {
		set.edit(tr.Edited)
	}
	if tr.Sight != nil {
		set.put("sight", string(*tr.Sight))
	}
	if tr.ResumeData != nil {
		set.put("resume_data", []byte(tr.ResumeData))
	}
	if tr.Rebind != nil {
		set.rebind(tr.Agent, tr.Rebind)
	}
	return set.summed(), nil
}

// edit puts another input. The first is the caller's, whatever came after.
func (s *setting) edit(e *permission.Edit) {
	s.add("original_input = COALESCE(original_input, input), original_hash = COALESCE(original_hash, input_hash)")
	s.inRow += keepsFirstHash
	s.inLarge += keepsFirstInput
	s.put("input", []byte(e.Input))
	s.put("input_hash", e.InputHash)
}

// rebind hands the call to the caller that has it from now on.
func (s *setting) rebind(agent permission.AgentID, i *permission.Identity) {
	s.add("identity = ?", identity(agent, i.RunID, i.ToolCallID))
	s.put("run_id", string(i.RunID))
	s.put("tool_call_id", i.ToolCallID)
	s.put("session_id", string(i.SessionID))
	s.put("held", i.Held)
	s.put("patience_until", null(i.Patience))
	s.add("session_rev = IIF(session_id = ?, session_rev, rev + 1)", string(i.SessionID))
	s.inRow += fmt.Sprintf(" + IIF(session_id = ?, 0, (rev + 1 - session_rev) * %d)", sessionWeight)
	s.inRowArgs = append(s.inRowArgs, string(i.SessionID))
}

func guards(tr permission.Transition) clauses {
	where := clauses{make([]string, 0, 8), make([]any, 0, 8)}
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
