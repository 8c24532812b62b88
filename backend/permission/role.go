package permission

import (
	"cmp"
	"maps"
	"slices"
)

type (
	// Role is what a person made of an agent, or of a session of it: what it may ask for at all.
	Role string
	// Purpose is what a session was made for.
	Purpose string
	// ProjectID names a project, in the form of a server's id.
	ProjectID string
	// ToolPermission says who may use a tool at all.
	ToolPermission string
)

// The roles. A coordinator is an agent, also where it has no session; manager and worker are
// those of a session.
const (
	RoleCoordinator Role = "coordinator"
	RoleManager     Role = "manager"
	RoleWorker      Role = "worker"
)

// Roles lists every role.
var Roles = [...]Role{RoleCoordinator, RoleManager, RoleWorker}

// The purposes.
const (
	PurposeTask Purpose = "task"
	PurposeChat Purpose = "chat"
)

// Purposes lists every purpose.
var Purposes = [...]Purpose{PurposeTask, PurposeChat}

// The permissions of tools, in the order of the table that package authz has.
const (
	NeedsNothing     ToolPermission = "unauthenticated"
	NeedsCoordinator ToolPermission = "coordinator_only"
	NeedsManager     ToolPermission = "manager_only"
	NeedsWorker      ToolPermission = "worker_only"
	NeedsSession     ToolPermission = "authenticated"
	NeedsChat        ToolPermission = "chat_only"
	NeedsTask        ToolPermission = "task_only"
)

// ToolPermissionWords lists every permission.
var ToolPermissionWords = [...]ToolPermission{
	NeedsNothing, NeedsCoordinator, NeedsManager, NeedsWorker, NeedsSession, NeedsChat, NeedsTask,
}

// Standing is what a caller is to the desk: its role and, where it came with the token of a
// session, the purpose and the project of that. The zero value is an agent without a session.
type Standing struct {
	Role      Role
	Purpose   Purpose
	ProjectID ProjectID
}

// CallerType is the word for the role: unauthenticated where there is none.
func (s Standing) CallerType() string { return string(cmp.Or(s.Role, "unauthenticated")) }

// AnyTool stands in ToolPermissions for every tool that is not named.
const AnyTool = "*"

// maxToolPermissions bounds the tools that a table names.
const maxToolPermissions = 2000

// ToolPermissions are the permissions of a server's tools by their names, byte for byte. nil is
// no table: nothing is checked.
type ToolPermissions map[string]ToolPermission

// SameTables reports whether each server of two lists has the same table, or is in one of them
// alone and has none.
func SameTables(a, b []Server) bool { return len(ChangedTables(a, b)) == 0 }

// ChangedTables gives, in their order, the ids of the servers that have another table in one list
// than in the other, where one that is not there has none.
func ChangedTables(a, b []Server) (ids []string) {
	of := [2]map[string]ToolPermissions{{}, {}}
	for i, list := range [2][]Server{a, b} {
		for _, s := range list {
			of[i][s.ID] = s.ToolPermissions
		}
	}
	same := func(id string) bool {
		return (of[0][id] == nil) == (of[1][id] == nil) && maps.Equal(of[0][id], of[1][id])
	}
	all := maps.Clone(of[0])
	maps.Copy(all, of[1])
	return slices.Sorted(func(yield func(string) bool) {
		for id := range all {
			if !same(id) && !yield(id) {
				return
			}
		}
	})
}

// ServersNews is what the journal says of another list of servers: the ids of all, and of those whose
// table is another, or was taken away.
func ServersNews(ids, tables []string) map[string]any {
	if len(tables) == 0 {
		return map[string]any{"servers": ids}
	}
	return map[string]any{"servers": ids, "tables": tables}
}

// Valid says what is wrong with a table.
func (p ToolPermissions) Valid() error {
	if len(p) > maxToolPermissions {
		return Invalid("toolPermissions", FieldTooMany, "a table names at most 2,000 tools").With(Param("max", maxToolPermissions))
	}
	for tool, needs := range p {
		switch {
		case tool == "":
			return Invalid("toolPermissions", FieldEmpty, "a tool has a name")
		case len(tool) > MaxNameBytes:
			return Invalid("toolPermissions", FieldTooLong, "the name of a tool has at most 256 bytes").With(Param("maxBytes", MaxNameBytes))
		case !slices.Contains(ToolPermissionWords[:], needs):
			return Invalid("toolPermissions", FieldNotOneOf,
				"a permission is one of unauthenticated, coordinator_only, manager_only, worker_only, authenticated, chat_only and task_only")
		}
	}
	return nil
}

// ByTable reports whether a call was refused because its caller may not use its tool at all: its
// reason then is the whole of what the caller is told.
func (c *Call) ByTable() bool {
	return c.Status == Denied && c.Decision != nil && c.Decision.By == ByGuard && c.Decision.Code.ByTable()
}
