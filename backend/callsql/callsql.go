// Package callsql writes the conditions in SQL by which rows of calls are found.
package callsql

import (
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// Open is the condition of the partial index calls_open, to the letter: without it
// SQLite would walk all history for the few calls that are open.
const Open = "status IN ('pending','approved')"

// ByExecutor is the condition of a call that an executor has claimed; see ByExecutor of package projects.
const ByExecutor = "claim_key IS NOT NULL AND claim_key <> tool_call_id AND instr(claim_key, '" + permission.ExecutorClaims + "') = 1"

// Clauses gathers SQL text and its arguments side by side.
type Clauses struct {
	Text []string
	Args []any
}

// Add adds text with its arguments.
func (c *Clauses) Add(text string, args ...any) {
	c.Text = append(c.Text, text)
	c.Args = append(c.Args, args...)
}

// Filter lets through the rows of calls that a list asks for.
func Filter(f permission.CallFilter) Clauses {
	var where Clauses
	where.Add("1 = 1")
	if f.Agent != "" {
		where.Add("agent_id = ?", f.Agent)
	}
	if n := len(f.Statuses); n > 0 {
		if !slices.ContainsFunc(f.Statuses, func(s permission.Status) bool { return s != permission.Pending && s != permission.Approved }) {
			where.Add(Open)
		} else if n == 1 && f.Statuses[0] == permission.InDoubt {
			where.Add("status = 'in_doubt'") // to the letter, for its index
		}
		args := make([]any, n)
		for i, s := range f.Statuses {
			args[i] = s
		}
		where.Add("status IN (?"+strings.Repeat(",?", n-1)+")", args...)
	}
	if f.RunID != "" {
		where.Add("run_id = ?", f.RunID)
	}
	if f.SessionID != "" {
		where.Add("session_id = ?", f.SessionID)
	}
	if f.Text != "" {
		where.contain(f.Text, "tool_name", "server_id", "agent_name", "subagent", "session_id")
	}
	if f.Before > 0 && f.Oldest {
		where.Add("seq > ?", f.Before)
	} else if f.Before > 0 {
		where.Add("seq < ?", f.Before)
	}
	return where
}

// literal takes the sense from what LIKE reads as a sign.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// contain lets rows through of which one of the columns has text somewhere. SQLite
// takes the letters of ASCII alone as equal in both cases.
func (c *Clauses) contain(text string, columns ...string) {
	like, pattern := make([]string, len(columns)), "%"+literal.Replace(text)+"%"
	args := make([]any, len(columns))
	for i, column := range columns {
		like[i], args[i] = column+` LIKE ? ESCAPE '\'`, pattern
	}
	c.Add("("+strings.Join(like, " OR ")+")", args...)
}

// Guards lets through the row of a call if a transition may be made of it.
func Guards(tr permission.Transition) Clauses {
	where := Clauses{Text: make([]string, 0, 8), Args: make([]any, 0, 8)}
	where.Add("id = ?", tr.ID)
	from := make([]any, len(tr.From))
	for i, s := range tr.From {
		from[i] = s
	}
	where.Add("status IN (?"+strings.Repeat(",?", len(from)-1)+")", from...)
	if tr.Agent != "" {
		where.Add("agent_id = ?", tr.Agent)
	}
	if tr.Live {
		where.Add("(expires_at IS NULL OR expires_at > ?)", tr.At)
	}
	if tr.Due {
		where.Add("expires_at <= ?", tr.At)
	}
	if tr.Leased {
		where.Add("lease_expires_at > ?", tr.At)
	}
	if tr.Lapsed {
		where.Add("lease_expires_at <= ?", tr.At)
	}
	if tr.Attached {
		where.Add("caller_gone = 0")
	}
	if tr.Gone {
		where.Add("caller_gone = 1")
	}
	if tr.Claim != "" {
		where.Add("claim_id = ?", tr.Claim)
	}
	if tr.Hash != "" {
		where.Add("input_hash = ?", tr.Hash)
	}
	if tr.Rev != 0 {
		where.Add("rev = ?", tr.Rev)
	}
	if tr.Saw != 0 {
		where.Add("? BETWEEN shown_rev AND rev", tr.Saw)
	}
	if tr.Stayed {
		where.Add("session_rev <= ?", tr.Saw)
	}
	return where
}
