package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"sekisho/backend/callsql"
	"sekisho/backend/permission"
)

// transitionSQL is the one guarded UPDATE of a Transition, giving the columns.
func transitionSQL(tr permission.Transition, columns string) (string, []any, error) {
	set, err := assignments(tr)
	if err != nil {
		return "", nil, err
	}
	where := callsql.Guards(tr)
	query := "UPDATE calls SET " + strings.Join(set.Text, ", ") + " WHERE " + strings.Join(where.Text, " AND ") + " RETURNING " + columns
	return query, append(set.Args, where.Args...), nil
}

func assignments(tr permission.Transition) (callsql.Clauses, error) {
	set := setting{Clauses: callsql.Clauses{Text: make([]string, 0, 8), Args: make([]any, 0, 16)}}
	set.revised(tr.Shows())
	if tr.To != "" {
		set.put("status", string(tr.To))
	}
	if tr.Decision != nil {
		decision, err := optionalJSON(tr.Decision)
		if err != nil {
			return set.Clauses, err
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
			return set.Clauses, err
		}
		set.put("why", string(why))
	}
	if tr.Asking != nil {
		asking, err := json.Marshal(tr.Asking)
		if err != nil {
			return set.Clauses, err
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
	s.Add("original_input = COALESCE(original_input, input), original_hash = COALESCE(original_hash, input_hash)")
	s.inRow += keepsFirstHash
	s.inLarge += keepsFirstInput
	s.put("input", []byte(e.Input))
	s.put("input_hash", e.InputHash)
}

// rebind hands the call to the caller that has it from now on.
func (s *setting) rebind(agent permission.AgentID, i *permission.Identity) {
	s.Add("identity = ?", identity(agent, i.RunID, i.ToolCallID))
	s.put("run_id", string(i.RunID))
	s.put("tool_call_id", i.ToolCallID)
	s.put("session_id", string(i.SessionID))
	s.put("held", i.Held)
	s.put("patience_until", null(i.Patience))
	s.Add("session_rev = IIF(session_id = ?, session_rev, rev + 1)", string(i.SessionID))
	s.inRow += fmt.Sprintf(" + IIF(session_id = ?, 0, (rev + 1 - session_rev) * %d)", sessionWeight)
	s.inRowArgs = append(s.inRowArgs, string(i.SessionID))
}
