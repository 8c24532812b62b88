package rolesql

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// setExecutors is the set of the journal that executors are.
const setExecutors = "executors"

// Executors gives all executors by the hashes of their tokens.
func (s Store) Executors(ctx context.Context) (map[string]permission.Executor, error) {
	all := map[string]permission.Executor{}
	_, err := database.List(func(row database.Row) (bool, error) {
		var hash, projects string
		var x permission.Executor
		if err := row.Scan(&hash, &x.ID, &x.Name, &projects, &x.CreatedAt); err != nil {
			return false, err
		}
		if err := json.Unmarshal([]byte(projects), &x.ProjectIDs); err != nil {
			return false, &database.RowError{Row: "executor " + string(x.ID), Err: err}
		}
		all[hash] = x
		return true, nil
	})(s.reader.QueryContext(ctx, "SELECT token_hash, id, name, project_ids, created_at FROM executors"))
	if err != nil {
		return nil, fmt.Errorf("read executors: %w", err)
	}
	return all, nil
}

// AddExecutor keeps an executor with its token's hash. A name that is taken is CodeExists.
func (s Store) AddExecutor(ctx context.Context, x permission.Executor, tokenHash string, e permission.Entry) error {
	projects, err := json.Marshal(x.ProjectIDs)
	if err != nil {
		return fmt.Errorf("add executor: %w", err)
	}
	return s.write(ctx, func(t Tx) error {
		_, err := t.Exec("INSERT INTO executors (id, name, token_hash, project_ids, created_at) VALUES (?,?,?,?,?)", x.ID, x.Name, tokenHash,
			string(projects), x.CreatedAt)
		if err != nil && strings.Contains(err.Error(), "executors.name") {
			return &permission.Error{Code: permission.CodeExists, Message: "an executor of this name exists", Field: "name"}
		}
		if err != nil {
			return fmt.Errorf("add executor: %w", err)
		}
		t.Touch(setExecutors, string(x.ID))
		return t.Append(e, nil)
	})
}

// DeleteExecutor removes an executor and its token; NotFound where there is none.
func (s Store) DeleteExecutor(ctx context.Context, id permission.ExecutorID, e permission.Entry) error {
	return s.write(ctx, func(t Tx) error {
		done, err := t.Exec("DELETE FROM executors WHERE id = ?", id)
		if err != nil {
			return fmt.Errorf("delete executor: %w", err)
		}
		n, err := done.RowsAffected()
		switch {
		case err != nil:
			return err
		case n == 0:
			return permission.NotFound("executor")
		}
		t.Touch(setExecutors, string(id))
		return t.Append(e, nil)
	})
}
