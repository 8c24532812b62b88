// Package authz judges, before any rule is asked, whether a caller may use a tool at all: by
// the permission of the tool, and by the role and the purpose of the caller. It is one table,
// which testdata/table.txtar writes down in whole.
package authz

import "sekisho/backend/permission"

// need is what a caller lacks.
type need int

const (
	nothing need = iota
	authentication
	coordinator
	manager
	worker
	chat
	task
)

// row is what the callers lack for one permission. A session of a manager or a worker lacks
// what its role does, and else what its purpose does.
type row struct {
	none, coordinator, manager, worker need
	purpose                            permission.Purpose // "": any
}

// table is the whole of who may use which tools.
var table = map[permission.ToolPermission]row{
	permission.NeedsNothing:     {},
	permission.NeedsCoordinator: {none: coordinator, manager: coordinator, worker: coordinator},
	permission.NeedsManager:     {none: authentication, worker: manager},
	permission.NeedsWorker:      {none: authentication, coordinator: worker, manager: worker},
	permission.NeedsSession:     {none: authentication, coordinator: authentication},
	permission.NeedsChat:        {none: authentication, coordinator: authentication, purpose: permission.PurposeChat},
	permission.NeedsTask:        {none: authentication, coordinator: authentication, purpose: permission.PurposeTask},
}

// Judge says why a caller may not use a tool that has a permission; nil: it may. A permission
// that is none of ours is that of a tool which is not registered.
func Judge(caller permission.Standing, needs permission.ToolPermission, tool string) *permission.Explanation {
	r, known := table[needs]
	if !known {
		return NotRegistered(tool)
	}
	switch lacks := r.lacks(caller); lacks {
	case nothing:
		return nil
	case chat, task:
		return purposed(lacks, caller.Purpose, tool)
	default:
		return required(lacks, tool)
	}
}

// lacks is what a caller lacks. A role or a purpose that is none of ours is no session.
func (r row) lacks(caller permission.Standing) need {
	var role need
	switch caller.Role {
	case permission.RoleCoordinator:
		return r.coordinator
	case permission.RoleManager:
		role = r.manager
	case permission.RoleWorker:
		role = r.worker
	default:
		return r.none
	}
	switch {
	case caller.Purpose != permission.PurposeTask && caller.Purpose != permission.PurposeChat:
		return r.none
	case role != nothing || r.purpose == "" || r.purpose == caller.Purpose:
		return role
	case r.purpose == permission.PurposeChat:
		return chat
	}
	return task
}

// Permits judges by the permissions of a server's tools: that of the exact name, else that of
// "*". nil permits all. A tool that a table does not name, and no "*" either, is not registered.
func Permits(of permission.ToolPermissions, caller permission.Standing, tool string) *permission.Explanation {
	if of == nil {
		return nil
	}
	needs, named := of[tool]
	if !named {
		needs = of[permission.AnyTool] // "" is none of ours
	}
	return Judge(caller, needs, tool)
}

// NotRegistered says that there is no such tool, to every caller alike.
func NotRegistered(tool string) *permission.Explanation {
	return refuse(permission.ReasonToolNotRegistered, tool, "is not registered.")
}

func required(lacks need, tool string) *permission.Explanation {
	switch lacks {
	case coordinator:
		return refuse(permission.ReasonCoordinatorRequired, tool, "requires coordinator privilege.")
	case manager:
		return refuse(permission.ReasonManagerRequired, tool, "requires manager privilege.")
	case worker:
		return refuse(permission.ReasonWorkerRequired, tool, "requires worker privilege.")
	}
	return refuse(permission.ReasonAuthenticationRequired, tool, "requires authentication. Call 'authenticate' first.")
}

// purposed says that a session has the other purpose.
func purposed(lacks need, has permission.Purpose, tool string) *permission.Explanation {
	code, wants := permission.ReasonTaskRequired, "a task"
	if lacks == chat {
		code, wants = permission.ReasonChatRequired, "a chat"
	}
	e := refuse(code, tool, "requires "+wants+" session. Current session purpose is '"+string(has)+"'.")
	e.Params = e.Params.With(permission.Param("purpose", has))
	return e
}

func refuse(code permission.ReasonCode, tool, words string) *permission.Explanation {
	return &permission.Explanation{Code: code, Params: permission.Param("tool", tool), Reason: "Tool '" + tool + "' " + words}
}
