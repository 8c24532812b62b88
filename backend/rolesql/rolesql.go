// Package rolesql keeps roles, projects, executors and the sessions that the desk makes, in tables of their
// own: a part of the store, whose transactions and journal it writes with. Each change is one
// guarded statement, and its entry is in the same transaction.
package rolesql

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Tx is a transaction of the store. Touch notes a row of a set that was changed, of which the
// next entry tells.
type Tx interface {
	Exec(query string, args ...any) (sql.Result, error)
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
	Touch(set, key string)
	Append(e permission.Entry, call *permission.Call) error
}

// The sets of the journal.
const (
	setAgents   = "agents"
	setProjects = "projects"
	setSessions = "sessions"
)

// keptAfter is how long a session is remembered after nothing can come of it any more: calls of
// it may still be looked at.
const keptAfter = 30 * 24 * time.Hour

// Store is the part of a store.
type Store struct {
	reader *sql.DB
	write  func(ctx context.Context, do func(Tx) error) error
}

// New makes one. write runs do in a transaction, and returns when it is on disk.
func New(reader *sql.DB, write func(ctx context.Context, do func(Tx) error) error) Store {
	return Store{reader, write}
}

const sessionColumns = "id, agent_id, role, purpose, project_id, ttl, created_at, passkey_until, expires_at, ended_at"

func scanSession(row database.Row, before ...any) (s permission.MadeSession, err error) {
	var ttl int64
	err = row.Scan(append(before, &s.ID, &s.AgentID, &s.Role, &s.Purpose, &s.ProjectID, &ttl, &s.CreatedAt, &s.PasskeyUntil,
		&s.ExpiresAt, &s.EndedAt)...)
	s.TTL = time.Duration(ttl) * time.Millisecond
	return s, err
}

// MadeSessions gives all sessions by the hashes of their secrets, and the ids of coordinators.
func (s Store) MadeSessions(ctx context.Context) (sessions map[string]permission.MadeSession, coordinators []permission.AgentID,
	err error) {
	sessions = map[string]permission.MadeSession{}
	_, err = database.List(func(row database.Row) (bool, error) {
		var hash string
		made, err := scanSession(row, &hash)
		sessions[hash] = made
		return true, err
	})(s.reader.QueryContext(ctx, "SELECT secret_hash, "+sessionColumns+" FROM sessions"))
	if err == nil {
		coordinators, err = database.List(database.Value[permission.AgentID])(
			s.reader.QueryContext(ctx, "SELECT id FROM agents WHERE role = ?", permission.RoleCoordinator))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read roles: %w", err)
	}
	return sessions, coordinators, nil
}

// Projects lists them by their ids.
func (s Store) Projects(ctx context.Context) ([]permission.Project, error) {
	all, err := database.List(scanProject)(s.reader.QueryContext(ctx, "SELECT "+projectColumns+" FROM projects ORDER BY id"))
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	return all, nil
}

const projectColumns = "id, members, created_at, updated_at"

func scanProject(row database.Row) (p permission.Project, err error) {
	var members string
	if err = row.Scan(&p.ID, &members, &p.CreatedAt, &p.UpdatedAt); err != nil {
		return p, err
	}
	if err = json.Unmarshal([]byte(members), &p.Members); err != nil {
		err = &database.RowError{Row: "project " + string(p.ID), Err: err}
	}
	return p, err
}

// PutProject keeps a project in the place of the one of its id, which it gives too, where that was changed
// last when it was seen; 0 is any, or none, and permission.NoProject none. Its members are agents.
func (s Store) PutProject(ctx context.Context, p permission.Project, saw permission.Time, e permission.Entry) (kept,
	before permission.Project, err error) {
	members, err := json.Marshal(p.Members)
	if err != nil {
		return p, before, fmt.Errorf("put project: %w", err)
	}
	err = s.write(ctx, func(t Tx) error {
		before, err = scanProject(t.QueryRow("SELECT "+projectColumns+" FROM projects WHERE id = ?", p.ID))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("put project: %w", err)
		}
		for id := range p.Members {
			err := there(t, id)
			if errors.Is(err, permission.NotFound("")) {
				return permission.Invalid("members."+string(id), permission.FieldNotFound, "there is no such agent")
			}
			if err != nil {
				return err
			}
		}
		kept, err = scanProject(t.QueryRow("INSERT INTO projects ("+projectColumns+") SELECT ?1, ?2, ?3, ?3 "+
			"WHERE ?4 = 0 OR EXISTS (SELECT 1 FROM projects WHERE id = ?1 AND updated_at = ?4) "+
			"OR ?4 < 0 AND NOT EXISTS (SELECT 1 FROM projects WHERE id = ?1) "+
			"ON CONFLICT (id) DO UPDATE SET members = ?2, updated_at = MAX(?3, updated_at + 1) RETURNING "+projectColumns,
			p.ID, string(members), p.UpdatedAt, saw))
		switch {
		case errors.Is(err, sql.ErrNoRows) && saw == permission.NoProject:
			return &permission.Error{Code: permission.CodeLostUpdate, Message: "a project of this name is there already"}
		case errors.Is(err, sql.ErrNoRows):
			return &permission.Error{Code: permission.CodeLostUpdate, Message: "the project was changed meanwhile"}
		case err != nil:
			return fmt.Errorf("put project: %w", err)
		}
		t.Touch(setProjects, string(p.ID))
		return t.Append(e, nil)
	})
	return kept, before, err
}

// there reports, as not found, that there is no such agent.
func there(t Tx, id permission.AgentID) error {
	var one int
	err := t.QueryRow("SELECT 1 FROM agents WHERE id = ?", id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return permission.NotFound("agent")
	}
	return err
}

// SetRole makes an agent a coordinator, or none where role is nil. The policy gets a new version,
// because what an agent may ask for is a judgement.
func (s Store) SetRole(ctx context.Context, id permission.AgentID, role *permission.Role,
	e permission.Entry) (a permission.Agent, err error) {
	err = s.write(ctx, func(t Tx) error {
		err := t.QueryRow("UPDATE agents SET role = ? WHERE id = ? RETURNING id, name, created_at, COALESCE(stopped_until, 0), role, "+
			"COALESCE(user_id, id)", role, id).Scan(&a.ID, &a.Name, &a.CreatedAt, &a.StoppedUntil, &a.Role, &a.UserID)
		if errors.Is(err, sql.ErrNoRows) {
			return permission.NotFound("agent")
		}
		if err != nil {
			return fmt.Errorf("set role: %w", err)
		}
		t.Touch(setAgents, string(id))
		return settled(t, e)
	})
	return a, err
}

// settled gives the policy its next version, and keeps the entry.
func settled(t Tx, e permission.Entry) error {
	if _, err := t.Exec("UPDATE policy SET version = version + 1"); err != nil {
		return fmt.Errorf("raise the policy: %w", err)
	}
	return t.Append(e, nil)
}

// AddMadeSession keeps a new session with the hash of its passkey, and forgets those that are long
// over.
func (s Store) AddMadeSession(ctx context.Context, made permission.MadeSession, passkeyHash string, e permission.Entry) error {
	return s.write(ctx, func(t Tx) error {
		if err := there(t, made.AgentID); err != nil {
			return err
		}
		old := made.CreatedAt.Add(-keptAfter)
		if err := remove(t, "MAX(created_at, passkey_until, expires_at, ended_at) < ?", old); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO sessions ("+sessionColumns+", secret_hash) VALUES (?,?,?,?,?,?,?,?,?,?,?)", made.ID, made.AgentID,
			made.Role, made.Purpose, made.ProjectID, made.TTL.Milliseconds(), made.CreatedAt, made.PasskeyUntil, 0, 0, passkeyHash); err != nil {
			return fmt.Errorf("add session: %w", err)
		}
		t.Touch(setSessions, string(made.ID))
		return t.Append(e, nil)
	})
}

// remove forgets sessions.
func remove(t Tx, where string, args ...any) error {
	gone, err := database.List(database.Value[string])(t.Query("DELETE FROM sessions WHERE "+where+" RETURNING id", args...))
	if err != nil {
		return fmt.Errorf("forget sessions: %w", err)
	}
	for _, id := range gone {
		t.Touch(setSessions, id)
	}
	return nil
}

// ChangePasskey puts a token in the place of a passkey, once: NotFound where it is not that of the
// agent and the project, or was changed, is too old, or its session has ended.
func (s Store) ChangePasskey(ctx context.Context, p permission.Passkey, entry func(permission.MadeSession) permission.Entry) (
	made permission.MadeSession, err error) {
	err = s.write(ctx, func(t Tx) error {
		made, err = scanSession(t.QueryRow("UPDATE sessions SET secret_hash = ?1, expires_at = ?2 + ttl, passkey_until = 0 "+
			"WHERE secret_hash = ?3 AND agent_id = ?4 AND (?5 = '' OR project_id = ?5) AND passkey_until > ?2 AND expires_at = 0 AND ended_at = 0 "+
			"RETURNING "+sessionColumns, p.TokenHash, p.At, p.Hash, p.AgentID, p.ProjectID))
		if errors.Is(err, sql.ErrNoRows) {
			return permission.NotFound("passkey")
		}
		if err != nil {
			return fmt.Errorf("change passkey: %w", err)
		}
		t.Touch(setSessions, string(made.ID))
		return settled(t, entry(made))
	})
	return made, err
}

// EndMadeSession ends a session; of one that was ended it changes nothing. The policy gets a new
// version, so that what was judged in the session and is not kept yet is judged again.
func (s Store) EndMadeSession(ctx context.Context, id permission.SessionID, at permission.Time, e permission.Entry) error {
	return s.write(ctx, func(t Tx) error {
		done, err := t.Exec("UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at = 0", at, id)
		if err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err
		}
		t.Touch(setSessions, string(id))
		return settled(t, e)
	})
}

// ForgetAgent removes the sessions of an agent that goes, and takes it out of projects. The entry
// of its removal tells of them.
func ForgetAgent(t Tx, id permission.AgentID) error {
	if err := remove(t, "agent_id = ?", id); err != nil {
		return err
	}
	of, err := database.List(database.Value[string])(t.Query(
		`UPDATE projects SET members = json_remove(members, '$."' || ?1 || '"') WHERE json_extract(members, '$."' || ?1 || '"') IS NOT NULL RETURNING id`, id))
	if err != nil {
		return fmt.Errorf("leave projects: %w", err)
	}
	for _, project := range of {
		t.Touch(setProjects, project)
	}
	return nil
}
