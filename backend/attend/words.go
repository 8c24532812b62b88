package attend

import (
	"fmt"

	"sekisho/backend/permission"
)

// The words for the model: what happened, whether the call ran, and what to do now.

// verdict tells why a decided call was not executed.
func verdict(c *permission.Call) string {
	reason := ""
	if c.Decision != nil {
		reason = c.Decision.Reason
	}
	switch c.Status {
	case permission.Declined:
		if reason == "" {
			reason = "no reason was given"
		}
		return "Declined by a person: " + reason + "\nThe call was not executed. " +
			"Do not retry the same call; do what the person said, choose another way, or ask the user."
	case permission.Denied:
		if reason == "" {
			reason = c.Why.Reason
		}
		return "Denied by a rule: " + reason + "\nThe call was not executed. Do not retry the same call; choose another way, or ask the user."
	case permission.Expired:
		return "Approval timeout: nobody answered in time. This is not a judgement of the call: it was not executed. " +
			"Tell the user, and repeat it when somebody is there to answer."
	case permission.Revoked:
		return "The call was approved, and forbidden before it ran: " + reason +
			"\nIt was not executed. Do not retry the same call; choose another way, or ask the user."
	case permission.Cancelled:
		return "The call was cancelled before it ran: " + reason + "\nIt was not executed."
	}
	return fmt.Sprintf("The call is %s at the desk (ticket %s) and was not executed for this request.", c.Status, c.ID)
}

// pending tells that a person has not answered yet, and how to get the outcome.
func pending(c *permission.Call) string {
	return fmt.Sprintf("PENDING: the call was not executed. It is waiting for a person at Sekisho (ticket %s). "+
		"Repeat the same call, with the same arguments, to get the outcome.", c.ID)
}

func tooMany(e *permission.Error) string {
	return "The call was not executed: " + e.Error() + "\nWait until a person has answered some of the waiting calls, then repeat it."
}
