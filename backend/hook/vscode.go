package hook

// vscode is VS Code, which has Claude Code's shapes with some names of its own. This is from
// its documentation, and was not run.
var vscode = dialect{
	name: "VS Code",
	read: func(f fields, has known) (question, error) {
		for own, name := range map[string]string{"hookEventName": snake.event, "sessionId": snake.session, "toolUseId": snake.id,
			"toolName": snake.tool, "toolInput": snake.input} {
			if value, there := f[own]; there {
				if f[name] != nil {
					return question{}, errNoEvent
				}
				f[name] = value
			}
		}
		q, err := readClaude(f, has)
		if err == nil && q.event != preToolUse {
			err = errNoEvent
		}
		return q, err
	},
	allow: claude.allow,
	ask:   claude.ask,
}
