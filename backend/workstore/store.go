// Package workstore is the keeper of what agents do together: tasks, conversations and
// messages, in tables of the desk's database. A method is a transaction, with its entries in
// the journal; what it keeps is in package coordination.
package workstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/coordination"
	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// Store keeps them in a database that another keeper has opened. It is safe for use by many
// goroutines.
type Store struct {
	reader *sql.DB
	write  func(ctx context.Context, do func(*journal.Tx) error) error
}

// New makes one over a database: by its readers, and by what writes in a transaction of it.
func New(reader *sql.DB, write func(ctx context.Context, do func(*journal.Tx) error) error) *Store {
	return &Store{reader, write}
}

// clauses are conditions in SQL with their arguments.
type clauses struct {
	text []string
	args []any
}

func (c *clauses) add(given bool, text string, args ...any) {
	if given {
		c.text, c.args = append(c.text, text), append(c.args, args...)
	}
}

func (c *clauses) where() string {
	if len(c.text) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.text, " AND ")
}

// null is a text, or nothing where it is empty.
func null[T ~string](v T) any {
	if v == "" {
		return nil
	}
	return string(v)
}

// nullOf is null of a pointer.
func nullOf[T ~string](v *T) any {
	if v == nil {
		return nil
	}
	return null(*v)
}

const taskColumns = "id, project_id, title, description, assignee_id, state, result, summary, COALESCE(session_id, ''), created_by, created_at, updated_at"

func scanTask(row database.Row) (t coordination.Task, err error) {
	err = row.Scan(&t.ID, &t.ProjectID, &t.Title, &t.Description, &t.AssigneeID, &t.State, &t.Result, &t.Summary, &t.SessionID, &t.CreatedBy,
		&t.CreatedAt, &t.UpdatedAt)
	return t, err
}

// Tasks gives those that are asked for; see coordination.Store, as of all methods.
func (s *Store) Tasks(ctx context.Context, f coordination.TaskFilter) ([]coordination.Task, error) {
	var c clauses
	c.add(f.ID != "", "id = ?", f.ID)
	c.add(f.Session != "", "session_id = ?", f.Session)
	c.add(f.Project != "", "project_id = ?", f.Project)
	c.add(f.Assignee != "", "assignee_id = ?", f.Assignee)
	c.add(f.Open, "state IN ('todo', 'in_progress')") // to the letter, for its index
	list, err := database.List(scanTask)(s.reader.QueryContext(ctx, "SELECT "+taskColumns+" FROM tasks"+c.where()+" ORDER BY seq", c.args...))
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	return list, nil
}

// AddTask adds one.
func (s *Store) AddTask(ctx context.Context, t coordination.Task, actor string) error {
	return s.write(ctx, func(tx *journal.Tx) error {
		var open int
		err := database.One(tx, &open, "SELECT COUNT(*) FROM tasks WHERE project_id = ? AND state IN ('todo', 'in_progress')", t.ProjectID)
		if err != nil {
			return fmt.Errorf("count tasks: %w", err)
		}
		if open >= coordination.MaxOpenTasks {
			return coordination.ErrTooManyTasks
		}
		_, err = tx.Exec(`INSERT INTO tasks (id, project_id, title, description, assignee_id, state, result, summary, session_id, created_by,
			created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, t.ID, t.ProjectID, t.Title, t.Description, nullOf(t.AssigneeID),
			t.State, nullOf(t.Result), t.Summary, null(t.SessionID), nullOf(t.CreatedBy), t.CreatedAt, t.UpdatedAt)
		if err != nil {
			return fmt.Errorf("add task: %w", err)
		}
		return tellTask(tx, "made", &t, actor)
	})
}

// ChangeTask changes one that is as it was seen.
func (s *Store) ChangeTask(ctx context.Context, c coordination.TaskChange, actor string) (t coordination.Task, err error) {
	where := clauses{}
	where.add(true, "id = ? AND COALESCE(session_id, '') = ? AND updated_at = ?", c.ID, c.Of, c.At)
	from := make([]any, len(c.From))
	for i, state := range c.From {
		from[i] = state
	}
	where.add(true, "state IN ("+strings.TrimPrefix(strings.Repeat(", ?", len(from)), ", ")+")", from...)
	args := append([]any{c.Task.Title, c.Task.Description, nullOf(c.Task.AssigneeID), c.Task.State, nullOf(c.Task.Result),
		c.Task.Summary, null(c.Task.SessionID), c.Task.UpdatedAt}, where.args...)
	err = s.write(ctx, func(tx *journal.Tx) (err error) {
		if opens(c.From, c.Task.State) {
			if err := room(tx, c.ID); err != nil {
				return err
			}
		}
		t, err = scanTask(tx.QueryRow("UPDATE tasks SET title = ?, description = ?, assignee_id = ?, state = ?, result = ?, summary = ?, "+
			"session_id = ?, updated_at = ?"+where.where()+" RETURNING "+taskColumns, args...))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return coordination.ErrTurned
		case err != nil:
			return fmt.Errorf("change task: %w", err)
		}
		what := "changed"
		if c.Edited {
			what = "edited"
		}
		return tellTask(tx, what, &t, actor)
	})
	return t, err
}

// opens reports whether a change makes an ended task open again.
func opens(from []coordination.TaskState, to coordination.TaskState) bool {
	for _, state := range from {
		if !state.Open() && to.Open() {
			return true
		}
	}
	return false
}

// room refuses one more open task in the project of a task that has as many as it may have.
func room(tx *journal.Tx, id coordination.TaskID) error {
	var open int
	err := database.One(tx, &open, `SELECT COUNT(*) FROM tasks WHERE project_id = (SELECT project_id FROM tasks WHERE id = ?)
		AND state IN ('todo', 'in_progress')`, id)
	if err == nil && open >= coordination.MaxOpenTasks {
		err = coordination.ErrTooManyTasks
	}
	return err
}

func tellTask(tx *journal.Tx, what string, t *coordination.Task, actor string) error {
	return tx.Append(permission.Entry{At: tx.Now(), Kind: permission.TasksChanged, Actor: actor, Data: permission.Data(map[string]any{
		"what": what, "taskId": t.ID, "projectId": t.ProjectID, "title": t.Title, "state": t.State, "assigneeId": t.AssigneeID,
		"sessionId": t.SessionID, "result": t.Result})}, nil)
}
