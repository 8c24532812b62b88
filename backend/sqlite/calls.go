package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// CallStore is the life of calls.
type CallStore struct {
	*base
	owed *owed
}

// Call gives one call; ErrNoRows of database/sql never leaves this room: an
// unknown id is a NotFound error.
func (s *CallStore) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := scanCall(s.reader.QueryRowContext(ctx, "SELECT "+callColumns+" FROM calls WHERE id = ?", id))
	s.damaged(err)
	return c, callErr(err, id)
}

func callErr(err error, id permission.CallID) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return permission.NotFound("call")
	}
	return fmt.Errorf("read call %s: %w", id, refused(err))
}

// Answerable waits until a call that came in claimed is on disk: its writer did not wait for
// that.
func (s *CallStore) Answerable(ctx context.Context, id permission.CallID) error {
	if err := s.writing.Reach(ctx, s.owed.entry(id)); err != nil {
		return s.health.outcome(err)
	}
	return nil // of a disk in trouble it says nothing
}

// Transit makes one guarded change. When the guards do not hold it answers
// permission.ErrGuard with the call as it stands.
func (s *CallStore) Transit(ctx context.Context, tr permission.Transition) (call permission.Call, err error) {
	if !tr.Unawaited {
		err = s.write(ctx, func(t *tx) (err error) {
			call, err = transit(t, tr)
			return err
		})
		return call, err
	}
	_, err = s.writeSoon(ctx, true, func(t *tx) (err error) {
		var ok bool
		if call, ok, err = transitSoon(t, tr); ok || err != nil {
			return err
		}
		call, err = transit(t, tr)
		return err
	})
	return call, err
}

// together is how many transitions of a list one transaction takes, so that
// others get their turn.
const together = 256

// TransitAll makes the changes of a list whose guards hold, and answers the calls
// that changed.
func (s *CallStore) TransitAll(ctx context.Context, list []permission.Transition) (changed []permission.Call, err error) {
	for len(list) > 0 {
		part := list[:min(together, len(list))]
		list = list[len(part):]
		var done []permission.Call
		err = s.write(ctx, func(t *tx) error {
			done, err = transitEach(t, part)
			return err
		})
		if err != nil {
			return changed, err
		}
		changed = append(changed, done...)
	}
	return changed, nil
}

// transitEach is TransitAll inside a transaction, a part of the list at a time.
func transitEach(t *tx, list []permission.Transition) (changed []permission.Call, err error) {
	for len(list) > 0 {
		part := list[:min(together, len(list))]
		list = list[len(part):]
		done, err := transitPart(t, part)
		if err != nil {
			return nil, err
		}
		changed = append(changed, done...)
	}
	return changed, nil
}

// transitPart makes the changes of a short list. A damaged call shows when it was changed:
// all is taken back then, and done again without it.
func transitPart(t *tx, list []permission.Transition) ([]permission.Call, error) {
	if _, err := t.Exec("SAVEPOINT list"); err != nil {
		return nil, err
	}
	mark, hits, counted, counts := t.Mark(), len(t.hits), len(t.counted), len(t.counts)
	for {
		changed, bad, err := attemptEach(t, list)
		if err == nil {
			_, err = t.Exec("RELEASE list")
			return changed, err
		}
		if !t.w.health.damaged(err) {
			return nil, err
		}
		if _, err := t.Exec("ROLLBACK TO list"); err != nil {
			return nil, err
		}
		t.Back(mark)
		t.hits, t.counts = t.hits[:hits], t.counts[:counts]
		t.uncount(counted)
		list = slices.Delete(slices.Clone(list), bad, bad+1)
	}
}

// attemptEach stops at the first that fails, and says which that is.
func attemptEach(t *tx, list []permission.Transition) (changed []permission.Call, bad int, err error) {
	for i, tr := range list {
		c, ok, err := attempt(t, tr, briefColumns) // a list of large calls is not kept in memory
		if errors.Is(err, permission.ErrSpent) {
			continue // a place that one before it took
		}
		if err != nil {
			return nil, i, err
		}
		if ok {
			changed = append(changed, c)
		}
	}
	return changed, 0, nil
}

// transit makes a change whose guards hold; else it answers ErrGuard with the call
// as it stands.
func transit(t *tx, tr permission.Transition) (permission.Call, error) {
	c, ok, err := attempt(t, tr, callColumns)
	if err != nil || ok {
		return c, err
	}
	c, err = scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE id = ?", tr.ID))
	if err := callErr(err, tr.ID); err != nil {
		return c, err
	}
	if tr.Agent != "" && c.AgentID != tr.Agent {
		return permission.Call{}, permission.NotFound("call")
	}
	return c, permission.ErrGuard
}

// attempt makes a change and its entry if the guards hold; ok says whether they
// did. The call has the given columns.
func attempt(t *tx, tr permission.Transition, columns string) (c permission.Call, ok bool, err error) {
	if err := current(t, tr.Policy); err != nil {
		return c, false, err
	}
	if t.spent(tr.Places, tr.At) {
		return c, false, permission.ErrSpent
	}
	query, args, err := transitionSQL(tr, columns)
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	was, err := t.before(&tr)
	if err != nil {
		return c, false, err
	}
	c, err = scanCall(t.QueryRow(query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, unchecked(tr.ID, err))
	}
	e := tr.Entry
	e.At = tr.At
	t.count(tr)
	if n, ok := tally.Change(&tr, &c, was); ok {
		t.counts = append(t.counts, n)
	}
	if err := t.allowed(&c, tr.Decision, tr.Places, tr.At); err != nil {
		return c, false, err
	}
	return c, true, t.Append(e, &c)
}

// naming are the columns that an event tells of a call, and how it stands.
var naming = [...]string{"id", "agent_id", "run_id", "session_id", "rev", "status"}

// transitSoon is attempt for a change whose call nobody wants to see.
func transitSoon(t *tx, tr permission.Transition) (c permission.Call, ok bool, err error) {
	if err := current(t, tr.Policy); err != nil {
		return c, false, err
	}
	query, values, err := transitionSQL(tr, strings.Join(naming[:], ", "))
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	t.Save()
	r := new(callRow)
	err = t.w.changing(query, values, r.pick(naming[:]...))
	if errors.Is(err, io.EOF) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, unchecked(tr.ID, err))
	}
	c = r.plain()
	e := tr.Entry
	e.At = tr.At
	return c, true, t.Append(e, &c)
}

// current refuses a judgement that an edit of the rules overtook; 0 is none.
func current(t *tx, policy int64) error {
	if policy == 0 {
		return nil
	}
	var version int64
	if err := t.QueryRow("SELECT version FROM policy").Scan(&version); err != nil {
		return fmt.Errorf("read policy: %w", err)
	}
	if version != policy {
		return permission.ErrOutdated
	}
	return nil
}

// count notes the hit of the rule that a change of a call comes from, where one does: a
// rule can settle what waits, forbid what was approved, or make it wait again.
func (t *tx) count(tr permission.Transition) {
	switch {
	case tr.Decision != nil && tr.Decision.RuleID != nil:
		t.hits = append(t.hits, hit{*tr.Decision.RuleID, tr.At})
	case tr.Undecided && tr.Why != nil && tr.Why.Rule != nil:
		t.hits = append(t.hits, hit{tr.Why.Rule.ID, tr.At})
	}
}
