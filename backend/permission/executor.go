package permission

import "slices"

// ExecutorID names an executor.
type ExecutorID string

// Executor is a program that has the files of workspaces, and runs their tools there once they are approved. Its token is shown
// once and kept as a hash. It sees which approved calls of its projects are to be run, claims and reports them, and nothing else.
type Executor struct {
	ID         ExecutorID `json:"id"`
	Name       string     `json:"name"`
	ProjectIDs []string   `json:"projectIds"` // the ids of workspaces
	CreatedAt  Time       `json:"createdAt"`
}

// Serves reports whether the executor runs the tools of a project.
func (e *Executor) Serves(project string) bool { return slices.Contains(e.ProjectIDs, project) }

// SeenBy reports whether the agents of a user see a workspace.
func (s *Server) SeenBy(user string) bool { return len(s.Users) == 0 || slices.Contains(s.Users, user) }

// ExecutorClaims begins the keys of executors' claims, whose calls no process of the desk runs.
const ExecutorClaims = "executor:"
