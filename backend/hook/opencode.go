package hook

import (
	"slices"
	"strings"
)

// opencode is our own plugin for opencode, which hands on what opencode gives to it.
var opencode = dialect{
	name: "opencode",
	read: func(f fields, has known) (q question, err error) {
		if q.event, err = f.text("event"); err != nil || q.event != "tool.execute.before" {
			return q, errNoEvent
		}
		in, err1 := f.below("input")
		out, err2 := f.below("output")
		cwd, err3 := f.text("directory")
		if err1 != nil || err2 != nil || err3 != nil {
			return q, errNoEvent
		}
		for name, to := range map[string]*string{"tool": &q.tool, "sessionID": &q.session, "callID": &q.id} {
			if *to, err = in.text(name); err != nil || *to == "" {
				return q, errNoEvent
			}
		}
		if cwd != "" {
			q.cwd = &cwd
		}
		if q.input = out["args"]; q.input == nil {
			return q, errNoEvent
		}
		if !strings.Contains(q.tool, "_") {
			return q, nil
		}
		all := has()
		server, tool, ok := all.split(q.tool, "_")
		if ok && slices.ContainsFunc(all, func(e Entry) bool { return e.Name == server }) { // else it is a name with an underscore
			q.asMCP(server, tool)
		}
		return q, nil
	},
	allow: func(_ *question, edited []byte) (string, bool) { return "{}", edited == nil },
}
