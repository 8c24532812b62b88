package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"slices"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// ClassOf gives the kind of a call, and why its shell line is answered once only, if it is
// (CONTRACT section 6). The kind is server, tool, method and folder and, of a line, the
// names of the parts that are not neutral, each with its effects, its folder, the code that it
// is told to run, the files that it writes, and its risk where it is another than the call's, by levels,
// one for each part of the line. There is none where no part has a name and a folder that can be told.
func ClassOf(c *Call, levels []permission.Risk) (*permission.Class, permission.OnlyOnce) {
	class := &permission.Class{ServerID: c.ServerID, Method: cmp.Or(c.Method, permission.CallTool), ToolName: c.ToolName}
	cwd := ""
	if c.Cwd != nil {
		cwd = *c.Cwd
	}
	if !c.ofTool() {
		class.Folder = cwd
		return class, ""
	}
	members, err := membersOf(c.Input)
	if err != nil {
		return nil, permission.OnceOpaque
	}
	line, found := command.Of(rawjson.Values(members), c.ToolName, cwd, false)
	if !found {
		class.Folder = cwd
		return class, ""
	}
	here, known := folderOf(cwd, members)
	class.Parts = partsOf(&line, here, known, func(part int) permission.Risk {
		if len(levels) == len(line.Parts) && levels[part] != c.Risk {
			return levels[part]
		}
		return ""
	})
	if !slices.ContainsFunc(class.Parts, func(p permission.ClassPart) bool { return !p.Lost }) {
		class = nil
	}
	return class, onceFor(&line)
}

// membersOf are those of an input; what is no object has none.
func membersOf(input json.RawMessage) ([]rawjson.Member, error) {
	if len(input) == 0 {
		return nil, nil
	}
	members, err := rawjson.Members(input)
	if bad := (*rawjson.Error)(nil); errors.As(err, &bad) && bad.Reason == rawjson.NotObject {
		return nil, nil
	}
	return members, err
}

// onceFor says why a yes to a line is for it alone.
func onceFor(line *command.Line) permission.OnlyOnce {
	why := permission.OnlyOnce("")
	if len(line.Beside) > 0 {
		why = permission.OnceOpaque
	}
	for i := range line.Parts {
		switch p := &line.Parts[i]; {
		case line.Opaque || p.Opaque || p.Name == "":
			return permission.OnceOpaque
		case p.Code || runsOthers(line, p):
			why = permission.OnceCode
		case p.Unusual && why == "":
			why = permission.OnceUnusual
		}
	}
	return why
}

// runsOthers reports whether words of a part may make it run another program that is no part
// of the line, and that its name does not tell of: of a program that the table of parts does
// not know, or of one that has no verbs.
func runsOthers(line *command.Line, p *command.Part) bool {
	if p.Effects != 0 && (p.Verb != "" || command.RunsOthers(p.Path, nil)) {
		return false
	}
	inside := func(other command.Part) bool { return other.Start > p.Start && other.End <= p.End }
	return command.RunsOthers(p.Path, p.Words) && !slices.ContainsFunc(line.Parts, inside)
}

// partsOf are the named parts of a line that an answer is for: those that are not neutral,
// or all where no other is.
func partsOf(line *command.Line, here string, known bool, level func(int) permission.Risk) []permission.ClassPart {
	parts := []permission.ClassPart{}
	alone := !slices.ContainsFunc(line.Parts, func(p command.Part) bool { return !p.Neutral })
	for i := range line.Parts {
		p := &line.Parts[i]
		if p.Name == "" || p.Neutral && !alone {
			continue
		}
		part := permission.ClassPart{Name: p.Name, Lost: p.Lost || !known && !path.IsAbs(p.Folder), Risk: level(i)}
		if p.Effects != 0 {
			part.Effects = p.Effects.Names()
		}
		if !part.Lost {
			part.Folder = below(here, p.Folder)
		}
		chosen, told := p.Chosen()
		part.Chosen = chosen
		part.Writes, part.Unsure = written(p, part.Folder)
		part.Unsure = part.Unsure || !told
		if !slices.ContainsFunc(parts, func(known permission.ClassPart) bool { return known.Same(&part) }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// written are the files that a part writes by redirection, from its folder.
func written(p *command.Part, folder string) (files []string, unsure bool) {
	for _, file := range p.Writes {
		if file == "" || file[0] == '~' {
			return nil, true
		}
		if file = below(folder, file); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files, false
}

// folderOf is where the line of a call runs: in its cwd, or where its input says.
func folderOf(cwd string, members []rawjson.Member) (folder string, known bool) {
	said := false
	for _, m := range members {
		if !command.IsFolder(m.Key) || string(m.Value) == "null" {
			continue
		}
		var to string
		if said || json.Unmarshal(m.Value, &to) != nil || to == "" || to[0] == '~' {
			return "", false
		}
		cwd, said = below(cwd, to), true
	}
	return cwd, true
}

// below follows a path from a folder, "" being one that is not known.
func below(folder, to string) string {
	if path.IsAbs(to) {
		return path.Clean(to)
	}
	if to == "" {
		return folder
	}
	return path.Join(folder, to)
}
