package hook

// gemini is Gemini CLI. A yes of a hook is no more than no objection there: its own policy
// decides then.
var gemini = dialect{
	name: "Gemini CLI",
	read: func(f fields, _ known) (question, error) {
		q, err := snake.question(f)
		if err == nil && q.event != "BeforeTool" {
			err = errNoEvent
		}
		if err != nil {
			return q, err
		}
		from, err := f.below("mcp_context")
		if err != nil || from == nil {
			return q, err
		}
		server, err1 := from.text("server_name")
		tool, err2 := from.text("tool_name")
		if err1 != nil || err2 != nil || server == "" || tool == "" {
			return q, errNoEvent
		}
		q.asMCP(server, tool)
		return q, nil
	},
	allow: func(q *question, edited []byte) (string, bool) {
		said := []string{"decision", `"allow"`}
		if edited != nil {
			said = append(said, "hookSpecificOutput", object("hookEventName", quoted(q.event), "tool_input", string(edited)))
		}
		return object(said...), true
	},
}
