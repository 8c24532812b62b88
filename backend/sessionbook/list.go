package sessionbook

import (
	"cmp"
	"slices"

	"sekisho/backend/permission"
)

// Made is what a list needs of the sessions that the desk made: a Book has it.
type Made interface {
	Made(agent permission.AgentID, session permission.SessionID) (s permission.MadeSession, made bool)
	// Of lists those that are not over, of an agent or, where it is empty, of all.
	Of(agent permission.AgentID, at permission.Time) []permission.MadeSession
}

// Standings is what agents are in sessions that the desk made.
type Standings interface {
	Made
	// Standing is what an agent is in a session at a time; without one that is live, by itself.
	Standing(agent permission.AgentID, session permission.SessionID, at permission.Time) permission.Standing
}

// List puts together the sessions that have calls or grants, those of connected clients, and those
// that the desk made and that are not over: first those in which a call waits, then the last seen.
// quiet says of one with calls that it has ended, as far as these tell; name is an agent's.
func List(called, connected []permission.Session, made Made, quiet func(*permission.Session) bool,
	name func(permission.AgentID) string, at permission.Time) []permission.Session {
	all := slices.Clone(called)
	for i := range all {
		if quiet(&all[i]) {
			all[i].State = permission.SessionEnded
		}
	}
	for _, open := range connected {
		s, is := find(all, open.AgentID, open.ID)
		if !is {
			all = append(all, open)
			continue
		}
		// Its client is there, however quiet.
		s.State, s.Client, s.CreatedAt, s.LastSeenAt = "", open.Client, min(s.CreatedAt, open.CreatedAt), max(s.LastSeenAt, open.LastSeenAt)
	}
	for _, m := range made.Of("", at) {
		s, is := find(all, m.AgentID, m.ID)
		if !is {
			all = append(all, permission.Session{ID: m.ID, AgentID: m.AgentID, AgentName: name(m.AgentID), LastSeenAt: m.CreatedAt})
			s = &all[len(all)-1]
		}
		s.State, s.CreatedAt = "", m.CreatedAt // its token is good, or may still be had
	}
	for i := range all {
		say(&all[i], made, at)
	}
	slices.SortStableFunc(all, func(a, b permission.Session) int {
		if review := cmp.Compare(min(b.Pending, 1), min(a.Pending, 1)); review != 0 {
			return review
		}
		return cmp.Compare(b.LastSeenAt, a.LastSeenAt)
	})
	return all
}

func find(all []permission.Session, agent permission.AgentID, id permission.SessionID) (s *permission.Session, is bool) {
	i := slices.IndexFunc(all, func(s permission.Session) bool { return s.ID == id && s.AgentID == agent })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// say says of a session what it is at, and what the desk made it.
func say(s *permission.Session, made Made, at permission.Time) {
	m, is := made.Made(s.AgentID, s.ID)
	if is {
		s.Role, s.Purpose, s.ProjectID, s.ExpiresAt = &m.Role, &m.Purpose, &m.ProjectID, m.ExpiresAt
	}
	switch {
	case s.Pending > 0:
		s.State = permission.SessionReview
	case is && m.Over(at):
		s.State = permission.SessionEnded
	case s.State == "":
		s.State = permission.SessionWorking
	}
}
