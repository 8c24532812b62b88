package attend

import (
	"fmt"

	"sekisho/backend/permission"
)

// The words for the model: what happened, whether the call ran, and what to do now.

// pending tells that a person has not answered yet, and how to get the outcome.
func pending(c *permission.Call) string {
	return fmt.Sprintf("PENDING: the call was not executed. It is waiting for a person at Sekisho (ticket %s). "+
		"Repeat the same call, with the same arguments, to get the outcome.", c.ID)
}

func tooMany(e *permission.Error) string {
	return "The call was not executed: " + e.Error() + "\nWait until a person has answered some of the waiting calls, then repeat it."
}
