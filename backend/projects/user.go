package projects

import (
	"encoding/json"

	"sekisho/backend/permission"
)

// SameUser refuses parameters of a tool that name another user than the agent's.
func SameUser(agent *permission.Agent, params json.RawMessage) error {
	var given struct {
		UserID *string `json:"user_id"`
	}
	if json.Unmarshal(params, &given) != nil || given.UserID == nil || *given.UserID == agent.UserID {
		return nil
	}
	return &permission.Error{Code: permission.CodeForbidden, Field: "tool_params.user_id",
		Message: "this is another user: leave it out, it follows from the token"}
}
