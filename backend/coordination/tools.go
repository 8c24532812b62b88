package coordination

import (
	"encoding/json"
	"slices"

	"sekisho/backend/authz"
	"sekisho/backend/permission"
)

// Tool is what the server of coordination says of one of its tools.
type Tool struct {
	Name        string
	Description string
	Schema      string // of its input, as JSON
	Example     string // an input, as JSON
	Needs       permission.ToolPermission
	Category    string // by which help sorts it
	Quiet       bool   // it reaches nothing outside the desk: where rules allow it no row is kept, and hold does not stop it
}

// Words of schemas that several tools have.
const (
	projectWord      = `"project_id":{"type":"string","description":"The id of the project."}`
	agentWord        = `"agent_id":{"type":"string","description":"The id of the agent."}`
	partnerWord      = `"agent_id":{"type":"string","description":"The id of the other agent, a member of the project. Leave it out to reach the person at the desk."}`
	messageWord      = `"message":{"type":"string","maxLength":4000,"description":"The text, at most 4,000 characters."}`
	conversationWord = `"conversation_id":{"type":"string","description":"The id of the conversation."}`
	keyWord          = `"key":{"type":"string","maxLength":128,"description":"A word of your own for this message: sent again with the same key, it is the same message."}`
)

// Tools are all that the server has, in the order of their names.
var Tools = [...]Tool{
	{Name: "assign_task", Needs: permission.NeedsManager, Category: "manager",
		Description: "Give a task to an agent of your project: a new one by its title, or one that nobody has begun, that failed or is blocked, by its id.",
		Schema: `{"type":"object","properties":{"task_id":{"type":"string","description":"The id of a task that there is. Leave it out to make a new one."},` +
			`"title":{"type":"string","maxLength":200,"description":"The title of a new task."},` +
			`"description":{"type":"string","maxLength":20000,"description":"What is to be done, for a new task."},` +
			`"assignee_id":{"type":"string","description":"The id of the agent that is to do it."}},"required":["assignee_id"]}`,
		Example: `{"title":"Write the release notes","assignee_id":"agent-001"}`},
	{Name: "authenticate", Needs: permission.NeedsNothing, Category: "unauthenticated", Quiet: true,
		Description: "Begin your session with the passkey that you were given. A passkey works once. The answer has a session token: " +
			"use it as your bearer token, or go on over this connection, which has the session from now on.",
		Schema: `{"type":"object","properties":{"agent_id":{"type":"string","description":"Your own id."},` +
			`"passkey":{"type":"string","description":"The passkey that you were given."},` + projectWord + `},"required":["agent_id","passkey","project_id"]}`,
		Example: `{"agent_id":"agent-001","passkey":"the passkey","project_id":"proj-001"}`},
	{Name: "delegate_to_chat_session", Needs: permission.NeedsTask, Category: "task_only",
		Description: "Ask another agent, or the person, something while you work on a task. The answer comes with get_next_action.",
		Schema:      `{"type":"object","properties":{` + partnerWord + `,` + messageWord + `,` + keyWord + `},"required":["message"]}`,
		Example:     `{"agent_id":"agent-002","message":"Which version is it for?"}`},
	{Name: "end_conversation", Needs: permission.NeedsChat, Category: "chat_only",
		Description: "End one of your conversations.",
		Schema:      `{"type":"object","properties":{` + conversationWord + `},"required":["conversation_id"]}`,
		Example:     `{"conversation_id":"conv-001"}`},
	{Name: "get_agent_action", Needs: permission.NeedsCoordinator, Category: "coordinator",
		Description: "Say what is to become of an agent of a project: start, hold, stop or restart. With start and restart a session is made, and its passkey is in the answer once: give it to the agent.",
		Schema:      `{"type":"object","properties":{` + agentWord + `,` + projectWord + `},"required":["agent_id","project_id"]}`,
		Example:     `{"agent_id":"agent-001","project_id":"proj-001"}`},
	{Name: "get_my_task", Needs: permission.NeedsSession, Category: "authenticated", Quiet: true,
		Description: "Read the task that you work on.",
		Schema:      `{"type":"object","properties":{}}`, Example: `{}`},
	{Name: "get_next_action", Needs: permission.NeedsSession, Category: "authenticated", Quiet: true,
		Description: "Ask what to do next. It waits for that as long as you say, and then answers wait.",
		Schema: `{"type":"object","properties":{"timeout_seconds":{"type":"integer","minimum":0,"maximum":60,` +
			`"description":"How many seconds to wait for something to do, at most 60. Left out, it does not wait."}}}`,
		Example: `{"timeout_seconds":30}`},
	{Name: "get_pending_messages", Needs: permission.NeedsChat, Category: "chat_only", Quiet: true,
		Description: "Read the messages that wait for you. Each is given once.",
		Schema:      `{"type":"object","properties":{}}`, Example: `{}`},
	{Name: "health_check", Needs: permission.NeedsCoordinator, Category: "coordinator", Quiet: true,
		Description: "Ask whether the desk works.",
		Schema:      `{"type":"object","properties":{}}`, Example: `{}`},
	{Name: authz.HelpTool, Needs: permission.NeedsNothing, Category: "unauthenticated",
		Description: authz.HelpAbout, Schema: authz.HelpSchema, Example: `{"tool_name":"authenticate"}`},
	{Name: "list_managed_agents", Needs: permission.NeedsCoordinator, Category: "coordinator", Quiet: true,
		Description: "List the members of all projects with their roles, their sessions and what waits for them.",
		Schema:      `{"type":"object","properties":{` + projectWord + `}}`, Example: `{}`},
	{Name: "report_completed", Needs: permission.NeedsSession, Category: "worker",
		Description: "Report the end of your task, once.",
		Schema: `{"type":"object","properties":{"result":{"type":"string","enum":["success","failed","blocked"],` +
			`"description":"How it ended: success, failed, or blocked by something outside."},` +
			`"summary":{"type":"string","maxLength":4000,"description":"What was done, in a few sentences."}},"required":["result"]}`,
		Example: `{"result":"success","summary":"All steps are done."}`},
	{Name: "respond_chat", Needs: permission.NeedsChat, Category: "chat_only",
		Description: "Answer in a conversation that is active.",
		Schema: `{"type":"object","properties":{` + conversationWord + `,` + messageWord + `,` + keyWord +
			`},"required":["conversation_id","message"]}`,
		Example: `{"conversation_id":"conv-001","message":"It is for 2.0."}`},
	{Name: "send_message", Needs: permission.NeedsChat, Category: "chat_only",
		Description: "Send a message to an agent or to the person: in the conversation that is under way between you, or else in a new one.",
		Schema:      `{"type":"object","properties":{` + partnerWord + `,` + messageWord + `,` + keyWord + `},"required":["message"]}`,
		Example:     `{"agent_id":"agent-002","message":"The notes are ready."}`},
	{Name: "start_conversation", Needs: permission.NeedsChat, Category: "chat_only",
		Description: "Begin a new conversation with an agent or with the person.",
		Schema:      `{"type":"object","properties":{` + partnerWord + `,` + messageWord + `,` + keyWord + `},"required":["message"]}`,
		Example:     `{"agent_id":"agent-002","message":"Shall we plan the release?"}`},
}

// ToolNamed gives a tool by its name.
func ToolNamed(name string) (Tool, bool) {
	i := slices.IndexFunc(Tools[:], func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return Tools[i], true
}

// Permissions are the table of the server.
func Permissions() permission.ToolPermissions {
	table := permission.ToolPermissions{}
	for _, t := range Tools {
		table[t.Name] = t.Needs
	}
	return table
}

// List is the tools/list of the server.
func List() []byte {
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	list := struct {
		Tools []entry `json:"tools"`
	}{}
	for _, t := range Tools {
		list.Tools = append(list.Tools, entry{t.Name, t.Description, json.RawMessage(t.Schema)})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		panic("the tools of coordination are JSON: " + err.Error())
	}
	return raw
}
