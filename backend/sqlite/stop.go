package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
)

const agentColumns = "id, name, created_at, COALESCE(stopped_until, 0), role, COALESCE(user_id, id)"

func scanAgent(row database.Row) (a permission.Agent, err error) {
	err = row.Scan(&a.ID, &a.Name, &a.CreatedAt, &a.StoppedUntil, &a.Role, &a.UserID)
	return a, err
}

// StopAgent keeps a stop, and settles what it settles: see permission.Stop. The policy gets a
// new version, because whether an agent may ask is a judgement.
func (s *CatalogueStore) StopAgent(ctx context.Context, of permission.Versions,
	stop permission.Stop) (done permission.Stopped, after permission.Versions, err error) {
	after, err = edit(ctx, s.base, of, func(t *tx) (err error) {
		if done, err = stopAgent(t, stop); err != nil {
			return fmt.Errorf("stop agent: %w", err)
		}
		return nil
	})
	return done, after, err
}

func stopAgent(t *tx, stop permission.Stop) (done permission.Stopped, err error) {
	if done.Agent, err = setStopped(t, stop.Agent, stop.Until); err != nil {
		return done, err
	}
	if done.Declined, err = refuse(t, stop, permission.Pending, permission.Declined); err != nil {
		return done, err
	}
	if done.Revoked, err = refuse(t, stop, permission.Approved, permission.Revoked); err != nil {
		return done, err
	}
	grants, err := deleteGrants(t, "agent_id = ?", stop.Agent)
	if err != nil {
		return done, err
	}
	if _, err := t.Exec("DELETE FROM denials WHERE agent_id = ?", stop.Agent); err != nil {
		return done, err
	}
	if err := t.Append(stop.Entry, nil); err != nil {
		return done, err
	}
	for i := range grants {
		if err := t.Append(grantEntry("ended", &grants[i], stop.Entry.Actor, stop.Entry.At), nil); err != nil {
			return done, err
		}
	}
	done.GrantsEnded = len(grants)
	return done, nil
}

// setStopped keeps until when an agent is stopped, 0 being not at all.
func setStopped(t *tx, id permission.AgentID, until permission.Time) (permission.Agent, error) {
	agent, err := scanAgent(t.QueryRow("UPDATE agents SET stopped_until = ? WHERE id = ? RETURNING "+agentColumns, null(until), id))
	if errors.Is(err, sql.ErrNoRows) {
		return agent, permission.NotFound("agent")
	}
	if err == nil {
		_, err = newPolicy(t)
	}
	t.Touch("agents", string(id))
	return agent, err
}

// refuse settles the open calls of a stopped agent that are in one state. Those whose deadline is
// over are the clock's.
func refuse(t *tx, stop permission.Stop, from, to permission.Status) (n int, err error) {
	ids, err := callIDs(t, callsql.Open+" AND status = ? AND agent_id = ?", from, stop.Agent)
	if err != nil {
		return 0, err
	}
	e := stop.Entry
	e.Kind = permission.CallDecided
	if e.Data, err = json.Marshal(map[string]any{"status": to, "reason": stop.Decision.Reason}); err != nil {
		return 0, err
	}
	none := permission.Time(0)
	done, err := transitEach(t, each(permission.Transition{At: e.At, From: []permission.Status{from}, Live: true, To: to,
		Decision: &stop.Decision, ExpiresAt: &none, Entry: e}, ids))
	return len(done), err
}

// ResumeAgent takes a stop back; of an agent that is not stopped it changes nothing.
func (s *CatalogueStore) ResumeAgent(ctx context.Context, of permission.Versions, id permission.AgentID,
	e permission.Entry) (agent permission.Agent, after permission.Versions, err error) {
	after, err = edit(ctx, s.base, of, func(t *tx) error {
		agent, err = scanAgent(t.QueryRow("SELECT "+agentColumns+" FROM agents WHERE id = ?", id))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return permission.NotFound("agent")
		case err == nil && agent.StoppedUntil.IsZero():
			return nil
		}
		if err == nil {
			agent, err = setStopped(t, id, 0)
		}
		if err != nil {
			return fmt.Errorf("resume agent: %w", err)
		}
		return t.Append(e, nil)
	})
	return agent, after, err
}
