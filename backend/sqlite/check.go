package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"sekisho/backend/permission"
)

// The check of a call's row is the sum of a part of each column: a number made of the
// column's place in its list and of its value; NULL has the part 0. A change of the row
// takes the parts of the old values off and adds those of the new ones. It does not make
// the sum anew, which would make damage that nobody has read yet look whole.

// checkedColumns are those of row_check, in the order in which callRow sums them up.
// Places never change: a later column comes last.
var checkedColumns = []string{
	"id", "status", "risk", "held", "caller_gone", "input_wiped", "created_at", "decided_at", "expires_at", "patience_until",
	"lease_expires_at",
	"timeout", "agent_id", "session_id", "run_id", "tool_call_id", "agent_name", "server_id", "method", "tool_name", "round",
	"input_hash", "original_hash", "envelope_hash", "asked_hash", "claim_id", "claim_key", "why", "decision", "risk_reasons", "asking", "cwd",
	"sight",
	"description", "resume_schema",
}

// The columns of large_check, which lists leave out.
const (
	inputPlace = iota + 101
	originalPlace
	envelopePlace
	dataPlace
	resultPlace
)

// Revs are in row_check too, each times its own odd number: SQL can add to such a part.
const (
	revWeight     = 0x2545f491
	shownWeight   = 0x1f83d9ab
	sessionWeight = 0x5be0cd19
)

// checkMask keeps sums of parts within what SQLite adds as integers.
const checkMask = 1<<56 - 1

// partFunction is a part in SQL, which the writer's connection knows.
const partFunction = "call_part"

// writing opens the writer's connection, which has partFunction.
type writing struct {
	sqlite3.SQLiteDriver
	dsn string
}

// newWriting is the connector to a database.
func newWriting(dsn string) *writing {
	w := &writing{dsn: dsn}
	w.ConnectHook = func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc(partFunction, func(place int64, value any) int64 { return int64(part(int(place), value)) }, true)
	}
	return w
}

// Connect opens a connection.
func (w *writing) Connect(context.Context) (driver.Conn, error) { return w.Open(w.dsn) }

// Driver is the driver of the connections.
func (w *writing) Driver() driver.Driver { return &w.SQLiteDriver }

// part is that of a value as a driver gives it.
func part(place int, value any) uint64 {
	switch v := value.(type) {
	case nil:
		return 0
	case string:
		return textPart(place, v)
	case []byte:
		return blobPart(place, v)
	case int64:
		return intPart(place, v)
	case bool:
		return flagPart(place, v)
	}
	return mixed(place, 'x', 0) // a number that no column holds
}

func textPart(place int, v string) uint64 { return mixed(place, 't', digest(v)) }

func blobPart(place int, v []byte) uint64 { return mixed(place, 'b', digest(v)) }

func intPart(place int, v int64) uint64 { return mixed(place, 'i', uint64(v)) }

func flagPart(place int, v bool) uint64 {
	if v {
		return intPart(place, 1)
	}
	return intPart(place, 0)
}

// mixed makes a part of a place, a type and a number. Each step but the last is one to
// one, as are those of digest: what differs in one bit has another part, but for the one
// case in 2⁵⁶ that the mask makes.
func mixed(place int, kind byte, x uint64) uint64 {
	x += uint64(place<<8|int(kind)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) & checkMask
}

// digest is a number of some bytes, eight at a time: it stands in the way of a call.
func digest[T string | []byte](v T) uint64 {
	const odd = 0x9fb21c651e98df25
	h := uint64(len(v)) * odd
	for ; len(v) >= 8; v = v[8:] {
		h = (h ^ (uint64(v[0]) | uint64(v[1])<<8 | uint64(v[2])<<16 | uint64(v[3])<<24 | uint64(v[4])<<32 | uint64(v[5])<<40 | uint64(
			v[6])<<48 | uint64(v[7])<<56)) * odd
		h ^= h >> 32
	}
	for i := range len(v) {
		h = (h ^ uint64(v[i])) * odd
		h ^= h >> 32
	}
	return h
}

// revParts are those of a call's revs.
func revParts(rev, shown, session int64) uint64 {
	return uint64(rev)*revWeight + uint64(shown)*shownWeight + uint64(session)*sessionWeight
}

// rowSum adds the parts of checked columns up, in their order.
type rowSum struct {
	sum   uint64
	place int
}

// next is the place of the next column.
func (s *rowSum) next() int {
	s.place++
	return s.place
}

func (s *rowSum) text(v string) { s.sum += textPart(s.next(), v) }

func (s *rowSum) int(v int64) { s.sum += intPart(s.next(), v) }

func (s *rowSum) flag(v bool) { s.sum += flagPart(s.next(), v) }

func (s *rowSum) some(v sql.NullString) {
	if at := s.next(); v.Valid {
		s.sum += textPart(at, v.String)
	}
}

func (s *rowSum) time(v sql.NullInt64) {
	if at := s.next(); v.Valid {
		s.sum += intPart(at, v.Int64)
	}
}

func (s *rowSum) blob(v []byte) {
	if at := s.next(); v != nil {
		s.sum += blobPart(at, v)
	}
}

// rowCheck is that of a row as it was read, of checkedColumns one by one.
func (r *callRow) rowCheck(c *permission.Call) int64 {
	s := rowSum{sum: revParts(c.Rev, c.ShownRev, r.sessionRev)}
	s.text(string(c.ID))
	s.text(string(c.Status))
	s.text(string(c.Risk))
	s.flag(c.Held)
	s.flag(c.CallerGone)
	s.flag(c.InputWiped)
	s.int(int64(c.CreatedAt))
	s.time(r.decided)
	s.time(r.expires)
	s.time(r.patience)
	s.time(r.lease)
	s.int(r.timeout)
	s.text(string(c.AgentID))
	s.text(string(c.SessionID))
	s.text(string(c.RunID))
	s.text(c.ToolCallID)
	s.text(c.AgentName)
	s.some(nullable(c.ServerID))
	s.some(r.method)
	s.text(c.ToolName)
	s.some(r.round)
	s.text(c.InputHash)
	s.some(r.originalHash)
	s.some(nullable(c.EnvelopeHash))
	s.some(r.asked)
	s.some(nullable(c.ClaimID))
	s.some(r.key)
	s.text(r.why)
	s.some(r.decision)
	s.text(r.reasons)
	s.some(r.asking)
	s.some(nullable(c.Cwd))
	s.some(r.sight)
	s.text(c.Description)
	s.blob(r.schema)
	return int64(s.sum & checkMask)
}

func nullable[T ~string](v *T) sql.NullString {
	if v == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: string(*v), Valid: true}
}

// largeCheck is that of the large columns; nil is NULL.
func largeCheck(input, original, envelope, data, result []byte) int64 {
	s := rowSum{place: inputPlace - 1}
	for _, v := range [...][]byte{input, original, envelope, data, result} {
		s.blob(v)
	}
	return int64(s.sum & checkMask)
}

var (
	errRow   = errors.New("it is not what was written")
	errLarge = errors.New("its input or its result is not what was written")
)

// holds refuses a row that is not as it was written, or has no check.
func (r *callRow) holds(c *permission.Call) error {
	if !r.check.Valid || r.check.Int64 != r.rowCheck(c) {
		return errRow
	}
	if brief := r.input == nil; brief {
		return nil
	}
	return r.largeHold()
}

// largeHold is holds for the large columns alone.
func (r *callRow) largeHold() error {
	if !r.large.Valid || r.large.Int64 != largeCheck(r.input, r.original, r.envelope, r.data, r.result) {
		return errLarge
	}
	return nil
}

// newRowCheck is the check of a new row, which has values for newColumns.
func newRowCheck(rev int64, values []driver.NamedValue) int64 {
	sum := revParts(rev, 1, 1) + flagPart(checkedBy["input_wiped"].place, false) // what the table gives by itself
	for i, place := range newPlaces {
		if place > 0 {
			sum += part(place, values[i].Value)
		}
	}
	return int64(sum & checkMask)
}

// newPlaces are those of newColumns; 0 is none.
var newPlaces = func() []int {
	places := make([]int, len(newColumns))
	for i, column := range newColumns {
		places[i] = checkedBy[column].place
	}
	return places
}()

// checked is a column of row_check: its place, and SQL that gives it a value and that takes
// the part of its old value off a sum.
type checked struct {
	place       int
	assign, was string
}

var checkedBy = func() map[string]checked {
	m := make(map[string]checked, len(checkedColumns))
	for i, column := range checkedColumns {
		m[column] = checked{i + 1, column + " = ?", was(i+1, column)}
	}
	// A guard names the old status. It is known here what that can be.
	status, text := m["status"], " - CASE status"
	for _, s := range permission.Statuses {
		text += fmt.Sprintf(" WHEN '%s' THEN %d", s, textPart(status.place, string(s)))
	}
	status.was = text + " END"
	m["status"] = status
	return m
}()

func was(place int, column string) string {
	return fmt.Sprintf(" - IIF(%s IS NULL, 0, %s(%d, %s))", column, partFunction, place, column)
}

var (
	wasInput  = was(inputPlace, "input")
	wasData   = was(dataPlace, "resume_data")
	wasResult = was(resultPlace, "result")
)

// keepsFirst adds the part of a column that takes another's old value if it has none.
func keepsFirst(place int, column, from string) string {
	return fmt.Sprintf(" + IIF(%s IS NULL, %s(%d, %s), 0)", column, partFunction, place, from)
}

var (
	keepsFirstHash  = keepsFirst(checkedBy["original_hash"].place, "original_hash", "input_hash")
	keepsFirstInput = keepsFirst(originalPlace, "original_input", "input")
)

// setting is what a change of a call sets, and what that adds to the row's checks: a number,
// and SQL for what is known in the row alone.
type setting struct {
	clauses
	row, large     uint64
	inRow, inLarge string
	inRowArgs      []any
}

// put assigns a value to a checked column.
func (s *setting) put(column string, value any) {
	of, ok := checkedBy[column]
	if !ok {
		panic("no check is of the column " + column)
	}
	s.add(of.assign, value)
	s.row += part(of.place, value)
	s.inRow += of.was
}

// putLarge assigns a value to a large column. was takes its old one off.
func (s *setting) putLarge(place int, column string, value []byte, was string) {
	s.add(column+" = ?", value)
	s.large += blobPart(place, value)
	s.inLarge += was
}

// revised counts the change, and with shows that it may change what a person is shown.
func (s *setting) revised(shows bool) {
	s.add("rev = rev + 1")
	s.row += revWeight
	if shows {
		s.add("shown_rev = rev + 1")
		s.inRow += shownAnew
	}
}

var shownAnew = fmt.Sprintf(" + (rev + 1 - shown_rev) * %d", shownWeight)

// summed sets the checks, which comes last.
func (s *setting) summed() clauses {
	s.add("row_check = (row_check + ?"+s.inRow+masked, int64(s.row&checkMask))
	s.args = append(s.args, s.inRowArgs...)
	if s.inLarge != "" {
		s.add("large_check = (large_check + ?"+s.inLarge+masked, int64(s.large&checkMask))
	}
	return s.clauses
}

var masked = fmt.Sprintf(") & %d", checkMask)
