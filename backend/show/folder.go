package show

import (
	"path/filepath"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// folderKeys are members of an input that name the folder to work in.
var folderKeys = []string{"cwd", "workdir", "workDir", "working_dir", "workingDir", "working_directory", "workingDirectory"}

// home is where a call runs.
type home struct {
	here   bool               // on this machine
	server *permission.Server // nil: in the agent's program
}

// homeOf says where a call runs. Of a server that this desk does not start itself
// nothing is known.
func homeOf(c *permission.Call, servers []permission.Server) home {
	if c.ServerID == nil {
		return home{here: true}
	}
	for i := range servers {
		if servers[i].ID == *c.ServerID && servers[i].Transport == permission.TransportStdio {
			return home{here: true, server: &servers[i]}
		}
	}
	return home{}
}

// folder is the one that relative paths of a call begin at, "" where it is not known:
// the one that the input names, else the call's, else the server's. It is not cleaned:
// ".." behind a link leads elsewhere than it reads.
func (h home) folder(c *permission.Call, members []rawjson.Member) string {
	base := ""
	switch {
	case c.Cwd != nil && filepath.IsAbs(*c.Cwd):
		base = *c.Cwd
	case h.server != nil && filepath.IsAbs(h.server.Cwd):
		base = h.server.Cwd
	}
	named, own := having(members, folderKeys), ""
	switch {
	case len(named) == 0:
		return base
	case len(named) > 1 || !text(named[0].Value, &own) || own == "" || own[0] == '~':
		return ""
	case filepath.IsAbs(own):
		return own
	case base == "":
		return ""
	}
	return base + string(filepath.Separator) + own
}

// otherFolders reports whether a server was started with folders of its own, in which
// it may look for a relative path before it looks in base.
func (h home) otherFolders(base string, isFolder func(string) bool) bool {
	if h.server == nil {
		return false
	}
	for _, arg := range h.server.Args {
		if filepath.IsAbs(arg) && filepath.Clean(arg) != filepath.Clean(base) && isFolder(arg) {
			return true
		}
	}
	return false
}
