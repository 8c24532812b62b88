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
	Source string // user, project or local, as Claude Code calls where it has an entry from
}

// ConfiguredFor lists the entries of a client, which is named as its hooks name it, in the
// user's files and in those of a folder and of all above it. An entry leads to this desk where
// it is one of its URLs, or starts this very sekisho and names no other desk, and the client
// surely has it: none does where a file cannot be read, and none of a folder above.
func ConfiguredFor(p Places, o Options, door string) (all []Configured) {
	c, _ := ClientByID(door)
	for _, of := range Clients() {
		if HookDoor(of.ID) == door {
			c = of
		}
	}
	for _, f := range filesOf(c, p) {
		if f.Err != nil {
			return nil
		}
		doc, err := readDocument(&f.Client, string(f.Content))
		if err != nil {
			return nil
		}
		planner := planner{file: f, opts: o}
		for _, e := range entriesOf(doc, &f.Client) {
			folder, local := f.folderOf(e.Path), len(e.Path) == 4
			if local && !above(folder, p.Cwd) || off(e.Value) {
				continue
			}
			found := Configured{Key: e.Key(), Source: "user"}
			switch {
			case local:
				found.Source = "local"
			case folder != "":
				found.Source = "project"
			}
			server, program, ok := planner.behind(&e)
			if ok && (folder == "" || folder == p.Cwd) && (program == "" || sameFile(program, o.Program)) && planner.here(e.Value) {
				found.Server, found.Joined = server, server == ""
			}
			all = append(all, found)
		}
	}
	return all
}

// above reports whether a folder is another one or above it.
func above(folder, of string) bool {
	rest, ok := strings.CutPrefix(of, folder)
	return ok && (rest == "" || strings.HasSuffix(folder, "/") || strings.HasPrefix(rest, "/"))
}

// filesOf reads the files of a client.
func filesOf(c Client, p Places) (all []File) {
	if c.user == nil {
		return nil
	}
	take := func(path, project string) {
		if f, there := read(c, path, project); there {
			all = append(all, f)
		}
	}
	for _, path := range c.user(p) {
		take(path, "")
	}
	for _, name := range c.project {
		for folder := p.Cwd; folder != ""; folder = filepath.Dir(folder) {
			take(p.join(folder, name), folder)
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return all
}

// here reports whether nothing in an entry that starts sekisho may send it to another desk, or
// make another program of it.
func (p *planner) here(entry map[string]any) bool {
	line, env, err := commandLine(entry, p.file.Client.dialect)
	if err != nil {
		return true // it has a URL
	}
	if vars, ok := env.(map[string]any); env != nil && !ok || len(vars) > 0 {
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
