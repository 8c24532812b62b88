package hook

import "encoding/json"

// cursor is Cursor: https://cursor.com/docs/agent/hooks. This is from its documentation, and
// was not run.
var cursor = dialect{
	name: "Cursor",
	read: readCursor,
	allow: func(_ *question, edited []byte) (string, bool) {
		return object("permission", `"allow"`), edited == nil
	},
	ask: func(*question) string { return object("permission", `"ask"`, "user_message", quoted(unanswered)) },
}

func readCursor(f fields, _ known) (q question, err error) {
	var cwd string
	for _, m := range []struct {
		name string
		to   *string
	}{{"hook_event_name", &q.event}, {"conversation_id", &q.session}, {"cwd", &cwd}} {
		if *m.to, err = f.text(m.name); err != nil {
			return q, err
		}
	}
	if q.session == "" {
		return q, errNoEvent
	}
	if cwd != "" {
		q.cwd = &cwd
	}
	switch q.event {
	case "beforeShellExecution":
		q.tool = "Shell"
		err = q.member(f, "command")
	case "beforeReadFile":
		q.tool = "Read"
		err = q.member(f, "file_path")
	case "beforeMCPExecution":
		err = q.cursorMCP(f)
	default:
		err = errNoEvent
	}
	return q, err
}

// member has the input be one member of the event, which is a text.
func (q *question) member(f fields, name string) error {
	if text, err := f.text(name); err != nil || text == "" {
		return errNoEvent
	}
	q.input = []byte(object(name, string(f[name])))
	return nil
}

// cursorMCP reads a tool of a server, which the event names by what it starts or talks to. The
// input may be a text that holds it.
func (q *question) cursorMCP(f fields) error {
	tool, err1 := f.text("tool_name")
	server, err2 := f.text("command")
	if server == "" {
		server, err2 = f.text("url")
	}
	if err1 != nil || err2 != nil || tool == "" || server == "" {
		return errNoEvent
	}
	q.asMCP(server, tool)
	q.input = f["tool_input"]
	var inner string
	if json.Unmarshal(q.input, &inner) == nil {
		q.input = []byte(inner)
	}
	if q.input == nil {
		return errNoEvent
	}
	return nil
}
