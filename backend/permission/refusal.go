package permission

import "fmt"

// Refusal tells a model why a decided call was not executed, and what to do now.
func (c *Call) Refusal() string {
	reason := ""
	if c.Decision != nil {
		reason = c.Decision.Reason
	}
	if c.ByStop() {
		return fmt.Sprintf("A person stopped this agent. The call was not executed, and for %d minutes none of your calls is, "+
			"unless they let you go on.\nEnd your turn here: do not retry the call and do not look for another way; "+
			"tell the user that you were stopped.", int(StopFor.Minutes()))
	}
	if c.ByTable() {
		return reason
	}
	switch c.Status {
	case Declined:
		if reason == "" {
			reason = "no reason was given"
		}
		return "Declined by a person: " + reason + "\nThe call was not executed. " +
			"Do not retry the same call; do what the person said, choose another way, or ask the user."
	case Denied:
		if reason == "" {
			reason = c.Why.Reason
		}
		return "Denied by a rule: " + reason + "\nThe call was not executed. Do not retry the same call; choose another way, or ask the user."
	case Expired:
		if c.Decision != nil && c.Decision.Code == ReasonNoClient {
			return "The call was approved, and " + reason + ": it was not executed. Tell the user to start its executor, then repeat it."
		}
		return "Approval timeout: nobody answered in time. This is not a judgement of the call: it was not executed. " +
			"Tell the user, and repeat it when somebody is there to answer."
	case Revoked:
		return "The call was approved, and forbidden before it ran: " + reason +
			"\nIt was not executed. Do not retry the same call; choose another way, or ask the user."
	case Cancelled:
		return "The call was cancelled before it ran: " + reason + "\nIt was not executed."
	}
	return fmt.Sprintf("The call is %s at the desk (ticket %s) and was not executed for this request.", c.Status, c.ID)
}

// Given reports whether the call's yes, which was handed over by one door of its agent's
// program, is still given to another door that asks about the same call.
func (c *Call) Given(at Time) bool { return c.HandedOver && c.LeaseExpiresAt > at }
