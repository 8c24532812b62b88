package sqlite

import (
	"context"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// maxSessions bounds a list of sessions: a caller without sessions has one for each call.
const maxSessions = 1000

// sessionsSince groups the calls since a time, those that are not over, and the grants. Calls
// are in the order of time, so that the older ones are not looked at.
const sessionsSince = `WITH older(seq) AS (SELECT COALESCE((SELECT seq FROM calls WHERE created_at <= ?1 ORDER BY seq DESC LIMIT 1), 0)),
	seen AS (
		SELECT agent_id, agent_name, session_id, cwd, status, created_at, MAX(created_at, COALESCE(decided_at, 0)) AS at
			FROM calls WHERE seq > (SELECT seq FROM older)
		UNION ALL SELECT agent_id, agent_name, session_id, cwd, status, created_at, MAX(created_at, COALESCE(decided_at, 0))
			FROM calls WHERE status IN ('pending', 'approved') AND seq <= (SELECT seq FROM older)
		UNION ALL SELECT agent_id, agent_name, session_id, NULL, 'grant', created_at, created_at FROM grants
	)
	SELECT agent_id, MAX(agent_name), session_id, substr(MAX(CASE WHEN cwd IS NOT NULL THEN printf('%020d', created_at) || cwd END), 21),
		SUM(status = 'pending'), MAX(status = 'grant'), MAX(status IN ('pending', 'approved', 'claimed')), MIN(created_at), MAX(at)
	FROM seen GROUP BY agent_id, session_id ORDER BY SUM(status = 'pending') = 0, MAX(at) DESC LIMIT ?2`

// Sessions lists those with a call since a time, with one that is not over, or with a grant:
// first those in which a call waits, then the last seen.
func (s *SessionStore) Sessions(ctx context.Context, since permission.Time) ([]permission.Session, error) {
	all, err := database.List(func(row database.Row) (l permission.Session, err error) {
		err = row.Scan(&l.AgentID, &l.AgentName, &l.ID, &l.Cwd, &l.Pending, &l.Granted, &l.Open, &l.CreatedAt, &l.LastSeenAt)
		return l, err
	})(s.reader.QueryContext(ctx, sessionsSince, since, maxSessions))
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return all, nil
}
