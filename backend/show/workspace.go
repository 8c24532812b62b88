package show

import (
	"strings"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
)

// workspaceOf finds the workspace of a call.
func workspaceOf(c *permission.Call, servers []permission.Server) *permission.Server {
	if c.ServerID == nil || !permission.AboutTool(c.Method) {
		return nil
	}
	for i := range servers {
		if servers[i].ID == *c.ServerID && servers[i].IsWorkspace() {
			return &servers[i]
		}
	}
	return nil
}

// lookAtWorkspace says where a call of a workspace's tools runs, and how far it is confined.
func lookAtWorkspace(c *permission.Call, s *permission.Server,
	found func(permission.Server) *permission.Confinement) *permission.WorkspaceLook {
	look := &permission.WorkspaceLook{Folder: s.Cwd, Execution: s.Execution, Missing: []string{}}
	root := ""
	if s.RunsHere() {
		root = s.Cwd
	}
	call, bad := guard.Parse(root, c.ToolName, c.Input)
	if bad != nil || call.Tool != guard.ExecuteCommand {
		return look
	}
	v, bad := guard.Judge(root, call)
	if bad != nil {
		return look
	}
	look.Program, look.Verb, look.Network = v.Program, v.Verb, v.Network
	if s.RunsHere() && found != nil {
		if f := found(*s); f != nil {
			look.Confinement, look.Missing = f.Level, append(look.Missing, f.Missing...)
		}
	}
	return look
}

// writeOf is what a call of a workspace writes; nil is nothing.
func writeOf(c *permission.Call, s *permission.Server) *write {
	call, bad := guard.Parse(s.Cwd, c.ToolName, c.Input)
	if bad != nil || call.Tool != guard.WriteFile {
		return nil
	}
	return &write{path: call.Path, whole: !call.Append, adds: call.Append, text: call.Content, large: len(call.Content) > maxText}
}

// programPath is where the programs of a workspace are looked for, and nowhere else.
func programPath(s *permission.Server) string {
	return strings.Join(append([]string{"/usr/bin", "/bin", "/usr/local/bin"}, s.ProgramFolders...), ":")
}
