package rest

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/restwire"
)

// hooksPath is where another door answers the hooks of agent programs.
const hooksPath = "/v1/hooks/"

// describeHooks says in the document what that door takes and answers.
func describeHooks(a *restwire.API) {
	event := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{restwire.JSON: {Schema: &huma.Schema{}}}}
	a.Describe(restwire.Row{
		Route: "POST " + hooksPath + "{client}", ID: "answerHook", Who: restwire.Agents,
		Summary: "Answer an event of an agent program's hook",
		About: "The body is the event as the program wrote it, at most 32 MiB; the answer is what its hook prints, and its exit code. " +
			"Clients are claude, codex, gemini, copilot, vscode, cursor and opencode. An answer may take 640 seconds. " +
			"With defer, Claude Code is told after so many seconds to ask again when its session goes on.",
		Responses: map[string]*huma.Response{
			"200": a.Answer("What the hook prints and how it exits", restwire.JSON, reflect.TypeFor[hookAnswer]())},
	}, event, "client", "defer")
	a.Describe(restwire.Row{
		Route: "POST " + hooksPath + "claude/http", ID: "answerClaude", Who: restwire.Agents,
		Summary: "Answer an event of Claude Code's hooks over HTTP",
		About: "As the other row, but the answer is Claude Code's own JSON, with 200 also where it is a no or the event is not taken: Claude Code takes " +
			"any other status, and no answer at all, for leave to run the tool. So a desk that is not there or does not know the token stops nothing " +
			"here; a hook that starts sekisho-hook, as connecting writes it, does.",
		Responses: map[string]*huma.Response{"200": {Description: "What Claude Code reads",
			Content: map[string]*huma.MediaType{restwire.JSON: {Schema: &huma.Schema{Type: huma.TypeObject}}}}},
	}, event, "", "defer")
}

// hookAnswer is what a hook prints, and its exit code: 0 is what the program takes for an
// answer, 2 is a no with its reason on stderr.
type hookAnswer struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}
