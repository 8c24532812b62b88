package attend

import (
	"fmt"

	"sekisho/backend/permission"
)

// The words for the model: what happened, whether the call ran, and what to do now.

// pending tells that a person has not answered yet, or that nobody has come to execute the call
// elsewhere, and how to get the outcome.
func pending(c *permission.Call) string {
	waits := "It is waiting for a person at Sekisho"
	if c.Status == permission.Approved {
		waits = "It was approved, and no client that holds the files has come to run it yet"
	}
	return fmt.Sprintf("PENDING: the call was not executed. %s (ticket %s). "+
		"Repeat the same call, with the same arguments, to get the outcome.", waits, c.ID)
}

func tooMany(e *permission.Error) string {
	return "The call was not executed: " + e.Error() + "\nWait until a person has answered some of the waiting calls, then repeat it."
}
