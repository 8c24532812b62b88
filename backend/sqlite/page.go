package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// maxPage bounds what one page carries, in bytes: inputs and results of calls can be
// 32 MiB each, the journal's entry of an import nearly so, and a page is in memory several
// times over on its way out.
const maxPage = 4 << 20

// What a call of a page carries, in bytes, and what it carries beside that when it is not
// brief. SQLite knows the lengths without reading the values.
const (
	briefBytes = "octet_length(tool_name) + octet_length(description) + IFNULL(octet_length(server_id), 0) + IFNULL(octet_length(resume_schema), 0)"
	largeBytes = "IFNULL(octet_length(input), 0) + IFNULL(octet_length(result), 0) + IFNULL(octet_length(original_input), 0) + IFNULL(octet_length(resume_data), 0) + IFNULL(octet_length(envelope), 0)"
)

// What a brief page reads of inputs, that it can be told what its calls do: those of so many
// bytes at most, with what stands beside them, until they come to so many together.
const (
	maxSmall  = 64 << 10
	maxSmalls = 4 << 20
)

// page gathers calls until the next one would be too much.
type page struct {
	calls []permission.Call
	seqs  []int64
	large []int64 // the bytes of a call's large columns
	limit int     // calls
	bytes int64

	damaged func(error) bool // such a call is left out
}

// add takes the next call, or says that the page is full. One call there is in any case.
func (p *page) add(c permission.Call, seq, bytes, large int64) (full bool) {
	if len(p.calls) == p.limit || len(p.calls) > 0 && p.bytes+bytes > maxPage {
		return true
	}
	p.calls, p.seqs, p.large, p.bytes = append(p.calls, c), append(p.seqs, seq), append(p.large, large), p.bytes+bytes
	return false
}

// last is the place of the last call; 0 of none.
func (p *page) last() int64 {
	if len(p.seqs) == 0 {
		return 0
	}
	return p.seqs[len(p.seqs)-1]
}

// listBrief gathers the calls of a page, without what can be large.
func listBrief(ctx context.Context, t *sql.Tx, f permission.CallFilter, p *page) (next int64, err error) {
	where, order := callsql.Filter(f), " ORDER BY seq DESC LIMIT ?"
	if f.Oldest {
		order = " ORDER BY seq LIMIT ?"
	}
	rows, err := t.QueryContext(ctx,
		"SELECT seq, "+briefBytes+", "+largeBytes+", "+briefColumns+" FROM calls WHERE "+strings.Join(where.Text, " AND ")+order,
		append(where.Args, f.Limit+1)...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var seq, bytes, large int64
	read := 0
	for ; rows.Next(); read++ {
		c, err := scanCall(rows, &seq, &bytes, &large)
		if p.damaged(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if !f.Brief {
			bytes += large
		}
		if p.add(c, seq, bytes, large) {
			return p.last(), nil
		}
	}
	if read > f.Limit { // the damaged ones among them made room for the last
		return seq, rows.Err()
	}
	return 0, rows.Err()
}

// fill reads what briefColumns leave out.
func (p *page) fill(ctx context.Context, t *sql.Tx) error {
	kept := p.calls[:0]
	err := p.each(ctx, t, func(i int, read *sql.Stmt) error {
		c := p.calls[i]
		err := fill(ctx, read, p.seqs[i], &c)
		if p.damaged(err) {
			return nil
		}
		kept = append(kept, c)
		return err
	})
	p.calls = kept
	return err
}

// fillSmall reads the small inputs of a brief page. One that is damaged stays away: what is
// brief of its call is sound.
func (p *page) fillSmall(ctx context.Context, t *sql.Tx) error {
	left := int64(maxSmalls)
	return p.each(ctx, t, func(i int, read *sql.Stmt) error {
		if p.large[i] > min(maxSmall, left) {
			return nil
		}
		left -= p.large[i]
		c := p.calls[i]
		err := fill(ctx, read, p.seqs[i], &c)
		if err == nil {
			p.calls[i].Input = c.Input
		} else if p.damaged(err) {
			err = nil
		}
		return err
	})
}

// each calls do for each call of the page, with a statement that reads large columns.
func (p *page) each(ctx context.Context, t *sql.Tx, do func(i int, read *sql.Stmt) error) error {
	if len(p.calls) == 0 {
		return nil
	}
	read, err := t.PrepareContext(ctx, "SELECT large_check, "+strings.Join(largeColumns, ", ")+" FROM calls WHERE seq = ?")
	if err != nil {
		return err
	}
	defer read.Close()
	for i := range p.calls {
		if err := do(i, read); err != nil {
			return err
		}
	}
	return nil
}

func fill(ctx context.Context, read *sql.Stmt, seq int64, c *permission.Call) error {
	var r callRow
	columns := r.columns()
	if err := read.QueryRowContext(ctx, seq).Scan(places(columns[firstLarge:firstOther], &r.largeCheck)...); err != nil {
		return err
	}
	c.Input, c.Result, c.ResumeData, c.Envelope = r.input, r.result, r.data, r.envelope
	if c.Original != nil {
		c.Original.Input = r.original
	}
	if err := r.largeHold(columns); err != nil {
		return &database.RowError{Row: "call " + string(c.ID), Err: err}
	}
	return nil
}
