package hook

import (
	"context"
	"errors"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
)

// refusing is a desk that takes no call.
type refusing struct{ attend.Desk }

func (*refusing) Ask(context.Context, permission.Agent, permission.Request) (permission.Call, bool, error) {
	return permission.Call{}, false, &permission.Error{Code: permission.CodeInvalid, Message: "no"}
}

func (*refusing) Now() permission.Time { return 1 }

func (*refusing) Unanswered() permission.Unanswered { return permission.UnansweredDeny }

func (*refusing) InputMembers() int { return 1000 }

func (*refusing) NeverArrived(context.Context, permission.Agent, string, string, string) error {
	return errors.New("nothing was left to the gateway")
}
