package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
	"sekisho/backend/rolesql"
)

// CatalogueStore is what calls are of and from: servers, agents, and what is known of tools.
type CatalogueStore struct{ *base }

// Servers lists the servers behind the desk in the person's order. A damaged one is left
// out: see Damage.
func (s *CatalogueStore) Servers(ctx context.Context) ([]permission.Server, error) {
	return readServers(ctx, s.reader, s.damaged)
}

func readServers(ctx context.Context, db *sql.DB, damaged func(error) bool) ([]permission.Server, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, spec FROM servers ORDER BY position")
	if err != nil {
		return nil, fmt.Errorf("read servers: %w", err)
	}
	defer rows.Close()
	servers := []permission.Server{}
	for rows.Next() {
		var id, spec string
		var server permission.Server
		if err := rows.Scan(&id, &spec); err != nil {
			return nil, fmt.Errorf("read servers: %w", err)
		}
		if err := json.Unmarshal([]byte(spec), &server); err != nil {
			if damaged(&database.RowError{Row: "server " + id, Err: err}) {
				continue
			}
			return nil, fmt.Errorf("read servers: %w", err)
		}
		servers = append(servers, server)
	}
	return servers, rows.Err()
}

// ReplaceServers puts servers in the place of all, with what that means for their tools.
func (s *CatalogueStore) ReplaceServers(ctx context.Context, of permission.Versions, servers []permission.Server, tools permission.ToolEdit,
	e permission.Entry) (permission.Versions, error) {
	return edit(ctx, s.base, of, func(t *tx) error {
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
		if err := t.TouchAll("servers"); err != nil {
			return fmt.Errorf("replace servers: %w", err)
		}
		if err := editTools(t, tools); err != nil {
			return err
		}
		return t.Append(e, nil)
	})
}

// AddAgent keeps an agent with its token's hash. A name that is taken is
// CodeExists.
func (s *CatalogueStore) AddAgent(ctx context.Context, of permission.Versions, a permission.Agent, tokenHash string,
	e permission.Entry) (permission.Versions, error) {
	return edit(ctx, s.base, of, func(t *tx) error {
		_, err := t.Exec("INSERT INTO agents (id, name, token_hash, created_at, user_id) VALUES (?1,?2,?3,?4,NULLIF(?5,?1))", a.ID, a.Name, tokenHash,
			a.CreatedAt, a.UserID)
		if err != nil && strings.Contains(err.Error(), "agents.name") {
			return &permission.Error{Code: permission.CodeExists, Message: "an agent of this name exists", Field: "name"}
		}
		if err != nil {
			return fmt.Errorf("add agent: %w", err)
		}
		t.Touch("agents", string(a.ID))
		return t.Append(e, nil)
	})
}

// DeleteAgent removes an agent and its token, and settles what it had asked and
// nobody executes yet by decision. Its calls stay.
func (s *CatalogueStore) DeleteAgent(ctx context.Context, of permission.Versions, id permission.AgentID, decision permission.Decision,
	e permission.Entry) (permission.Versions, error) {
	return edit(ctx, s.base, of, func(t *tx) error {
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
		for from, to := range map[permission.Status]permission.Status{permission.Pending: permission.Declined,
			permission.Approved: permission.Revoked} {
			if err := dismiss(t, id, from, to, decision, e); err != nil {
				return fmt.Errorf("delete agent: %w", err)
			}
		}
		t.Touch("agents", string(id))
		if _, err := deleteGrants(t, "agent_id = ?", id); err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		if err := rolesql.ForgetAgent(t, id); err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		for _, table := range []string{"denials", "waiting", "client_habits"} {
			if _, err := t.Exec("DELETE FROM "+table+" WHERE agent_id = ?", id); err != nil {
				return fmt.Errorf("delete agent: %w", err)
			}
		}
		return t.Append(e, nil)
	})
}

// dismiss settles the open calls of an agent that goes.
func dismiss(t *tx, agent permission.AgentID, from, to permission.Status, d permission.Decision, e permission.Entry) error {
	ids, err := callIDs(t, callsql.Open+" AND status = ? AND agent_id = ?", from, agent)
	if err != nil {
		return err
	}
	e.Kind = permission.CallDecided
	if e.Data, err = json.Marshal(map[string]any{"status": to, "reason": d.Reason}); err != nil {
		return err
	}
	_, err = transitEach(t, each(permission.Transition{At: e.At, From: []permission.Status{from}, To: to, Decision: &d, Entry: e}, ids))
	return err
}

// Agents lists them, oldest first.
func (s *CatalogueStore) Agents(ctx context.Context) ([]permission.Agent, error) {
	agents, err := database.List(scanAgent)(s.reader.QueryContext(ctx, "SELECT "+agentColumns+" FROM agents ORDER BY rowid"))
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	return agents, nil
}

// RemovedAgents gives the ids of all agents that were removed.
func (s *CatalogueStore) RemovedAgents(ctx context.Context) ([]permission.AgentID, error) {
	ids, err := database.List(database.Value[permission.AgentID])(s.reader.QueryContext(ctx, "SELECT id FROM removed_agents ORDER BY id"))
	if err != nil {
		return nil, fmt.Errorf("read removed agents: %w", err)
	}
	return ids, nil
}

// AgentTokens gives all agents by the hashes of their tokens.
func (s *CatalogueStore) AgentTokens(ctx context.Context) (map[string]permission.Agent, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT token_hash, "+agentColumns+" FROM agents")
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	defer rows.Close()
	agents := map[string]permission.Agent{}
	for rows.Next() {
		var hash string
		var a permission.Agent
		if err := rows.Scan(&hash, &a.ID, &a.Name, &a.CreatedAt, &a.StoppedUntil, &a.Role, &a.UserID); err != nil {
			return nil, fmt.Errorf("read agents: %w", err)
		}
		agents[hash] = a
	}
	return agents, rows.Err()
}
