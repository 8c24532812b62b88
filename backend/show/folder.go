package show

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// elsewhere are programs that run others on another machine, or where other files are.
var elsewhere = strings.Fields(
	`docker docker-compose podman podman-compose nerdctl finch lima limactl colima ctr crictl apptainer singularity
	lxc lxc-attach incus multipass vagrant machinectl systemd-nspawn chroot arch-chroot schroot nsenter unshare bwrap firejail proot
	flatpak flatpak-spawn snap toolbox distrobox distrobox-enter distrobox-host-exec host-spawn
	ssh autossh sshpass mosh telnet kubectl k3s oc wsl adb devcontainer gh gcloud aws az fly flyctl heroku nc ncat socat mcp-remote mcp-proxy supergateway`)

// homeOf says where a call runs. Of a server that this desk does not start itself
// nothing is known, nor of one that is started in a container or on another machine, nor
// of a program that may be on one (remote).
func homeOf(c *permission.Call, servers []permission.Server, remote bool) home {
	if c.ServerID == nil {
		return home{here: !remote}
	}
	for i := range servers {
		s := &servers[i]
		if s.ID == *c.ServerID && (s.RunsHere() || s.Transport == permission.TransportStdio && !leaves(s)) {
			return home{here: true, server: s}
		}
	}
	return home{}
}

// leaves reports whether a server's command line has the name of a program that runs
// others elsewhere, be it behind another one as in env, sudo or sh -c.
func leaves(s *permission.Server) bool {
	away := func(word string) bool {
		name := strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
		name, _, _ = strings.Cut(strings.TrimSuffix(name, ".exe"), "@") // mcp-remote@1.2
		return slices.Contains(elsewhere, name)
	}
	return away(s.Command) || slices.ContainsFunc(s.Args, func(arg string) bool { return slices.ContainsFunc(strings.Fields(arg), away) })
}

// folder is the one that relative paths of a call begin at, "" where it is not known or
// no system would take it: the one that the input names, else the call's, else the
// server's. It is not cleaned: ".." behind a link leads elsewhere than it reads.
func (h home) folder(c *permission.Call, members []rawjson.Member) string {
	folder := h.named(c, members)
	if len(folder) > maxPath || strings.ContainsRune(folder, 0) {
		return ""
	}
	return folder
}

func (h home) named(c *permission.Call, members []rawjson.Member) string {
	base := ""
	switch {
	case h.server != nil && h.server.IsWorkspace():
		return h.server.Cwd
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
// it may look for a relative path before it looks in base: as an argument or behind the
// sign of one (--root=docs).
func (h home) otherFolders(base string, isFolder func(string) bool) bool {
	if h.server == nil {
		return false
	}
	other := func(arg string) bool {
		return arg != "" && slices.ContainsFunc(h.places(base, arg), func(place string) bool {
			return filepath.Clean(place) != filepath.Clean(base) && isFolder(place)
		})
	}
	return slices.ContainsFunc(h.server.Args, func(arg string) bool {
		_, value, _ := strings.Cut(arg, "=")
		return other(arg) || other(value)
	})
}

// places are the absolute paths that a server may take an argument for.
func (h home) places(base, arg string) []string {
	if filepath.IsAbs(arg) {
		return []string{arg}
	}
	list := []string{filepath.Join(base, arg)}
	start := h.server.Cwd
	if start == "" {
		start, _ = os.Getwd() // it is started in the desk's own; one that is gone has no folders
	}
	if filepath.IsAbs(start) {
		list = append(list, filepath.Join(start, arg))
	}
	if rest, ok := strings.CutPrefix(arg, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		user, set := h.server.Env["HOME"]
		if !set {
			user, _ = os.UserHomeDir() // nobody's home is no place
		}
		if user != "" {
			list = append(list, filepath.Join(user, rest))
		}
	}
	return list
}
