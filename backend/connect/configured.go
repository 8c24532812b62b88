package connect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Configured is an entry of a client as its files have it now.
type Configured struct {
	Key    string // the client's name of the server
	Server string // the desk's server that it leads to; "" leads elsewhere, or to all of them
	Joined bool   // leads to all servers of the desk
}

// doors are the names by which agents' hooks name their clients, where these are others.
var doors = map[string]string{"claude": "claude-code"}

// ConfiguredFor lists the entries of a client, which is named as its hooks name it, in the
// user's files and in those of a folder. An entry leads to this desk where it is one of its
// URLs, or starts this very sekisho and names no other desk.
func ConfiguredFor(p Places, o Options, door string) (all []Configured) {
	id := door
	if name, ok := doors[door]; ok {
		id = name
	}
	c, _ := ClientByID(id)
	for _, f := range filesOf(c, p) {
		doc, err := readDocument(&f.Client, string(f.Content))
		if err != nil {
			continue
		}
		planner := planner{file: f, opts: o}
		for _, e := range entriesOf(doc, &f.Client) {
			if folder := f.folderOf(e.Path); len(e.Path) == 4 && folder != p.Cwd || off(e.Value) {
				continue
			}
			found := Configured{Key: e.Key()}
			if server, program, ok := planner.behind(&e); ok && (program == "" || sameFile(program, o.Program)) && planner.here(e.Value) {
				found.Server, found.Joined = server, server == ""
			}
			all = append(all, found)
		}
	}
	return all
}

// filesOf reads the files of a client that can be read.
func filesOf(c Client, p Places) (all []File) {
	if c.user == nil {
		return nil
	}
	take := func(path, project string) {
		if f, there := read(c, path, project); there && f.Err == nil {
			all = append(all, f)
		}
	}
	for _, path := range c.user(p) {
		take(path, "")
	}
	for _, name := range c.project {
		if p.Cwd != "" {
			take(p.join(p.Cwd, name), p.Cwd)
		}
	}
	return all
}

// here reports whether nothing in an entry that starts sekisho sends it to another desk.
func (p *planner) here(entry map[string]any) bool {
	line, env, err := commandLine(entry, p.file.Client.dialect)
	if err != nil {
		return true // it has a URL
	}
	if vars, ok := env.(map[string]any); ok && vars["SEKISHO_URL"] != nil {
		return false
	}
	for i, arg := range line {
		if to, given := strings.CutPrefix(arg, "--desk="); given && !slices.Contains(p.opts.URLs, to) ||
			arg == "--desk" && (i+1 == len(line) || !slices.Contains(p.opts.URLs, line[i+1])) {
			return false
		}
	}
	return true
}

// sameFile reports whether two paths lead to one program.
func sameFile(a, b string) bool {
	if a == b && filepath.IsAbs(a) {
		return true
	}
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return filepath.IsAbs(a) && err1 == nil && err2 == nil && os.SameFile(first, second)
}
