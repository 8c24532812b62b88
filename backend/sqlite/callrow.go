package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// callRow is a row of the table calls as the database has it. A column is named in this
// type, in the lists of columns below, and where a call is made of a row and a row of a call.
type callRow struct {
	id, status, risk                    string
	held, callerGone, inputWiped        bool
	created                             int64
	decided, expires, patience, lease   sql.NullInt64
	timeout                             int64
	agent, session, run, toolCall       string
	agentName                           string
	server, method                      sql.NullString
	tool                                string
	round                               sql.NullString
	inputHash                           string
	originalHash, envelopeHash, asked   sql.NullString
	claim, key                          sql.NullString
	why                                 string
	decision                            sql.NullString
	reasons                             string
	asking, cwd, sight                  sql.NullString
	description                         string
	schema                              []byte
	input, original, envelope           []byte
	data, result                        []byte
	allowed                             sql.NullInt64
	allowedBy                           sql.NullString
	resumeRequired, inputFixed          sql.NullInt64
	subagent                            sql.NullString
	rev, shownRev, sessionRev, identity int64
	rowCheck, largeCheck                sql.NullInt64
}

// column is a column of the table calls, and where a row has its value: a pointer to a
// string, int64, bool, []byte, sql.NullString or sql.NullInt64.
type column struct {
	name string
	at   any
}

// columns are those of the table, but for seq: first those that row_check is of, in the order
// of their places in that sum, then from input on those that large_check is of, which lists
// leave out, and from rev on all others. Places never change: a later column of a sum comes
// last in it.
func (r *callRow) columns() []column {
	return []column{
		{"id", &r.id}, {"status", &r.status}, {"risk", &r.risk}, {"held", &r.held}, {"caller_gone", &r.callerGone},
		{"input_wiped", &r.inputWiped}, {"created_at", &r.created}, {"decided_at", &r.decided}, {"expires_at", &r.expires},
		{"patience_until", &r.patience}, {"lease_expires_at", &r.lease}, {"timeout", &r.timeout}, {"agent_id", &r.agent},
		{"session_id", &r.session}, {"run_id", &r.run}, {"tool_call_id", &r.toolCall}, {"agent_name", &r.agentName},
		{"server_id", &r.server}, {"method", &r.method}, {"tool_name", &r.tool}, {"round", &r.round}, {"input_hash", &r.inputHash},
		{"original_hash", &r.originalHash}, {"envelope_hash", &r.envelopeHash}, {"asked_hash", &r.asked}, {"claim_id", &r.claim},
		{"claim_key", &r.key}, {"why", &r.why}, {"decision", &r.decision}, {"risk_reasons", &r.reasons}, {"asking", &r.asking},
		{"cwd", &r.cwd}, {"sight", &r.sight}, {"description", &r.description}, {"resume_schema", &r.schema},
		{"allowed_at", &r.allowed}, {"allowed_by", &r.allowedBy}, {"resume_required", &r.resumeRequired},
		{"subagent", &r.subagent}, {"input_fixed", &r.inputFixed},

		{"input", &r.input}, {"original_input", &r.original}, {"envelope", &r.envelope}, {"resume_data", &r.data}, {"result", &r.result},

		{"rev", &r.rev}, {"shown_rev", &r.shownRev}, {"session_rev", &r.sessionRev}, {"identity", &r.identity},
		{"row_check", &r.rowCheck}, {"large_check", &r.largeCheck},
	}
}

// handed is the condition of the partial index calls_handed, to the letter.
const handed = "result = x'7b2268616e6465644f766572223a747275657d'"

// briefResult is the result in briefColumns: only that of a call which was handed over. Its
// length is known without reading it.
const briefResult = "IIF(octet_length(result) = 19 AND " + handed + ", result, NULL)"

// Lists of columns by name. briefColumns are callColumns without those that can be large.
var (
	allColumns   = names(new(callRow).columns())
	firstLarge   = slices.Index(allColumns, "input")
	firstOther   = slices.Index(allColumns, "rev")
	smallColumns = allColumns[:firstLarge]
	largeColumns = allColumns[firstLarge:firstOther]
	callColumns  = strings.Join(allColumns, ", ")
	briefColumns = strings.Join(slices.Concat(smallColumns, slices.Repeat([]string{"NULL"}, len(largeColumns)-1), []string{briefResult},
		allColumns[firstOther:]), ", ")
	insertCall = "INSERT INTO calls (" + callColumns + ") VALUES (?" + strings.Repeat(",?", len(allColumns)-1) + ")"
)

func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// places are where a row has the values of its columns, for Scan, after some others.
func places(columns []column, before ...any) []any {
	at := append(make([]any, 0, len(before)+len(columns)), before...)
	for _, c := range columns {
		at = append(at, c.at)
	}
	return at
}

// pick are the named columns.
func (r *callRow) pick(names ...string) []column {
	all, picked := r.columns(), make([]column, len(names))
	for i, name := range names {
		picked[i] = all[slices.Index(allColumns, name)]
	}
	return picked
}

// value is the column's as a driver takes it.
func (c column) value() driver.Value {
	switch v := c.at.(type) {
	case *string:
		return *v
	case *int64:
		return *v
	case *bool:
		return *v
	case *[]byte:
		if *v != nil {
			return *v
		}
	case *sql.NullString:
		if v.Valid {
			return v.String
		}
	case *sql.NullInt64:
		if v.Valid {
			return v.Int64
		}
	}
	return nil
}

// take puts a value there that a driver gives: a string or a number.
func (c column) take(value driver.Value) {
	switch at := c.at.(type) {
	case *string:
		*at, _ = value.(string)
	case *int64:
		*at, _ = value.(int64)
	}
}

// args are the values of all columns of a new row, in which its checks are set.
func (r *callRow) args() []driver.NamedValue {
	columns := r.columns()
	r.rowCheck, r.largeCheck = present(r.sumOfSmall(columns)), present(sumOfLarge(columns))
	args := make([]driver.NamedValue, len(columns))
	for i, c := range columns {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: c.value()}
	}
	return args
}

// newCallRow is the row of a new call with an identity.
func newCallRow(c *permission.Call, identity int64) (*callRow, error) {
	why, err1 := json.Marshal(c.Why)
	reasons, err2 := json.Marshal(c.RiskReasons)
	decision, err3 := optionalJSON(c.Decision)
	asking, err4 := optionalAsking(&c.Asking)
	r := &callRow{
		id: string(c.ID), status: string(c.Status), risk: string(c.Risk), held: c.Held, callerGone: c.CallerGone, inputWiped: c.InputWiped,
		created: int64(c.CreatedAt), expires: optionalTime(c.ExpiresAt), patience: optionalTime(c.PatienceUntil),
		lease: optionalTime(c.LeaseExpiresAt), timeout: c.Timeout.Milliseconds(),
		agent: string(c.AgentID), session: string(c.SessionID), run: string(c.RunID), toolCall: c.ToolCallID, agentName: c.AgentName,
		server: optional(c.ServerID), method: optionalMethod(c.Method), tool: c.ToolName, round: optionalWord(string(c.Round)),
		inputHash: c.InputHash, envelopeHash: optional(c.EnvelopeHash), asked: optionalWord(c.Asked),
		claim: optional(c.ClaimID), key: sql.NullString{String: c.ClaimKey, Valid: c.ClaimID != nil},
		why: string(why), decision: decision, reasons: string(reasons), asking: asking, cwd: optional(c.Cwd),
		subagent: optional(c.Subagent), sight: optionalWord(string(c.Sight)), description: c.Description, schema: c.ResumeSchema,
		input: c.Input, envelope: c.Envelope, data: c.ResumeData, result: c.Result,
		rev: c.Rev, shownRev: 1, sessionRev: 1, identity: identity,
	}
	if c.Decision != nil {
		r.decided = present(int64(c.Decision.DecidedAt))
		if counted(c.Decision) {
			r.allowed, r.allowedBy = r.decided, optionalWord(string(c.Decision.By))
		}
	}
	if c.ResumeRequired {
		r.resumeRequired = present(1)
	}
	if c.InputFixed {
		r.inputFixed = present(1)
	}
	if c.Original != nil {
		r.original, r.originalHash = c.Original.Input, sql.NullString{String: c.Original.InputHash, Valid: true}
	}
	return r, errors.Join(err1, err2, err3, err4)
}

// plain is the row's call without what is kept as JSON, of the columns that were read.
func (r *callRow) plain() permission.Call {
	c := permission.Call{
		ID: permission.CallID(r.id), Rev: r.rev, ShownRev: r.shownRev, RunID: permission.RunID(r.run), ToolCallID: r.toolCall,
		Caller: permission.Caller{SessionID: permission.SessionID(r.session), AgentID: permission.AgentID(r.agent), AgentName: r.agentName,
			Subagent: pointer[string](r.subagent)},
		ServerID: pointer[string](r.server), Method: permission.CallTool, ToolName: r.tool, Input: r.input, InputHash: r.inputHash,
		Envelope: r.envelope, EnvelopeHash: pointer[string](r.envelopeHash), Description: r.description, Cwd: pointer[string](r.cwd),
		Status: permission.Status(r.status), Risk: permission.Risk(r.risk), CallerGone: r.callerGone, CreatedAt: permission.Time(r.created),
		ExpiresAt: permission.Time(r.expires.Int64), PatienceUntil: permission.Time(r.patience.Int64),
		ClaimID: pointer[permission.ClaimID](r.claim), LeaseExpiresAt: permission.Time(r.lease.Int64), Result: r.result,
		InputWiped: r.inputWiped, ResumeSchema: r.schema, ResumeData: r.data, ResumeRequired: r.resumeRequired.Valid,
		InputFixed: r.inputFixed.Valid, Asked: r.asked.String, Round: permission.RoundIssue(r.round.String),
		Sight: permission.Sight(r.sight.String), Timeout: time.Duration(r.timeout) * time.Millisecond, Held: r.held, ClaimKey: r.key.String,
	}
	if r.method.Valid {
		c.Method = r.method.String
	}
	if r.originalHash.Valid {
		c.Original = &permission.Edit{Input: r.original, InputHash: r.originalHash.String}
	}
	return c
}

// call is the row's call. It refuses a row that is not as it was written in its columns.
func (r *callRow) call(columns []column) (permission.Call, error) {
	c := r.plain()
	err := errors.Join(json.Unmarshal([]byte(r.why), &c.Why), json.Unmarshal([]byte(r.reasons), &c.RiskReasons))
	if r.decision.Valid {
		c.Decision = new(permission.Decision)
		err = errors.Join(err, json.Unmarshal([]byte(r.decision.String), c.Decision))
	}
	if r.asking.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(r.asking.String), &c.Asking))
	}
	spell(&c)
	if r.input == nil { // of a list
		c.Result = nil
	}
	if err == nil {
		err = words(&c)
	}
	if err == nil {
		err = r.holds(columns)
	}
	if err != nil {
		return c, &database.RowError{Row: "call " + string(c.ID), Err: err}
	}
	return c, nil
}

// words refuses a call of which a word is none that a desk writes: a turned bit makes such.
func words(c *permission.Call) error {
	if !slices.Contains(permission.Statuses[:], c.Status) {
		return fmt.Errorf("its status is %q", c.Status)
	}
	switch c.Risk {
	case permission.RiskLow, permission.RiskMedium, permission.RiskHigh:
	default:
		return fmt.Errorf("its risk is %q", c.Risk)
	}
	if d := c.Decision; d != nil {
		switch d.By {
		case permission.ByRule, permission.ByGrant, permission.ByPerson, permission.ByClock, permission.ByCaller, permission.ByGuard:
		default:
			return fmt.Errorf("it was decided by %q", d.By)
		}
	}
	return nil
}

// scanCall reads a call of callColumns or briefColumns, which stand after some others.
func scanCall(row database.Row, before ...any) (permission.Call, error) {
	r := new(callRow)
	columns := r.columns()
	if err := row.Scan(places(columns, before...)...); err != nil {
		return permission.Call{}, err
	}
	return r.call(columns)
}

func present(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: true} }

// optional is a string that may be none.
func optional[T ~string](s *T) sql.NullString {
	if s == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: string(*s), Valid: true}
}

// pointer is optional the other way round.
func pointer[T ~string](s sql.NullString) *T {
	if !s.Valid {
		return nil
	}
	return new(T(s.String))
}

// optionalWord is a string of which the empty one is none.
func optionalWord(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// optionalMethod is a call's method: that of tool calls stands for itself as NULL.
func optionalMethod(method string) sql.NullString {
	return sql.NullString{String: method, Valid: method != "" && method != permission.CallTool}
}

// optionalTime is a time of which 0 is none.
func optionalTime(t permission.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(t), Valid: !t.IsZero()}
}

// optionalJSON is a value as JSON.
func optionalJSON[T any](v *T) (sql.NullString, error) {
	if v == nil {
		return sql.NullString{}, nil
	}
	raw, err := json.Marshal(v)
	return sql.NullString{String: string(raw), Valid: true}, err
}

// optionalAsking is how a call asks as JSON, which is none of one that never waited.
func optionalAsking(a *permission.Asking) (sql.NullString, error) {
	if len(a.Questions) == 0 {
		return sql.NullString{}, nil
	}
	return optionalJSON(a)
}

// spell adds to a call what its row says in other words: of one that waits, how far an answer
// can reach.
func spell(c *permission.Call) {
	c.HandedOver = c.Status == permission.Completed && string(c.Result) == permission.HandedOverResult
	if c.Questions == nil {
		c.Questions = []string{}
	}
	if c.Covers = nil; c.Status == permission.Pending {
		c.Covers = c.Spread()
	}
}

// null writes a Time of none as NULL.
func null(t permission.Time) any {
	if t.IsZero() {
		return nil
	}
	return int64(t)
}

// counted reports whether a decision is one that the brake counts.
func counted(d *permission.Decision) bool {
	return d != nil && d.Approved && (d.By == permission.ByRule || d.By == permission.ByGrant)
}
