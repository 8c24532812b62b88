package hook

import "sekisho/backend/rawjson"

// codex is Codex's hooks.json, which has Claude Code's shapes. It takes what it does not know,
// as ask, for a yes; and another input only before a tool is used.
var codex = dialect{
	name: "Codex",
	read: func(f fields, has known) (question, error) {
		q, err := readClaude(f, has)
		if err == nil && q.follows && q.server == nil { // why it is asked about is no part of the input
			if bare, bad := rawjson.Without(q.input, "description"); bad == nil && bare != nil {
				q.input = bare
			}
		}
		return q, err
	},
	allow: func(q *question, edited []byte) (string, bool) {
		if q.event == permissionRequest && edited != nil {
			return "", false
		}
		return claude.allow(q, edited)
	},
	ask: func(q *question) string {
		if q.event == permissionRequest {
			return "{}"
		}
		return ""
	},
}
