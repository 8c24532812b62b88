package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// answered settles a new call by what a person said earlier in its session: a
// remembered decline of the same input first, then a grant.
func answered(t *tx, n *comer) (*comer, error) {
	sus := n.Suspension
	if err := remembered(t, &sus); err != nil {
		return n, fmt.Errorf("recall denial: %w", err)
	}
	if sus.Call.Status == permission.Pending {
		if err := granted(t, &sus); err != nil {
			return n, fmt.Errorf("look for grant: %w", err)
		}
	}
	if sus.Call.Status == permission.Pending {
		return n, nil
	}
	return newComer(sus)
}

func remembered(t *tx, sus *permission.Suspension) error {
	c := &sus.Call
	d := permission.Decision{By: permission.ByPerson, Scope: permission.ScopeOnce, DecidedAt: c.CreatedAt, Remembered: new(permission.CallID)}
	err := t.QueryRow(
		"UPDATE denials SET count = count + 1 WHERE agent_id = ? AND session_id = ? AND asked_hash = ? RETURNING call_id, reason, count",
		c.AgentID, c.SessionID, c.AskedHash()).Scan(d.Remembered, &d.Reason, &d.Count)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Status, c.ExpiresAt, c.Decision = permission.Declined, 0, &d
	return decidedBy(sus, permission.ActorDesk, map[string]any{"status": c.Status, "reason": d.Reason, "remembered": d.Remembered,
		"count": d.Count})
}

// granted settles a new call by the grants of its session.
func granted(t *tx, sus *permission.Suspension) error {
	c := &sus.Call
	grants, err := grantsOf(t, c)
	if err != nil {
		return err
	}
	by := permission.Covering(grants, c, sus.Hold, c.CreatedAt)
	if len(by) == 0 {
		return nil
	}
	c.Decision = grantDecision(by, c.CreatedAt)
	c.Status, c.ExpiresAt = permission.Declined, 0
	if c.Decision.Approved {
		c.Status, c.ExpiresAt = permission.Approved, sus.ClaimBy
	}
	if err := used(t, by); err != nil {
		return err
	}
	return decidedBy(sus, grantActor(by), map[string]any{"status": c.Status, "reason": c.Decision.Reason, "scope": c.Decision.Scope,
		"grantIds": c.Decision.GrantIDs})
}

// grantsOf reads the grants of a call's session, oldest first. Where one is damaged, which
// may be a no, no yes of the session stands.
func grantsOf(t *tx, c *permission.Call) (grants []permission.Grant, err error) {
	rows, err := t.Query("SELECT "+grantColumns+" FROM grants WHERE agent_id = ? AND session_id = ? ORDER BY seq", c.AgentID, c.SessionID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	doubt := false
	for rows.Next() {
		g, err := scanGrant(rows)
		if t.w.health.damaged(err) {
			doubt = true
			continue
		}
		if err != nil {
			return nil, err
		}
		grants = append(grants, g)
	}
	if doubt {
		grants = slices.DeleteFunc(grants, func(g permission.Grant) bool { return g.Approved })
	}
	return grants, rows.Err()
}

// used counts a call that grants settled.
func used(t *tx, by []*permission.Grant) error {
	for _, g := range by {
		if _, err := t.Exec("UPDATE grants SET hits = hits + 1 WHERE id = ?", g.ID); err != nil {
			return err
		}
	}
	return nil
}

func grantActor(by []*permission.Grant) string { return "grant:" + string(by[0].ID) }

// grantDecision is that of the grants that settle a call.
func grantDecision(by []*permission.Grant, at permission.Time) *permission.Decision {
	d := &permission.Decision{By: permission.ByGrant, Approved: by[0].Approved, Explanation: permission.Said(by[0].Reason),
		Scope: by[0].Scope, GrantID: &by[0].ID, DecidedAt: at}
	for _, g := range by {
		d.GrantIDs = append(d.GrantIDs, g.ID)
	}
	return d
}

// decidedBy adds the entry that says who settled the call on its arrival.
func decidedBy(sus *permission.Suspension, actor string, data map[string]any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	sus.Entries = append(sus.Entries[:len(sus.Entries):len(sus.Entries)],
		permission.Entry{At: sus.Call.CreatedAt, Kind: permission.CallDecided, Actor: actor, Data: raw})
	return nil
}

const grantColumns = "id, agent_id, agent_name, session_id, scope, server_id, class, questions, approved, reason, max_risk, call_id, " +
	"created_at, expires_at, hits"

func scanGrant(row database.Row) (g permission.Grant, err error) {
	var class sql.NullString
	var questions string
	var risk int
	var expires sql.NullInt64
	if err := row.Scan(&g.ID, &g.AgentID, &g.AgentName, &g.SessionID, &g.Scope, &g.ServerID, &class, &questions,
		&g.Approved, &g.Reason, &risk, &g.CallID, &g.CreatedAt,
		&expires, &g.Hits); err != nil {
		return g, err
	}
	g.ExpiresAt = permission.Time(expires.Int64)
	g.MaxRisk = riskOf(risk)
	err = json.Unmarshal([]byte(questions), &g.Questions)
	if class.Valid {
		g.Class = new(permission.Class)
		err = errors.Join(err, json.Unmarshal([]byte(class.String), g.Class))
	}
	if err != nil || g.Scope == permission.ScopeClass && (g.Class == nil || g.Class.Method == "") {
		return g, &database.RowError{Row: "grant " + string(g.ID), Err: errors.Join(err, errors.New("it cannot be told what it reaches"))}
	}
	g.Spell()
	return g, nil
}

// riskOf is the risk of a rank.
func riskOf(rank int) permission.Risk {
	return [...]permission.Risk{permission.RiskLow, permission.RiskMedium, permission.RiskHigh}[min(max(rank, 0), 2)]
}

// addGrant keeps g, with what it has of the call that was answered.
func addGrant(t *tx, g *permission.Grant, c *permission.Call) error {
	g.Answering(c)
	class, err1 := optionalJSON(g.Class)
	questions, err2 := json.Marshal(g.Questions)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if _, err := deleteGrants(t, "expires_at <= ?", g.CreatedAt); err != nil {
		return err
	}
	if _, err := t.Exec("INSERT INTO grants ("+grantColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		g.ID, g.AgentID, g.AgentName, g.SessionID, g.Scope, optional(g.ServerID), class, string(questions),
		g.Approved, g.Reason, g.MaxRisk.Rank(), g.CallID, g.CreatedAt,
		null(g.ExpiresAt), g.Hits); err != nil {
		return err
	}
	t.Touch("grants", string(g.ID))
	return t.Append(grantEntry("began", g, permission.ActorPerson, g.CreatedAt), nil)
}

func grantEntry(what string, g *permission.Grant, actor string, at permission.Time) permission.Entry {
	raw, err := json.Marshal(map[string]any{"what": what, "grant": g})
	if err != nil {
		panic("a grant always marshals: " + err.Error())
	}
	return permission.Entry{At: at, Kind: permission.GrantsChanged, Actor: actor, Data: raw}
}

// Grants lists those that hold at a time, oldest first.
func (s *PolicyStore) Grants(ctx context.Context, at permission.Time) ([]permission.Grant, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT "+grantColumns+" FROM grants WHERE expires_at IS NULL OR expires_at > ? ORDER BY seq", at)
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	defer rows.Close()
	grants := []permission.Grant{}
	for rows.Next() {
		g, err := scanGrant(rows)
		if s.damaged(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list grants: %w", err)
		}
		grants = append(grants, g)
	}
	return grants, rows.Err()
}

// EndGrant takes a grant back, and with it what it approved and nobody has
// claimed: those calls are revoked, by the template.
func (s *PolicyStore) EndGrant(ctx context.Context, id permission.GrantID,
	revoke permission.Transition) (revoked []permission.Call, err error) {
	err = s.write(ctx, func(t *tx) error {
		g, err := scanGrant(t.QueryRow("DELETE FROM grants WHERE id = ? AND (expires_at IS NULL OR expires_at > ?) RETURNING "+grantColumns, id,
			revoke.At))
		if errors.Is(err, sql.ErrNoRows) {
			return permission.NotFound("grant")
		}
		if err != nil {
			return fmt.Errorf("end grant: %w", err)
		}
		t.Touch("grants", string(id))
		ids, err := callIDs(t, callsql.Open+" AND status = 'approved' AND json_extract("+decided+", '$.by') = 'grant' AND EXISTS ("+
			"SELECT 1 FROM json_each("+decided+", '$.grantIds') WHERE value = ?)", id)
		if err != nil {
			return fmt.Errorf("end grant: %w", err)
		}
		if revoked, err = transitEach(t, each(revoke, ids)); err != nil {
			return fmt.Errorf("end grant: %w", err)
		}
		return t.Append(grantEntry("ended", &g, permission.ActorPerson, revoke.At), nil)
	})
	return revoked, err
}

// each repeats a transition for a list of calls.
func each(template permission.Transition, ids []permission.CallID) []permission.Transition {
	list := make([]permission.Transition, len(ids))
	for i, id := range ids {
		list[i] = template
		list[i].ID = id
	}
	return list
}

// EndSession forgets the grants and the remembered declines of a session, of one
// agent or, when agent is "", of all. It answers how many grants ended.
func (s *SessionStore) EndSession(ctx context.Context, agent permission.AgentID, session permission.SessionID, actor string,
	at permission.Time) (ended int, err error) {
	const of = "session_id = ? AND (? = '' OR agent_id = ?)"
	err = s.write(ctx, func(t *tx) error {
		grants, err := deleteGrants(t, of, session, agent, agent)
		if err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		if _, err := t.Exec("DELETE FROM denials WHERE "+of, session, agent, agent); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		ended = len(grants)
		for i := range grants {
			if err := t.Append(grantEntry("ended", &grants[i], actor, at), nil); err != nil {
				return err
			}
		}
		return nil
	})
	return ended, err
}

func deleteGrants(t *tx, where string, args ...any) (grants []permission.Grant, err error) {
	rows, err := t.Query("DELETE FROM grants WHERE "+where+" RETURNING "+grantColumns, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		g, err := scanGrant(rows)
		var row *database.RowError
		if err != nil && !errors.As(err, &row) { // a damaged one goes too
			return nil, err
		}
		t.Touch("grants", string(g.ID))
		grants = append(grants, g)
	}
	return grants, rows.Err()
}

// ForgetDenial lets an input be asked again that this call's decline, or one that
// it repeats, would have declined by itself.
func (s *SessionStore) ForgetDenial(ctx context.Context, id permission.CallID, e permission.Entry) (call permission.Call, err error) {
	err = s.write(ctx, func(t *tx) error {
		if call, err = scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE id = ?", id)); err != nil {
			return callErr(err, id)
		}
		done, err := t.Exec("DELETE FROM denials WHERE agent_id = ? AND session_id = ? AND asked_hash = ?", call.AgentID, call.SessionID,
			call.AskedHash())
		if err != nil {
			return fmt.Errorf("forget denial: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, permission.NotFound("remembered decline"))
		}
		return t.Append(e, &call)
	})
	return call, err
}
