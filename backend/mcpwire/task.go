package mcpwire

import "sekisho/backend/rawjson"

// Methods about a task that a call began.
const (
	ListTasks  = "tasks/list"
	UpdateTask = "tasks/update"
)

// IsTask reports whether a method is about tasks.
func IsTask(method string) bool {
	switch method {
	case ListTasks, UpdateTask, "tasks/get", "tasks/result", "tasks/cancel":
		return true
	}
	return false
}

// ReadTask gives the task that a request is about; "" of one for all tasks. It is strict:
// a member that MCP does not name there would reach the server without having been judged.
func ReadTask(m Message) (id string, bad *Error) {
	if m.extra != "" {
		return "", Errorf(CodeInvalid, "%s has the unknown member %.80q beside its params", m.Method, m.extra)
	}
	names := []string{"taskId", "_meta"}
	switch m.Method {
	case ListTasks:
		names = []string{"cursor", "_meta"}
	case UpdateTask: // it brings what the server asked for
		names = append(names, "inputResponses", "requestState")
	}
	members, err := rawjson.Members(m.Params)
	if err != nil && m.Params != nil {
		return "", Errorf(CodeParams, "params of %s is an object", m.Method)
	}
	got, bad := Pick(members, names...)
	switch {
	case bad != nil:
		return "", bad
	case len(got) < len(members):
		return "", Errorf(CodeParams, "params of %s has a member that it does not have in MCP", m.Method)
	case m.Method == ListTasks:
		return "", nil
	}
	id, ok := Text(got["taskId"].Value)
	if !ok {
		return "", Errorf(CodeParams, "taskId of %s is a string", m.Method)
	}
	return id, nil
}
