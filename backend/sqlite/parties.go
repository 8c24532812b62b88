package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/permission"
)

// Servers lists the servers behind the desk in the person's order.
func (s *Store) Servers(ctx context.Context) ([]permission.Server, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT spec FROM servers ORDER BY position")
	if err != nil {
		return nil, fmt.Errorf("read servers: %w", err)
	}
	defer rows.Close()
	servers := []permission.Server{}
	for rows.Next() {
		var spec string
		var server permission.Server
		if err := rows.Scan(&spec); err != nil {
			return nil, fmt.Errorf("read servers: %w", err)
		}
		if err := json.Unmarshal([]byte(spec), &server); err != nil {
			return nil, fmt.Errorf("read servers: %w", err)
		}
		servers = append(servers, server)
	}
	return servers, rows.Err()
}

// ReplaceServers puts servers in the place of all.
func (s *Store) ReplaceServers(ctx context.Context, servers []permission.Server, e permission.Entry) error {
	return s.write(ctx, func(t *tx) error {
		if _, err := t.Exec("DELETE FROM servers"); err != nil {
			return fmt.Errorf("replace servers: %w", err)
		}
		for i, server := range servers {
			spec, err := json.Marshal(server)
			if err != nil {
				return fmt.Errorf("replace servers: %w", err)
			}
			if _, err := t.Exec("INSERT INTO servers (id, position, spec) VALUES (?,?,?)", server.ID, i, string(spec)); err != nil {
				return fmt.Errorf("replace servers: %w", err)
			}
		}
		return t.append(e, nil)
	})
}

// AddAgent keeps an agent with its token's hash. A name that is taken is
// CodeExists.
func (s *Store) AddAgent(ctx context.Context, a permission.Agent, tokenHash string, e permission.Entry) error {
	return s.write(ctx, func(t *tx) error {
		_, err := t.Exec("INSERT INTO agents (id, name, token_hash, created_at) VALUES (?,?,?,?)", a.ID, a.Name, tokenHash, a.CreatedAt)
		if err != nil && strings.Contains(err.Error(), "agents.name") {
			return &permission.Error{Code: permission.CodeExists, Message: "an agent of this name exists", Field: "name"}
		}
		if err != nil {
			return fmt.Errorf("add agent: %w", err)
		}
		return t.append(e, nil)
	})
}

// DeleteAgent removes an agent and its token, and settles what it had asked and
// nobody executes yet by decision. Its calls stay.
func (s *Store) DeleteAgent(ctx context.Context, id permission.AgentID, decision permission.Decision, e permission.Entry) error {
	return s.write(ctx, func(t *tx) error {
		done, err := t.Exec("DELETE FROM agents WHERE id = ?", id)
		if err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, permission.NotFound("agent"))
		}
		if _, err := t.Exec("INSERT INTO removed_agents (id) VALUES (?)", id); err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		waiting, err := callIDs(t, "agent_id = ? AND status IN ('pending','approved')", id)
		if err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		for _, call := range waiting {
			tr, err := dismissal(call, decision, e)
			if err == nil {
				_, err = transit(t, tr)
			}
			if err != nil {
				return fmt.Errorf("delete agent: %w", err)
			}
		}
		return t.append(e, nil)
	})
}

func dismissal(id permission.CallID, d permission.Decision, e permission.Entry) (permission.Transition, error) {
	var err error
	e.Kind = permission.CallDecided
	e.Data, err = json.Marshal(map[string]any{"status": permission.Declined, "reason": d.Reason})
	return permission.Transition{ID: id, At: e.At, From: []permission.Status{permission.Pending, permission.Approved}, To: permission.Declined, Decision: &d, Entry: e}, err
}

// Agents lists them, oldest first.
func (s *Store) Agents(ctx context.Context) ([]permission.Agent, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT id, name, created_at FROM agents ORDER BY rowid")
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	defer rows.Close()
	agents := []permission.Agent{}
	for rows.Next() {
		var a permission.Agent
		if err := rows.Scan(&a.ID, &a.Name, &a.CreatedAt); err != nil {
			return nil, fmt.Errorf("read agents: %w", err)
		}
		agents = append(agents, a)
	}
	return agents, rows.Err()
}

// AgentByToken finds the agent of a token's hash; NotFound when there is none.
func (s *Store) AgentByToken(ctx context.Context, tokenHash string) (a permission.Agent, err error) {
	err = s.reader.QueryRowContext(ctx, "SELECT id, name, created_at FROM agents WHERE token_hash = ?", tokenHash).Scan(&a.ID, &a.Name, &a.CreatedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return a, permission.NotFound("agent")
	}
	if err != nil {
		return a, fmt.Errorf("find agent: %w", err)
	}
	return a, nil
}
