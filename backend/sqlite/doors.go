package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sort"

	"sekisho/backend/callsql"
	"sekisho/backend/permission"
)

// asksTheSame is the condition of a call that another door may have asked about: with the
// same agent, input, folder and data, and the same id or, where one of the two has no id of
// its own, the same session. Who does not know the folder asks in any.
const asksTheSame = "agent_id = ?1 AND " + askedHash + ` = ?2 AND (?3 IS NULL OR cwd IS ?3) AND resume_schema IS ?4
	AND (tool_call_id = ?5 OR session_id = ?6 AND (?7 OR substr(tool_call_id, 1, 4) = 'ask:'))`

// sameQuestion finds what a door may join: the oldest call that waits, else the newest yes. A
// person's yes stands whatever the rules say by now, but for a no; that of a rule or a grant
// only where they still say so.
const sameQuestion = `WITH found AS (
	SELECT seq, id, run_id, tool_call_id, session_id, caller_gone, status, decision FROM calls
		WHERE ` + callsql.Open + " AND " + asksTheSame + ` AND (expires_at IS NULL OR expires_at > ?8)
	UNION ALL SELECT seq, id, run_id, tool_call_id, session_id, caller_gone, status, decision FROM calls
		WHERE status = 'claimed' AND lease_expires_at > ?8 AND claim_key = tool_call_id AND ` + asksTheSame + `
	UNION ALL SELECT seq, id, run_id, tool_call_id, session_id, caller_gone, status, decision FROM calls
		WHERE ` + handed + ` AND status = 'completed' AND lease_expires_at > ?8 AND ` + asksTheSame + `)
	SELECT id, run_id, tool_call_id, session_id, caller_gone FROM found
	WHERE IIF(status = 'pending', ?9, json_extract(` + decided + `, '$.by') IN ('person', ?10, ?11))
	ORDER BY status = 'pending' DESC, IIF(status = 'pending', seq, -seq) LIMIT 1`

// joinDoor finds the call of a question that has come by another door, and takes it up
// under its own name where its caller has gone.
func joinDoor(t *tx, sus permission.Suspension) (permission.Call, bool, error) {
	c := sus.Call
	rule, grant := "", ""
	switch {
	case c.Status != permission.Pending:
		rule, grant = string(permission.ByRule), string(permission.ByGrant)
	case !sus.Hold:
		grant = string(permission.ByGrant)
	}
	var id permission.CallID
	var gone bool
	asked := c
	err := t.QueryRow(sameQuestion, c.AgentID, c.AskedHash(), optional(c.Cwd), []byte(c.ResumeSchema), c.ToolCallID, c.SessionID, sus.Unnamed,
		c.CreatedAt, c.Status == permission.Pending, rule, grant).Scan(&id, &asked.RunID, &asked.ToolCallID, &asked.SessionID, &gone)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	if err == nil && gone {
		c, err = takeUp(t, id, asked, nil)
		return c, err == nil, err
	}
	if err == nil {
		c, err = scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE id = ?", id))
	}
	if err != nil {
		return c, false, fmt.Errorf("join call of another door: %w", err)
	}
	return c, true, nil
}

// named gives a call without an id its number: that of the first of its name that is not
// settled, which it joins, else the next one.
func (n *comer) named(t *tx) (*comer, error) {
	if !n.Unnamed {
		return n, nil
	}
	base, failed := n.Call.ToolCallID, error(nil)
	settled := func(i int) bool {
		name := fmt.Sprintf("%s:%d", base, i)
		of := identity(n.Call.AgentID, n.Call.RunID, name)
		var over bool
		err := t.QueryRow("SELECT status NOT IN ('pending','approved','claimed') FROM calls WHERE "+sameCall,
			n.Call.AgentID, of, n.Call.RunID, name, nil, nil, t.w.recent[of]).Scan(&over)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			failed = err
		}
		return over
	}
	most := 1
	for settled(most - 1) {
		most *= 2
	}
	number := sort.Search(most, func(i int) bool { return !settled(i) })
	if failed != nil {
		return n, fmt.Errorf("name call: %w", failed)
	}
	sus := n.Suspension
	sus.Entries = slices.Clone(sus.Entries)
	for i, e := range sus.Entries {
		sus.Entries[i].Data = bytes.ReplaceAll(e.Data, []byte(base), fmt.Appendf(nil, "%s:%d", base, number))
	}
	if sus.Call.ToolCallID = fmt.Sprintf("%s:%d", base, number); sus.Call.ClaimKey == base {
		sus.Call.ClaimKey = sus.Call.ToolCallID
	}
	return newComer(sus)
}
